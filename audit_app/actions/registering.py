"""Registering: what will be reported and when labelling stops, frozen before results are seen."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from typing import Any

from audit_app.actions import subsamples
from audit_app.actions.labelled import Grounding, find_judge
from audit_app.actions.seal import Seal, read_seal
from data import frame as frames
from data.errors import Problem, StudyProblem
from data.store import assignments, items, registrations
from data.store.connection import Store, now, open_store
from data.study import Study
from metrics.correction import FLOOR
from metrics.definitions import METRICS
from metrics.estimate import About, Annotators, Contexts, Target
from metrics.table import Average

STOP = "all planned labels are done"
SAMPLE_COLUMNS = ("sample_id", "seed", "strata", "context_strata", "unit", "linked", "overlap", "people", "core",
                  "diagnostics", "repeats", "dev", "design")  # fmt: skip
DRAW_COLUMNS = ("item_id", "stratum", "stratum_size", "sample_size", "inclusion_probability", "permanent_number")


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """What somebody means to report."""

    metrics: tuple[str, ...]
    by: tuple[tuple[str, ...], ...] = ()
    """Slice columns; each entry is one crossing. Over all responses is always registered."""
    target: Target = "A"
    grounding: Grounding = "strict"
    judge: str | None = None
    """The first by name by default."""
    sample_id: str | None = None
    """The newest by default."""
    level: float = 0.95
    floor: int = FLOOR
    about: About = "these responses"
    average: Average = "pooled"
    borrow: tuple[str, ...] = ()
    """Columns within which refused slices borrow."""
    annotators: Annotators = "these annotators"
    contexts: Contexts = "all"
    stop: str = STOP
    """When labelling ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """What was frozen, and when."""

    hash: str
    """SHA-256 of everything below as canonical JSON; an amendment's covers that of what it amends."""
    registered_at: str
    amends: str | None
    """Hash of the registration before it."""
    reason: str | None
    """Why it was amended."""
    results_seen: str | None
    """How results had been opened by then; None when nobody could have seen them."""
    labels_done: int
    labels_planned: int
    study: str
    frame_hash: str
    rubric_hash: str
    sample: dict[str, Any]
    """Seed, strata and the like, with the number of draws and their hash."""
    metrics: tuple[str, ...]
    by: tuple[tuple[str, ...], ...]
    target: Target
    grounding: Grounding
    judge: str | None
    level: float
    floor: int
    stop: str
    about: About = "these responses"
    average: Average = "pooled"
    borrow: tuple[str, ...] = ()
    annotators: Annotators = "these annotators"
    contexts: Contexts = "all"

    @property
    def sentence(self) -> str:
        """Which registration it is, and whether it came in time."""
        what = "Amended" if self.amends else "Registered"
        late = f", after results were seen: {self.results_seen}" if self.results_seen else ", before results were seen"
        return f"{what} on {self.registered_at[:10]} (hash {self.hash[:12]}){late}."

    def is_for(self, name: str, by: Sequence[str], intent: Intent) -> bool:
        """Whether a metric by these columns, made in this way, was registered."""
        ways = ("target", "grounding", "judge", "level", "floor", "about", "average", "borrow", "annotators",
                "contexts")  # fmt: skip
        return (
            name in self.metrics
            and (not by or set(by) in [set(columns) for columns in self.by])
            and all(getattr(self, way) == getattr(intent, way) for way in ways)
            and self.sample["sample_id"] == intent.sample_id
        )


def last_intent(study: Study) -> Intent | None:
    """What was registered last, as an intent that an amendment can change in part; None when nothing was."""
    with open_store(study) as store:
        found = registered(store)
    if not found:
        return None
    last, names = found[-1], {f.name for f in fields(Intent)} - {"sample_id"}
    return Intent(**{name: getattr(last, name) for name in names}, sample_id=last.sample["sample_id"])


def register(study: Study, intent: Intent, *, amend: str | None = None) -> Registration:
    """Freezes an intent with the hashes of what it rests on, once; later ones are amendments that give a reason.

    Raises:
        StudyProblem: Nothing is drawn, a name is unknown, there is a registration and no reason to amend it, or the
            other way round.
    """
    frame = frames.open_frame(study)
    _check(intent, frames.judges(frame))
    with open_store(study) as store, store.transaction():
        before = registered(store)
        if before and not amend:
            raise StudyProblem(
                f"{before[-1].sentence[:-1]}; it stands. See it with `evidence-audit register --show`, or amend it, "
                "for all to see, with --amend REASON"
            )
        if amend is not None and not (before and amend.strip()):
            raise StudyProblem("--amend: expected a registration to amend and a reason for it")
        seal, work = read_seal(store), assignments.progress(store)
        sample = _frozen(store, intent.sample_id)
        done = sum(row["n"] for row in work if row["state"] in ("done", "skipped"))
        body = {
            **asdict(intent),
            "judge": find_judge(frame, intent.judge),
            "sample": sample,
            "registered_at": now(),
            "amends": before[-1].hash if before else None,
            "reason": amend,
            "results_seen": _seen(seal, items.top_ups(store, sample["sample_id"])) if done else None,
            "labels_done": done,
            "labels_planned": sum(row["n"] for row in work),
            "study": study.name,
            "frame_hash": frame.hash,
            "rubric_hash": study.rubric.hash,
        }
        del body["sample_id"]
        text = canonical(body)
        registrations.add(store, text, _hash(text))
        return registered(store)[-1]


def registered(store: Store) -> list[Registration]:
    """The registration and its amendments, in order.

    Raises:
        StudyProblem: A stored text no longer has its hash: somebody has changed it.
    """
    found: list[Registration] = []
    for row in registrations.everything(store):
        body = json.loads(row["body"])
        expected = found[-1].hash if found else None
        if _hash(row["body"]) != row["hash"] or body["amends"] != expected:
            raise StudyProblem(
                f"registration {row['number']} was changed after it was made; restore study.db from a copy"
            )
        lists = {"metrics": tuple(body["metrics"]), "by": tuple(map(tuple, body["by"]))}
        lists["borrow"] = tuple(body.get("borrow", ()))
        found.append(Registration(**{**body, **lists}, hash=row["hash"]))
    return found


def verified(study: Study, written: str) -> Registration:
    """The registration with a hash that was written down elsewhere: the only proof that nobody has made it anew.

    Raises:
        StudyProblem: It is too short to prove anything, or no registration here has it.
    """
    if len(written.strip()) < 12:
        raise StudyProblem(f"--verify: {written!r}; expected the hash as it was printed, 12 characters or more")
    with open_store(study) as store:
        found = [one for one in registered(store) if one.hash.startswith(written.strip().lower())]
    if not found:
        raise StudyProblem(f"no registration here has the hash {written!r}: it was made anew, or this is another study")
    return found[0]


def is_registered(
    everything: Sequence[Registration], name: str, by: Sequence[str], intent: Intent
) -> Registration | None:
    """The first registration or amendment that has this metric by these columns; None: the number is exploratory."""
    return next((one for one in everything if one.is_for(name, by, intent)), None)


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
    current = _frozen(store, since.sample["sample_id"])
    if current != since.sample:
        then, n = since.sample["n_responses"], current["n_responses"]
        what = "draws" if current["draws_hash"] != since.sample["draws_hash"] else "sample's settings or subsamples"
        found.append(f"The {what} have changed since the registration ({then} responses then, {n} now).")
    return found


def canonical(body: dict[str, Any]) -> str:
    """One text for one content: keys in order, no spaces.

    >>> canonical({"b": 1, "a": ["ü"]})
    '{"a":["ü"],"b":1}'
    """
    return json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _frozen(store: Store, sample_id: str | None) -> dict[str, Any]:
    sample = items.find_sample(store, sample_id)
    drawn = {kind: items.draws(store, sample["sample_id"], kind) for kind in ("response", "context")}
    chosen = {name: items.subsample(store, sample["sample_id"], name) for name in subsamples.NAMES}
    rows = [[kind, *(row[name] for name in DRAW_COLUMNS)] for kind, draws in drawn.items() for row in draws]
    return {
        **{name: sample[name] for name in SAMPLE_COLUMNS},
        "n_responses": len(drawn["response"]),
        "n_contexts": len(drawn["context"]),
        "draws_hash": _hash(canonical({"draws": sorted(rows)})),
        "subsamples_hash": _hash(canonical({name: sorted(map(list, members)) for name, members in chosen.items()})),
    }


def _seen(seal: Seal, top_ups: Sequence[Mapping[str, Any]]) -> str | None:
    """How results were or had been open; an extension closes them again, but not the eyes that saw them."""
    if seal.reason:
        return f"they were opened on {(seal.opened_at or '')[:10]} (“{seal.reason}”)"
    if seal.is_open:
        return "all planned labels were in"
    if seal.exported_at:
        return f"answers were exported on {seal.exported_at[:10]}, while results were sealed"
    extended = [top_up["created_at"][:10] for top_up in top_ups if top_up["results_open"]]
    return f"they were open when the sample was extended on {extended[0]}" if extended else None


def _check(intent: Intent, judges: Sequence[str]) -> None:
    def wrong(option: str, value: str, allowed: Sequence[str]) -> Problem:
        return Problem(where=option, message=f"{value!r}; expected some of {', '.join(allowed) or '(none there)'}")

    found = [wrong("--metrics", name, tuple(METRICS)) for name in intent.metrics if name not in METRICS]
    found += [wrong("--by", c, frames.SLICES) for columns in intent.by for c in columns if c not in frames.SLICES]
    if intent.judge is not None and intent.judge not in judges:
        found.append(wrong("--judge", intent.judge, judges))
    if not intent.metrics:
        found.append(Problem(where="--metrics", message="names no metric; expected some, such as SES,cSES"))
    if not intent.stop.strip():
        found.append(Problem(where="--stop", message=f"is empty; expected a rule, such as “{STOP}”"))
    if not 0 < intent.level < 1:
        found.append(Problem(where="--level", message=f"{intent.level:g}; expected a level between 0 and 1"))
    if found:
        raise StudyProblem(found)
