"""Forms of one word: endings, Arabic and Hebrew prefixes, Korean particles; no dictionary."""

from functools import lru_cache

from data.leaks.lexicon import LEXICON, listed

_ENDINGS = frozenset(listed("endings", "inflection"))
_OTHER = frozenset(listed("endings", "derivation"))
_NOUN, _ADJECTIVE, _PLURAL = (
    frozenset(("", *listed("endings", "cyrillic", kind))) for kind in ("noun", "adjective", "plural")
)
_NOMINATIVE = ("", *listed("endings", "cyrillic", "nominative"))
_FLEETING = listed("endings", "cyrillic", "fleeting")
_PREFIXES = listed("endings", "prefixes")
"""Arabic and Hebrew, the longest first."""


@lru_cache(maxsize=200_000)
def alike(one: str, other: str) -> bool:
    """Whether two folded words are forms of one, or made of one.

    >>> alike("telescope", "telescopes"), alike("writer", "write"), alike("الطاقه", "للطاقه"), alike("iran", "iraq")
    (True, True, True, False)
    """
    return one == other or _is_short_for(one, other) or _share(one, other, _ENDINGS | _OTHER)


def is_same_name(one: str, other: str) -> bool:
    """Whether two folded words are one name, at most with an s: Vossen is not a form of Voss."""
    if _is_cyrillic(one):
        return one == other or _declines(one, other)
    is_form = _share(one, other, frozenset({"s", "es", "y", "ies"}) if one.isascii() else _ENDINGS)
    return one == other or is_form or _is_short_for(one, other)


def is_inflected(one: str, other: str) -> bool:
    """Whether two folded words differ in number, case or tense alone.

    >>> is_inflected("telescope", "telescopes"), is_inflected("서울", "서울은"), is_inflected("writer", "write")
    (True, True, False)
    """
    return one == other or _share(one, other, _ENDINGS)


_SHORT: dict[str, str] = LEXICON["short"]
"""Words as they are cut short in names."""


def _is_short_for(one: str, other: str) -> bool:
    return other == _SHORT.get(one) or one == _SHORT.get(other)


def _share(one: str, other: str, endings: frozenset[str]) -> bool:
    if one.startswith("#") or other.startswith("#"):
        return False
    if _is_cyrillic(one):
        return _declines(one, other, _PLURAL)
    short, long = sorted((one, other), key=len)
    if "\uac00" <= one[0] <= "\ud7a3":
        return len(one) >= 2 and other.startswith(one) and len(other) - len(one) <= 2
    if "\u0590" <= one[0] <= "\u06ff":
        is_prefixed = long.endswith(short) and long[: len(long) - len(short)] in _PREFIXES
        return len(short) >= 3 and (is_prefixed or _stem(one) == _stem(other))
    if len(short) < 4 or short[:3] != long[:3]:
        return False
    roots = [short[:end] for end in range(len(short), max(len(short) - 3, 2), -1)]
    return any(long.startswith(root) and {long[len(root) :], short[len(root) :]} <= endings | {""} for root in roots)


def _is_cyrillic(word: str) -> bool:
    return "\u0400" <= word[0] <= "\u052f"


def _declines(one: str, other: str, more: frozenset[str] = frozenset()) -> bool:
    """Whether two Cyrillic words have a stem of three letters and more in common, and endings of one kind behind it."""
    same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    ends = ({one[at:], other[at:]} for at in range(same, max(same - 3, 2), -1))
    declined = any(end <= _NOUN | more or end <= _ADJECTIVE - {""} for end in ends)
    return declined or _loses(one, other) or _loses(other, one)


def _loses(one: str, other: str) -> bool:
    """Whether the vowel before the last letter of a word goes in the other: Павел, Павла; Лев, Льва."""
    stems = (one[:-2] + one[-1], one[:-2] + "ь" + one[-1]) if one.endswith(_FLEETING) else ()
    return any(len(s) >= 3 and other.startswith(s) and other[len(s) :] in _NOUN - {""} for s in stems)


@lru_cache(maxsize=200_000)
def nominatives(word: str) -> tuple[str, ...]:
    """A word and, in Cyrillic, what it may be called when it stands for itself.

    >>> "толстои" in nominatives("толстого"), "павел" in nominatives("павла"), nominatives("κωστας")
    (True, True, ('κωστας',))
    """
    if not _is_cyrillic(word):
        return (word,)
    stems = [word] + [
        word[: -len(end)] for end in _NOUN | _ADJECTIVE if end and word.endswith(end) and len(word) - len(end) >= 3
    ]
    full = [stem[:-1].removesuffix("ь") + end for stem in stems for end in _FLEETING if stem.endswith(end[1])]
    return tuple(dict.fromkeys([*(stem + end for stem in stems for end in _NOMINATIVE), *full]))


def _stem(word: str) -> str:
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= 3:
            return word[len(prefix) :]
    return word
