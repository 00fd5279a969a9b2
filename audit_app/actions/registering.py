"""Registering: what will be reported and when labelling stops, frozen before results are seen."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from audit_app.actions.judged import find_judge
from audit_app.actions.registration import STOP, Intent, Registration, canonical, frozen, hashed, registered
from audit_app.actions.seal import Seal, read_seal
from data import frame as frames
from data.errors import Problem, StudyProblem
from data.store import assignments, items, registrations
from data.store.connection import now, open_store
from data.study import Study
from metrics.definitions import METRICS


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
        sample = frozen(store, intent.sample_id)
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
        registrations.add(store, text, hashed(text))
        return registered(store)[-1]


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
