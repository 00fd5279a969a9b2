"""Whether target B may be worked out while there is something left to decide."""

from audit_app.actions.cases import read_queue
from audit_app.language import _
from data.errors import StudyProblem
from data.store import events
from data.store.connection import Store
from data.study import Study


class Withheld(StudyProblem):
    """Target B cannot be had until the queue is empty."""


def require_random_queue(store: Store, study: Study) -> None:
    """Lets target B through unless what is decided so far is no random share of what there is to decide.

    Raises:
        Withheld: The queue is, or was, worked on with the most informative first, and is not empty.
    """
    queue = read_queue(store, study)
    n = sum(len(case.disputes) for case in queue.cases)
    chosen = study.adjudication_order == "informative"
    if not n or not (chosen or any(one.queue_order == "informative" for one in events.resolutions(store))):
        return
    if chosen:
        said = _(
            "target B is withheld until the queue is empty: {n} labels wait for a decision, and the most informative "
            "come first, so what is decided is no random share of them. Let adjudicators decide the rest, or use "
            "target A"
        )
    else:
        said = _(
            "target B is withheld until the queue is empty: {n} labels wait for a decision, and the most informative "
            "came first, so what is decided is no random share of them. Let adjudicators decide the rest, or use "
            "target A"
        )
    raise Withheld(said.format(n=n))
