"""Who of the scripted annotators was given which opening of the demo's plan.

`python tests/data/demo_plan.py` draws the demo and rewrites data/demo/verdicts.jsonl and data/demo/labels.jsonl.
"""

import sys
from hashlib import md5
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from audit_app.actions.demo import PLAN
from audit_app.actions.importing import import_records
from audit_app.actions.sampling import draw_sample
from data.store.connection import open_store
from data.study import init_study
from tests.data.demo_script import DEMO, labels, read, verdicts, write

LEFT_OPEN = 0.4
"""Share of the tasks whose second openings are left for a newcomer: for labelling, and on as many others for context
audits, because whoever audits a context of a task sees its gold answer and can no longer ground answers to it."""

TURN = {"evidence": 0, "correctness": 2, "context": 1}
"""So that the three take turns: who grounds a context does not grade its answers."""


def number(text: str) -> float:
    """A number in [0, 1) that depends on the text alone."""
    return int(md5(text.encode(), usedforsecurity=False).hexdigest()[:8], 16) / 16**8


def plan() -> list[dict[str, Any]]:
    """One row per opening that a scripted annotator took: item_kind, item_id, pass, person_id; first people first."""
    with TemporaryDirectory() as folder:
        study = init_study(Path(folder))
        for kind in ("tasks", "contexts", "responses"):
            import_records(study, kind, DEMO / f"{kind}.jsonl")
        draw_sample(study, PLAN)
        with open_store(study) as store:
            openings = store.rows("SELECT * FROM assignment ORDER BY plan_order, position, item_id, pass")
    taken = []
    for row in openings:
        place = number(f"left open:{row['task_id']}")
        if row["plan_order"] == 2 and (place > 1 - LEFT_OPEN if row["pass"] == "context" else place < LEFT_OPEN):
            continue
        turn = int(3 * number(f"who:{row['context_id']}")) + TURN[row["pass"]] + row["plan_order"] - 1
        person = f"scripted-{turn % 3 + 1}"
        taken.append({**{k: row[k] for k in ("item_kind", "item_id", "pass")}, "person_id": person})
    return taken


def main() -> None:
    """Rewrite both files."""
    key = read(DEMO / "answer_key.jsonl")
    write(DEMO / "verdicts.jsonl", verdicts(key))
    write(DEMO / "labels.jsonl", labels(key, plan()))


if __name__ == "__main__":
    main()
