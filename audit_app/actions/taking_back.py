"""Taking an import back: the newest file of a kind, as long as nothing rests on it."""

from collections.abc import Iterator

import pyarrow.parquet as pq

from data.checks import REFERS
from data.errors import StudyProblem
from data.frame import hash_of, imported
from data.parsing import KEYS
from data.store import items
from data.store.connection import open_store
from data.study import Study, writing
from data.texts import is_made_here, parts, read_columns


def take_back(study: Study, kind: str) -> int:
    """Removes what the newest import of one kind brought in; returns how many records that was.

    A sample knows the frame that it was drawn from by its hash, and inclusion probabilities are shares of that frame.
    So nothing is taken back while there is a sample, unless each was drawn when just this import was not there.

    Raises:
        StudyProblem: Nothing of the kind was imported, a sample was drawn since, or other records refer to it.
    """
    # What a judge that was run here says came from no file: the next run would bring it back.
    there = [part for part in parts(study, kind) if not is_made_here(part)]
    if not there:
        raise StudyProblem(f"{study.path}: no {kind} are imported, so there is nothing to take back")
    newest = there[-1]
    with open_store(study) as store:
        drawn = {sample["frame_hash"] for sample in items.samples(store)}
    if drawn and drawn != {hash_of([part for part in imported(study) if part != newest])}:
        raise StudyProblem(
            f"{study.path}: a sample was drawn since these {kind} came in, and its probabilities are shares of what "
            "was there; to begin anew, make a new study and import the right files"
        )
    table = pq.read_table(newest, columns=[KEYS.get(kind, "response_id")])
    for problem in _referring(study, kind, set(table.column(0).to_pylist())) if kind in KEYS else ():
        raise StudyProblem(problem)
    with writing(study.path):
        newest.unlink()
    return int(table.num_rows)


def _referring(study: Study, kind: str, ids: set[str]) -> Iterator[str]:
    for other, names in REFERS.items():
        for field, target in names:
            if target == kind:
                n = sum(name in ids for name in read_columns(study, other, [field])[field].to_pylist())
                if n and all(map(is_made_here, parts(study, other))):
                    yield (
                        f"{study.path}: judges that were run here have judged these {kind}, and what they said is kept "
                        "for good; to begin anew, make a new study"
                    )
                elif n:
                    yield (
                        f"{study.path}: {n} imported {other} refer to these {kind}; take those back first "
                        f"(evidence-audit import undo {other})"
                    )
