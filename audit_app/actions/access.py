"""Who may do what. Every use case that is not for everybody asks here; a screen that hides a button is no check."""

from audit_app.actions.answers import Refused
from audit_app.language import _
from data.records import Person
from data.store import people
from data.store.connection import open_store
from data.study import Study


def require_lead(by: Person | None) -> None:
    """Lets leads through, and the command line: whoever has the study's folder has everything.

    Args:
        by: Who asks; None for the command line.

    Raises:
        Refused: 403, this is for leads.
    """
    if by is not None and (by.role != "lead" or by.status != "active"):
        raise Refused(403, _("Only leads may do this. Ask the lead of the study."))


def open_results(study: Study, by: Person) -> None:
    """Lets a lead see results, and keeps that they did: from then on they are given nothing to label.

    Raises:
        Refused: 403, results are for leads.
    """
    require_lead(by)
    if by.results_opened_at is None:
        with open_store(study) as store:
            people.results_opened(store, by.person_id)
