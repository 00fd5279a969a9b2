"""Dev tasks are free for tuning a judge; the validation side stays sealed, and late prompts are marked."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from audit_app.actions.importing import import_records
from audit_app.actions.judge_ledger import RunOptions
from audit_app.actions.judge_rows import disagreement_rows, judge_rows
from audit_app.actions.judge_run import run_judge
from audit_app.actions.judge_work import Asked
from audit_app.actions.judging import judge_check
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
from audit_app.actions.split import part_of
from audit_app.cli import cli
from data.errors import StudyProblem
from data.store import items
from data.store.connection import open_store
from data.study import Study
from judge.lexical import LexicalJudge

N = 40
PEOPLE = [n % 2 for n in range(N)]
JUDGE = [value ^ (n % 5 == 0) for n, value in enumerate(PEOPLE)]


@pytest.fixture(scope="module")
def made(grid: Any, build_study: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, list[str]]:
    rows = grid(N, conditions=("clean",))
    ids = [row["response_id"] for row in rows["responses"]]
    verdicts = [
        {"response_id": item, "judge": "ours", "C": int(said), "rationale": f"because {n}"}
        for n, (item, said) in enumerate(zip(ids, JUDGE, strict=True))
    ]
    study = build_study(tmp_path_factory.mktemp("split"), {**rows, "verdicts": verdicts}, ["C"])
    draw_sample(study, Plan(size=None, overlap=0, dev=0.5))
    return study, ids


@pytest.fixture
def half(made: Any, copy_of: Any, give_labels: Any, label_rows: Any) -> Study:
    """All but the last responses are labelled, so that results are sealed."""
    study: Study = copy_of(made[0])
    said = {item: {"C": str(value)} for item, value in list(zip(made[1], PEOPLE, strict=True))[:36]}
    give_labels(study, label_rows("ann", said, comment="I looked"))
    return study


def parts(study: Study) -> list[str | None]:
    with open_store(study) as store:
        sample = items.find_sample(store, None)
    return [part_of(sample, f"t{n:02}") for n in range(N)]


def test_dev_tasks_are_checked_while_all_else_is_sealed(half: Study) -> None:
    dev = [n for n, part in enumerate(parts(half)) if part == "dev" and n < 36]
    found = judge_check(half, split="dev")
    counts = [[sum(PEOPLE[n] == i and JUDGE[n] == j for n in dev) for j in (0, 1)] for i in (0, 1)]
    assert found.labels["C"].counts == tuple(map(tuple, counts))
    assert found.n_frame == parts(half).count("dev")
    assert "weighted to all responses of the dev tasks" in found.sentence
    assert not found.seal.is_open
    for split in ("validation", None):
        with pytest.raises(StudyProblem, match="Results are sealed"):
            judge_check(half, split=split)


def test_every_disagreement_of_dev_is_listed_with_both_reasons_and_none_of_validation(half: Study, made: Any) -> None:
    found = judge_check(half, split="dev")
    where = parts(half)
    wanted = [n for n in range(0, 36, 5) if where[n] == "dev"]
    assert sorted(one.response_id for one in found.disagreements) == sorted(made[1][n] for n in wanted)
    one = found.disagreements[0]
    n = made[1].index(one.response_id)
    assert (one.label, one.people, one.judge) == ("C", str(PEOPLE[n]), str(int(JUDGE[n])))
    assert (one.comment, one.rationale) == ("I looked", f"because {n}")
    assert disagreement_rows(found)[0]["the judge's words"] == f"because {n}"


def test_after_unsealing_the_validation_side_is_the_rest(half: Study) -> None:
    unseal(half, "a test")
    dev, validation, everything = (judge_check(half, split=split) for split in ("dev", "validation", None))
    assert dev.labels["C"].n + validation.labels["C"].n == everything.labels["C"].n == 36
    assert dev.n_frame + validation.n_frame == everything.n_frame == N
    assert everything.disagreements == ()
    # Each part is a domain of one design: their weighted tables add up to that of the whole.
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        parts_of = dev.labels["C"].table[i][j] + validation.labels["C"].table[i][j]
        assert parts_of == pytest.approx(everything.labels["C"].table[i][j])


def test_a_sample_without_dev_tasks_says_how_to_get_some(grid: Any, study_from: Any) -> None:
    rows = grid(4)
    verdicts = [{"response_id": row["response_id"], "judge": "ours", "C": 1} for row in rows["responses"]]
    study = study_from({**rows, "verdicts": verdicts}, labels=["C"])
    draw_sample(study, Plan(size=None, overlap=0))
    with pytest.raises(StudyProblem, match=r"has no dev part.*--dev 0\.3"):
        judge_check(study, split="dev")


@pytest.mark.parametrize(
    ("dev", "n_responses", "words"),
    [
        (0.97, 48, "are left to validate a judge on; fewer than 30 say little"),
        (0.001, 48, "no drawn response is of a dev task"),
        (0.3, 48, None),
    ],
)
def test_a_draw_says_when_a_side_has_too_few(
    grid: Any, study_from: Any, dev: float, n_responses: int, words: str | None
) -> None:
    study = study_from(grid(n_responses, conditions=("clean",)), labels=["C"])
    notes = [n for n in draw_sample(study, Plan(size=None, overlap=0, dev=dev)).notes if "judge" in n]
    assert len(notes) == (words is not None)
    assert words is None or words in notes[0]


def test_some_tasks_stay_to_validate_a_judge_on(half: Study) -> None:
    refused = CliRunner().invoke(cli, ["sample", "draw", "--name", "b", "--dev", "1.0", "--study", str(half.path)])
    assert refused.exit_code == 1
    assert "--dev: 1 leaves no task to validate a judge on; expected less, such as 0.3" in refused.stderr


def test_a_prompt_first_used_after_the_unsealing_is_marked(half: Study) -> None:
    def run(name: str) -> None:
        run_judge(half, name, LexicalJudge(), RunOptions(asked=Asked(labels=("C",))))

    run("early")
    unseal(half, "a test")
    run("late")
    # The same prompt as before: whoever answers, it was not tuned on what was opened.
    assert judge_check(half, judge="early").tuned == judge_check(half, judge="late").tuned == {}


def test_a_new_prompt_is_marked_outside_of_dev(half: Study) -> None:
    unseal(half, "a test")
    run_judge(half, "late", LexicalJudge(), RunOptions(asked=Asked(labels=("C",))))
    for found in (judge_check(half, judge="late"), judge_check(half, judge="late", split="validation")):
        assert list(found.tuned) == ["C"]
        assert (found.tuned_sentence or "").startswith("Tuned on the audit: C.")
        assert judge_rows(found)[0]["note"].startswith("tuned on the audit")
    assert judge_check(half, judge="late", split="dev").tuned == {}
    assert judge_check(half, judge="ours").tuned == {}


EARLY, LATE = "2020-01-01T00:00:00Z", "2999-01-01"


@pytest.mark.parametrize(
    ("facts", "marked", "n_undated"),
    [
        pytest.param([{"created_at": EARLY}], False, 0, id="given-before"),
        pytest.param([{"created_at": LATE}], True, 0, id="given-after"),
        pytest.param([{"created_at": LATE, "prompt_hash": "p"}, {"created_at": EARLY, "prompt_hash": "p"}], False, 0,
                     id="prompt-used-before"),
        pytest.param([{"created_at": EARLY, "prompt_hash": "p"}, {"created_at": LATE, "prompt_hash": "q"}], True, 0,
                     id="a-new-prompt"),
        pytest.param([{"created_at": EARLY}, {"created_at": LATE}], True, 0, id="no-hash-is-no-excuse"),
        pytest.param([{}], False, 40, id="no-dates"),
        pytest.param([{"prompt_hash": "p"}, {"created_at": EARLY, "prompt_hash": "p"}], False, 0,
                     id="of-a-dated-prompt"),
        pytest.param([{"created_at": LATE}, {}], True, 20, id="some-dates"),
    ],
)  # fmt: skip
def test_imported_verdicts_say_when_they_were_given_or_it_is_said_that_they_do_not(
    half: Study, made: Any, tmp_path: Path, facts: list[dict[str, str]], marked: bool, n_undated: int
) -> None:
    lines = [json.dumps({"response_id": item, "judge": "theirs", "C": 1, **facts[n % len(facts)]})
             for n, item in enumerate(made[1])]  # fmt: skip
    path = tmp_path / "verdicts.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    import_records(half, "verdicts", path)
    assert judge_check(half, judge="theirs", split="dev").undated_sentence is None
    unseal(half, "a test")
    found = judge_check(half, judge="theirs")
    assert list(found.tuned) == ["C"] * marked
    assert found.n_undated == n_undated
    said = f"It is not known when {n_undated} of the 40 verdicts of judge theirs were given"
    assert (found.undated_sentence or "").startswith(said) == bool(n_undated)


def test_parts_of_older_versions_have_no_dates(half: Study) -> None:
    (part,) = half.texts.glob("verdicts-*.parquet")
    pq.write_table(pq.read_table(part).drop_columns(["created_at"]), part)
    unseal(half, "a test")
    assert judge_check(half, judge="ours").n_undated == 40


def test_the_command_lists_disagreements_and_marks(half: Study) -> None:
    where = ["judge", "check", "--split", "dev", "--study", str(half.path)]
    shown = CliRunner().invoke(cli, where)
    assert shown.exit_code == 0, shown.output
    assert "the judge's words" in shown.stdout
    told = json.loads(CliRunner().invoke(cli, [*where, "--json"]).stdout)
    assert told["split"] == "dev"
    assert told["disagreements"][0]["comment"] == "I looked"
    sealed = CliRunner().invoke(cli, ["judge", "check", "--split", "validation", "--study", str(half.path)])
    assert sealed.exit_code == 1
    assert "Results are sealed" in sealed.stderr
