"""How long a million responses in JSON lines take to import, and how much memory.

    python -m benchmarks.import_speed [--responses 1000000]

330 tasks × 5 conditions, answers of about 600 characters with accents. The wall clock depends on who else is on the
machine, the processor time (of all threads) hardly does. Exits 1 if a target is missed in processor time or memory.
"""

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from data.importers import import_file
from data.mapping import Mapping
from data.study import Study, init_study

SECONDS = 60.0
MEGABYTES = 1000.0

TASKS = 330
ANSWER = "The supplied results discuss the embargo – and never name the body that was established in 1974. " * 6


def write(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return path


def prepared(folder: Path) -> Study:
    """A study with tasks and contexts."""
    study = init_study(folder / "study")
    tasks = ({"task_id": f"t{n}", "regime": "longfact", "question": "Which?"} for n in range(TASKS))
    contexts = (
        {"context_id": f"t{n}.{name}", "task_id": f"t{n}", "condition": name, "passages": ["p"] * 6}
        for n in range(TASKS)
        for name in study.conditions
    )
    import_file(study, "tasks", write(folder / "tasks.jsonl", tasks), [Mapping()])
    import_file(study, "contexts", write(folder / "contexts.jsonl", contexts), [Mapping()])
    return study


def responses(study: Study, n: int) -> Iterable[dict[str, Any]]:
    for number in range(n):
        context = f"t{number % TASKS}.{study.conditions[number % len(study.conditions)]}"
        yield {
            "response_id": f"{context}.{number}",
            "context_id": context,
            "model": f"model-{number % 3}",
            "prompt": f"prompt-{number % 6}",
            "run": str(number % 3),
            "text": f"{number}: {ANSWER}",
        }


def peak() -> float:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--responses", type=int, default=1_000_000)
    n = parser.parse_args().responses
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = prepared(folder)
        path = write(folder / "responses.jsonl", responses(study, n))
        size, before = path.stat().st_size / 2**20, peak()
        wall, process = time.perf_counter(), time.process_time()
        done = import_file(study, "responses", path, [Mapping()])
        wall, process = time.perf_counter() - wall, time.process_time() - process
    print(f"{done.n:,} responses ({size:,.0f} MB of JSON lines) imported")
    print(f"processor time {process:.1f} s (target {SECONDS:g} s), wall clock {wall:.1f} s")
    print(f"most memory {peak():.0f} MB (target {MEGABYTES:g} MB; {before:.0f} MB before the import)")
    return int(process > SECONDS or peak() > MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
