"""A prompt that names what its label does not compare fails twice: in the type checker, and when it runs."""

from pathlib import Path
from typing import Any

import pytest
from mypy import api

from data.records import Context, Passage, Response, Task
from data.rubric import default_text, parse_rubric
from data.views import VIEWS, Item, artifacts

ROOT = Path(__file__).parents[2]
RUBRIC = parse_rubric(default_text(), "rubric.toml")
ARTIFACTS = sorted({name for view in VIEWS for name in artifacts(view)})
ITEM = Item(
    task=Task(task_id="t", question="?", gold_answer="g"),
    context=Context(context_id="c", task_id="t", passages=(Passage(passage_id="p", rank=1, text="x"),)),
    response=Response(response_id="r", context_id="c", text="y"),
)
HEAD = "from data.views import *\n"
TEMPLATE = 'def {label}_{name}(view: {view}) -> str: return f"{{view.{name}}}"\n'


def templates() -> list[tuple[str, str]]:
    """Every label with every artifact that any view has."""
    return [(label, name) for label in RUBRIC.names() for name in ARTIFACTS]


def test_the_type_checker_refuses_exactly_what_is_outside_the_view(tmp_path: Path) -> None:
    lines = [TEMPLATE.format(label=label, name=name, view=RUBRIC[label].view) for label, name in templates()]
    source = tmp_path / "templates.py"
    source.write_text("from data.views import (\n    " + ", ".join(VIEWS) + ",\n)\n" + "".join(lines))
    out, err, _ = api.run([
        "--strict", "--explicit-package-bases", f"--cache-dir={tmp_path}", "--no-error-summary",
        f"--config-file={ROOT / 'pyproject.toml'}", str(source),
    ])  # fmt: skip
    refused = {int(line.split(":")[1]) - 4 for line in out.splitlines() if "[attr-defined]" in line}
    outside = {n for n, (label, name) in enumerate(templates()) if name not in artifacts(RUBRIC[label].view)}
    assert (err, refused) == ("", outside)
    assert len(out.splitlines()) == len(outside)


@pytest.mark.parametrize("label", RUBRIC.names())
def test_at_run_time_it_is_an_attribute_error(label: str) -> None:
    made: dict[str, Any] = {}
    view = VIEWS[RUBRIC[label].view].of(ITEM)
    for name in ARTIFACTS:
        exec(HEAD + TEMPLATE.format(label=label, name=name, view=RUBRIC[label].view), made)
        template = made[f"{label}_{name}"]
        if name in artifacts(RUBRIC[label].view):
            assert template(view)
        else:
            with pytest.raises(AttributeError, match=name):
                template(view)
