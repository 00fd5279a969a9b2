"""What is registered: what somebody means to report, frozen with what it rests on, kept as text under its hash."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Any

from audit_app.actions import subsamples
from audit_app.actions.judged import find_judge
from audit_app.actions.labelled import Grounding
from audit_app.actions.seal import require_results
from audit_app.language import _
from data.errors import StudyProblem
from data.frame import Frame
from data.store import items, registrations
from data.store.connection import Store, open_store
from data.study import Study
from metrics.correction import FLOOR
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
    """The one with the most verdicts by default."""
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
        if self.results_seen and self.amends:
            said = _("Amended on {day} (hash {hash}), after results were seen: {how}.")
        elif self.results_seen:
            said = _("Registered on {day} (hash {hash}), after results were seen: {how}.")
        elif self.amends:
            said = _("Amended on {day} (hash {hash}), before results were seen.")
        else:
            said = _("Registered on {day} (hash {hash}), before results were seen.")
        return said.format(day=self.registered_at[:10], hash=self.hash[:12], how=self.results_seen)

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


def judge_of(study: Study, frame: Frame, judge: str | None) -> str | None:
    """The judge asked for, else the one that was registered last, else the one with the most verdicts.

    So what a plain command says of the study's judge stays so when another judge says more.

    Raises:
        StudyProblem: The judge asked for gave no verdicts.
        Refused: Results are not for whoever asks.
    """
    require_results(study)
    with open_store(study) as store:
        return find_judge(frame, judge, registered_judge(store))


def registered_judge(store: Store) -> str | None:
    """The judge that was registered last; None when nothing was, or none was meant."""
    found = registered(store)
    return found[-1].judge if found else None


def registered(store: Store) -> list[Registration]:
    """The registration and its amendments, in order.

    Raises:
        StudyProblem: A stored text no longer has its hash: somebody has changed it.
    """
    found: list[Registration] = []
    for row in registrations.everything(store):
        body = json.loads(row["body"])
        expected = found[-1].hash if found else None
        if hashed(row["body"]) != row["hash"] or body["amends"] != expected:
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


def canonical(body: dict[str, Any]) -> str:
    """One text for one content: keys in order, no spaces.

    >>> canonical({"b": 1, "a": ["ü"]})
    '{"a":["ü"],"b":1}'
    """
    return json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def hashed(text: str) -> str:
    """SHA-256 of a text."""
    return sha256(text.encode()).hexdigest()


def frozen(store: Store, sample_id: str | None) -> dict[str, Any]:
    """What a registration keeps of a sample: its settings, and the hashes of its draws and subsamples."""
    sample = items.find_sample(store, sample_id)
    drawn = {kind: items.draws(store, sample["sample_id"], kind) for kind in ("response", "context")}
    chosen = {name: items.subsample(store, sample["sample_id"], name) for name in subsamples.NAMES}
    rows = [[kind, *(row[name] for name in DRAW_COLUMNS)] for kind, draws in drawn.items() for row in draws]
    return {
        **{name: sample[name] for name in SAMPLE_COLUMNS},
        "n_responses": len(drawn["response"]),
        "n_contexts": len(drawn["context"]),
        "draws_hash": hashed(canonical({"draws": sorted(rows)})),
        "subsamples_hash": hashed(canonical({name: sorted(map(list, members)) for name, members in chosen.items()})),
    }
