"""Commands about files: init, import, check, export."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import click

from audit_app.actions.exporting import exported, exported_claims, exported_judgements, exported_trials, exported_views
from audit_app.actions.importing import import_records
from audit_app.actions.relevance import relevance
from audit_app.actions.studies import checked_study, make_study
from audit_app.actions.taking_back import take_back
from audit_app.cli.options import Group, json_option, out_option, print_json, say, study_option
from audit_app.cli.progress import Bar
from data.errors import StudyProblem, first_of
from data.exporters import CLAIMED, COLUMNS, JUDGED, RELEVANCE, SHOWN, TRIED, as_csv, as_jsonl
from data.formats import OWN, read_format, shipped
from data.importers import Imported, is_empty
from data.parsing import RECORDS
from data.rules import RULES
from data.structure import ConditionCount, Finding
from data.structure import check as check_structure
from data.study import Study
from data.summary import summary
from data.texts import everything, schema

MOST = 10
"""Findings of one rule that are printed unless all are asked for."""


@click.command(epilog="Example: evidence-audit init study --labels C")
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@click.option("--name", help="What the study is called; the folder's name by default.")
@click.option("--labels", help="Only these labels, with commas between (for instance C or D,A,G,C).")
@json_option
def init(folder: Path, name: str | None, labels: str | None, as_json: bool) -> None:
    """Make a new study folder with the default rubric and settings."""
    wanted = [label.strip() for label in labels.split(",")] if labels else None
    study = make_study(folder, name=name, labels=wanted)
    if as_json:
        print_json({"folder": str(study.path), "name": study.name, "labels": study.rubric.names()})
    else:
        say(f"Made study “{study.name}” in {study.path}. Next: evidence-audit import tasks FILE --study {folder}")


@click.group("import", cls=Group, epilog="Example: evidence-audit import tasks tasks.jsonl")
def import_group() -> None:
    """Bring in tasks, contexts, responses, verdicts or labels.

    FILE is JSON lines, JSON, CSV, TSV or Parquet, each also packed with gzip, an Inspect log (.eval), a folder of such
    files (without the folders inside it), or a pattern in quotes. The whole is read and every problem reported with its
    line; nothing is imported while there is one, unless --skip-bad is given.
    """


def _import_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.argument("path", metavar="FILE", type=click.Path(path_type=Path)),
        click.option(
            "--format", "--mapping", "mapping", metavar="NAME|FILE",
            help=f"What FILE is: {', '.join(shipped())}, own (our field names), or a mapping file (TOML); told from "
            "the fields by default.",
        ),
        click.option("--map", "pairs", multiple=True, metavar="OURS=THEIRS", help="One field name; may be repeated."),
        click.option("--skip-bad", is_flag=True, help="Import what is good, and list what was left out."),
        json_option,
        study_option,
    ):  # fmt: skip
        command = option(command)
    return command


def _bring(folder: Path, kind: str, path: Path, as_json: bool, **options: Any) -> None:
    """Imports and says what came of it."""
    study = checked_study(folder)
    with Bar(f"Reading {path}") as bar:
        done = import_records(study, kind, path, progress=bar, **options)
    if as_json:
        print_json(asdict(done))
    else:
        _report(done, path)


def _report(done: Imported, path: Path) -> None:
    if done.recognised:
        say(f"{path} is read as: {done.recognised}. If it is something else, say so with --format.")
    extra = [f"{done.n_repeated} repeats of the same record"] if done.n_repeated else []
    extra += [f"{done.n_skips} of them skips"] if done.n_skips else []
    say(f"Imported {done.n} {done.kind}" + (f" ({'; '.join(extra)})" if extra else ""))
    if done.ignored:
        say(f"Not read, as no record and no mapping knows them: the fields {', '.join(done.ignored)}.")
    if done.n_passed_over:
        say(f"Passed over: {done.n_passed_over} labels of items that are not drawn.")
    if done.n_blank:
        say(BLANK.format(n=done.n_blank))
    if done.unread_marks:
        say(MARKS.format(tags=", ".join(f"{n} of {tag}" for tag, n in sorted(done.unread_marks.items()))))
    if done.n_below:
        say(BELOW.format(n=done.n_below, path=path))
    if done.skipped:
        say(f"Left out because something is wrong with it, {len(done.skipped)} problems:")
        for line in first_of(done.skipped, done.problems_in).splitlines():
            say(line)


MARKS = (
    "Not read: marks that are evidence of no label here, or stand in no passage of their item: {tags}. Where a tag "
    'marks the evidence of a label, say so in a mapping file: label = {{ from = "label", values = {{ TAG = "G" }} }}.'
)

BELOW = "Not read: {n} files in folders inside {path}. To read them too, give a pattern in quotes: '{path}/**/*.jsonl'."

BLANK = (
    "Left out: {n} rows without a value. They finish no work, and what was planned stays open. To keep a row as a skip "
    "give its `reason`, such as unclear; for a label that cannot be judged give the value cannot_judge."
)


def _importer(kind: str, example: str) -> click.Command:
    @click.command(kind, epilog=f"Example: {example}", help=f"Import {kind} from FILE.")
    @_import_options
    def command(path: Path, as_json: bool, folder: Path, **options: Any) -> None:
        _bring(folder, kind, path, as_json, **options)

    return command


for _kind, _example in {
    "tasks": "evidence-audit import tasks tasks.jsonl",
    "contexts": "evidence-audit import contexts contexts.jsonl",
    "responses": "evidence-audit import responses answers.csv --map text=answer --map response_id=id",
    "verdicts": "evidence-audit import verdicts verdicts.parquet",
}.items():
    import_group.add_command(_importer(_kind, _example))


@import_group.command("labels", epilog="Example: evidence-audit import labels labels.csv --drawn-only")
@_import_options
@click.option("--drawn-only", is_flag=True, help="Pass over labels of items that are not drawn.")
def import_labels(path: Path, as_json: bool, folder: Path, **options: Any) -> None:
    """Import labels that people gave elsewhere, as answers of the plan (draw a sample first)."""
    _bring(folder, "labels", path, as_json, **options)


@import_group.command("formats", epilog="Example: evidence-audit import formats")
@json_option
def import_formats(as_json: bool) -> None:
    """List the formats that are told by their fields: what each is, and what can be imported from it."""
    known = [read_format(name) for name in shipped()]
    if as_json:
        print_json([{"name": one.name, "title": one.title, "gives": list(one.sections)} for one in known])
        return
    for one in known:
        click.echo(f"{one.name}: {one.title} ({', '.join(one.sections)})")
    click.echo(f"{OWN.name}: {OWN.title}")


@import_group.command("undo", epilog="Example: evidence-audit import undo responses")
@click.argument("kind", type=click.Choice([kind for kind in RECORDS if kind != "labels"]))
@json_option
@study_option
def undo_import(kind: str, as_json: bool, folder: Path) -> None:
    """Take back the newest import of a kind, while no sample was drawn from it and nothing else refers to it.

    Labels stay: what people did is added to and never removed.
    """
    n = take_back(checked_study(folder), kind)
    if as_json:
        print_json({"kind": kind, "n": n})
    else:
        say(f"Took back the newest import: {n} {kind}")


@click.command(epilog="Example: evidence-audit check --study study")
@click.option("--rules", is_flag=True, help="List the rules instead of checking.")
@click.option("--all", "every", is_flag=True, help=f"Every finding; {MOST} of each rule by default.")
@json_option
@study_option
@click.pass_context
def check(ctx: click.Context, rules: bool, every: bool, as_json: bool, folder: Path) -> None:
    """Check that the imported contexts are built as their conditions claim. Exit status 1 if something was found."""
    if rules:
        if as_json:
            print_json({name: {"severity": rule.severity, "about": rule.description} for name, rule in RULES.items()})
        else:
            click.echo("\n".join(f"{name} ({rule.severity}): {rule.description}" for name, rule in RULES.items()))
        return
    study = checked_study(folder)
    if is_empty(study):
        raise StudyProblem(f"{study.path}: nothing is imported yet, so there is nothing to check")
    structure, counts = check_structure(study), summary(study)
    findings = structure.findings
    if as_json:
        print_json({"summary": asdict(counts), **asdict(structure)})
    else:
        for ones in groupby(findings, attrgetter("rule")):
            _print_findings(list(ones[1]), every=every)
        for condition in structure.conditions if findings else ():
            say(_share(condition))
        found = {"tasks": counts.n_tasks, "contexts": counts.n_contexts, "responses": counts.n_responses}
        say(", ".join(f"{n} {kind}" for kind, n in found.items()) + f", {counts.n_verdicts} verdicts")
        for judge in counts.judges:
            say(f"{judge.judge}: {judge.n_without_verdict} responses without a verdict, {judge.n_unscored} unscored")
        say(f"{len(findings)} findings" if findings else "Nothing found: the structure is as declared.")
    ctx.exit(1 if findings else 0)


def _print_findings(of_a_rule: Sequence[Finding], *, every: bool) -> None:
    for finding in of_a_rule if every else of_a_rule[:MOST]:
        click.echo(f"{finding.where}: {finding.message} [{finding.rule}, {finding.severity}]")
    if not every and len(of_a_rule) > MOST:
        click.echo(f"… and {len(of_a_rule) - MOST} more of {of_a_rule[0].rule} (all with --all)")


def _share(count: ConditionCount) -> str:
    broken, name = count.n_broken, count.condition or "without a condition"
    text = f"{name}: {broken} of {count.n} contexts ({broken / count.n:.1%}) are not what they claim to be"
    return f"{text}, {count.n_blemished} more have a blemish" if count.n_blemished else text


_IMPORTED = [kind for kind in RECORDS if kind != "labels"]

EXPORTS: dict[str, tuple[Callable[[Study], Iterable[dict[str, Any]]], Mapping[str, str]]] = {
    "labels": (exported, COLUMNS),
    "shown": (exported_views, SHOWN),
    "relevance": (relevance, RELEVANCE),
    "judgements": (exported_judgements, JUDGED),
    "claims": (exported_claims, CLAIMED),
    "trials": (exported_trials, TRIED),
    **{kind: (partial(everything, kind=kind), dict.fromkeys(schema(kind).names, "as imported")) for kind in _IMPORTED},
}
"""What can be exported: its rows, and what their columns mean."""


@click.command(epilog="Example: evidence-audit export --format csv > labels.csv")
@click.argument("what", type=click.Choice(list(EXPORTS)), default="labels")
@click.option(
    "--format", "form", type=click.Choice(["csv", "jsonl"]), default="csv", show_default=True, help="How to write it."
)
@click.option("--excel", is_flag=True, help="CSV for Excel: byte-order mark, formulas defused.")
@click.option("--columns", is_flag=True, help="Explain the columns instead.")
@json_option
@out_option("Write to this file instead of standard output.")
@study_option
def export(what: str, form: str, excel: bool, columns: bool, as_json: bool, out: Path | None, folder: Path) -> None:
    """Export every answer: one row per item, person, label and occasion, with the draw's probabilities.

    Or what was on whose screen and when (shown), what judges said that were run here (judgements, claims) and what
    tests of judges found (trials), which passages people found relevant (relevance), or the records as they were
    imported. `import` reads what this writes (not with --excel, whose cells are changed).
    """
    rows_of, named = EXPORTS[what]
    if columns:
        click.echo("\n".join(f"{name}: {text}" for name, text in named.items()))
        return
    rows = rows_of(checked_study(folder))
    csv = form == "csv" and not as_json
    lines = as_csv(rows, columns=named, excel=excel) if csv else as_jsonl(rows, columns=named)
    if out is None:
        for line in lines:
            click.echo(line.encode("utf-8"), nl=False)
    else:
        with out.open("wb") as file:
            n = sum(bool(file.write(line.encode("utf-8"))) for line in lines)
        say(f"Wrote {n - csv} rows to {out}")
