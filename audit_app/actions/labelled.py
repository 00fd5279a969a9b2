"""The drawn responses of a sample with people's labels, the judge's labels and the design, ready for arithmetic."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from audit_app.actions.answered import Answers, Overlap, answered, overlap_of
from audit_app.actions.answered import Grounding as Grounding
from audit_app.actions.answered import binary as binary
from audit_app.actions.context_verdicts import context_verdicts
from audit_app.actions.design import design_of
from audit_app.actions.first_people import FirstPeople
from audit_app.actions.leak_labels import ESTABLISHED, is_spoiled
from audit_app.actions.withholding import require_random_queue
from audit_app.language import _
from data import frame as frames
from data.errors import StudyProblem
from data.records import CANNOT_JUDGE, DIAGNOSTICS, LABELS
from data.rubric import Rubric
from data.store import events, items
from data.store.connection import Store
from data.study import Study
from metrics.definitions import LABELS as ORDER
from metrics.diagnostics import answers
from metrics.estimate import Target
from metrics.patterns import encode
from metrics.rows import Adjudicated, SecondLabels
from metrics.table import LabelledRows
from sampling.design import Design

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

Reading = Callable[[Mapping[str, Floats]], Sequence[Floats]]
"""Makes the four labels of a table of what somebody said, by name."""

WARRANT = "warrant"
"""In the place of a label: whether the context, as audited, establishes no one answer."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labelled:
    """The drawn responses that people have dealt with, in the order of their permanent numbers."""

    sample: dict[str, Any]
    draws: list[dict[str, Any]]
    stratum_size: Mapping[str, int]
    """Responses in every stratum of the sample, also in those that nobody has dealt with yet."""
    first_fraction: Floats
    """Share of the context stratum that was drawn, per row; 1 when the draw was not linked."""
    columns: dict[str, list[str]]
    """Slice columns and `task_id`."""
    judge: dict[str, Floats]
    """The judge's labels and diagnostics by name, nan where missing."""
    human: dict[str, Floats]
    """People's labels and diagnostics by name, nan where missing, skipped or cannot judge; and `WARRANT`."""
    adjudicated: dict[str, Floats]
    """What is adjudicated or unanimous, likewise."""
    another: dict[str, Floats]
    """The labels of the second person of the plan, likewise."""
    owed: dict[str, Flags]
    """Whether the label is still to come, by name. What is owed is waited for; it is no non-response."""
    overlap: Overlap
    people: FirstPeople
    valid: Floats
    """Whether the context of each row is what it claims to be: 1, 0, or nan where nobody has said."""
    recondition: NDArray[np.object_]
    """Which other condition a broken context really is; None where it is none."""

    @property
    def audited(self) -> bool:
        """Whether any context of these rows was audited."""
        return not bool(np.isnan(self.human[WARRANT]).all())

    @property
    def n_usable(self) -> int:
        """How many of these rows have a label or diagnostic by people, and not only skips and what none could judge."""
        given = [values for name, values in self.human.items() if name != WARRANT]
        return int((~np.isnan(given)).any(axis=0).sum())

    def only(self, kept: Flags) -> Self:
        """Some of the rows; the design stays that of the whole sample."""

        def those(values: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
            return {name: array[kept] for name, array in values.items()}

        return replace(
            self,
            draws=[draw for draw, keep in zip(self.draws, kept, strict=True) if keep],
            first_fraction=self.first_fraction[kept],
            columns={name: [v for v, keep in zip(values, kept, strict=True) if keep]
                     for name, values in self.columns.items()},
            judge=those(self.judge),
            human=those(self.human),
            adjudicated=those(self.adjudicated),
            another=those(self.another),
            owed=those(self.owed),
            people=self.people.only(kept),
            valid=self.valid[kept],
            recondition=self.recondition[kept],
        )  # fmt: skip

    def answered(self, labels: Collection[str]) -> Self:
        """The rows of which none of these labels is owed any more."""
        owed = [self.owed[name] for name in labels if name in self.owed]
        return self.only(~np.any(owed, axis=0)) if np.any(owed) else self

    def design(self, usable: Flags) -> Design:
        """The design of some of the rows; strata with fewer than two usable units are merged in the fixed order."""
        return design_of(
            self.draws,
            usable,
            columns=self.sample["strata"],
            linked=bool(self.sample["linked"]),
            first_fraction=self.first_fraction,
            stratum_size=self.stratum_size,
        )

    def rows(self, reads: Collection[str] = (), *, target: Target = "A", warrant: bool = False) -> LabelledRows:
        """The rows as the table of metrics wants them.

        Args:
            reads: The labels that the metrics look at: rows of which one of these is still owed are left out; by
                default none are.
            target: For B the labels of target A on all rows, and what the settled overlap says beside them.
            warrant: With `WARRANT` in the place of D, see `metrics.WARRANTS`.
        """
        names = [WARRANT if warrant and name == "D" else name for name in ORDER]
        wanted = [name for name, label in zip(names, ORDER, strict=True) if label in reads]
        return self._table(wanted, reads, target, _named(names), _named(ORDER))

    def scores(self, parts: Collection[str], *, target: Target = "A") -> LabelledRows:
        """The rows as `diagnostics.means` wants them, of one diagnostic or the two of a stage."""

        def read(said: Mapping[str, Floats]) -> Sequence[Floats]:
            return answers([said[name] for name in parts])

        return self._table(parts, parts, target, read, read)

    def _table(
        self, wanted: Collection[str], reads: Collection[str], target: Target, people: Reading, judge: Reading
    ) -> LabelledRows:
        """The rows of which nothing wanted is owed, as people and the judge are read."""
        here = self.answered(wanted)
        chosen = here.settled(wanted)
        # Where all of it is settled, there are no other labels to correct.
        whole = target == "B" and bool(chosen.all())
        human = here.adjudicated if whole else here.human
        C, A, G, D = people(human)
        return LabelledRows(
            columns=here.columns,
            code=encode(*judge(here.judge)),
            C=C,
            A=A,
            G=G,
            D=D,
            design_of=here.design,
            annotator=here.people.column(reads),
            another=SecondLabels(**dict(zip(ORDER, people(here.another), strict=True))),
            valid=here.valid,
            recondition=here.recondition.tolist(),
            adjudicated=_adjudicated(chosen, people(here.adjudicated)) if target == "B" and not whole else None,
        )

    def settled(self, labels: Collection[str]) -> Flags:
        """Which rows are of the settled part of the overlap."""
        found = self.overlap.settled(labels)
        return np.array([draw["item_id"] in found for draw in self.draws], dtype=bool)


def _named(names: Sequence[str]) -> Reading:
    return lambda said: [said[name] for name in names]


def _adjudicated(chosen: Flags, labels: Sequence[Floats]) -> Adjudicated:
    C, A, G, D = labels
    return Adjudicated(overlap=chosen, C=C, A=A, G=G, D=D)


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

    For target B the rows are those of the overlap alone, and `human` is what is adjudicated or unanimous: adjudications
    of other items are no random subsample. For metrics of target B, ask for target A and see `Labelled.rows`.

    Raises:
        StudyProblem: Nothing is drawn, or the texts changed since the draw.
        Withheld: For target B, while what is decided is no random share.
    """
    sample = items.find_sample(store, sample_id)
    if target == "B":
        require_random_queue(store, study)
    found = answered(store, study.rubric, grounding)
    overlap = overlap_of(store, sample, found)
    doubled = set(overlap.order)
    everything = items.draws(store, sample["sample_id"], "response")
    draws = [
        row
        for row in everything
        if row["item_id"] in found.touched[target] and (target == "A" or row["item_id"] in doubled)
    ]
    ids = [row["item_id"] for row in draws]
    judged = frames.judged_rows(frame, judge, ids).set_index("response_id")
    missing = [item for item in ids if item not in judged.index]
    if missing:
        said = _("response {response!r} was drawn but is not in {folder} any more; put the files back")
        raise StudyProblem(said.format(response=missing[0], folder=study.texts))
    judged = judged.loc[ids]
    warrant, unaudited = _warrants(store, draws)
    valid, recondition = _validity(store, study.rubric, draws, judged["condition"].tolist())

    def of_people(values: Answers) -> dict[str, Floats]:
        return {
            name: np.array([binary(name, values.get((item, name)), grounding) for item in ids], dtype=np.float64)
            for name in (*LABELS, *DIAGNOSTICS)
        } | {WARRANT: warrant}

    return Labelled(
        sample=sample,
        draws=draws,
        stratum_size={row["stratum"]: row["stratum_size"] for row in everything},
        first_fraction=_first_fractions(store, sample, draws),
        columns={name: judged[name].tolist() for name in (*frames.SLICES, "task_id")},
        judge={name: judged[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in (*LABELS, *DIAGNOSTICS)},
        human=of_people(found.values(target)),
        adjudicated=of_people(found.adjudicated),
        another=of_people(found.another),
        owed={
            name: np.array([(item, name) in found.owed[target] for item in ids], dtype=bool)
            for name in (*LABELS, *DIAGNOSTICS)
        }
        | {WARRANT: unaudited},
        overlap=overlap,
        people=FirstPeople.read_from(store, study.rubric, sample, ids),
        valid=valid,
        recondition=recondition,
    )


def _warrants(store: Store, draws: Sequence[Mapping[str, Any]]) -> tuple[Floats, Flags]:
    """Stage 1 of the context audits, by the first person of the plan; and the rows of which there is none.

    Of somebody who had seen the task's reference answer it is no blind reading, and tells nothing.
    """
    found: dict[str, float] = {}
    for row in events.answers(store, "context"):
        value, first = row["value"], (row["purpose"], row["plan_order"]) == ("plan", 1)
        if first and row["label"] in ("answerable", None) and (value or row["state"] == "skipped"):
            told = value not in (None, CANNOT_JUDGE) and not is_spoiled(row)
            found[row["item_id"]] = float(value != ESTABLISHED) if told else np.nan
    values = [found.get(draw["context_id"], np.nan) for draw in draws]
    return np.array(values, dtype=np.float64), np.array([draw["context_id"] not in found for draw in draws], dtype=bool)


def _validity(
    store: Store, rubric: Rubric, draws: Sequence[Mapping[str, Any]], conditions: Sequence[str]
) -> tuple[Floats, NDArray[np.object_]]:
    """Whether each row's context is what it claims to be, and which other condition it really is."""
    verdicts = context_verdicts(store, rubric)
    valid, real = np.full(len(draws), np.nan), np.full(len(draws), None, dtype=object)
    for row, (draw, condition) in enumerate(zip(draws, conditions, strict=True)):
        verdict = verdicts.get(draw["context_id"])
        found = verdict.is_valid(condition) if verdict else None
        if verdict and found is not None:
            valid[row], real[row] = found, verdict.real_condition(condition)
    return valid, real


def _first_fractions(store: Store, sample: Mapping[str, Any], draws: Sequence[Mapping[str, Any]]) -> Floats:
    if not sample["linked"]:
        return np.ones(len(draws))
    contexts = items.draws(store, sample["sample_id"], "context")
    share = {row["item_id"]: row["inclusion_probability"] for row in contexts}
    return np.array([share[draw["context_id"]] for draw in draws], dtype=np.float64)
