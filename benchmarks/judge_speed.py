"""How fast a judge is run, side by side in one run with a bare loop over openai's own client.

    python -m benchmarks.judge_speed [--calls 10000] [--slow-calls 1000] [--blocks 5] [--concurrency 32]

Ours is all of `judge run`: items read, prompts written, replies read, quotes looked up, every answer stored, verdicts
published. Bare is `AsyncOpenAI.chat.completions.create` with prompts that are there already, and their answers thrown
away. The sides take turns, so that whatever else the machine does falls on both. The second part asks a server that
takes a second, where the bound is arithmetic: calls / concurrency seconds. Exits 1 if a target is missed.
"""

import argparse
import asyncio
import sys
import time
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from openai import AsyncOpenAI

from audit_app.actions.judge_choice import JudgeChoice, open_judge
from audit_app.actions.judge_ledger import RunOptions
from audit_app.actions.judge_run import run_judge
from audit_app.actions.judge_work import Asked, questions, response_ids, stream, work_of
from benchmarks.judge_server import serving
from data.records import Context, Passage, Response, Task
from data.study import Study, init_study
from data.texts import add_part
from judge.prompts import judge_prompt
from judge.replies import form_of

LABELS = ("D", "A", "G", "C")
FASTEST, BOUND, GROWTH = 1.2, 1.3, 30.0
"""Most that ours may take: times bare, times the bound; and megabytes that it may grow after its first block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What a block took."""

    seconds: float
    processor: float


def make_study(folder: Path, n_calls: int, blocks: int) -> Study:
    """Responses to contexts of 8 passages × 150 words, as many for each block as make the calls with four labels."""
    study = init_study(folder / "study")
    each = n_calls // blocks // len(LABELS)
    words = " ".join(f"word{n}" for n in range(150))
    tasks = [Task(task_id=f"t{n}", question=f"Which is number {n}?", gold_answer=f"answer {n}") for n in range(each)]
    contexts = [
        Context(
            context_id=f"c{n}",
            task_id=f"t{n}",
            passages=tuple(Passage(passage_id=str(k), rank=k, text=f"{n} {k} {words}") for k in range(1, 9)),
        )
        for n in range(each)
    ]
    responses = [
        Response(
            response_id=f"r{n}.{run}", context_id=f"c{n}", run=str(run), text=f"It is {n}, says run {run}. {words}"
        )
        for run, n in product(range(blocks), range(each))
    ]
    for kind, records in (("tasks", tasks), ("contexts", contexts), ("responses", responses)):
        add_part(study, kind, [records])
    return study


def ours(study: Study, address: str, block: int, concurrency: int) -> Side:
    """One block by `judge run`."""
    chosen = open_judge(study, JudgeChoice(model="m", base_url=address))
    asked = Asked(everything=True, labels=LABELS, where={"run": str(block)})
    start, processor = time.perf_counter(), time.process_time()
    done = run_judge(
        study, chosen.name, chosen.judge, RunOptions(asked=asked, concurrency=concurrency), closing=chosen.closing
    )
    took = Side(seconds=time.perf_counter() - start, processor=time.process_time() - processor)
    if not done.complete or done.tally.n_scored != done.tally.n_calls or done.n_known:
        sys.exit(f"not everything was judged: {done}")
    return took


def bare(study: Study, address: str, block: int, concurrency: int) -> Side:
    """The same requests in a bare loop."""
    ids = response_ids(study, Asked(everything=True, where={"run": str(block)}))
    works = [work for item in stream(study, ids) for work in work_of(item, questions(study, LABELS))]
    sent = [(judge_prompt(w.question, w.view), form_of(w.question).schema) for w in works]

    async def worker(client: AsyncOpenAI, prompts: list[tuple[str, Any]]) -> None:
        while prompts:
            prompt, schema = prompts.pop()
            described: Any = {"name": "answer", "strict": True, "schema": schema}
            reply = await client.chat.completions.create(
                model="m",
                messages=[{"role": "user", "content": prompt}],
                temperature=0,
                max_tokens=2048,
                response_format={"type": "json_schema", "json_schema": described},
            )
            assert reply.choices[0].message.content

    async def loop() -> None:
        async with AsyncOpenAI(api_key="none", base_url=address) as client, asyncio.TaskGroup() as group:
            prompts: list[tuple[str, Any]] = [*sent]
            for _ in range(concurrency):
                group.create_task(worker(client, prompts))

    start, processor = time.perf_counter(), time.process_time()
    asyncio.run(loop())
    return Side(seconds=time.perf_counter() - start, processor=time.process_time() - processor)


def memory() -> float:
    """What this process holds, in megabytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def compare(address: str, n_calls: int, blocks: int, concurrency: int) -> bool:
    """Ours and bare in turns."""
    with TemporaryDirectory() as folder:
        study = make_study(Path(folder), n_calls, blocks)
        mine: list[Side] = []
        theirs: list[Side] = []
        held: list[float] = []
        for block in range(blocks):
            sides = (theirs, bare), (mine, ours)
            for kept, side in sides if block % 2 == 0 else reversed(sides):
                kept.append(side(study, address, block, concurrency))
            held.append(memory())
            took = f"bare {theirs[-1].seconds:.1f} s, ours {mine[-1].seconds:.1f} s, {held[-1]:.0f} MB"
            print(f"  block {block + 1}: {took}")
    total = [sum(side.seconds for side in sides) for sides in (mine, theirs)]
    busy = [sum(side.processor for side in sides) for sides in (mine, theirs)]
    ratio, growth = total[0] / total[1], held[-1] - held[0]
    print(
        f"{n_calls} judgements, server of 50 ms, {concurrency} at once: {total[0]:.1f} s and {total[1]:.1f} s bare, "
        f"ratio {ratio:.2f} (at most {FASTEST}); processor {1e3 * busy[0] / n_calls:.2f} and "
        f"{1e3 * busy[1] / n_calls:.2f} ms a call, ratio {busy[0] / busy[1]:.2f}; memory grew by {growth:.0f} MB after "
        f"the first block (at most {GROWTH:.0f})"
    )
    return ratio <= FASTEST and growth <= GROWTH


def bounded(address: str, n_calls: int, concurrency: int) -> bool:
    """Ours against the bound."""
    with TemporaryDirectory() as folder:
        study = make_study(Path(folder), n_calls, 1)
        took = ours(study, address, 0, concurrency)
    bound = -(-n_calls // concurrency)
    print(
        f"{n_calls} judgements, server of 1 s, {concurrency} at once: {took.seconds:.1f} s, bound {bound} s, "
        f"ratio {took.seconds / bound:.2f} (at most {BOUND})"
    )
    return took.seconds <= BOUND * bound


def main() -> None:
    """Prints both comparisons; exit status 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--slow-calls", type=int, default=1000)
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--concurrency", type=int, default=32)
    given = parser.parse_args()
    with serving() as address:
        fast = compare(f"{address}/0.05/v1", given.calls, given.blocks, given.concurrency)
        slow = bounded(f"{address}/1/v1", given.slow_calls, given.concurrency)
    sys.exit(0 if fast and slow else 1)


if __name__ == "__main__":
    main()
