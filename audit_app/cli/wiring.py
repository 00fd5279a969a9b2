"""Commands about what a judge is wired to: judge ablate, judge canary, judge wiring."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from audit_app.actions.ablating import Ablation, MetricWiring, ablate, drawn_samples, file_samples, known
from audit_app.actions.canary_run import CanaryRun, run_canaries
from audit_app.actions.judge_harness import HarnessChoice, open_choice
from audit_app.actions.judge_trials import note_ablation
from audit_app.actions.studies import checked_study
from audit_app.actions.wiring_verdict import DONE, NAMES
from audit_app.actions.wording import as_table, p_value, percent, points
from audit_app.cli.judge_asked import harness_options
from audit_app.cli.options import Number, Whole, json_option, print_json, say, study_option
from audit_app.cli.progress import Bar
from data.errors import StudyProblem
from data.rubric import Rubric, default_text, parse_rubric
from data.study import Study
from judge.wiring import ARTIFACTS, wirings

Told = Callable[[int, int], None]


def _study(folder: Path) -> Study | None:
    """The study in a folder, if there is one: somebody else's judge needs none."""
    return checked_study(folder) if (folder / "study.toml").exists() else None


def _rubric(study: Study | None) -> Rubric:
    return study.rubric if study else parse_rubric(default_text(), "rubric.toml")


@contextmanager
def _bar() -> Iterator[Told]:
    """A bar that is told how many answers there are, of how many."""
    with Bar("Asking") as bar:
        yield lambda done, total: bar(done / total)


@click.command("wiring", epilog="Example: evidence-audit judge wiring")
@json_option
@study_option
def wiring(as_json: bool, folder: Path) -> None:
    """Print which artifacts each label and each general metric may receive, and why."""
    there = wirings(_rubric(_study(folder)).questions).values()
    rows = [
        {
            "metric": one.name,
            "numerator": one.numerator.counts,
            "denominator": one.denominator.counts,
            **{NAMES[artifact]: "yes" if artifact in one.receives else "–" for artifact in ARTIFACTS},
        }
        for one in there
    ]
    if as_json:
        print_json([{"metric": one.name, "receives": list(one.inside), "outside": list(one.outside)} for one in there])
    else:
        click.echo(as_table(rows))
    say("A metric that is given more than its numerator and denominator compare measures something else.")


@click.command("ablate", epilog="Example: evidence-audit judge ablate --harness mypkg.judge:score --samples dev.jsonl")
@harness_options
@click.option("--samples", type=click.Path(path_type=Path, exists=True, dir_okay=False),
              help="Samples from a file; the study's drawn responses by default.")  # fmt: skip
@click.option("--size", type=Whole(min=2, max=100_000), default=400, show_default=True, help="Samples at most.")
@click.option("--repeats", type=Whole(min=1, max=1000), default=5, show_default=True, help="Calls per variant.")
@click.option("--margin", type=Number(0, 1, min_open=True, max_open=True), default=0.05, show_default=True,
              help="A shift up to this is no leak.")  # fmt: skip
@click.option("--level", type=Number(0.5, 0.999), default=0.99, show_default=True,
              help="1 less the chance that a clean judge is said to leak.")  # fmt: skip
@click.option("--seed", type=Whole(min=0, max=2**32 - 1), default=1, show_default=True, help="Of order and exchanges.")
@json_option
@study_option
def ablate_command(
    tested: HarnessChoice,
    samples: Path | None,
    size: int,
    repeats: int,
    margin: float,
    level: float,
    seed: int,
    as_json: bool,
    folder: Path,
) -> None:
    """Change what a judge is shown, one artifact at a time, and see whether it moves. Exits 1 if a metric leaks."""
    study = _study(folder)
    if not (samples or study):
        nowhere = "say where the samples are: --samples FILE, or --study FOLDER for the drawn responses of a study"
        raise StudyProblem(f"{folder.resolve()} is no study; {nowhere}")
    opened = open_choice(_rubric(study), study, tested)
    wired = known(_rubric(study), opened.metrics)
    chosen = file_samples(samples, size, seed) if samples else drawn_samples(checked_study(folder), size, seed)
    with _bar() as on_answer:
        found = ablate(
            opened.harness, chosen, wired, repeats=repeats, margin=margin, level=level, seed=seed, on_answer=on_answer
        )
    for metric in found.metrics:
        if study:
            passed = None if metric.verdict in ("unclear", "unread", "floor") else metric.passed
            note_ablation(study, opened.name, metric.metric, passed=passed, sentence=metric.sentence)
    if as_json:
        print_json(found)
    else:
        click.echo("\n\n".join(_tables(found)))
    _say_missing(found.problems)
    for metric in found.metrics:
        say(metric.sentence)
    if not found.passed:
        click.get_current_context().exit(1)


@click.command("canary", epilog="Example: evidence-audit judge canary --harness mypkg.judge:score")
@harness_options
@click.option("--repeats", type=Whole(min=1, max=1000), default=5, show_default=True, help="Calls per canary.")
@click.option("--level", type=Number(0.5, 0.999), default=0.99, show_default=True,
              help="1 less the chance that noise alone is taken for a rise.")  # fmt: skip
@click.option("--record", type=click.Path(path_type=Path, dir_okay=False),
              help="File that keeps the runs; the study by default.")  # fmt: skip
@click.option("--new-baseline", "renew", is_flag=True, help="Compare later runs with this one.")
@json_option
@study_option
def canary_command(
    tested: HarnessChoice,
    repeats: int,
    level: float,
    record: Path | None,
    renew: bool,
    as_json: bool,
    folder: Path,
) -> None:
    """Ask a judge about answers that are right and in no passage. Exits 1 if it finds more grounded than before.

    The first run of a judge is its baseline.
    """
    study = _study(folder)
    kept = record or study
    if kept is None:
        raise StudyProblem(f"{folder.resolve()} is no study; say where the baseline is kept: --record FILE")
    opened = open_choice(_rubric(study), study, tested)
    if len(opened.metrics) > 1:
        raise StudyProblem("canaries are about grounding; give one --metric")
    with _bar() as on_answer:
        found = run_canaries(opened.harness, opened.name, opened.metrics[0], kept, repeats=repeats, level=level,
                             renew=renew, on_answer=on_answer)  # fmt: skip
    if as_json:
        print_json(found)
    else:
        click.echo(as_table(_canary_rows(found)))
    _say_missing(found.problems)
    say(found.sentence)
    if not found.passed:
        click.get_current_context().exit(1)


def _canary_rows(found: CanaryRun) -> list[dict[str, str]]:
    runs = [("now", found.now)] if found.is_baseline else [("baseline", found.baseline), ("now", found.now)]
    return [
        {
            "run": name,
            "grounded": percent(one.value),
            "SD between repeats": "–" if one.noise is None else f"{100 * one.noise:.1f}",
            "canaries": str(one.n),
        }
        for name, one in runs
    ]


def _say_missing(problems: dict[str, int]) -> None:
    for reason, times in sorted(problems.items(), key=lambda pair: -pair[1])[:5]:
        say(f"{times} scores are missing: {reason}.")


def _tables(found: Ablation) -> Iterator[str]:
    for metric in found.metrics:
        yield as_table(list(_shift_rows(metric)))
        if metric.readings:
            yield as_table(list(_reading_rows(metric)))
        if metric.leak:
            yield _partition(metric)


def _shift_rows(metric: MetricWiring) -> Iterator[dict[str, str]]:
    for one in metric.changes:
        shift = one.shift
        yield {
            "metric": metric.metric,
            "artifact": NAMES[one.artifact],
            "changed to": DONE[one.change],
            "must": "not move it" if one.outside else "move it",
            "shift in points": points(shift.difference),
            "p (Holm)": p_value(shift.p_holm),
            "only with it": str(shift.flips.only_first),
            "only without": str(shift.flips.only_second),
            "found": shift.finding,
        }


def _reading_rows(metric: MetricWiring) -> Iterator[dict[str, str]]:
    for name, one in metric.readings:
        yield {
            f"{metric.metric}, reading": name,
            "score": percent(one.value),
            "SD between repeats": "–" if one.noise is None else f"{100 * one.noise:.1f}",
            "samples": str(one.n),
        }


def _partition(metric: MetricWiring) -> str:
    leak = metric.leak
    if leak is None:
        return ""
    return (
        f"The gold answer adds {100 * leak.leak:+.1f} points; the instruction to ignore it takes"
        f" {100 * leak.recovered:.1f} back and leaves {100 * leak.not_recovered:.1f}. Two independent channels would"
        f" give {percent(leak.two_channels)} with both, found {percent(leak.passages_and_gold)}."
    )
