"""Commands about what a judge is wired to: judge ablate, judge wiring."""

from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from audit_app.actions.ablating import DONE, NAMES, Ablation, MetricWiring, ablate, drawn_samples, file_samples, known
from audit_app.actions.studies import checked_study
from audit_app.actions.wording import as_table, p_value, percent, points
from audit_app.cli.options import Number, Whole, json_option, listed, print_json, say, study_option
from data.errors import StudyProblem
from data.rubric import Rubric, default_text, parse_rubric
from judge.harness import open_harness
from judge.wiring import ARTIFACTS, wirings

HARNESS = "pkg.mod:function, a command that reads and writes JSON lines, or http://…"


def _rubric(folder: Path) -> Rubric:
    """The study's rubric, or the default one where there is no study: somebody else's judge needs none."""
    if (folder / "study.toml").exists():
        return checked_study(folder).rubric
    return parse_rubric(default_text(), "rubric.toml")


@click.command("wiring", epilog="Example: evidence-audit judge wiring")
@json_option
@study_option
def wiring(as_json: bool, folder: Path) -> None:
    """Print which artifacts each label and each general metric may receive, and why."""
    there = wirings(_rubric(folder).questions).values()
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
@click.option("--harness", "named", required=True, metavar="HARNESS", help=f"The judge: {HARNESS}.")
@click.option("--metric", "metrics", default="faithfulness", show_default=True,
              help="Metrics that it answers with, with commas; see judge wiring.")  # fmt: skip
@click.option("--samples", type=click.Path(path_type=Path, exists=True, dir_okay=False),
              help="Samples from a file; the study's drawn responses by default.")  # fmt: skip
@click.option("--size", type=Whole(min=2, max=100_000), default=400, show_default=True, help="Samples at most.")
@click.option("--repeats", type=Whole(min=1, max=1000), default=5, show_default=True, help="Calls per variant.")
@click.option("--margin", type=Number(0, 1, min_open=True, max_open=True), default=0.05, show_default=True,
              help="A shift up to this is no leak.")  # fmt: skip
@click.option("--level", type=Number(0.5, 0.999), default=0.99, show_default=True,
              help="1 less the chance that a clean judge is said to leak.")  # fmt: skip
@click.option("--concurrency", type=Whole(min=1, max=1000), default=1, show_default=True, help="Calls at a time.")
@click.option("--timeout", type=Number(0, min_open=True), default=60.0, show_default=True,
              help="Seconds an endpoint may take.")  # fmt: skip
@click.option("--seed", type=Whole(min=0, max=2**32 - 1), default=1, show_default=True, help="Of order and exchanges.")
@json_option
@study_option
def ablate_command(
    named: str,
    metrics: str,
    samples: Path | None,
    size: int,
    repeats: int,
    margin: float,
    level: float,
    concurrency: int,
    timeout: float,
    seed: int,
    as_json: bool,
    folder: Path,
) -> None:
    """Change what a judge is shown, one artifact at a time, and see whether it moves. Exits 1 if a metric leaks."""
    wired = known(_rubric(folder), listed(metrics) or ())
    chosen = file_samples(samples, size, seed) if samples else drawn_samples(checked_study(folder), size, seed)
    try:
        harness = open_harness(named, concurrency=concurrency, timeout=timeout)
    except ValueError as error:
        raise StudyProblem(str(error)) from None
    with Progress(console=Console(stderr=True), transient=True) as bar:
        asking = bar.add_task("Asking", total=None)

        def on_answer(done: int, total: int) -> None:
            bar.update(asking, completed=done, total=total)

        found = ablate(
            harness, chosen, wired, repeats=repeats, margin=margin, level=level, seed=seed, on_answer=on_answer
        )
    if as_json:
        print_json(found)
    else:
        click.echo("\n\n".join(_tables(found)))
    for reason, times in sorted(found.problems.items(), key=lambda pair: -pair[1])[:5]:
        say(f"{times} scores are missing: {reason}.")
    for metric in found.metrics:
        say(metric.sentence)
    if not found.passed:
        click.get_current_context().exit(1)


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
