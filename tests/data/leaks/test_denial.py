"""The cues of denial one by one: each alone sets aside the words behind it, and without it they stand."""

import pytest

from data.leaks.denial import is_denied
from data.leaks.written import Written

NAME = "Harlow"

BEFORE = (
    "instead of", "rather than", "unlike", "as opposed to", "in contrast to", "in contrast with", "contrary to",
    "replacing", "replaces", "replaced", "in place of", "in lieu of", "away from", "as against", "despite",
    "shifted from", "shifting from", "surpassing", "surpasses", "outnumbering", "outnumbers", "overturning",
    "overturned", "forgoing",
    "forgoes", "abandoned", "abandons", "abandoning", "excludes", "excluding", "eschews", "eschewed",
    "eschewing", "differs from", "differing from", "different from", "deviating from", "confused with", "mistaken for",
)  # fmt: skip
THAN = (
    "more",
    "less",
    "fewer",
    "better",
    "greater",
    "larger",
    "higher",
    "longer",
    "earlier",
    "later",
    "older",
    "other",
)
HABIT = (
    "often", "commonly", "widely", "generally", "popularly", "universally", "usually", "typically", "traditionally",
    "frequently", "conventionally", "normally", "ordinarily", "originally", "previously", "formerly", "historically",
    "initially", "once", "standard", "expected", "assumed", "presumed", "supposedly", "anticipated", "regularly",
    "mistakenly", "always",
)  # fmt: skip
HELD = (
    "believed", "thought", "assumed", "credited", "associated", "attributed", "considered", "regarded", "expected",
    "perceived", "claimed", "presumed", "supposed", "suggested", "imagined", "linked", "identified", "recognised",
    "known",
)  # fmt: skip


def denied(text: str) -> bool:
    start = text.index(NAME)
    return is_denied(Written(text), start, start + len(NAME))


@pytest.mark.parametrize("cue", BEFORE)
def test_words_before_a_name_set_it_aside(cue: str) -> None:
    assert denied(f"The council sat in Benton, {cue} {NAME}.")
    assert not denied(f"The council sat in Benton, near {NAME}.")


@pytest.mark.parametrize("cue", THAN)
def test_what_is_compared_with_is_set_aside(cue: str) -> None:
    assert denied(f"Benton saw {cue} councils than {NAME}.")
    assert not denied(f"Benton saw {cue} councils at {NAME}.")


def test_none_other_than_asserts_and_more_than_a_number_does() -> None:
    assert not denied(f"It was none other than {NAME}.")
    number = "The council had more than 90 members."
    assert not is_denied(Written(number), number.index("90"), number.index("90") + 2)


@pytest.mark.parametrize("habit", HABIT)
def test_what_was_so_is_left_behind_where_the_text_goes_on(habit: str) -> None:
    assert denied(f"The seat, {habit} {NAME}, is now Benton.")
    # "Mistakenly" denies by itself.
    assert denied(f"The seat, {habit} {NAME}, is a market town.") is (habit == "mistakenly")


@pytest.mark.parametrize("held", HELD)
def test_what_is_commonly_believed_is_denied_where_the_text_goes_on(held: str) -> None:
    assert denied(f"{NAME} is commonly {held} to be the seat, but it is Benton.")
    assert denied(f"{NAME}, as widely {held}, was the seat. In fact it is Benton.")
    assert denied(f"Many people {held} {NAME} to be the seat, but it is Benton.")
    assert not denied(f"{NAME} is commonly {held} to be the seat.")


def test_what_is_set_against_a_belief_is_asserted() -> None:
    assert not denied(f"Contrary to what is commonly believed, {NAME} is the seat, and Benton is not now.")
