"""What a study can say: the labels that its rubric asks for and that its items allow, and what has to be left out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from audit_app.language import _, joined
from data.records import LABELS
from data.study import Study
from data.texts import parts
from data.views import artifacts
from metrics.definitions import METRICS


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The labels C, A, G, D of a study, each either there or missing for a reason."""

    labels: tuple[str, ...]
    """Labels that people can give here, in the order in which they are asked."""
    not_asked: tuple[str, ...] = ()
    """Labels that are not in the rubric."""
    no_context: tuple[str, ...] = ()
    """Labels that are in the rubric, but compare a response with a context, and there are no contexts."""

    @classmethod
    def of(cls, study: Study, human: Mapping[str, NDArray[np.float64]]) -> Self:
        """The scope of a study.

        Args:
            study: The study.
            human: People's labels of the drawn responses by name, nan where there is none. A label that cannot be
                asked here counts all the same where people gave it elsewhere.
        """
        asked = study.rubric.names("response")
        contexts = bool(parts(study, "contexts"))
        no_context = [
            name
            for name in LABELS
            if name in asked
            and not contexts
            and "passages" in artifacts(study.rubric[name].view)
            and np.isnan(human[name]).all()
        ]
        return cls(
            labels=tuple(name for name in LABELS if name in asked and name not in no_context),
            not_asked=tuple(name for name in LABELS if name not in asked),
            no_context=tuple(no_context),
        )

    def allows(self, metric: str) -> bool:
        """Whether every label that the metric rests on is there."""
        return METRICS[metric].asks <= set(self.labels)

    def left_out(self, metrics: Iterable[str]) -> str | None:
        """A sentence about those of the metrics that cannot be had here; None when all can.

        >>> Scope(labels=("A", "C"), not_asked=("D", "G")).left_out(["Acc", "abstention"])
        'Left out: abstention (the rubric does not ask for G).'
        """
        gone = [name for name in metrics if not self.allows(name)]
        if not gone:
            return None
        read = frozenset[str]().union(*(METRICS[name].asks for name in gone))
        not_asked, no_context = ([n for n in names if n in read] for names in (self.not_asked, self.no_context))
        reasons = []
        if not_asked:
            reasons.append(_("the rubric does not ask for {labels}").format(labels=joined(not_asked)))
        if no_context:
            reasons.append(_("no contexts are imported to judge {labels} by").format(labels=joined(no_context)))
        return _("Left out: {gone} ({reasons}).").format(gone=joined(gone), reasons=_("; ").join(reasons))
