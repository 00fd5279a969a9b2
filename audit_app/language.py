"""The language of the screens: sentences in one catalogue for each language, English in the source.

`_("…")` and `ngettext` give a sentence in the language of the request or the script run that asks; `mark("…")` only
marks a constant for the catalogue, to be given through `_` where it is shown. Sentences are whole, with named
placeholders: `_("{n} items left").format(n=n)`. The rubric's texts are the lead's own and are not translated.
"""

import gettext
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import TypeVar

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

LANGUAGES = {"en": "English", "ar": "العربية"}
"""Each language by its own name."""

RIGHT_TO_LEFT = {"ar"}

COOKIE = "evidence_audit_language"
"""Where a browser keeps the language that was chosen in it: for whoever is not signed in, or never chose another."""

Key = TypeVar("Key", bound=str)

_current: ContextVar[str] = ContextVar("language", default="en")


def use(language: str) -> None:
    """Makes this the language of everything said in the running request, script run or thread."""
    _current.set(language)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Says everything in this language for a while: files are in English, whoever asks for them.

    >>> with speaking("ar"):
    ...     current()
    'ar'
    """
    before = _current.set(language)
    try:
        yield
    finally:
        _current.reset(before)


def current() -> str:
    """The language that sentences are given in now."""
    return _current.get()


def direction() -> str:
    """Which way lines run in it."""
    return "rtl" if current() in RIGHT_TO_LEFT else "ltr"


def chosen(cookies: Mapping[str, str], accepted: str | None) -> str:
    """The language of a browser: the one chosen in it, else the first of its own that there is, else English.

    Args:
        cookies: The cookies it sent, by name.
        accepted: Its Accept-Language header.

    >>> chosen({}, "fr;q=0.9, ar-EG;q=0.8, en;q=0.1")
    'ar'
    >>> chosen({COOKIE: "en"}, "ar")
    'en'
    """
    kept = cookies.get(COOKIE)
    if kept in LANGUAGES:
        return kept
    wished = sorted(map(_wish, (accepted or "").split(",")), key=lambda wish: -wish[0])
    return next((name for weight, name in wished if weight and name in LANGUAGES), "en")


def _wish(part: str) -> tuple[float, str]:
    """One entry of Accept-Language: how much it is wished, and which language."""
    tag, _sign, weight = part.partition(";q=")
    try:
        return float(weight or 1), tag.strip().partition("-")[0].lower()
    except ValueError:
        return 0.0, ""


def catalogue(language: str) -> Catalog:
    """The sentences of a language that is not English."""
    with files("audit_app").joinpath(f"locale/{language}.po").open("rb") as source:
        return read_po(source, locale=language)


def _spoken(language: str) -> Catalog:
    """The catalogue; where lines run from right to left, what stands in a sentence keeps its own direction."""
    found = catalogue(language)
    for message in found if language in RIGHT_TO_LEFT else ():
        if message.id and isinstance(message.string, str):
            message.string = _set_apart(message.string)
        elif message.id:
            message.string = tuple(map(_set_apart, message.string or ()))
    return found


def _set_apart(form: str) -> str:
    """Every placeholder between the marks of a run of its own: names, signs and ranges do not turn around.

    >>> _set_apart("a {b} c") == "a \u2068{b}\u2069 c"
    True
    """
    return re.sub(r"\{[^{}]*\}", "\u2068\\g<0>\u2069", form)


@cache
def _translations(language: str) -> gettext.NullTranslations:
    """What gettext answers from. It is compiled in memory, so there is no file to forget when the catalogue changes."""
    if language == "en":
        return gettext.NullTranslations()
    compiled = BytesIO()
    write_mo(compiled, _spoken(language))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


def _(sentence: str) -> str:
    """The sentence in the language of whoever reads it.

    >>> _("You are signed out")
    'You are signed out'
    """
    # An empty one is the catalogue's own header.
    return _translations(current()).gettext(sentence) if sentence else ""


def ngettext(one: str, many: str, n: int) -> str:
    """The sentence for n things, in the language of whoever reads it; n is filled in with `format`.

    >>> ngettext("{n} item", "{n} items", 2).format(n=2)
    '2 items'
    """
    return _translations(current()).ngettext(one, many, n)


ISOLATES = "\u2066\u2069"
"""What keeps a run of text from left to right in a line of any direction: its beginning and its end."""


def isolated(text: str) -> str:
    """Numbers and signs that keep their order in a line that runs from right to left, as "12.3 % (10.1–14.5)" must."""
    return text.join(ISOLATES) if direction() == "rtl" else text


def joined(parts: Iterable[str]) -> str:
    """Several things with commas between; where lines run from right to left, so do the things, each a run of its own.

    >>> joined(["Acc", "SES"])
    'Acc, SES'
    """
    comma, there = _(", "), list(parts)
    if direction() == "ltr" or not there:
        return comma.join(there)
    # Without the outer marks the first Latin name would turn the whole list around.
    return "\u2067\u2068" + ("\u2069" + comma + "\u2068").join(there) + "\u2069\u2069"


def naming(words: Mapping[Key, str]) -> Callable[[Key], str]:
    """What a picker calls its options: marked constants by key, each in the language of whoever reads it.

    >>> naming({"a": "all"})("a")
    'all'
    """
    return lambda key: _(words[key])


def mark(sentence: str) -> str:
    """The same sentence: marked for the catalogue where it is defined, given through `_` where it is shown."""
    return sentence


@cache
def _sentences_of_scripts(language: str) -> dict[str, str]:
    if language == "en":
        return {}
    return {
        str(message.id): str(message.string)
        for message in _spoken(language)
        if message.id and any(name.endswith(".js") for name, _line in message.locations)
    }


def for_scripts() -> dict[str, object]:
    """What the scripts of the component need to speak the current language."""
    return {"language": current(), "direction": direction(), "sentences": _sentences_of_scripts(current())}
