"""An address as people read it: percent-encoded letters decoded, each with its place in the original."""

import re
from collections.abc import Iterator, Sequence

_ENCODED = re.compile(r"(?:%[0-9A-Fa-f]{2})+|.", re.DOTALL)


def decoded(url: str) -> tuple[str, Sequence[int]]:
    """The plain letters of an address, and where each begins in the original; last comes the original's length.

    >>> decoded("a/Z%C3%BCrich")
    ('a/Zürich', [0, 1, 2, 3, 9, 10, 11, 12, 13])
    """
    found = [*_letters(url)]
    return "".join(letter for letter, _ in found), [*(start for _, start in found), len(url)]


def _letters(url: str) -> Iterator[tuple[str, int]]:
    for part in _ENCODED.finditer(url):
        at = part.start()
        if len(part[0]) == 1:
            yield part[0], at
            continue
        code = bytes.fromhex(part[0].replace("%", ""))
        try:
            plain, encoding = code.decode(), "utf-8"
        except UnicodeDecodeError:
            # Old addresses have one byte for each letter.
            plain, encoding = code.decode("latin-1"), "latin-1"
        for letter in plain:
            yield letter, at
            at += 3 * len(letter.encode(encoding))
