"""Commands about people."""

import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import click

from audit_app.actions import people, sign_in
from audit_app.actions.dealing import is_dealt
from audit_app.actions.names import look_alikes, looking_like, warning
from audit_app.actions.people import HERE, Changed, Invited
from audit_app.actions.progress import Progress, progress
from audit_app.actions.studies import checked_study
from audit_app.actions.wording import as_table, when
from audit_app.cli.options import Group, json_option, print_json, say, study_option
from data.rubric import PASSES
from data.store.people import ROLES
from data.study import Study, open_study

address_option = click.option("--address", default=HERE, show_default=True, help="Where the app is served.")


@click.group("people", cls=Group, epilog='Example: evidence-audit people add "Ann"')
def people_group() -> None:
    """Invite people, let them in and keep them out, and see how far they are."""


@people_group.command("add", epilog='Example: evidence-audit people add "Ann" --team evidence')
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), default="annotator", show_default=True)
@click.option("--team", "teams", type=click.Choice(PASSES), multiple=True, help="Only these passes; all by default.")
@click.option("--id", "person_id", help="An id of your own; a random one by default.")
@click.option("--email", help="Of their account with the organisation's sign-in, where study.toml has [oidc].")
@address_option
@json_option
@study_option
def add(
    name: str,
    role: str,
    teams: tuple[str, ...],
    person_id: str | None,
    email: str | None,
    address: str,
    as_json: bool,
    folder: Path,
) -> None:
    """Add somebody and print their personal link. The link is shown once: it is stored as a hash only."""
    study = checked_study(folder)
    alike = looking_like(name, people.list_people(study))
    invited = people.add_person(study, name, role=role, teams=teams, person_id=person_id, address=address, email=email)
    for other in alike:
        say(f"Note: {warning(name, other)}.")
    _print_link(invited, as_json, f"Added {name} ({role}). Their personal link, shown this once:")
    if not as_json and role == "annotator" and is_dealt(open_study(folder)):
        say("The open work is dealt out to others; give them a share with `evidence-audit sample assign`.")


@people_group.command("list", epilog="Example: evidence-audit people list")
@json_option
@study_option
def list_people(as_json: bool, folder: Path) -> None:
    """List everybody: what lets them sign in, what they have done, how fast they are, when they were last here.

    Who signs in with nothing came with imported labels; give them a link with `people link`.
    """
    found = progress(checked_study(folder))
    if as_json:
        print_json([each.as_dict() for each in found])
    elif found:
        click.echo(as_table([_row(each) for each in found]))
        for one, other in look_alikes([each.person for each in found]):
            say(f"Note: {warning(one.display_name, other)}.")
    else:
        say("Nobody yet; add somebody with `evidence-audit people add NAME`.")


@people_group.command("link", epilog="Example: evidence-audit people link PERSON_ID")
@click.argument("person_id")
@address_option
@json_option
@study_option
def link(person_id: str, address: str, as_json: bool, folder: Path) -> None:
    """Print a new personal link. The one before stops working, and the person is signed out everywhere."""
    invited = people.new_link(checked_study(folder), person_id, address=address)
    _print_link(invited, as_json, f"The new personal link of {person_id}, shown this once:")


@people_group.command("change", epilog="Example: evidence-audit people change PERSON_ID --role adjudicator")
@click.argument("person_id")
@click.option("--name", help="Another display name.")
@click.option("--role", type=click.Choice(ROLES), help="Another role; what a new lead had begun is given back.")
@click.option("--team", "teams", type=click.Choice([*PASSES, "all"]), multiple=True, help="Only these passes, or all.")
@json_option
@study_option
def change(
    person_id: str, name: str | None, role: str | None, teams: tuple[str, ...], as_json: bool, folder: Path
) -> None:
    """Give somebody another name, role or teams."""
    given = (() if "all" in teams else teams) if teams else None
    _print(people.change_person(checked_study(folder), person_id, name=name, role=role, teams=given), as_json)


@people_group.command("password", epilog="Example: evidence-audit people password PERSON_ID")
@click.argument("person_id")
@click.option("--stdin", "from_stdin", is_flag=True, help="Read it from the first line of standard input.")
@json_option
@study_option
def password(person_id: str, from_stdin: bool, as_json: bool, folder: Path) -> None:
    """Give somebody a password, asked for here, to sign in with on the page /sign-in; the personal link works on.

    It is never part of the command: command lines are kept in the shell's history and seen by other users. Sessions
    that were begun before end.
    """
    study = checked_study(folder)
    if from_stdin:
        given = sys.stdin.readline().rstrip("\r\n")
    else:
        given = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    name = sign_in.set_password(study, person_id, given)
    if as_json:
        print_json({"person_id": person_id, "name": name})
    else:
        say(f"Set. They sign in at /sign-in as: {name}")


@people_group.command("email", epilog="Example: evidence-audit people email PERSON_ID ann@example.org")
@click.argument("person_id")
@click.argument("email")
@json_option
@study_option
def email(person_id: str, email: str, as_json: bool, folder: Path) -> None:
    """Let somebody in by their account with the organisation (the table [oidc] of study.toml).

    The first sign-in ties the account to the person; this command also unties one, for another account.
    """
    address = people.register_email(checked_study(folder), person_id, email)
    if as_json:
        print_json({"person_id": person_id, "email": address})
    else:
        say(f"Registered. {person_id} signs in with the account of {address}.")


def _changing(name: str, change: Callable[[Study, str], Changed], about: str) -> None:
    """Adds the command `people NAME PERSON_ID` to the group."""

    def run(person_id: str, as_json: bool, folder: Path) -> None:
        _print(change(checked_study(folder), person_id), as_json)

    example = f"Example: evidence-audit people {name} PERSON_ID"
    decorate = people_group.command(name, help=about, epilog=example)
    decorate(click.argument("person_id")(json_option(study_option(run))))


_changing("pause", people.pause, "Let somebody rest: no page and no work until resumed; what they had begun goes back.")
_changing("resume", people.resume, "Let somebody who was paused go on; their link works again.")
_changing("revoke", people.revoke, "Take away link, password and account and end all sessions. Finished work stays.")
_changing("sign-out", people.sign_out_everywhere, "End all sessions of somebody; link and password work on.")


def _print(changed: Changed, as_json: bool) -> None:
    if as_json:
        print_json(asdict(changed))
    else:
        say(changed.sentence)


def _print_link(invited: Invited, as_json: bool, text: str) -> None:
    if as_json:
        print_json(asdict(invited))
        return
    say(text)
    click.echo(invited.link)


def _row(each: Progress) -> dict[str, str]:
    person, timed = each.person, each.seconds_per_item
    return {
        "id": person.person_id,
        "name": person.display_name,
        "role": person.role,
        "teams": ", ".join(person.teams) or "all",
        "status": person.status,
        "signs in with": " or ".join(each.ways_in) or "nothing",
        "done": str(each.n_done),
        "skipped": str(each.n_skipped),
        "in hand": str(each.n_in_hand),
        "dealt": str(each.n_waiting),
        "seconds per item": "" if timed is None else f"{timed:.0f}",
        "attention checks": each.checks,
        "last seen": when(each.last_seen) if each.last_seen else "never",
    }
