"""Commands about who holds which work."""

from dataclasses import asdict
from pathlib import Path

import click

from audit_app.actions import holdings
from audit_app.actions.holdings import Holdings
from audit_app.actions.studies import checked_study
from audit_app.actions.wording import as_table, when
from audit_app.cli.options import Group, json_option, print_json, say, study_option

to_option = click.option("--to", required=True, metavar="PERSON_ID", help="Who gets it.")


@click.group("assignments", cls=Group, epilog="Example: evidence-audit assignments list")
def assignments_group() -> None:
    """See who holds which work, and give it to others. `sample assign` deals all of it anew, at random."""


@assignments_group.command("list", epilog="Example: evidence-audit assignments list")
@json_option
@study_option
def list_assignments(as_json: bool, folder: Path) -> None:
    """List what people have in hand, and count what is kept for them."""
    found = holdings.holdings(checked_study(folder))
    if as_json:
        print_json(found)
        return
    for rows in (_in_hand(found), _waiting(found)):
        if rows:
            click.echo(as_table(rows) + "\n")
    say(found.sentence)


@assignments_group.command("release", epilog="Example: evidence-audit assignments release ASSIGNMENT_ID")
@click.argument("assignment_id")
@json_option
@study_option
def release(assignment_id: str, as_json: bool, folder: Path) -> None:
    """Take an item without an answer out of somebody's hands; whoever asks next gets it.

    An item that was asked again is finished again: its earlier answers stand.
    """
    is_free = holdings.release(checked_study(folder), assignment_id)
    outcome = "Released: whoever asks next may have it." if is_free else "Finished again: its earlier answers stand."
    _done(as_json, {"assignment_id": assignment_id}, outcome)


@assignments_group.command(
    "reassign", epilog="Example: evidence-audit assignments reassign ASSIGNMENT_ID --to PERSON_ID"
)
@click.argument("assignment_id")
@to_option
@json_option
@study_option
def reassign(assignment_id: str, to: str, as_json: bool, folder: Path) -> None:
    """Keep an item without an answer for somebody else, if the rules of blinding let them have it."""
    holdings.reassign(checked_study(folder), assignment_id, to)
    _done(as_json, {"assignment_id": assignment_id, "to": to}, f"Kept for {to}.")


@assignments_group.command("hand-over", epilog="Example: evidence-audit assignments hand-over PERSON_ID --to PERSON_ID")
@click.argument("person_id")
@to_option
@json_option
@study_option
def hand_over(person_id: str, to: str, as_json: bool, folder: Path) -> None:
    """Keep for somebody else all that was dealt to a person and is not begun.

    Work that one person picks for another is not random; where that matters, use `evidence-audit sample assign`.
    """
    outcome = holdings.hand_over(checked_study(folder), person_id, to)
    _done(as_json, {"person_id": person_id, "to": to, **asdict(outcome)}, outcome.sentence)


def _done(as_json: bool, result: dict[str, object], text: str) -> None:
    if as_json:
        print_json(result)
    else:
        say(text)


def _in_hand(found: Holdings) -> list[dict[str, str]]:
    return [
        {
            "assignment": each.assignment_id,
            "person": each.name,
            "pass": each.pass_,
            "item": each.item_id or "",
            "purpose": each.purpose,
            "answers": str(each.n_answers),
            "last shown": when(each.shown_at) if each.shown_at else "",
            "lease": "ran out" if each.ran_out else "",
        }
        for each in found.in_hand
    ]


def _waiting(found: Holdings) -> list[dict[str, str]]:
    return [{"person": each.name, "pass": each.pass_, "kept for them": str(each.n_items)} for each in found.waiting]
