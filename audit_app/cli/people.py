"""Commands about people."""

from dataclasses import asdict
from pathlib import Path

import click

from audit_app.actions import people
from audit_app.actions.dealing import is_dealt
from audit_app.actions.studies import checked_study
from audit_app.actions.wording import visible
from audit_app.cli.options import Group, json_option, print_json, say, study_option
from data.records import Person
from data.rubric import PASSES
from data.store.people import ROLES
from data.study import open_study


@click.group("people", cls=Group, epilog='Example: evidence-audit people add "Ann"')
def people_group() -> None:
    """Invite people and list them."""


@people_group.command("add", epilog='Example: evidence-audit people add "Ann" --team evidence')
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), default="annotator", show_default=True)
@click.option("--team", "teams", type=click.Choice(PASSES), multiple=True, help="Only these passes; all by default.")
@click.option("--id", "person_id", help="An id of your own; a random one by default.")
@click.option("--address", default="http://127.0.0.1:8501", show_default=True, help="Where the app is served.")
@json_option
@study_option
def add(
    name: str, role: str, teams: tuple[str, ...], person_id: str | None, address: str, as_json: bool, folder: Path
) -> None:
    """Add somebody and print their personal link. The link is shown once: it is stored as a hash only."""
    invited = people.add_person(
        checked_study(folder), name, role=role, teams=teams, person_id=person_id, address=address.rstrip("/")
    )
    if as_json:
        print_json(asdict(invited))
        return
    say(f"Added {name} ({role}). Their personal link, shown this once:")
    click.echo(invited.link)
    if role == "annotator" and is_dealt(open_study(folder)):
        say("The open work is dealt out to others; give them a share with `evidence-audit sample assign`.")


@people_group.command("list", epilog="Example: evidence-audit people list")
@json_option
@study_option
def list_people(as_json: bool, folder: Path) -> None:
    """List everybody."""
    everyone = people.list_people(checked_study(folder))
    if as_json:
        print_json([asdict(person) for person in everyone])
        return
    for person in everyone:
        click.echo(_line(person))
    if not everyone:
        say("Nobody yet; add somebody with `evidence-audit people add NAME`.")


def _line(person: Person) -> str:
    teams = ", ".join(person.teams) or "all passes"
    return f"{person.person_id}\t{visible(person.display_name)}\t{person.role}\t{teams}\t{person.status}"
