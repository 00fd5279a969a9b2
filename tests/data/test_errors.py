"""What is printed of many problems, and whether a file has to hold them all."""

import pytest

from data.errors import SHOWN, Problem, all_said, first_of


def unlike(n: int) -> list[Problem]:
    return [Problem(where=f"a.csv:{row}", message=f"found {row}") for row in range(n)]


@pytest.mark.parametrize("n", [SHOWN - 1, SHOWN, SHOWN + 1, SHOWN + 2])
def test_all_is_said_while_each_problem_has_its_line(n: int) -> None:
    lines = set(first_of(unlike(n)).splitlines())
    assert all_said(unlike(n)) == lines.issuperset(map(str, unlike(n)))


def test_a_line_break_in_a_message_is_no_other_problem() -> None:
    assert all_said([Problem(where="a.csv:1", message="found 'a\nb'")])
