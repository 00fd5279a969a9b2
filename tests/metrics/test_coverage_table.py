"""The coverage table's comparison with the simpler ways, worked by hand."""

import pytest

from benchmarks.coverage_table import Outcome, Row, beside, row


def outcome(**ends: tuple[float, float]) -> Outcome:
    named = {"Wald": ends["wald"], "λ = 1": ends["judge"], "human only": ends["people"], "default": ends["ours"]}
    return Outcome(truth=0.5, value=0.5, ends=named, kind="logit-t", p_homogeneous=None)


def cell(metric: str, *outcomes: Outcome) -> Row:
    return row("small", metric, outcomes, counted=True)


def test_a_cell_shows_the_worst_coverage_and_width_of_its_metrics() -> None:
    people = (0.4, 0.6)  # .2 wide
    first = cell(
        "SES",
        outcome(wald=(0.45, 0.55), judge=(0.3, 0.7), people=people, ours=(0.42, 0.58)),
        outcome(wald=(0.51, 0.61), judge=(0.3, 0.7), people=people, ours=(0.42, 0.58)),
    )
    second = cell("ESD", outcome(wald=(0.47, 0.53), judge=(0.4, 0.7), people=people, ours=(0.41, 0.59)))

    (line,) = beside([first, second])

    # Wald holds one time in two for SES; λ = 1 is .4 wide there, twice as wide as people's labels alone.
    assert line == "| small | 0.500 SES | 1.000 SES | 1.000 SES | 1.000 SES | 0.50 SES | 2.00 SES | 0.90 ESD |"


@pytest.mark.parametrize("missing", ["human only", "Wald"])
def test_a_cell_in_which_a_way_gives_no_number_is_left_out(missing: str) -> None:
    whole = outcome(wald=(0.4, 0.6), judge=(0.4, 0.6), people=(0.4, 0.6), ours=(0.4, 0.6))
    partly = Outcome(
        truth=0.5, value=0.5, ends={way: ends for way, ends in whole.ends.items() if way != missing}, kind="",
        p_homogeneous=None,
    )  # fmt: skip

    assert beside([cell("SES", whole), cell("ESD", partly)]) == []
