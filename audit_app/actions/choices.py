"""What a reader of results can choose between: samples, judges, and the columns that are worth slicing by."""

from dataclasses import dataclass
from functools import lru_cache

from audit_app.actions.registration import registered_judge
from audit_app.actions.seal import Seal, read_seal, require_results
from data import frame as frames
from data.store import items
from data.store.connection import open_store
from data.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The choices of one study, and whether its results may be seen at all."""

    seal: Seal
    samples: tuple[str, ...]
    """By name, the newest first; never empty."""
    doubled: frozenset[str]
    """Samples with a random overlap, on which target B can rest."""
    judges: tuple[str, ...]
    """The registered one first, then those with the most verdicts."""
    slices: tuple[str, ...]
    """The frame columns that take more than one value."""


def choices(study: Study) -> Choices:
    """What can be chosen in this study.

    Raises:
        StudyProblem: Nothing is imported or drawn, so there is no result yet.
    """
    require_results(study)
    judges, slices = _of_frame(frames.open_frame(study))
    with open_store(study) as store:
        items.find_sample(store, None)
        first = registered_judge(store)
        samples = tuple(sample["sample_id"] for sample in reversed(items.samples(store)))
        return Choices(
            seal=read_seal(store),
            samples=samples,
            doubled=frozenset(name for name in samples if items.subsample(store, name, "overlap")),
            judges=tuple(sorted(judges, key=lambda judge: judge != first)),
            slices=slices,
        )


@lru_cache(maxsize=8)
def _of_frame(frame: frames.Frame) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Judges and varying columns; a frame is known by the hash of what it was built from."""
    counts = frames.pattern_counts(frame, None, frames.SLICES)
    varying = tuple(column for column in frames.SLICES if counts[column].nunique() > 1)
    return tuple(frames.judges(frame)), varying
