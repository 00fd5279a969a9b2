"""How long `evidence-audit metrics` takes on a whole study on disk, from the start of the program to the last line.

    OMP_NUM_THREADS=1 python -m benchmarks.command_speed [--repeats 3]

The population of benchmarks.table_speed (89,100 responses in 18 settings × 5 conditions) is written to files, imported,
drawn from (2,000 responses) and labelled by one person, all with the commands that a user types; then the table of
every metric and the taxonomy by model, prompt and condition is printed. Exits 1 if that misses the target in processor
time (the wall clock depends on who else is on the machine).
"""

import argparse
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.coverage_populations import MIDDLE, Frame, frame
from benchmarks.table_speed import LABELS, TARGET
from metrics.patterns import decode

CONDITIONS = ("clean", "authority_contamination", "majority_contamination", "direct_conflict", "evidence_absence")
TABLE = ["metrics", "--by", "model,prompt,condition", "--taxonomy", "--unseal", "speed"]


def command(folder: Path, *arguments: str) -> None:
    """Runs a command in the study, or stops with what it said."""
    program = "import sys; from audit_app.cli import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", program, *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)


def write(file: Path, rows: Iterable[dict[str, Any]]) -> str:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(file)


def records_of(whole: Frame) -> dict[str, list[dict[str, Any]]]:
    """The population as records, the judge's labels in its verdicts."""
    pairs = sorted(set(zip(whole.task.tolist(), whole.condition.tolist(), strict=True)))
    judged = {
        label: ["" if np.isnan(value) else f"{value:.0f}" for value in values]
        for label, values in zip("CAGD", decode(whole.code), strict=True)
    }
    responses, verdicts = [], []
    for row, (task, condition, setting) in enumerate(zip(whole.task, whole.condition, whole.setting, strict=True)):
        place = {"context_id": f"{task}/{condition}", "model": f"m{setting // 6}", "prompt": f"p{setting % 6}"}
        responses.append({"response_id": f"{row}", **place, "run": f"{row // 18 % 3}", "text": f"Answer {row}."})
        verdicts.append({"response_id": f"{row}", "judge": "judge", **{name: judged[name][row] for name in judged}})
    return {
        "tasks": [
            {"task_id": f"{t}", "regime": "clbench", "question": f"{t}?", "gold_answer": f"{t}"}
            for t in sorted({t for t, _ in pairs})
        ],
        "contexts": [
            {
                "context_id": f"{t}/{c}",
                "task_id": f"{t}",
                "condition": CONDITIONS[c],
                "passages": [{"text": f"{t} {c}"}],
            }
            for t, c in pairs
        ],
        "responses": responses,
        "verdicts": verdicts,
    }


def labels_of(whole: Frame, study: Path) -> Iterable[dict[str, Any]]:
    """Every label that the plan asks one person for, as the population's truth has it."""
    db = sqlite3.connect(study / "study.db")
    (person_id,) = db.execute("SELECT person_id FROM person").fetchone()
    for item_id, pass_ in db.execute("SELECT item_id, pass FROM assignment WHERE item_kind = 'response'"):
        C, A, G, D = (int(value) for value in whole.human[:, int(item_id)])
        said = {"C": C} if pass_ == "correctness" else {"D": D, "A": A, "G": G}
        for label, value in said.items():
            row = {"item_id": item_id, "item_kind": "response", "person_id": person_id}
            yield {**row, "label": label, "value": str(value)}
    db.close()


def build(folder: Path) -> Path:
    """The study, imported, drawn and labelled."""
    whole, study = frame(MIDDLE, tasks=330, settings=18), folder / "study"
    command(folder, "init", "study")
    for kind, rows in records_of(whole).items():
        command(study, "import", kind, write(folder / f"{kind}.jsonl", rows))
    command(study, "sample", "draw", "--size", str(LABELS), "--strata", "model,prompt,condition", "--overlap", "0")
    command(study, "people", "add", "Ann")
    command(study, "import", "labels", write(folder / "labels.jsonl", labels_of(whole, study)))
    return study


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory() as folder:
        study, walls = build(Path(folder)), []
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        for _ in range(repeats):
            start = time.perf_counter()
            command(study, *TABLE)
            walls.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = (after.ru_utime + after.ru_stime - spent.ru_utime - spent.ru_stime) / repeats
    print(f"evidence-audit {' '.join(TABLE)}\n{min(walls):.2f} s, {processor:.2f} s processor; target {TARGET:g} s")
    return int(processor >= TARGET)


if __name__ == "__main__":
    sys.exit(main())
