"""The pages of the door: signing in, changing one's password, and where one is signed in."""

from html import escape

from starlette.responses import Response

from audit_app.actions.sign_in import Session
from audit_app.actions.wording import when
from audit_app.language import _, mark
from audit_app.notice import page
from data.declared import Oidc
from data.records import Person


def sign_in_form(wrong: str = "", status: int = 200, *, name: str = "", settings: Oidc | None = None) -> Response:
    """Name and password, and the organisation's own sign-in where there is one; with what was wrong the last time."""
    words = {"called": _("Name"), "password": _("Password"), "act": _("Sign in"), "without": _(WITHOUT_PASSWORD)}
    form = SIGN_IN_FORM.format(name=escape(name), **_escaped(words))
    theirs = BY_ORGANISATION.format(act=escape(_("Sign in with the account of your organisation"))) if settings else ""
    return page(_("Sign in"), _wrong(wrong) + theirs + form, status)


def _escaped(words: dict[str, str]) -> dict[str, str]:
    return {key: escape(text) for key, text in words.items()}


def _wrong(said: str) -> str:
    return f'<p class="wrong" role="alert">{escape(said)}</p>' if said else ""


def password_form(wrong: str = "", status: int = 200) -> Response:
    """The old password and the new one twice; with what was wrong the last time."""
    words = {
        "old": _("Password until now"),
        "new": _("New password"),
        "again": _("New password again"),
        "act": _("Change password"),
        "advice": _("A few random words make a good one. Everywhere else you will be signed out."),
        "back": _("Back"),
    }
    return page(_("Change your password"), _wrong(wrong) + PASSWORD_FORM.format(**_escaped(words)), status)


PASSWORD_FORM = """<form method="post" action="/account/password">
<label>{old} <input name="old" type="password" autocomplete="current-password" required autofocus></label>
<label>{new} <input name="new" type="password" autocomplete="new-password" required></label>
<label>{again} <input name="again" type="password" autocomplete="new-password" required></label>
<button class="main">{act}</button>
</form>
<p><small>{advice}</small></p>
<p><a href="/account">{back}</a></p>"""

BY_ORGANISATION = '<p><a class="main" href="/oidc/start">{act}</a></p>'

SIGN_IN_FORM = """<form method="post" action="/sign-in">
<label>{called}
<input name="name" value="{name}" autocomplete="username" autocapitalize="none" required autofocus></label>
<label>{password} <input name="password" type="password" autocomplete="current-password" required></label>
<button class="main">{act}</button>
</form>
<p><small>{without}</small></p>"""

WITHOUT_PASSWORD = mark("No password? Open the personal link that you were sent instead.")


def change_form(here: Person, owner: Person) -> Response:
    """Asks before a link makes somebody else of whoever is signed in: it may be a stranger's, sent to mislead."""
    asked = escape(_("You are signed in as {here}, and this is the personal link of {owner}."))
    names = {"here": here.display_name, "owner": owner.display_name}
    asked = asked.format(**{key: f"<bdi>{escape(name)}</bdi>" for key, name in names.items()})
    act, stay = escape(_("Sign in as the owner of the link")), escape(_("Stay signed in as you are"))
    return page(
        _("Somebody else's link"),
        f'<p>{asked}</p><form method="post"><button class="main">{act}</button></form><p><a href="/">{stay}</a></p>',
    )


def account_page(person: Person, sessions: tuple[Session, ...], *, own: bool) -> Response:
    """Where somebody is signed in, each with a way to end it; `own` says that they have a password to change."""
    rows = "".join(_session_row(session) for session in sessions)
    back, out = escape(_("Back")), escape(_("Sign out here"))
    elsewhere, everywhere = escape(_("Sign out everywhere else")), escape(_("Sign out everywhere"))
    others = f'<button name="end" value="others">{elsewhere}</button> ' if len(sessions) > 1 else ""
    others += f'<button name="end" value="everywhere">{everywhere}</button>'
    to_change = escape(_("Change your password"))
    change = f'<p><a href="/account/password">{to_change}</a></p>' if own else ""
    you = escape(_("You are {name}.")).format(name=f"<bdi>{escape(person.display_name)}</bdi>")
    return page(
        _("Where you are signed in"),
        f"<p>{you}</p>"
        f'<form method="post" action="/account"><ul>{rows}</ul><p>{others}</p></form>{change}'
        f'<p><a href="/">{back}</a> · <a href="/out">{out}</a></p>',
    )


def _session_row(session: Session) -> str:
    times = _("since {day}, last seen {when}").format(day=session.created_at[:10], when=when(session.seen_at))
    this = "<small>" + escape(_("this one")) + "</small>"
    named = escape(_("Sign out: {device}").format(device=session.device))
    act = escape(_("Sign out"))
    end = f'<button name="end" value="{session.number}" aria-label="{named}">{act}</button>'
    return (
        f"<li><span>{escape(session.device)}<small>{escape(times)}</small></span>{this if session.here else end}</li>"
    )
