"""How results stand to what was registered: which numbers were, which are exploratory, and what has changed since."""

from collections.abc import Sequence

from audit_app.actions.registration import Intent, Registration, frozen, is_registered, registered
from data import frame as frames
from data.store.connection import Store
from data.study import Study


def standing(study: Study, store: Store, frame: frames.Frame, by: Sequence[str], intent: Intent) -> str | None:
    """What to say beside results: which of the numbers were registered, and which are exploratory.

    Args:
        study: With the rubric as it is now.
        store: Its database.
        frame: As it is now.
        by: Slice columns of the results.
        intent: What the results are of: metrics, target and the like, judge and sample by name.

    Returns:
        None when nothing was ever registered.
    """
    everything = registered(store)
    if not everything:
        return None

    overall = {name: is_registered(everything, name, (), intent) for name in intent.metrics}
    sliced = {name: is_registered(everything, name, by, intent) for name in intent.metrics}
    sentences = []
    for one in everything:
        names = [name for name in intent.metrics if overall[name] is one]
        sentences += [f"{', '.join(names)}: {one.sentence[0].lower()}{one.sentence[1:]}"] if names else []
        late = [name for name in intent.metrics if sliced[name] is one and overall[name] is not one]
        sentences += (
            [f"{', '.join(late)} by {' and '.join(by)}: {one.sentence[0].lower()}{one.sentence[1:]}"] if late else []
        )
    new = [name for name in intent.metrics if overall[name] is None]
    sentences += [f"Exploratory, not registered in this form: {', '.join(new)}."] if new else []
    finer = [name for name in intent.metrics if overall[name] and not sliced[name]]
    sentences += [f"Exploratory by {' and '.join(by)}: {', '.join(finer)}."] if finer else []
    return " ".join([*sentences, *changes(study, store, frame, everything[-1])])


def changes(study: Study, store: Store, frame: frames.Frame, since: Registration) -> list[str]:
    """What is no longer as it was registered."""
    found = []
    if frame.hash != since.frame_hash:
        found.append(f"The frame has changed since the registration ({since.frame_hash} then, {frame.hash} now).")
    if study.rubric.hash != since.rubric_hash:
        found.append(
            f"The rubric has changed since the registration ({since.rubric_hash} then, {study.rubric.hash} now)."
        )
    current = frozen(store, since.sample["sample_id"])
    if current != since.sample:
        then, n = since.sample["n_responses"], current["n_responses"]
        what = "draws" if current["draws_hash"] != since.sample["draws_hash"] else "sample's settings or subsamples"
        found.append(f"The {what} have changed since the registration ({then} responses then, {n} now).")
    return found
