"""People's labels beside those of one judge, ready to correct any metric on any slice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from audit_app.actions.judged import judged
from audit_app.actions.labelled import Floats, Grounding, labelled
from data import frame as frames
from data.store.connection import Store
from data.study import Study
from metrics.comparison import Side, slice_difference
from metrics.definitions import METRICS
from metrics.difference import Difference
from metrics.estimate import Estimate
from metrics.rows import JudgedRows, LabelledRows, Slice, slices_by
from metrics.table import OfMetric, Options, detailed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corrected:
    """The labels of a sample and of the frame; what all slices of a metric share is worked out once."""

    human: Mapping[str, Floats]
    """People's labels of the drawn responses by name, nan where there is none."""
    judged: JudgedRows
    rows: LabelledRows
    options: Options
    _of: dict[str, OfMetric] = field(default_factory=dict)
    _sides: dict[tuple[object, ...], Side] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        study: Study,
        store: Store,
        frame: frames.Frame,
        judge: str | None,
        options: Options,
        columns: Sequence[str],
        *,
        sample_id: str | None,
        grounding: Grounding,
    ) -> Self:
        """The labels of the first planned annotator (target A), and the frame counted by columns, model and task.

        Raises:
            StudyProblem: Nothing is drawn, or the texts changed since the draw.
        """
        found = labelled(study, store, frame, sample_id=sample_id, judge=judge, grounding=grounding)
        counted = dict.fromkeys(["model", *(c for c in columns if c in frames.SLICES), "task_id"])
        return cls(
            human=found.human,
            judged=judged(frame, judge, list(counted)),
            rows=found.rows(),
            options=options,
        )

    def less(self, other: Self, name: str, places: tuple[Slice, Slice]) -> Difference:
        """A metric here on the first place, less the same under another judge, or this one, on the second."""
        return slice_difference(self._side(name, places[0]), other._side(name, places[1]), level=self.options.level)

    def estimates(self, names: Sequence[str], within: Slice) -> list[Estimate]:
        """The metrics within a slice: all of it, and each model of it."""
        models = [] if "model" in within else [{**place, **within} for place in slices_by(self.judged, ["model"])]
        metrics = [METRICS[name] for name in names]
        found = detailed(self.judged, self.rows, metrics=metrics, slices=[within, *models], options=self.options)
        return [estimate for estimate, _ in found]

    def _side(self, name: str, place: Slice) -> Side:
        key = (name, *place.items())
        if key not in self._sides:
            if name not in self._of:
                self._of[name] = OfMetric(METRICS[name], self.judged, self.rows, self.options)
            metric, options = self._of[name], self.options
            self._sides[key] = Side.of(
                *metric.at(place),
                level=options.level,
                floor=options.floor,
                prediction=metric.prediction,
                about=options.about,
            )
        return self._sides[key]
