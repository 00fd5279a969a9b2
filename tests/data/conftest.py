"""A study in a folder, and a way to bring rows into it as a person would: by a file."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from data.importers import Imported, import_file
from data.mapping import Mapping as FieldMapping
from data.study import Study, init_study

Rows = Sequence[Mapping[str, Any]]
Importer = Callable[..., Imported]


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return init_study(tmp_path / "study")


@pytest.fixture
def bring(tmp_path: Path) -> Importer:
    """Writes rows as JSON lines and imports them."""

    def bring(study: Study, kind: str, rows: Rows, mapping: FieldMapping | None = None) -> Imported:
        path = tmp_path / f"{kind}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return import_file(study, kind, path, [mapping or FieldMapping()])

    return bring
