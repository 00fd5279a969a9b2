"""`judge canary`: the first run is recorded, a rise above it stops the build."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from audit_app.actions.canary_run import run_canaries
from audit_app.actions.judge_trials import Trial, record, trials
from audit_app.cli import cli
from data import canaries as shipped
from data.canaries import canaries, canary_hash
from data.errors import StudyProblem
from judge.harness import Answer, Harness
from judge.samples import Sample

N = len(canaries())


def judge(chance: float, seed: int = 1) -> Harness:
    """Finds grounded at random."""
    rng = random.Random(seed)
    return lambda asked: (Answer(float(rng.random() < chance)) for _ in asked)


def leaky(*words: str) -> Harness:
    """Finds grounded where the gold answer holds one of these words."""

    def score(sample: Sample) -> Answer:
        return Answer(float(any(word in sample["gold_answer"] for word in words)))

    return lambda asked: map(score, asked)


def gold(place: int) -> tuple[str, str]:
    """The gold answer of a canary and the name of the canary."""
    canary = canaries()[place]
    return canary.item.task.gold_answer or "", canary.item_id.removeprefix("canary:")


def test_the_first_run_is_the_baseline_and_the_same_judge_passes(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    first = run_canaries(leaky(), "ours", "faithfulness", path)
    assert (first.is_baseline, first.passed, first.rise, first.n) == (True, True, None, N)
    assert first.sentence == (
        f"This run is the baseline of ours (faithfulness): nothing was recorded yet. It scores 0.0 % on {N} canaries."
    )
    second = run_canaries(leaky(), "ours", "faithfulness", path)
    assert (second.is_baseline, second.passed) == (False, True)
    assert second.sentence.startswith("ours finds no more grounded than it did: 0.0 %")
    assert [one.baseline for one in trials(path)] == [True, False]


def test_a_single_canary_of_a_deterministic_judge_is_a_rise_and_is_named(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    run_canaries(leaky(), "ours", "G", path)
    answer, name = gold(3)
    found = run_canaries(leaky(answer), "ours", "G", path)
    assert (found.passed, found.rose, found.grounded) == (False, (name,), (name,))
    assert found.sentence.endswith(f"Higher: {name}.")
    # A run that rose is no baseline: the next is compared with the first one again.
    assert not run_canaries(leaky(answer), "ours", "G", path).passed


def test_a_noisy_judge_is_not_accused_of_its_own_noise(tmp_path: Path) -> None:
    run_canaries(judge(0.2, 1), "noisy", "G", tmp_path / "record.jsonl")
    assert run_canaries(judge(0.2, 2), "noisy", "G", tmp_path / "record.jsonl").passed
    assert not run_canaries(judge(0.7, 3), "noisy", "G", tmp_path / "record.jsonl").passed


def test_a_baseline_that_finds_canaries_grounded_is_suspicious(tmp_path: Path) -> None:
    found = run_canaries(judge(1.0), "leaky", "G", tmp_path / "record.jsonl")
    assert found.passed
    assert f"{N} of them are called grounded although no passage establishes them" in found.sentence


def test_another_judge_or_another_set_has_a_baseline_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "record.jsonl"
    run_canaries(judge(0.0), "one", "G", path)
    other = run_canaries(judge(1.0), "two", "G", path)
    assert other.is_baseline
    assert "the record is of one (G)" in other.sentence
    old = [Trial(kind="canary", at="2026-01-02T", judge="three", metric="G", passed=True, sentence="", baseline=True,
                 set_hash="another", scores=((0.0,),))]  # fmt: skip
    record(path, old[0])
    changed = run_canaries(judge(1.0), "three", "G", path)
    assert changed.is_baseline
    assert "the set has changed since that of 2026-01-02" in changed.sentence
    assert changed.set_hash == canary_hash() == shipped.canary_hash()


def test_a_baseline_can_be_renewed(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    run_canaries(judge(0.0), "ours", "G", path)
    renewed = run_canaries(judge(1.0), "ours", "G", path, renew=True)
    assert "a new baseline was asked for" in renewed.sentence
    assert run_canaries(judge(1.0), "ours", "G", path).passed


def test_a_judge_that_hardly_answers_is_refused_and_nothing_is_recorded(tmp_path: Path) -> None:
    with pytest.raises(StudyProblem, match=rf"could be read on 0 of {N} canaries.*Most often: the server is down"):
        run_canaries(lambda asked: (Answer(problem="the server is down") for _ in asked), "x", "G", tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_a_line_that_is_no_record_is_refused_by_its_place(tmp_path: Path) -> None:
    (tmp_path / "r").write_text('{"kind": "canary"}\n')
    with pytest.raises(StudyProblem, match="r:1: no record of a judge's test"):
        trials(tmp_path / "r")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    (tmp_path / "my_canary_judge.py").write_text(
        "from pathlib import Path\n"
        "def score(s): return float(Path('leaks').read_text() == '1' and bool(s['gold_answer']))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(cli, ["judge", "canary", *arguments])


def test_the_command_records_then_exits_1_on_a_rise(run: Callable[..., Result], tmp_path: Path) -> None:
    options = ["--harness", "my_canary_judge:score", "--record", "canary.jsonl"]
    (tmp_path / "leaks").write_text("0")
    assert run(*options).exit_code == 0
    same = run(*options, "--json")
    assert (same.exit_code, json.loads(same.stdout)["now"]["value"]) == (0, 0.0)
    (tmp_path / "leaks").write_text("1")
    risen = run(*options)
    assert risen.exit_code == 1
    assert "finds more grounded than it did: 100.0 %" in risen.stderr


def test_the_command_needs_a_place_for_the_baseline_and_takes_a_judge_of_ours(
    run: Callable[..., Result], tmp_path: Path
) -> None:
    lost = run("--baseline")
    assert lost.exit_code == 1
    assert "is no study; say where the baseline is kept: --record FILE" in lost.stderr
    found = run("--baseline", "--record", "canary.jsonl", "--repeats", "1")
    assert found.exit_code == 0, found.output
    assert "This run is the baseline of lexical baseline (not an LLM) (G)" in found.stderr
