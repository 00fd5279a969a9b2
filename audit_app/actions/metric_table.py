"""The numbers of one metric after the other, each with its bounds and, where asked for, its uncertainty budget."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from audit_app.actions.answered import Grounding
from audit_app.actions.budgeting import MetricBudget
from audit_app.actions.detail import DetailedEstimate
from audit_app.actions.labelled import Labelled
from metrics.budget import budgets
from metrics.definitions import WARRANTS, Metric
from metrics.nonresponse import bounds
from metrics.rows import JudgedRows, LabelledRows, Slice
from metrics.table import METHODS, Options, detailed


class MetricTable:
    """The metrics of a study, made in one way."""

    def __init__(
        self,
        population: JudgedRows,
        rows: Labelled,
        options: Options,
        grounding: Grounding,
    ) -> None:
        self._population, self._labelled, self._options = population, rows, options
        self._grounding = grounding
        self._rows: dict[tuple[frozenset[str], bool], LabelledRows] = {}

    def of(self, metric: Metric, slices: Sequence[Slice]) -> Iterator[DetailedEstimate]:
        """Every slice and method; a direct estimate that rests on fewer labels than were asked for has bounds."""
        options, rows = self._way(metric)
        found = [
            DetailedEstimate.of(estimate, share, average=options.average, grounding=self._grounding)
            for estimate, share in detailed(self._population, rows, metrics=[metric], slices=slices, options=options)
        ]
        # Of re-classified contexts those that are no condition at all are excluded, and bounded with what is missing.
        some = options.contexts == "reclassified"
        lacking = [e.slice for e in found if (e.method, e.tier) == ("corrected", "direct") and (some or e.n_dropped)]
        extremes = bounds(self._population, rows, metrics=[metric], slices=lacking, options=options) if lacking else []
        beside = {
            tuple(bound.slice.items()): bound for bound in extremes if bound.why_undefined is None and bound.n_unusable
        }
        for estimate in found:
            bound = beside.get(tuple(estimate.slice.items())) if estimate.method == "corrected" else None
            yield replace(estimate, bounds=bound) if bound else estimate

    def budgets(self, metric: Metric, slices: Sequence[Slice]) -> Iterator[MetricBudget]:
        """Where the width of the corrected number comes from, on each slice."""
        options, rows = self._way(metric)
        found = budgets(self._population, rows, metrics=[metric], slices=slices, options=options)
        for name, place, one in found:
            yield MetricBudget.of(name, place, one)

    def _way(self, metric: Metric) -> tuple[Options, LabelledRows]:
        warrant = metric.name in WARRANTS
        key = (metric.reads, warrant)
        if key not in self._rows:
            self._rows[key] = self._labelled.rows(metric.reads, target=self._options.target, warrant=warrant)
        return replace(self._options, methods=METHODS[1:]) if warrant else self._options, self._rows[key]
