"""What people say of the drawn responses, and what they would have said of all: the truth of each cell."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import expit, logit

from benchmarks.coverage_cells import Cell
from benchmarks.coverage_draws import drawn
from benchmarks.coverage_populations import Codes, Flags, Floats, Frame
from metrics.definitions import Metric

SPREAD = 0.35
"""SD of what annotators add to the logit of a yes, for each label on its own."""

COMBINATIONS = np.array(list(product((0.0, 1.0), repeat=4))).T


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Of the drawn rows; shapes (4, n) and (n,)."""

    seen: Floats
    """The first annotator's."""
    annotator: Codes | None
    """Who that was; None when people do not differ."""
    again: Floats | None
    """Another annotator's."""
    twice: Flags | None
    """Rows that another annotator labels too."""
    chosen: Flags | None
    """Rows that are adjudicated (to what is true), for target B."""
    effects: Floats | None
    """What each annotator adds to the logit of a yes, shape (4, k)."""


def labels(cell: Cell, base: Frame, rows: Codes, rng: np.random.Generator) -> Labels:
    """The labels of the first annotator of each row, and which rows are adjudicated.

    Without annotators of their own, people of target A see the truth, and those of target B with sensitivity .85 and
    specificity .94. Annotators are nearly sure of most responses; their leaning moves those they are unsure of.
    """
    truth = base.human[:, rows]
    seen, who, effects, again, twice = truth, None, None, None, None
    if cell.annotators is not None:
        who = _assigned(base, rows, cell.annotators, rng)
        effects = rng.normal(0, SPREAD, (4, cell.annotators))
        chance = _says_yes(truth, effects[:, who])
        seen = (rng.random(truth.shape) < chance).astype(np.float64)
        if cell.twice is not None:
            other = (who + rng.integers(1, cell.annotators, len(who))) % cell.annotators
            again = (rng.random(truth.shape) < _says_yes(truth, effects[:, other])).astype(np.float64)
            twice = _share_of(cell.twice, base, rows, rng)
    elif cell.overlap is not None:
        seen = (rng.random(truth.shape) < np.where(truth == 1, 0.85, 0.06)).astype(np.float64)
    chosen = None if cell.overlap is None else _share_of(cell.overlap, base, rows, rng)
    return Labels(seen=seen, annotator=who, again=again, twice=twice, chosen=chosen, effects=effects)


def _says_yes(truth: Floats, effect: Floats | float) -> Floats:
    chance: Floats = expit(logit(np.where(truth == 1, 0.9, 0.1)) + effect)
    return chance


def _assigned(base: Frame, rows: Codes, people: int, rng: np.random.Generator) -> Codes:
    """Contexts with all their drawn responses, at random within conditions and in equal numbers."""
    contexts, of_row = np.unique(base.context[rows], return_inverse=True)
    condition = np.zeros(len(contexts), dtype=np.int64)
    condition[of_row] = base.condition[rows]
    who = np.zeros(len(contexts), dtype=np.int64)
    for c in np.unique(condition):
        here = rng.permutation(np.flatnonzero(condition == c))
        who[here] = rng.permutation(people)[np.arange(len(here)) % people]
    return who[of_row.ravel()]


def _share_of(share: float, base: Frame, rows: Codes, rng: np.random.Generator) -> Flags:
    """A random share of the drawn rows of each stratum."""
    stratum = np.unique(base.stratum[rows], return_inverse=True)[1].ravel()
    size = np.round(np.bincount(stratum) * share).astype(int)
    chosen = np.zeros(len(rows), dtype=bool)
    chosen[drawn(stratum, tuple(size.tolist()), rng)] = True
    return chosen


def truth(cell: Cell, whole: Frame, said: Labels) -> Callable[[Metric], float]:
    """What the interval of a metric should hold: of these annotators, of all like them, or of adjudication."""
    if said.effects is None or cell.overlap is not None:
        return lambda metric: _of_labels(cell, whole, metric)
    if cell.who == "annotators like these":
        kinds = _average(whole)
    else:
        # Each context goes to any of these annotators with the same chance.
        kinds = np.sum([_kinds(_says_yes(whole.human, effect[:, None])) for effect in said.effects.T], axis=0)
    return lambda metric: _ratio(metric, kinds)


def _of_labels(cell: Cell, whole: Frame, metric: Metric) -> float:
    num, den = metric.terms(*whole.human)
    inside = np.ones(len(num), dtype=bool) if cell.setting is None else whole.setting == cell.setting
    return float(num[inside].sum() / den[inside].sum())


def _average(whole: Frame) -> Floats:
    """Expected responses of each combination by an annotator drawn at random; leanings are one for each label."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(21)
    yes = float(_says_yes(np.ones(1), SPREAD * nodes) @ weights / weights.sum())
    return _kinds(np.where(whole.human == 1, yes, 1 - yes))


def _kinds(chance: Floats) -> Floats:
    """Expected number of responses with each combination of the four labels, shape (16,)."""
    each = np.where(COMBINATIONS[:, :, None] == 1, chance[:, None, :], 1 - chance[:, None, :])
    total: Floats = each.prod(axis=0).sum(axis=1)
    return total


def _ratio(metric: Metric, kinds: Floats) -> float:
    num, den = metric.terms(*COMBINATIONS)
    return float(num @ kinds / (den @ kinds))
