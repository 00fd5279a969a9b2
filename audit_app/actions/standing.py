"""How results stand to what was registered: which numbers were, which are exploratory, and what has changed since."""

from collections.abc import Sequence

from audit_app.actions.registration import Intent, Registration, frozen, is_registered, registered
from audit_app.language import _, joined
from data import frame as frames
from data.store import judgements
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
    columns = _(" and ").join(map(_, by))
    sentences = []
    for one in everything:
        names = [name for name in intent.metrics if overall[name] is one]
        sentences += [f"{joined(names)}: {_inside(one)}"] if names else []
        late = [name for name in intent.metrics if sliced[name] is one and overall[name] is not one]
        sentences += (
            [_("{metrics} by {columns}: {what}").format(metrics=joined(late), columns=columns, what=_inside(one))]
            if late
            else []
        )
    new = [name for name in intent.metrics if overall[name] is None]
    sentences += [_("Exploratory, not registered in this form: {new}.").format(new=joined(new))] if new else []
    finer = [name for name in intent.metrics if overall[name] and not sliced[name]]
    sentences += [_("Exploratory by {columns}: {finer}.").format(columns=columns, finer=joined(finer))] if finer else []
    return " ".join([*sentences, *changes(study, store, frame, everything[-1])])


def _inside(one: Registration) -> str:
    """Its sentence, to go on with after a colon."""
    return one.sentence[0].lower() + one.sentence[1:]


def changes(study: Study, store: Store, frame: frames.Frame, since: Registration) -> list[str]:
    """What is no longer as it was registered."""
    found = []
    if since.frame_hash not in (frame.hash, frame.hash_with_judges):
        found.append(
            _("The frame has changed since the registration ({frame_hash} then, {hash} now).").format(
                frame_hash=since.frame_hash, hash=frame.hash
            )
        )
    n = judgements.replaced(store, since.judge, since.registered_at) if since.judge else 0
    if n:
        found.append(
            _("{n} labels of judge {judge} have another value than at the registration.").format(n=n, judge=since.judge)
        )
    if study.rubric.hash != since.rubric_hash:
        found.append(
            _("The rubric has changed since the registration ({rubric_hash} then, {hash} now).").format(
                rubric_hash=since.rubric_hash, hash=study.rubric.hash
            )
        )
    current = frozen(store, since.sample["sample_id"])
    if current != since.sample:
        then, n = since.sample["n_responses"], current["n_responses"]
        what = (
            _("draws") if current["draws_hash"] != since.sample["draws_hash"] else _("sample's settings or subsamples")
        )
        found.append(
            _("The {what} have changed since the registration ({then} responses then, {n} now).").format(
                what=what, then=then, n=n
            )
        )
    return found
