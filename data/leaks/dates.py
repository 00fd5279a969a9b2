"""Dates as they are written, in many languages: 12 May 1974, May 12th, 1974-05-12, 1974年5月12日."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from babel.dates import get_month_names

from data.leaks.folding import Word, words
from data.leaks.lexicon import listed
from data.leaks.numerals import Number

_BETWEEN = frozenset({"of", "de", "del", "the", "on", "le", "في", "من"})
_NUMERIC = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})")


class Date(NamedTuple):
    """A date, as much of it as is said, with its first word and the one after its last."""

    year: int | None
    month: int
    day: int | None
    first: int
    last: int

    def establishes(self, asked: "Date") -> bool:
        """Whether this date says at least what the other says.

        >>> Date(1974, 5, 12, 0, 3).establishes(Date(None, 5, 12, 0, 2))
        True
        """
        return self.month == asked.month and asked.year in (None, self.year) and asked.day in (None, self.day)


@cache
def months() -> dict[str, int]:
    """Month by its folded name or abbreviation, in every language read here."""
    found: dict[str, int] = {}
    for language in listed("date_languages"):
        for names in (
            get_month_names("wide", "format", language),
            get_month_names("wide", "stand-alone", language),
            get_month_names("abbreviated", "format", language),
        ):
            for number, name in names.items():
                folded = words(name)
                if len(folded) == 1 and not folded[0].text[0].isdigit():
                    found.setdefault(folded[0].text, number)
    found.update({name: number for number, name in enumerate(listed("levantine_months"), 1) if name != "_"})
    return found | {"sept": 9}


def dates(found: Sequence[Word], numbers: Sequence[Number], text: str) -> list[Date]:
    """Every date with a month in it; an all-number date whose order is open gives both readings.

    >>> from data.leaks.numerals import numbers
    >>> w = words(t := "May 12th, 1974")
    >>> dates(w, numbers(w, t), t)
    [Date(year=1974, month=5, day=12, first=0, last=3)]
    """
    by_first, by_last = {n.first: n for n in numbers}, {n.last: n for n in numbers}
    result = [*_numeric(found, text), *_chinese(found, numbers, by_first)]
    for at, word in enumerate(found):
        month = months().get(word.text)
        if month is not None:
            result += _around(found, at, month, by_first, by_last)
    return result


def _around(
    found: Sequence[Word], at: int, month: int, by_first: dict[int, Number], by_last: dict[int, Number]
) -> Iterator[Date]:
    """The date whose month stands at a place, by the numbers on its sides."""
    before = by_last.get(at - 1 if at and found[at - 1].text in _BETWEEN else at)
    after = by_first.get(_skip(found, at + 1))
    then = by_first.get(_skip(found, after.last)) if after else None
    day_before, year_before = _day(before), _year(before)
    if day_before is not None and before is not None:
        yield Date(_year(after), month, day_before, before.first, after.last if after and _year(after) else at + 1)
    elif _day(after) is not None and after is not None:
        year = _year(then)
        first = before.first if before and year is None and year_before else at
        last = then.last if then and year is not None else after.last
        yield Date(year or year_before, month, _day(after), first, last)
    elif _year(after) is not None and after is not None:
        yield Date(_year(after), month, None, at, after.last)
    elif year_before is not None and before is not None:
        yield Date(year_before, month, None, before.first, at + 1)


def _skip(found: Sequence[Word], at: int) -> int:
    return at + 1 if at < len(found) and found[at].text in _BETWEEN else at


def _day(number: Number | None) -> int | None:
    return (
        int(number.value)
        if number and 1 <= number.value <= 31 and number.value == int(number.value) and not number.tail
        else None
    )


def _year(number: Number | None) -> int | None:
    return (
        int(number.value)
        if number and 100 <= number.value < 2200 and number.value == int(number.value) and not number.tail
        else None
    )


def _numeric(found: Sequence[Word], text: str) -> Iterator[Date]:
    """1974-05-12, 12.05.1974, 5/12/1974; the marks stay in the text, the digits come from the words."""
    place = {word.start: index for index, word in enumerate(found)}
    for match in _NUMERIC.finditer(text):
        first = place.get(match.start())
        if first is None:
            continue
        last = next((i for i in range(first, len(found)) if found[i].end >= match.end()), first) + 1
        if found[last - 1].end != match.end():
            continue
        a, b, c = (int(match[group]) for group in (1, 3, 4))
        if len(match[1]) == 4:
            orders = [(a, b, c)]
        elif len(match[4]) == 4:
            orders = [(c, b, a), (c, a, b)] if match[2] == "/" else [(c, b, a)]
        else:
            orders = []
        yield from {Date(y, m, d, first, last) for y, m, d in orders if 1 <= m <= 12 and 1 <= d <= 31}


def _chinese(found: Sequence[Word], numbers: Sequence[Number], by_first: dict[int, Number]) -> Iterator[Date]:
    """1974年5月12日, 5月12日 and Korean 1974년 5월 12일, the marks glued or alone."""
    parts = [(number, _mark(found, number)) for number in numbers]
    for i, (number, mark) in enumerate(parts):
        if mark != "月" or not 1 <= number.value <= 12:
            continue
        before = parts[i - 1] if i and parts[i - 1][1] == "年" and parts[i - 1][0].last >= number.first - 1 else None
        day = parts[i + 1] if i + 1 < len(parts) and parts[i + 1][1] == "日" else None
        if before or day:
            final = day[0] if day else number
            last = final.last + (0 if final.tail else 1)
            yield Date(
                int(before[0].value) if before else None,
                int(number.value),
                int(day[0].value) if day else None,
                before[0].first if before else number.first,
                last,
            )


_KOREAN = {"년": "年", "월": "月", "일": "日"}


def _mark(found: Sequence[Word], number: Number) -> str:
    """The 年, 月 or 日 (Korean 년, 월, 일) of a number; empty when it has none."""
    if number.tail:
        return _KOREAN.get(number.tail[:1], "")
    after = found[number.last].text if number.last < len(found) else ""
    return {"号": "日"}.get(after, after) if after in "年月日号" else ""
