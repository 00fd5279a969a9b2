"""How often a sample was extended: each time is a look at the work, and is printed with every result."""

from audit_app.language import _
from data.store import items
from data.store.connection import Store


def looks(store: Store, sample_id: str) -> str | None:
    """The extensions of a sample in a sentence; None when there were none."""
    top_ups = items.top_ups(store, sample_id)
    if not top_ups:
        return None
    seen = sum(bool(top_up["results_open"]) for top_up in top_ups)
    done = _(" and ").join(str(top_up["n_done"]) for top_up in top_ups)
    if len(top_ups) == 1:
        said = (
            _("The sample was extended once, after {done} assignments were done; results were open then.")
            if seen
            else _("The sample was extended once, after {done} assignments were done; results were sealed then.")
        )
    else:
        said = _(
            "The sample was extended {n} times, after {done} assignments were done; results were open at {seen} of "
            "these looks."
        )
    return said.format(n=len(top_ups), done=done, seen=seen or _("none"))
