"""Drawing a sample and extending one: which contexts and responses people will look at. All of it or nothing."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import ceil
from typing import Any

from audit_app.actions.allocation import n_responses
from audit_app.actions.attention import LABEL
from audit_app.actions.choice import Before, Choice, choose, records
from audit_app.actions.dealing import deal_in, ready
from audit_app.actions.draw_plan import LEAK, Plan
from audit_app.actions.drawn import Drawn, summary
from audit_app.actions.judged import find_judge
from audit_app.actions.openings import open_plan, read_items
from audit_app.actions.population import Population, read_population
from audit_app.actions.seal import read_seal
from audit_app.actions.split import notes_of_split
from audit_app.actions.subsamples import Subsamples
from data import frame as frames
from data.errors import StudyProblem
from data.leak_scores import leak_scores
from data.records import LABELS
from data.store import assignments, calibrations, items, rounds
from data.store.connection import Store, now, open_store
from data.study import Study
from data.views import Item

__all__ = ["Drawn", "Plan", "draw_sample", "extend_sample"]


def draw_sample(study: Study, plan: Plan) -> Drawn:
    """Draws a sample, keeps its texts, and opens the plan's assignments; deals them where there are people.

    Raises:
        StudyProblem: The plan makes no sense, nothing is imported, a stratum column is unknown, the name is taken, or
            the size does not allow the fewest items per stratum (says which size would).
    """
    plan.check()
    if plan.canaries and LABEL not in study.rubric.names("response"):
        raise StudyProblem(f"--canaries: they check label {LABEL}, which the rubric does not ask; leave the option out")
    frame = frames.open_frame(study)
    if plan.looks_at_judge:
        plan = replace(plan, judge=find_judge(frame, plan.judge))
    population = _population(study, frame, plan)
    with open_store(study) as store, store.transaction():
        if any(sample["sample_id"] == plan.sample_id for sample in items.samples(store)):
            raise StudyProblem(
                f"there is a sample {plan.sample_id!r} already; name another one with --name, or ask for more of it "
                "with `evidence-audit sample extend`"
            )
        choice = choose(study, store, frame, population, plan, Before())
        new = _readable(store, study, choice)
        items.add(store, new)
        items.add_sample(store, _settings(study, frame, population, plan), records(plan, population, choice))
        return _finish(store, study, population, plan, choice, new)


def extend_sample(
    study: Study, sample_id: str | None = None, *, size: int | None, contexts: int | None = None, deal: bool = True
) -> Drawn:
    """Asks for more of a sample: all that was drawn stays, the next permanent numbers come in.

    Seed, strata, unit and everything else stay; every draw gets its new inclusion probability, and what it was is kept
    in a record of the top-up, of which there is one for each.

    Args:
        study: The study.
        sample_id: Which sample; the newest by default.
        size: Responses in all; None for all of them.
        contexts: Contexts in all; by default as many to the responses as before.
        deal: Whether the work is dealt out where two active annotators or more are there.

    Raises:
        StudyProblem: There is no such sample, it is as large already, or the frame has changed in a way that moves its
            strata.
    """
    frame = frames.open_frame(study)
    with open_store(study) as store:
        sample = items.find_sample(store, sample_id)
    plan = Plan.extending(sample, size=size, contexts=contexts, deal=deal)
    plan.check()
    population = _population(study, frame, plan)
    with open_store(study) as store, store.transaction():
        before = _before(store, plan.sample_id)
        _check_extension(population, plan, before)
        plan = replace(plan, contexts=contexts or _as_before(population, plan, before))
        choice = choose(study, store, frame, population, plan, before)
        new = _readable(store, study, choice)
        items.add(store, new)
        seal, done = (
            read_seal(store),
            [r["n"] for r in assignments.progress(store) if r["state"] in ("done", "skipped")],
        )
        top_up = {"sample_id": plan.sample_id, "n_done": sum(done), "results_open": int(seal.is_open),
                  "frame_hash": frame.hash}  # fmt: skip
        items.replace_draws(store, top_up, records(plan, population, choice))
        return _finish(store, study, population, plan, choice, new)


def _readable(store: Store, study: Study, choice: Choice) -> list[Item]:
    """Everything drawn with its texts.

    Raises:
        StudyProblem: People practise on a task that was drawn: they would know its answers.
    """
    drawn = list(read_items(study, [key for key, _ in choice.keys]))
    known = sorted({item.task.task_id for item in drawn} & calibrations.tasks(store))
    if known:
        raise StudyProblem(
            f"{len(known)} drawn tasks are in the calibration set ({', '.join(known[:3])}): whoever practises on them "
            "learns their answers. Take the set away with `evidence-audit calibration remove`, and make one of samples "
            "from elsewhere (`calibration import --items`)"
        )
    return drawn


def _population(study: Study, frame: frames.Frame, plan: Plan) -> Population:
    labels = [name for name in LABELS if name in study.rubric.names("response")]
    return read_population(frame, plan, scores=partial(leak_scores, study), labels=labels)


def _before(store: Store, sample_id: str) -> Before:
    draws = {kind: items.draws(store, sample_id, kind) for kind in ("response", "context")}
    return Before(draws=draws, subsamples=Subsamples.stored(store, sample_id))


def _check_extension(population: Population, plan: Plan, before: Before) -> None:
    """Refuses to extend what is as large already, or a sample whose strata are not what they were."""
    kind = "response" if population.responses else "context"
    wanted, n = plan.size if kind == "response" else plan.contexts or plan.size, len(before.ids(kind))
    if wanted is not None and wanted <= n:
        raise StudyProblem(f"sample {plan.sample_id!r} has {n} {kind}s already; ask for more than that with --size")
    moved = []
    for kind, rows in before.draws.items():
        candidates = population.responses if kind == "response" else population.contexts
        sizes, stratum = population.sizes(kind), {c.item_id: c.stratum for c in candidates}
        was = {row["stratum"]: row["stratum_size"] for row in rows}
        moved += [f"{kind} stratum {name!r} had {was.get(name, 0)} and has {sizes.get(name, 0)}"
                  for name in sorted(was.keys() | sizes.keys()) if was.get(name) != sizes.get(name)]  # fmt: skip
        moved += [f"{kind} {row['item_id']!r} was in stratum {row['stratum']!r} and is not now"
                  for row in rows if stratum.get(row["item_id"]) != row["stratum"]]  # fmt: skip
    if moved:
        more = f" (and {len(moved) - 3} more)" if len(moved) > 3 else ""
        raise StudyProblem(
            f"sample {plan.sample_id!r} cannot be extended, because what was imported since moves its strata: "
            f"{'; '.join(moved[:3])}{more}. Draw another sample with --name and the same --seed: what both hold keeps "
            "its labels"
        )


def _as_before(population: Population, plan: Plan, before: Before) -> int | None:
    """Contexts that keep the responses to each as many as they are, but no more new ones than a new draw would take.

    None where responses were not drawn in contexts.
    """
    responses, contexts = (len(before.ids(kind)) for kind in ("response", "context"))
    if not population.linked or not responses:
        return None
    wanted = n_responses(population, plan)
    return max(contexts, min(ceil(wanted * contexts / responses), ceil(wanted / population.per_context)))


def _settings(study: Study, frame: frames.Frame, population: Population, plan: Plan) -> dict[str, Any]:
    return {
        **plan.stored(population.cuts, population.merged),
        "strata": list(population.columns),
        "context_strata": list(population.context_columns),
        "unit": population.unit,
        "linked": int(population.linked),
        "frame_hash": frame.hash,
        "rubric_hash": study.rubric.hash,
        "created_at": now(),
    }


def _finish(
    store: Store, study: Study, population: Population, plan: Plan, choice: Choice, drawn: Sequence[Item]
) -> Drawn:
    """Keeps the subsamples, opens and deals the work, and says what was drawn."""
    rounds.begin(store, study.rubric)
    choice.subsamples.keep(store, plan.sample_id)
    rank = _by_leak(study, population.cuts[LEAK]) if plan.order == LEAK else {}
    n_openings = open_plan(
        store, study, drawn, choice.subsamples.people, plan.seed, rank=lambda context_id: rank.get(context_id, 0)
    )
    n_top_ups = len(items.top_ups(store, plan.sample_id))
    dealt = deal_in(store, study) if plan.deal else None
    found = summary(plan, population, choice, n_openings=n_openings, n_top_ups=n_top_ups,
                    n_annotators=len(ready(store)), dealt=dealt)  # fmt: skip
    sample = items.find_sample(store, plan.sample_id)
    return replace(found, notes=(*found.notes, *notes_of_split(sample, items.draws(store, plan.sample_id, "response"))))


def _by_leak(study: Study, cuts: Sequence[float]) -> dict[str, int]:
    """The rank of each context by the stratum that its leak score is in, the highest first."""
    scores = leak_scores(study)
    return {context: -bisect_right(cuts, score) for context, score in scores.items() if score is not None}
