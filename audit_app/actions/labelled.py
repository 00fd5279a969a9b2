"""The drawn responses of a sample with people's labels, the judge's labels and the design, ready for arithmetic."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from audit_app.actions.design import design_of
from data import frame as frames
from data.errors import StudyProblem
from data.records import CANNOT_JUDGE, LABELS
from data.store import events, items
from data.store.connection import Store
from data.study import Study
from metrics.estimate import Target
from metrics.patterns import encode
from metrics.table import JudgedRows, LabelledRows
from sampling.design import Design

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Grounding = Literal["strict", "lenient"]
Answers = Mapping[tuple[str, str], str]
"""(item_id, label) to the stored value; cannot judge and skips are not in it."""

GROUNDED: dict[Grounding, frozenset[str]] = {
    "strict": frozenset({"established"}),
    "lenient": frozenset({"established", "contradicted"}),
}
"""The decision values of G that count as grounded. `partly` never does."""


def binary(label: str, value: str | None, grounding: Grounding) -> float:
    """A stored value as 1 or 0; nan when there is none."""
    if value is None or value == CANNOT_JUDGE:
        return np.nan
    if label == "G":
        return float(value in GROUNDED[grounding])
    return float(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What people said of the responses of a study."""

    first: Answers
    """The label of the first person of the plan (target A)."""
    adjudicated: Answers
    """The adjudicated value, else the one on which all of two or more planned people agree (target B)."""
    undecided: frozenset[tuple[str, str]]
    """(item_id, label) on which planned people disagree and nobody has decided."""
    touched: Mapping[Target, frozenset[str]]
    """Items that the plan's first person (A) or anybody of the plan (B) has dealt with, if only by skipping."""

    def values(self, target: Target) -> Answers:
        """The labels of one target."""
        return self.first if target == "A" else self.adjudicated


def answered(store: Store, grounding: Grounding = "strict") -> Answered:
    """The current answers to responses, boiled down to one value per item, label and target.

    Two people who chose different decision values of G agree when both count as grounded, or neither.
    """
    planned: dict[tuple[str, str], list[str]] = defaultdict(list)
    first: dict[tuple[str, str], str] = {}
    decided: dict[tuple[str, str], str] = {}
    touched: dict[Target, set[str]] = {"A": set(), "B": set()}
    for row in events.answers(store, "response"):
        key, value = (row["item_id"], row["label"]), row["value"]
        if row["purpose"] == "plan" and (value is not None or row["state"] == "skipped"):
            touched["B"].add(row["item_id"])
            if row["plan_order"] == 1:
                touched["A"].add(row["item_id"])
        if value is None or value == CANNOT_JUDGE or row["state"] == "skipped":
            continue
        if row["purpose"] == "adjudication":
            decided[key] = value
        elif row["purpose"] == "plan":
            planned[key].append(value)
            if row["plan_order"] == 1:
                first[key] = value
    resolved = {(row["item_id"], row["label"]): row["value"] for row in events.resolutions(store)}
    unanimous = {
        (item, label): values[0]
        for (item, label), values in planned.items()
        if len(values) > 1 and len({binary(label, value, grounding) for value in values}) == 1
    }
    adjudicated = {**unanimous, **decided, **resolved}
    return Answered(
        first=first,
        adjudicated=adjudicated,
        undecided=frozenset(key for key, values in planned.items() if len(values) > 1 and key not in adjudicated),
        touched={target: frozenset(found) for target, found in touched.items()},
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labelled:
    """The drawn responses that people have dealt with, in the order of their permanent numbers."""

    sample: dict[str, Any]
    draws: list[dict[str, Any]]
    first_fraction: Floats
    """Share of the context stratum that was drawn, per row; 1 when the draw was not linked."""
    columns: dict[str, list[str]]
    judge: dict[str, Floats]
    """The judge's labels and diagnostics by name, nan where missing."""
    human: dict[str, Floats]
    """People's labels and diagnostics by name, nan where missing, skipped or cannot judge."""
    warrant: Floats
    """Whether the audited context of a row establishes no one answer: 1 or 0, nan where it was not audited."""
    n_undecided: int
    """For target B the labels on which people disagree and nobody has decided."""

    @property
    def audited(self) -> bool:
        """Whether any context of these rows was audited."""
        return not bool(np.isnan(self.warrant).all())

    def require_decisions(self) -> None:
        """What people disagree on is harder than the rest: leaving it out would bias every number of target B.

        Raises:
            StudyProblem: There are labels that nobody has decided.
        """
        if self.n_undecided:
            raise StudyProblem(
                f"target B needs a decision on {self.n_undecided} labels on which people disagree; import the "
                "adjudicated labels (purpose = adjudication), or use target A"
            )

    def design(self, usable: Flags) -> Design:
        """The design of some of the rows; strata with fewer than two usable units are merged in the fixed order."""
        return design_of(
            self.draws,
            usable,
            columns=self.sample["strata"],
            linked=bool(self.sample["linked"]),
            first_fraction=self.first_fraction,
        )

    def rows(self, *, warrant: bool = False) -> LabelledRows:
        """The rows as the table of metrics wants them; with `warrant` in the place of D, see `metrics.WARRANTS`."""
        return LabelledRows(
            columns=self.columns,
            code=encode(*(self.judge[name] for name in ("C", "A", "G", "D"))),
            C=self.human["C"],
            A=self.human["A"],
            G=self.human["G"],
            D=self.warrant if warrant else self.human["D"],
            design_of=self.design,
        )


def labelled(
    study: Study,
    store: Store,
    frame: frames.Frame,
    *,
    sample_id: str | None,
    judge: str | None,
    target: Target = "A",
    grounding: Grounding = "strict",
) -> Labelled:
    """The rows of a sample with everything known of them.

    For target B only the overlap subsample counts: adjudications of other items are no random subsample.

    Raises:
        StudyProblem: Nothing is drawn, or the texts changed since the draw.
    """
    sample = items.find_sample(store, sample_id)
    found = answered(store, grounding)
    values = found.values(target)
    overlap = items.subsample(store, sample["sample_id"], "overlap") if target == "B" else set()
    draws = [
        row
        for row in items.draws(store, sample["sample_id"], "response")
        if row["item_id"] in found.touched[target] and (target == "A" or ("response", row["item_id"]) in overlap)
    ]
    ids = [row["item_id"] for row in draws]
    judged = frames.judged_rows(frame, judge, ids).set_index("response_id")
    missing = [item for item in ids if item not in judged.index]
    if missing:
        raise StudyProblem(
            f"response {missing[0]!r} was drawn but is not in {study.texts} any more; put the files back"
        )
    judged = judged.loc[ids]
    wanted = set(ids) if target == "B" else set()
    return Labelled(
        warrant=_warrants(store, draws),
        n_undecided=sum(item in wanted and label in LABELS for item, label in found.undecided),
        sample=sample,
        draws=draws,
        first_fraction=_first_fractions(store, sample, draws),
        columns={name: judged[name].tolist() for name in frames.SLICES},
        judge={name: judged[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in frames.LABEL_COLUMNS},
        human={
            name: np.array([binary(name, values.get((item, name)), grounding) for item in ids], dtype=np.float64)
            for name in frames.LABEL_COLUMNS
        },
    )


def _warrants(store: Store, draws: Sequence[Mapping[str, Any]]) -> Floats:
    """Stage 1 of the context audits, by the first person of the plan."""
    found = {
        row["item_id"]: float(row["value"] != "established")
        for row in events.answers(store, "context")
        if (row["label"], row["purpose"], row["plan_order"]) == ("answerable", "plan", 1)
        and row["value"] not in (None, CANNOT_JUDGE)
    }
    return np.array([found.get(draw["context_id"], np.nan) for draw in draws], dtype=np.float64)


def _first_fractions(store: Store, sample: Mapping[str, Any], draws: Sequence[Mapping[str, Any]]) -> Floats:
    if not sample["linked"]:
        return np.ones(len(draws))
    contexts = items.draws(store, sample["sample_id"], "context")
    share = {row["item_id"]: row["inclusion_probability"] for row in contexts}
    return np.array([share[draw["context_id"]] for draw in draws], dtype=np.float64)


def judged(frame: frames.Frame, judge: str | None, columns: Sequence[str]) -> JudgedRows:
    """The frame under one judge, counted by slice and pattern."""
    counts = frames.pattern_counts(frame, judge, columns)
    labels = [counts[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in ("C", "A", "G", "D")]
    return JudgedRows(
        columns={name: counts[name].tolist() for name in columns},
        code=encode(*labels),
        count=counts["n"].to_numpy(dtype=np.int64),
    )


def find_judge(frame: frames.Frame, judge: str | None) -> str | None:
    """The judge asked for, else the first by name; None when nothing was judged.

    Raises:
        StudyProblem: The judge gave no verdicts.
    """
    known = frames.judges(frame)
    if judge is not None and judge not in known:
        raise StudyProblem(f"judge {judge!r} gave no verdicts here; judges are {', '.join(known) or 'none yet'}")
    return judge or (known[0] if known else None)
