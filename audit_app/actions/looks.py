"""How often a sample was extended: each time is a look at the work, and is printed with every result."""

from data.store import items
from data.store.connection import Store


def looks(store: Store, sample_id: str) -> str | None:
    """The extensions of a sample in a sentence; None when there were none."""
    top_ups = items.top_ups(store, sample_id)
    if not top_ups:
        return None
    seen = sum(bool(top_up["results_open"]) for top_up in top_ups)
    times = f"{len(top_ups)} times" if len(top_ups) > 1 else "once"
    done = " and ".join(str(top_up["n_done"]) for top_up in top_ups)
    one = "open then" if seen else "sealed then"
    then = one if len(top_ups) == 1 else f"open at {seen or 'none'} of these looks"
    return f"The sample was extended {times}, after {done} assignments were done; results were {then}."
