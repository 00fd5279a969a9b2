"""Forms of one word: endings, Arabic and Hebrew prefixes, Korean particles; no dictionary."""

from functools import lru_cache

from data.leaks.lexicon import listed

_ENDINGS = frozenset(listed("endings", "inflection"))
_OTHER = frozenset(listed("endings", "derivation"))
_PREFIXES = listed("endings", "prefixes")
"""Arabic and Hebrew, the longest first."""


@lru_cache(maxsize=200_000)
def alike(one: str, other: str) -> bool:
    """Whether two folded words are forms of one, or made of one.

    >>> alike("telescope", "telescopes"), alike("writer", "write"), alike("الطاقه", "للطاقه"), alike("iran", "iraq")
    (True, True, True, False)
    """
    return one == other or _share(one, other, _ENDINGS | _OTHER)


def is_same_name(one: str, other: str) -> bool:
    """Whether two folded words are one name, at most with an s: Vossen is not a form of Voss."""
    return one == other or (_share(one, other, frozenset({"s", "es", "y", "ies"}) if one.isascii() else _ENDINGS))


def is_inflected(one: str, other: str) -> bool:
    """Whether two folded words differ in number, case or tense alone.

    >>> is_inflected("telescope", "telescopes"), is_inflected("서울", "서울은"), is_inflected("writer", "write")
    (True, True, False)
    """
    return one == other or _share(one, other, _ENDINGS)


def _share(one: str, other: str, endings: frozenset[str]) -> bool:
    if one.startswith("#") or other.startswith("#"):
        return False
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


def _stem(word: str) -> str:
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= 3:
            return word[len(prefix) :]
    return word
