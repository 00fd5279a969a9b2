"""Whether judges put the models into the same order, and into the order that people would."""

from collections.abc import Mapping, Sequence

import numpy as np

from audit_app.actions.compared import PEOPLE, Order
from audit_app.actions.pairing import Matched, Pair
from audit_app.language import _
from metrics.definitions import METRICS
from metrics.estimate import Estimate
from metrics.ranking import Stability, order_over_tasks, ranking_stability


def between_judges(matched: Matched, name: str, pair: Pair, *, seed: int, level: float) -> Order | None:
    """The models as two judges have them, on the responses that both judged; None for fewer than two models."""
    one, other, models = matched.by_model(METRICS[name], pair)
    if len(models) < 2:
        return None
    values = [num.sum(axis=0) / np.maximum(den.sum(axis=0), 1e-300) for num, den in (one, other)]
    found = order_over_tasks(one, other, seed=seed, level=level)
    return Order(
        metric=name,
        first=pair[0],
        second=pair[1],
        first_order=_from_highest(models, values[0].tolist()),
        second_order=_from_highest(models, values[1].tolist()),
        kendall=found.kendall,
        spearman=ranking_stability(values[0], [values[1]]).spearman[0],
        low=found.low,
        high=found.high,
        same_order=found.same_order,
        tasks=found.tasks,
        why_undefined=found.why_undefined,
    )


def beside_people(judge: str, name: str, estimates: Sequence[Estimate]) -> Order | None:
    """The models by the judge's word and as corrected under that judge; None for fewer than two with both numbers."""
    by_method: Mapping[str, dict[str, float]] = {
        method: {e.slice["model"]: e.value for e in estimates
                 if (e.metric, e.method) == (name, method) and "model" in e.slice and e.value is not None}
        for method in ("naive", "corrected")
    }  # fmt: skip
    naive, corrected = by_method["naive"], by_method["corrected"]
    models = [model for model in naive if model in corrected]
    if len(models) < 2:
        return None
    values = [[side[model] for model in models] for side in (naive, corrected)]
    found: Stability = ranking_stability(values[0], [values[1]])
    return Order(
        metric=name,
        first=judge,
        second=PEOPLE,
        first_order=_from_highest(models, values[0]),
        second_order=_from_highest(models, values[1]),
        kendall=found.kendall[0],
        spearman=found.spearman[0],
        why_undefined=None if found.kendall[0] is not None else _("undefined: one of the two sees no difference"),
    )


def _from_highest(models: Sequence[str], values: Sequence[float]) -> tuple[str, ...]:
    """The models by their values, those with the same one on one rung: an order by name would be none.

    >>> _from_highest(["c", "a", "b"], [0.5, 0.5, 0.7])
    ('b', 'a = c')
    """
    rungs: dict[float, list[str]] = {}
    for model, value in zip(models, values, strict=True):
        rungs.setdefault(round(value, 12), []).append(model)
    return tuple(" = ".join(sorted(rungs[value])) for value in sorted(rungs, reverse=True))
