"""Changing settings in study.toml: all that is not changed stays as it is written, comments too."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from data.errors import StudyProblem
from data.study import Study, open_study, replace_text, study_with, writing


def changed_text(text: str, changes: Mapping[str, Any]) -> str:
    r"""A TOML text with other values; None takes a setting away.

    Args:
        text: As it is in the file.
        changes: New values by dotted name; a table on the way that is not there is made.

    >>> print(changed_text("[a]\nb = 1  # why\nc = 2\n", {"a.b": 3, "a.c": None, "a.d.e": 0.5}), end="")
    [a]
    b = 3  # why
    d = {e = 0.5}
    """
    document = tomlkit.parse(text)
    for name, value in changes.items():
        *tables, last = name.split(".")
        place: Any = document
        for depth, table in enumerate(tables):
            if table not in place:
                place[table] = tomlkit.inline_table() if depth else tomlkit.table()
            place = place[table]
        if value is None:
            place.pop(last, None)
        else:
            place[last] = value
    return tomlkit.dumps(document)


def change_settings(path: Path, changes: Mapping[str, Any]) -> Study:
    """Writes new values into the study.toml of this folder: all of them, or none when one is wrong.

    Args:
        path: The study's folder.
        changes: As for `changed_text`.

    Raises:
        StudyProblem: A value does not fit, every fault named; or the file cannot be read or written.
    """
    open_study(path)
    file = path / "study.toml"
    try:
        text = changed_text(file.read_text(encoding="utf-8"), changes)
    except TOMLKitError as error:
        raise StudyProblem(f"{file}: {error}; mend the file") from None
    study_with(path, text)
    with writing(path):
        replace_text(file, text)
    return open_study(path)
