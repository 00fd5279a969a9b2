"""Rules about the layout of contexts: how many, how many passages, and what each has to have."""

from collections import Counter, defaultdict

from data.rules import BLEMISH, BREAKS, Found, Material, rule

SIZES = {"longfact": (6, 8), "liveresearchbench": (6, 8), "clbench": (3, 7)}
"""Fewest and most passages of a context, by regime."""

SEARCH_REGIMES = ("longfact", "liveresearchbench")
"""Regimes whose passages are search results; those of the others are local fragments without title and URL."""


@rule(BREAKS, of_task=True)
def every_condition_once(material: Material) -> Found:
    """Every task has each declared condition exactly once."""
    if not any(context.condition for context in material.contexts):
        return
    by_task, built = material.by_task, {context.condition for context in material.contexts}
    nowhere = [name for name in material.conditions if name not in built] if len(material.tasks) > 1 else []
    if nowhere:
        remedy = "import their contexts, or take them out of the conditions there"
        yield "study.toml", f"declares {', '.join(nowhere)}, of which there is no context at all; {remedy}"
    asked = [name for name in material.conditions if name not in nowhere]
    for task in material.tasks:
        counts = Counter(context.condition for context in by_task.get(task.task_id, ()))
        wrong = [f"{counts[name]} × {name}" for name in asked if counts[name] != 1]
        if wrong:
            yield task.task_id, f"has {', '.join(wrong)}; expected each declared condition exactly once"


@rule(BREAKS, of_task=True)
def question_given(material: Material) -> Found:
    """A task has a question that is not blank."""
    for task in material.tasks:
        if not task.question.strip():
            yield task.task_id, "the question is blank; expected a question"


@rule(BREAKS)
def passage_text(material: Material) -> Found:
    """A context has passages, and each has a text that is not blank."""
    for context in material.contexts:
        if not context.passages:
            yield context.context_id, "has no passages; expected at least one"
        for passage in context.passages:
            if not passage.text.strip():
                yield context.context_id, f"the text of passage {passage.rank} is blank; expected a text"


@rule(BLEMISH)
def passage_count(material: Material) -> Found:
    """A context has 6–8 search results (longfact, liveresearchbench) or 3–7 local fragments (clbench)."""
    for context, regime in material.by_regime:
        low, high = SIZES.get(regime, (0, len(context.passages)))
        if not low <= len(context.passages) <= high:
            yield context.context_id, f"{len(context.passages)} passages; {regime} expects {low} to {high}"


@rule(BLEMISH)
def metadata(material: Material) -> Found:
    """Search results have a title and a URL; local fragments need neither."""
    for context, regime in material.by_regime:
        for passage in context.passages if regime in SEARCH_REGIMES else ():
            lacking = [name for name in ("title", "url") if not (getattr(passage, name) or "").strip()]
            if lacking:
                message = f"passage {passage.rank} has no {' and no '.join(lacking)}; a search result needs both"
                yield context.context_id, message


@rule(BLEMISH)
def ranks(material: Material) -> Found:
    """The ranks of a context's passages are 1 to n, each once."""
    for context in material.contexts:
        found = sorted(passage.rank for passage in context.passages)
        if found != list(range(1, len(found) + 1)):
            message = f"ranks are {', '.join(map(str, found))}; expected 1 to {len(found)}, each once"
            yield context.context_id, message


@rule(BLEMISH)
def repeated_passage(material: Material) -> Found:
    """No passage text stands twice in one context."""
    for context in material.contexts:
        places: dict[str, list[int]] = defaultdict(list)
        for passage in context.passages:
            places[passage.text].append(passage.rank)
        for same in places.values():
            if len(same) > 1:
                yield context.context_id, f"passages {', '.join(map(str, same))} have the same text; expected it once"


@rule(BLEMISH)
def one_title_per_url(material: Material) -> Found:
    """In the contexts of one task a URL has one title."""
    for contexts in material.by_task.values():
        first: dict[str, tuple[str, str, int]] = {}
        for context in contexts:
            for passage in context.passages:
                if not passage.url or passage.title is None:
                    continue
                title, where, rank = first.setdefault(passage.url, (passage.title, context.context_id, passage.rank))
                if title != passage.title:
                    place = f"passage {rank}" + ("" if where == context.context_id else f" of {where}")
                    message = f"passage {passage.rank} calls {passage.url} “{passage.title}”, {place} “{title}”"
                    yield context.context_id, f"{message}; expected one title"
