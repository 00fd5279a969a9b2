"""Whether results may be seen: sealed while people are at work, so that nobody stops when the numbers please them."""

from dataclasses import dataclass
from typing import Any

from audit_app.actions.access import open_results, require_lead
from audit_app.actions.answers import Refused
from audit_app.language import _, mark
from data.errors import StudyProblem
from data.store import assignments, settings
from data.store.connection import Store, now, open_store
from data.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """Results are open once every planned opening is done or skipped, or once somebody opened them for a reason."""

    is_open: bool
    n_left: int
    """Planned openings that are not done yet."""
    reason: str | None
    """Why results were opened early."""
    opened_at: str | None
    exported_at: str | None = None
    """When answers were first exported while results were sealed."""

    @property
    def sentence(self) -> str:
        """The state in words."""
        if self.reason:
            return _("Results were opened on {opened_at} with the reason “{reason}”.").format(
                opened_at=(self.opened_at or "")[:10], reason=self.reason
            )
        if self.is_open:
            return _("Results are open: everything that was planned is labelled.")
        return _(
            "Results are sealed: {n_left} planned assignments are not done yet. Interval widths are "
            "shown, values are not. Open them early, for good, with `evidence-audit metrics --unseal "
            "REASON`."
        ).format(n_left=self.n_left)


def read_seal(store: Store) -> Seal:
    """The state of the seal."""
    left = sum(row["n"] for row in assignments.progress(store) if row["state"] in ("open", "claimed"))
    opened: dict[str, Any] | None = settings.read(store, "unsealed")
    exported: dict[str, Any] | None = settings.read(store, "exported")
    return Seal(
        is_open=opened is not None or left == 0,
        n_left=left,
        reason=opened["reason"] if opened else None,
        opened_at=opened["at"] if opened else None,
        exported_at=exported["at"] if exported else None,
    )


def require_open(store: Store) -> Seal:
    """The state of the seal, if results may be seen.

    Raises:
        StudyProblem: They may not, yet.
    """
    seal = read_seal(store)
    if not seal.is_open:
        raise StudyProblem(seal.sentence)
    return seal


OPENING = mark(
    "Opening results means that you will get no assignments and no adjudication in this study, from now on and for "
    "good: whoever knows how the numbers stand is no longer blind."
)


def is_about_to_open(study: Study) -> bool:
    """Whether whoever asks would now see results for the first time.

    Raises:
        Refused: 403, they are no lead.
    """
    require_lead(study.asked_by)
    if study.asked_by is None or study.asked_by.results_opened_at is not None:
        return False
    with open_store(study) as store:
        return read_seal(store).is_open


def require_results(study: Study) -> None:
    """Lets those see results who may: the command line, and leads who have opened them or find them sealed.

    Raises:
        Refused: 403, results are for leads, or this lead has not opened them.
    """
    if is_about_to_open(study):
        raise Refused(403, _("You have not opened results.") + " " + _(OPENING))


def note_export(store: Store) -> None:
    """Notes, once, that answers left a study whose results were sealed: whoever has the file can work them out."""
    if not read_seal(store).is_open:
        settings.write(store, "exported", {"at": now()})


def unseal(study: Study, reason: str) -> Seal:
    """Opens results before the work is done; the reason is kept and printed with every result.

    Raises:
        Refused: 403, whoever asks is no lead.
    """
    require_lead(study.asked_by)
    if study.asked_by is not None:
        open_results(study, study.asked_by)
    with open_store(study) as store:
        settings.write(store, "unsealed", {"reason": reason, "at": now()})
        return read_seal(store)
