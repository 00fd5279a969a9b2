"""How much of the overlap target B may rest on so far."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audit_app.actions.labelled import Labelled
from audit_app.language import _, joined, ngettext
from data.records import LABELS
from metrics.definitions import METRICS


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The overlap of a sample and the part of it that is decided, from its first response on."""

    n_overlap: int
    n_settled: Mapping[str, int]
    """By metric, as each looks at other labels."""
    n_owed: int
    """Responses of the overlap that wait for somebody of the plan."""
    n_undecided: int
    """Labels on which people disagree and nobody has decided."""
    n_noted: int
    """Labels that were flagged or reported as slips, and that nobody has decided since."""

    @property
    def sentence(self) -> str | None:
        """What still waits; None when nothing does."""
        if all(n == self.n_overlap for n in self.n_settled.values()):
            return None
        names = defaultdict(list)
        for name, n in self.n_settled.items():
            names[n].append(name)
        counts = [f"{n} ({joined(metrics)})" if len(names) > 1 else str(n) for n, metrics in names.items()]
        owed = ngettext("{n} response waits for planned labels", "{n} responses wait for planned labels", self.n_owed)
        undecided = ngettext(
            "{n} label on which people disagree needs a decision (screen Adjudicate)",
            "{n} labels on which people disagree need a decision (screen Adjudicate)",
            self.n_undecided,
        )
        noted = ngettext(
            "{n} label that was flagged or reported as a slip needs one",
            "{n} labels that were flagged or reported as slips need one",
            self.n_noted,
        )
        numbers = ((owed, self.n_owed), (undecided, self.n_undecided), (noted, self.n_noted))
        waits = [said.format(n=n) for said, n in numbers if n]
        return _(
            "Target B rests on the first {counts} of the {n_overlap} responses of the overlap, up to "
            "the first undecided one, so that what is hard is not left out; {waits}."
        ).format(counts=joined(counts), n_overlap=self.n_overlap, waits=_(" and ").join(waits))


def settled(rows: Labelled, names: Sequence[str]) -> Settled:
    """The state of the overlap for some metrics."""
    labels = {name: METRICS[name].asks for name in names}
    overlap, members = rows.overlap, set(rows.overlap.order)
    return Settled(
        n_overlap=len(members),
        n_settled={name: len(overlap.settled(read)) for name, read in labels.items()},
        n_owed=len({item for item, label in overlap.owed if item in members and label in LABELS}),
        n_undecided=sum(item in members and label in LABELS for item, label in overlap.undecided),
        n_noted=sum(item in members and label in LABELS for item, label in overlap.noted - overlap.undecided),
    )
