"""Coming in by the organisation's own sign-in: whose account is whose."""

from dataclasses import dataclass

from audit_app.actions.answers import Refused
from audit_app.actions.names import folded
from audit_app.actions.sign_in import begin
from audit_app.language import _, mark
from data.records import Person
from data.store import people
from data.store.connection import Store, open_store
from data.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """An account as its provider describes it, in a token that was verified."""

    issuer: str
    subject: str
    """What the provider calls the account; never given to another, while an address may be."""
    email: str | None
    email_verified: bool


UNKNOWN = mark(
    "Nobody is registered in this study with this account. Ask the lead to register its e-mail address for you."
)
UNVERIFIED = mark(
    "Your organisation does not say that the e-mail address of this account is verified, so "
    "it cannot show who you are. Open your personal link instead."
)
ANOTHER = mark(
    "This e-mail address belonged to another account when it was used here first. Ask the lead to register it anew."
)


def enter_by_account(study: Study, account: Account, device: str | None = None) -> str:
    """The secret of a new session for whoever this account belongs to; the first time ties it to the person.

    Raises:
        Refused: 403, nobody has this account, its address is not verified, or its owner is paused or left.
    """
    with open_store(study) as store, store.transaction():
        person = people.of_account(store, account.issuer, account.subject) or _first_time(store, account)
        secret = begin(store, person, device)
        if secret is None:
            raise Refused(403, _(UNKNOWN))
        return secret


def _first_time(store: Store, account: Account) -> Person:
    """Whoever the lead registered the address for."""
    if account.email is None:
        raise Refused(403, _(UNKNOWN))
    if not account.email_verified:
        raise Refused(403, _(UNVERIFIED))
    found = people.of_email(store, folded(account.email))
    if found is None:
        raise Refused(403, _(UNKNOWN))
    person, taken = found
    if taken:
        raise Refused(403, _(ANOTHER))
    if person.status == "active":
        people.bind_account(store, person.person_id, account.issuer, account.subject)
    return person
