"""The screen on planted leaks and near misses: which context is flagged, which only mentions, and where."""

import json
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.leaks.screen import FIELDS, LEAK, MENTION, Fields, screen

PLANTED = [
    json.loads(line) for line in Path(__file__).with_name("planted.jsonl").read_text(encoding="utf-8").splitlines()
]


def passages(raw: list[dict[str, str]]) -> list[Fields]:
    return [Fields(**{"number": number, **fields}) for number, fields in enumerate(raw, 1)]  # type: ignore[arg-type]  # of JSON


@pytest.mark.parametrize("case", PLANTED, ids=[f"{n}-{case['kind']}" for n, case in enumerate(PLANTED, 1)])
def test_planted(case: dict[str, Any]) -> None:
    found = screen(case["question"], case["answers"], passages(case["passages"]))
    said = {getattr(passages(case["passages"])[hit.passage - 1], hit.field)[hit.start : hit.end] for hit in found.hits}
    mentioned = any(hit.kind == MENTION for hit in found.hits)
    assert (LEAK if found.is_flagged else MENTION if mentioned else "none") == case["expect"]
    if "found" in case:
        assert case["found"] in said


def test_enough_is_planted() -> None:
    assert len(PLANTED) >= 120
    assert len({case["kind"] for case in PLANTED}) >= 20
    assert sum(case["expect"] == "leak" for case in PLANTED) > 60
    assert sum(case["expect"] != "leak" for case in PLANTED) > 60


def test_nothing_to_look_for_gives_no_hits() -> None:
    assert screen("Is it so?", [], [Fields(number=1, text="It is so.")]).score == 0
    assert screen("Is it so?", ["", "…", "yes"], [Fields(number=1, text="Yes, it is so …")]).hits == ()
    assert screen("Which body?", ["IEA"], []).hits == ()


def test_hits_come_in_reading_order_and_do_not_overlap() -> None:
    found = screen(
        "Which body?",
        ["International Energy Agency", "IEA"],
        [
            Fields(number=1, text="The IEA, the International Energy Agency.", title="IEA", publisher="The I.E.A."),
            Fields(number=3, text="IEA", url="https://iea.example/"),
        ],
    )
    places = [(hit.passage, FIELDS.index(hit.field), hit.start) for hit in found.hits]
    assert places == sorted(places)
    assert [hit.passage for hit in found.hits] == [1, 1, 1, 1, 3, 3]


def test_a_leak_beside_a_denial_is_a_leak() -> None:
    text = "Many assume it was not the IEA. It was the IEA."
    assert screen("Which body?", ["IEA"], [Fields(number=1, text=text)]).is_flagged


@given(st.text(max_size=60), st.lists(st.text(max_size=20), max_size=3), st.lists(st.text(max_size=80), max_size=3))
def test_any_text_gives_offsets_that_are_in_it(question: str, wordings: list[str], texts: list[str]) -> None:
    found = screen(question, wordings, [Fields(number=n, text=text) for n, text in enumerate(texts, 1)])
    assert 0 <= found.score <= 1
    for hit in found.hits:
        assert 0 <= hit.start < hit.end <= len(texts[hit.passage - 1])


WORD = st.text(st.characters(categories=["Lu", "Ll", "Lo"]), min_size=4, max_size=12)


@given(WORD, WORD, st.text(max_size=40), st.text(max_size=40))
def test_an_answer_that_stands_there_is_always_found(one: str, other: str, before: str, after: str) -> None:
    answer = f"{one} {other}"
    text = f"{before} {answer} {after}"
    found = screen("", [answer], [Fields(number=1, text=text)])
    assert any(hit.reason in ("exact", "normalised") and hit.start <= len(before) + 1 for hit in found.hits)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("IEA", "IEA " * 4_000),
        ("1974", "1,974 " * 15_000),
        ("12 May 1974", "12 May 12 May 1974 " * 4_000),
        ("10 apostles", "10 apostles " * 4_000),
        ("nineteen seventy-four", "nineteen hundred and " * 8_000),
    ],
)
def test_a_text_that_goes_on_and_on_is_read_in_seconds(answer: str, text: str) -> None:
    # Each took from half a minute to for ever while every place was held against all of the text.
    began = process_time()
    screen("How many, when or who?", [answer], [Fields(number=1, text=text)])
    assert process_time() - began < 10


def test_of_one_wording_the_first_places_are_told() -> None:
    found = screen("Which body?", ["IEA"], [Fields(number=1, text="IEA " * 2_000), Fields(number=2, text="the IEA")])
    assert [hit.start for hit in found.hits if hit.passage == 1] == list(range(0, 2_000, 4))
    assert [hit.start for hit in found.hits if hit.passage == 2] == [4]


def test_a_denial_is_read_near_its_place() -> None:
    far, near = "not " + "word " * 110 + "Paris", "word " * 300 + "it was not Paris"
    kinds = [screen("Which city?", ["Paris"], [Fields(number=1, text=text)]).hits[0].kind for text in (far, near)]
    assert kinds == [LEAK, MENTION]
