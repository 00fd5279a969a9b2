"""The sample commands as a person types them."""

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from audit_app.cli import cli
from data.study import Study


def run(study: Study, *words: str) -> Result:
    return CliRunner().invoke(cli, [*words, "--study", str(study.path)])


def answer(study: Study, *words: str) -> Any:
    ended = run(study, *words, "--json")
    assert ended.exit_code == 0, ended.output
    return json.loads(ended.stdout)


@pytest.fixture
def study(grid: Any, study_from: Any) -> Study:
    made: Study = study_from(grid(12))
    return made


def test_drawing_asking_for_more_and_dealing(study: Study) -> None:
    first = run(study, "sample", "draw", "--size", "8")
    assert [line.split() for line in first.stdout.splitlines()[2:]] == [
        ["responses", "8", "24", "2", "0.333", "0.333"], ["contexts", "8", "24", "2", "0.333", "0.333"],
    ]  # fmt: skip
    assert "Drew 8 responses and 8 contexts (seed 1); 2 responses and 2 contexts go to two people;" in first.stderr
    assert "About 1.0 responses are read with each context; fewer contexts (--contexts)" in first.stderr
    assert "Dealt" not in first.stderr
    assert "Next: evidence-audit people add NAME" in first.stderr
    assert run(study, "sample", "assign").exit_code == 1
    for name in ("Ann", "Ben"):
        added = run(study, "people", "add", name, "--id", name.lower())
        assert "sample assign" not in added.stderr
    dealt = run(study, "sample", "assign")
    assert "Dealt" in dealt.stderr
    assert [line.split()[:2] for line in dealt.stdout.splitlines()[2:]] == [
        [pass_, who] for pass_ in ("evidence", "correctness", "context") for who in ("Ann", "Ben")
    ]
    assert "sample assign" in run(study, "people", "add", "Cy").stderr
    more = run(study, "sample", "extend", "--size", "16")
    assert "Drew 16 responses and" in more.stderr
    assert more.stdout.splitlines()[2].split()[:4] == ["responses", "16", "24", "2"]
    assert "Sample 'main' has been extended once" in more.stderr
    assert "extended 2 times" in run(study, "sample", "extend", "--size", "all").stderr


def test_every_stratum_is_an_option(study: Study) -> None:
    plain = run(study, "sample", "draw", "--size", "24", "--certainty", "clean", "--contexts", "16", "--size", "14")
    assert [line.split() for line in plain.stdout.splitlines()[2:]] == [
        ["responses", "14", "24", "2", "0.167", "1.000"], ["contexts", "16", "24", "2", "0.333", "1.000"],
    ]  # fmt: skip
    lines = run(study, "sample", "extend", "--size", "16", "--all").stdout.splitlines()
    rows = [line.split() for line in lines[lines.index("") + 3 :]]
    assert rows[:2] == [
        ["responses", "clean", "12", "12", "1.000"], ["responses", "evidence_absence", "12", "4", "0.333"],
    ]  # fmt: skip
    assert [row[:2] for row in rows[2:]] == [["contexts", "clean"], ["contexts", "evidence_absence"]]


def test_small_strata_are_counted(grid: Any, study_from: Any) -> None:
    rows = grid(20, conditions=("clean",), models=("wren", "larch"))
    few = [row for row in rows["responses"] if row["model"] == "wren" or row["response_id"].startswith("t00.")]
    study = study_from({**rows, "responses": few})
    drawn = run(study, "sample", "draw", "--size", "12", "--no-deal")
    header, _, responses, _ = drawn.stdout.splitlines()
    assert "small strata" in header
    assert responses.split()[-1] == "1"


@pytest.mark.parametrize(("role", "said"), [("annotator", "Next: evidence-audit serve"), ("lead", "people add NAME")])
def test_what_comes_next_depends_on_who_is_there(study: Study, role: str, said: str) -> None:
    run(study, "people", "add", "Ann", "--role", role)
    last = run(study, "sample", "draw", "--size", "8").stderr.splitlines()[-1]
    assert said in last
    assert ("people add" in last) == (role == "lead")


def test_json_says_everything(study: Study) -> None:
    for name in ("Ann", "Ben"):
        run(study, "people", "add", name)
    drawn = answer(study, "sample", "draw", "--size", "8", "--certainty", "clean", "--contexts", "16", "--size", "14")
    assert drawn["allocation"] == [
        {"stratum": "clean", "stratum_size": 12, "sample_size": 12, "inclusion_probability": 1.0, "small": False},
        {"stratum": "evidence_absence", "stratum_size": 12, "sample_size": 2,
         "inclusion_probability": pytest.approx(1 / 6), "small": False},
    ]  # fmt: skip
    assert {row["sample_size"] for row in drawn["context_allocation"]} == {12, 4}
    assert {portion["n_items"] > 0 for portion in drawn["dealt"]["portions"]} == {True}
    dealt = answer(study, "sample", "assign")
    assert dealt["portions"] == drawn["dealt"]["portions"]
    assert answer(study, "sample", "extend", "--size", "all", "--no-deal")["dealt"] is None


COUNTS = ("--size", "--contexts", "--collapse", "--floor", "--cap", "--people", "--core", "--core-people", "--seed")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("draw", "--bins", "source_sensitivity=low"), 2, "expected column=0.5,0.8 or, for 3 groups, column=q3"),
        (("draw", "--bins", "source_sensitivity=q" + "9" * 500), 2, "expected column=0.5,0.8 or, for 3 groups"),
        *(((*("draw", option), "9" * 24), 2, f"Invalid value for '{option}'") for option in COUNTS),
        (("draw", "--size", "²"), 2, "expected a whole number from 1 to"),
        (("draw", "--size", "٣"), 2, "expected a whole number from 1 to"),
        *((("draw", "--name", name), 1, f"--name: {name!r} is no name") for name in ("", " ", "a\nb", "a\u202eb")),
        (("draw", "--overlap", "1.5"), 2, "is not in the range"),
        (("draw", "--allocation", "fair"), 2, "'fair' is not one of"),
        (("draw", "--cap", "1"), 1, "evidence-audit: --cap: 1 is below the floor of 2"),
        (("draw", "--size", "3", "--strata", "condition"), 1, "the smallest total that works is 4"),
        (("extend",), 2, "Missing option '--size'"),
        (("extend", "--size", "20"), 1, "nothing is drawn yet"),
        (("assign",), 1, "nothing is drawn yet"),
    ],
)
def test_what_cannot_be_done_is_a_sentence(study: Study, words: tuple[str, ...], code: int, message: str) -> None:
    ended = run(study, "sample", *words)
    assert ended.exit_code == code
    assert message in " ".join(ended.stderr.split())
    assert "Traceback" not in ended.output
