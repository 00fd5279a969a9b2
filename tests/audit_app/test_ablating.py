"""`judge ablate` from end to end: a clean judge, a leaky one, one that is told, one that does not read."""

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from audit_app.actions.ablating import Ablation, Samples, ablate, known
from audit_app.cli import cli
from data.errors import StudyProblem
from data.rubric import default_text, parse_rubric
from data.study import Study
from judge.harness import Answer, Harness
from judge.samples import Sample

RUBRIC = parse_rubric(default_text(), "rubric.toml")


def samples(n: int) -> Samples:
    """Every other response says what a passage says; all say the gold answer."""
    texts = [f"answer {k}" for k in range(n)]
    return Samples(
        samples=tuple(
            {
                "id": str(k), "question": f"question {k}", "response": text, "gold_answer": text, "gold_aliases": [],
                "passages": [{"text": text if k % 2 else "nothing"}], "instruction": "",
            }
            for k, text in enumerate(texts)
        ),
        tasks=tuple(f"task {k}" for k in range(n)),
    )  # fmt: skip


def judge(seed: int, *, leak: float = 0.0, told: float = 1.0, reads: bool = True) -> Harness:
    """Noisy: the mean over 400 samples varies by .015. `leak` is how much more it finds supported by a gold answer.

    `told` is the share of the leak that the instruction leaves.
    """
    rng = random.Random(seed)

    def score(sample: Sample) -> float:
        supported = not reads or any(passage["text"] == sample["response"] for passage in sample["passages"])
        chance = 0.9 if supported else 0.1
        if not supported and sample["gold_answer"] == sample["response"]:
            chance += 2 * leak * (told if sample["instruction"] else 1)
        return float(rng.random() < chance)

    return lambda asked: (Answer(score(sample)) for sample in asked)


def found(harness: Harness, n: int = 400, metric: str = "faithfulness", **options: Any) -> Ablation:
    return ablate(harness, samples(n), known(RUBRIC, [metric]), **options)


def test_a_leak_of_five_points_is_found_and_named() -> None:
    result = found(judge(1, leak=0.05))
    (metric,) = result.metrics
    assert (metric.verdict, result.passed) == ("leaks", False)
    assert metric.sentence.startswith("faithfulness leaks: gold answer (")
    assert "question" not in metric.sentence
    assert metric.given.noise == pytest.approx(0.015, abs=0.012)
    gold = next(one for one in metric.changes if (one.artifact, one.change) == ("gold", "blank"))
    assert gold.shift.flips.only_first > gold.shift.flips.only_second


def test_a_clean_judge_is_wired_correctly() -> None:
    (metric,) = found(judge(2)).metrics
    assert (metric.verdict, metric.sentence) == (
        "wired",
        "faithfulness is wired correctly: question and gold answer moves it by no more than 5 points, "
        "and without response or passages it changes.",
    )


def test_30_samples_of_the_leaky_judge_cannot_tell() -> None:
    (metric,) = found(judge(3, leak=0.05), 30).metrics
    assert metric.verdict == "unclear"
    assert "noise too large to tell" in metric.sentence
    assert "more samples needed" in metric.sentence


def accused(leak: float, n: int, runs: int) -> Counter[str]:
    """Verdicts of as many judges, each with noise of its own."""
    return Counter(found(judge(seed, leak=leak), n).metrics[0].verdict for seed in range(runs))


def test_over_many_judges_the_leak_is_found_30_samples_cannot_tell_and_clean_ones_are_left_alone() -> None:
    assert accused(0.05, 400, 8)["leaks"] >= 7
    assert accused(0.05, 30, 40)["unclear"] >= 36
    clean = accused(0.0, 24, 200)
    assert clean["leaks"] + clean["blind"] <= 10


def test_four_readings_part_the_leak_into_what_the_instruction_takes_back_and_what_stays() -> None:
    (metric,) = found(judge(4, leak=0.4, told=0.25)).metrics
    assert [name for name, _ in metric.readings] == [
        "passages only", "passages + gold answer", "passages + gold answer + “ignore it”", "gold answer only",
    ]  # fmt: skip
    assert metric.leak is not None
    assert metric.leak.leak == pytest.approx(0.4, abs=0.04)
    assert metric.leak.recovered == pytest.approx(0.3, abs=0.04)
    assert metric.leak.not_recovered == pytest.approx(0.1, abs=0.04)
    # Half of the responses are supported (.9), the others not (.1); gold alone lifts all of them to .9.
    assert metric.leak.two_channels == pytest.approx(1 - 0.5 * 0.1, abs=0.04)


def test_a_judge_that_does_not_read_the_passages_is_blind() -> None:
    (metric,) = found(judge(5, reads=False), repeats=10).metrics
    assert metric.verdict == "blind"
    assert "does not look at what it has to: passages (blank" in metric.sentence


def plain(score: Callable[[Sample], object]) -> Harness:
    """A judge that always says the same of the same sample; what it raises is a missing score."""

    def answer(sample: Sample) -> Answer:
        try:
            return Answer(score(sample))
        except ValueError as error:
            return Answer(problem=str(error))

    return lambda asked: map(answer, asked)


def reads(sample: Sample) -> float:
    return float(any(passage["text"] == sample["response"] for passage in sample["passages"]))


def needs(artifact: str) -> Callable[[Sample], float]:
    """Reads, and refuses to score where an artifact is blank."""

    def score(sample: Sample) -> float:
        if not sample[artifact]:
            raise ValueError("nothing given")
        return reads(sample)

    return score


def seldom(sample: Sample) -> float:
    if int(sample["id"]) % 10:
        raise ValueError("quota")
    return reads(sample)


@pytest.mark.parametrize(
    ("score", "verdict", "sentence"),
    [
        (lambda _: 0.0, "floor", "cannot tell whether it looks at response or passages: it scores 0.0 % as given"),
        (lambda s: 0.55 if s["passages"] else 1.0, "blind", "passages faithfulness has to fall towards 0; it goes from "
         "55.0 % to 100.0 %."),
        (lambda s: 0.9 if s["passages"] else 0.6, "blind", "it goes from 90.0 % to 60.0 %."),
        (needs("passages"), "unread", "(passages (blank): 400 of 400 calls); most often: nothing given."),
        (seldom, "unread", "(as given: "),
        # Without a response there is no claim to divide by: no score is as good as another.
        (needs("response"), "wired", "without response or passages it changes"),
    ],
)  # fmt: skip
def test_a_score_has_to_be_there_and_to_fall_towards_0_without_what_it_counts(
    score: Callable[[Sample], object], verdict: str, sentence: str
) -> None:
    result = found(plain(score), 400, repeats=1)
    (metric,) = result.metrics
    assert (metric.verdict, result.passed) == (verdict, verdict == "wired")
    assert sentence in metric.sentence


def test_it_never_asks_for_less_than_one_more_sample() -> None:
    harness = judge(7)
    few = found(lambda asked: (Answer(a.value if k % 8 else None) for k, a in enumerate(harness(asked))), 60, repeats=1)
    assert "-" not in few.metrics[0].sentence
    assert few.metrics[0].verdict == "unclear"


def test_the_gold_answer_is_inside_of_correctness_and_has_no_four_readings() -> None:
    harness: Harness = lambda asked: (Answer(float(s["gold_answer"] == s["response"])) for s in asked)  # noqa: E731
    (metric,) = found(harness, metric="correctness", repeats=1).metrics
    assert (metric.verdict, metric.readings, metric.leak) == ("wired", (), None)


def test_the_order_of_the_calls_and_their_ids_tell_nothing_about_the_variant() -> None:
    asked: list[Sample] = []

    def harness(given: Any) -> Any:
        asked.extend(given)
        return (Answer(0.5) for _ in given)

    found(harness, 20, repeats=2)
    assert [sample["id"] for sample in asked] == [str(k) for k in range(len(asked))]
    blank = [not sample["gold_answer"] for sample in asked]
    half = len(blank) // 2
    assert 0.3 < sum(blank[:half]) / sum(blank) < 0.7


def test_a_judge_without_a_readable_score_is_refused_with_its_most_frequent_reason() -> None:
    with pytest.raises(StudyProblem, match=r"no score of faithfulness could be read; most often: answered yes"):
        found(lambda asked: (Answer("yes") for _ in asked), 10)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    (tmp_path / "their_judge.py").write_text(
        "def clean(s): return float(any(p['text'] in s['response'] for p in s['passages']))\n"
        "def leaky(s): return max(clean(s), float(bool(s['gold_answer']) and s['gold_answer'] == s['response']))\n"
    )
    rows = [{**sample, "task_id": task} for sample, task in zip(samples(150).samples, samples(150).tasks, strict=True)]
    (tmp_path / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: str) -> Result:
        return CliRunner().invoke(cli, ["judge", *arguments])

    return invoke


def test_the_command_exits_1_on_a_leak_and_0_without(run: Callable[..., Result]) -> None:
    options = ["--samples", "samples.jsonl", "--repeats", "2"]
    leaky = run("ablate", "--harness", "their_judge:leaky", *options)
    assert leaky.exit_code == 1
    assert "faithfulness leaks: gold answer (blank: +50.0" in leaky.stderr
    assert "Two independent channels" in leaky.stdout
    clean = run("ablate", "--harness", "their_judge:clean", *options)
    assert clean.exit_code == 0
    assert "faithfulness is wired correctly" in clean.stderr


@pytest.mark.parametrize("command", ["ablate", "canary"])
def test_a_harness_that_dies_is_no_success(run: Callable[..., Result], command: str) -> None:
    options = ["--samples", "samples.jsonl"] if command == "ablate" else ["--record", "record.jsonl"]
    died = run(command, "--harness", "false", *options)
    assert (died.exit_code, died.stdout) == (1, "")
    assert "harness false ended after 0 of" in died.stderr
    assert "(exit status 1)" in died.stderr


def test_the_command_speaks_json_and_works_on_a_study(run: Callable[..., Result], demo_copy: Study) -> None:
    result = run("ablate", "--harness", "their_judge:leaky", "--study", str(demo_copy.path), "--json", "--repeats", "1")
    found = json.loads(result.stdout)
    assert result.exit_code in (0, 1)
    assert found["metrics"][0]["metric"] == "faithfulness"
    assert found["n"] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--harness", "their_judge:none", "--samples", "samples.jsonl"], "their_judge.py) has no none"),
        (["--harness", "their_judge:clean", "--samples", "samples.jsonl", "--metric", "f"], "no metric f; expected"),
        (["--harness", "their_judge:clean", "--samples", "bad.jsonl"], "bad.jsonl:2: field 'response' is missing"),
        (["--harness", "their_judge:clean", "--samples", "one.jsonl"], "all samples are of one task"),
        (["--harness", "their_judge:clean", "--samples", "empty.jsonl"], "no samples; expected one a row"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_before_anything_is_asked(
    run: Callable[..., Result], tmp_path: Path, arguments: list[str], message: str
) -> None:
    good = json.dumps(samples(1).samples[0])
    (tmp_path / "bad.jsonl").write_text(f'{good}\n{{"question": "q", "gold_answer": "g", "passages": []}}\n')
    (tmp_path / "one.jsonl").write_text(f"{good}\n{good}\n")
    (tmp_path / "empty.jsonl").write_text("")
    result = run("ablate", *arguments)
    assert result.exit_code == 1
    assert message in result.stderr


def test_the_wiring_is_printed(run: Callable[..., Result]) -> None:
    result = run("wiring", "--json")
    assert {
        "metric": "context_recall",
        "receives": ["passages", "gold"],
        "outside": ["question", "response"],
    } in json.loads(result.stdout)
    assert "claims of the response that the passages support" in run("wiring").stdout
