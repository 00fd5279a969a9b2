"""Forms of one word in Russian, by its endings; other languages are in the planted set."""

import pytest

from data.leaks.folding import fold
from data.leaks.forms import is_inflected, is_same_name, nominatives

NAMES = {
    "Москва": "Москвы Москве Москву Москвой Москвою",
    "Иванов": "Иванова Иванову Ивановым Иванове Ивановой Ивановы Ивановых Ивановыми",
    "Толстой": "Толстого Толстому Толстым Толстом Толстая",
    "Достоевский": "Достоевского Достоевскому Достоевским",
    "Мария": "Марии Марию Марией",
    "Павел": "Павла Павлу Павлом",
    "Лев": "Льва Льву",
    "Рим": "Рима Риме",
}


@pytest.mark.parametrize(("name", "form"), [(name, form) for name, forms in NAMES.items() for form in forms.split()])
def test_cases_of_a_russian_name_are_the_name(name: str, form: str) -> None:
    assert is_same_name(fold(name), fold(form))
    assert is_same_name(fold(form), fold(name))
    assert fold(name) in nominatives(fold(form))


@pytest.mark.parametrize(
    ("name", "other"),
    [("Иван", "Иванов"), ("Мария", "Марина"), ("Минск", "Минский"), ("Горький", "Горьковский"), ("Рим", "Римма")],
)  # fmt: skip
def test_other_russian_names_are_not(name: str, other: str) -> None:
    assert not is_same_name(fold(name), fold(other))


@pytest.mark.parametrize(
    ("noun", "form", "same"),
    [("телескоп", "телескопов", True), ("книга", "книг", True), ("нефть", "нефтью", True), ("конец", "концом", True),
     ("кот", "который", False), ("медь", "медведь", False), ("море", "мороз", False), ("врач", "врачебный", False)],
)  # fmt: skip
def test_cases_of_russian_nouns(noun: str, form: str, same: bool) -> None:
    assert is_inflected(fold(noun), fold(form)) is same
