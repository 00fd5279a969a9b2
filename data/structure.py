"""Whether imported contexts are built as their conditions say: one rule, one function, one name.

A rule about conditions or regimes applies where the study declares them and the data have them; a study without
contexts passes. Support labels are the builder's claims: here they are checked against each other, not against texts.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from data.records import Context, Passage, Task, context_of, task_of
from data.study import Study
from data.texts import read_columns, schema

SIZES = {"longfact": (6, 8), "liveresearchbench": (6, 8), "clbench": (3, 7)}
"""Fewest and most passages of a context, by regime."""

SEARCH_REGIMES = ("longfact", "liveresearchbench")
"""Regimes whose passages are search results; those of the others are local fragments without title and URL."""

_NOT = r"(?:do|does|did|could|can|is|are|was|were)(?: not|n['’]t)|cannot"
_TELL = r"provide|state|specify|mention|indicate|identify|disclose|reveal|establish|determine|answer|name"
_TOLD = r"provided|stated|specified|mentioned|indicated|identified|disclosed|revealed|established|determined|named"
CUES = re.compile(
    rf"\b(?:(?:{_NOT})(?: be)? (?:{_TELL}|{_TOLD})\b|not (?:{_TOLD})\b|unable to determine\b"
    r"|(?:insufficient|not enough|no) (?:information|evidence|data|details?)\b)",
    re.IGNORECASE,
)
"""Wordings by which a passage itself says that the answer is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is not as declared."""

    rule: str
    where: str
    """The context_id, or the task_id for a rule about all contexts of a task."""
    message: str
    """What is wrong, and what was expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What the rules look at."""

    conditions: tuple[str, ...]
    """As declared."""
    regimes: tuple[str, ...]
    """As declared."""
    tasks: tuple[Task, ...]
    contexts: tuple[Context, ...]

    @property
    def by_task(self) -> Mapping[str, Sequence[Context]]:
        """The contexts of each task, in the order in which they came."""
        found: dict[str, list[Context]] = defaultdict(list)
        for context in self.contexts:
            found[context.task_id].append(context)
        return found

    @property
    def by_regime(self) -> Iterator[tuple[Context, str]]:
        """Contexts with the declared regime of their task."""
        regime = {task.task_id: task.regime for task in self.tasks}
        for context in self.contexts:
            name = regime.get(context.task_id)
            if name is not None and name in self.regimes:
                yield context, name

    def under(self, condition: str) -> Iterator[Context]:
        """Contexts of a declared condition that carry support labels."""
        for context in self.contexts if condition in self.conditions else ():
            if context.condition == condition and any(p.supports for p in context.passages):
                yield context


Found = Iterator[tuple[str, str]]
"""Where, and the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A check by name."""

    name: str
    description: str
    find: Callable[[Material], Found]


RULES: dict[str, Rule] = {}
"""Every rule by its name, in the order in which they are listed."""


def rule(find: Callable[[Material], Found]) -> Callable[[Material], Found]:
    """Registers a function as a rule: its name is the rule's, its docstring the description."""
    RULES[find.__name__] = Rule(name=find.__name__, description=find.__doc__ or "", find=find)
    return find


@rule
def every_condition_once(material: Material) -> Found:
    """Every task has each declared condition exactly once."""
    if not any(context.condition for context in material.contexts):
        return
    by_task = material.by_task
    for task in material.tasks:
        counts = Counter(context.condition for context in by_task.get(task.task_id, ()))
        wrong = [f"{counts[name]} × {name}" for name in material.conditions if counts[name] != 1]
        if wrong:
            yield task.task_id, f"has {', '.join(wrong)}; expected each declared condition exactly once"


@rule
def passage_count(material: Material) -> Found:
    """A context has 6–8 search results (longfact, liveresearchbench) or 3–7 local fragments (clbench)."""
    for context, regime in material.by_regime:
        low, high = SIZES.get(regime, (0, len(context.passages)))
        if not low <= len(context.passages) <= high:
            yield context.context_id, f"{len(context.passages)} passages; {regime} expects {low} to {high}"


@rule
def metadata(material: Material) -> Found:
    """Search results have a title and a URL; local fragments need neither."""
    for context, regime in material.by_regime:
        for passage in context.passages if regime in SEARCH_REGIMES else ():
            lacking = [name for name in ("title", "url") if not (getattr(passage, name) or "").strip()]
            if lacking:
                message = f"passage {passage.rank} has no {' and no '.join(lacking)}; a search result needs both"
                yield context.context_id, message


@rule
def ranks(material: Material) -> Found:
    """The ranks of a context's passages are 1 to n, each once."""
    for context in material.contexts:
        found = sorted(passage.rank for passage in context.passages)
        if found != list(range(1, len(found) + 1)):
            message = f"ranks are {', '.join(map(str, found))}; expected 1 to {len(found)}, each once"
            yield context.context_id, message


@rule
def authority_contamination(material: Material) -> Found:
    """authority_contamination: the passage at rank 1 supports a wrong answer, at least one other supports gold."""
    for context in material.under("authority_contamination"):
        first, *others = sorted(context.passages, key=attrgetter("rank"))
        if first.supports != "wrong":
            yield context.context_id, f"rank {first.rank} supports {_support(first)}; expected wrong"
        if not any(passage.supports == "gold" for passage in others):
            yield context.context_id, "no passage after the first supports gold; expected at least one"


@rule
def majority_contamination(material: Material) -> Found:
    """majority_contamination: more than half of the passages support a wrong answer, at least one supports gold."""
    for context in material.under("majority_contamination"):
        counts, n = _counts(context), len(context.passages)
        if 2 * counts["wrong"] <= n:
            yield context.context_id, f"{counts['wrong']} of {n} passages support wrong; expected more than half"
        if not counts["gold"]:
            yield context.context_id, "no passage supports gold; expected at least one"


@rule
def direct_conflict(material: Material) -> Found:
    """direct_conflict: at least one passage supports gold and at least one supports a wrong answer."""
    for context in material.under("direct_conflict"):
        for side in ("gold", "wrong"):
            if not _counts(context)[side]:
                yield context.context_id, f"no passage supports {side}; expected at least one"


@rule
def evidence_absence(material: Material) -> Found:
    """evidence_absence: every passage supports neither the gold answer nor a wrong one."""
    for context in material.under("evidence_absence"):
        for passage in context.passages:
            if passage.supports != "neither":
                message = f"passage {passage.rank} supports {_support(passage)}; expected neither"
                yield context.context_id, message


@rule
def absence_cue(material: Material) -> Found:
    """evidence_absence: no passage says itself that the answer is missing."""
    if "evidence_absence" not in material.conditions:
        return
    for context in material.contexts:
        for passage in context.passages if context.condition == "evidence_absence" else ():
            cue = CUES.search(passage.text)
            if cue:
                yield context.context_id, f"passage {passage.rank} says “{cue[0]}”; expected no explicit absence cue"


@rule
def clean(material: Material) -> Found:
    """clean: at least one passage supports the gold answer and none supports a wrong one."""
    for context in material.under("clean"):
        counts = _counts(context)
        if not counts["gold"]:
            yield context.context_id, "no passage supports gold; expected at least one"
        if counts["wrong"]:
            yield context.context_id, f"{counts['wrong']} passages support wrong; expected none"


@rule
def repeated_passage(material: Material) -> Found:
    """No passage text stands twice in one context."""
    for context in material.contexts:
        places: dict[str, list[int]] = defaultdict(list)
        for passage in context.passages:
            places[passage.text].append(passage.rank)
        for same in places.values():
            if len(same) > 1:
                yield context.context_id, f"passages {', '.join(map(str, same))} have the same text; expected it once"


@rule
def nothing_degraded(material: Material) -> Found:
    """No two conditions of a task have the same passages with the same support: something must be degraded."""
    for contexts in material.by_task.values():
        first: dict[tuple[tuple[str, str], ...], Context] = {}
        for context in contexts:
            content = tuple(sorted((passage.text, passage.supports or "") for passage in context.passages))
            other = first.setdefault(content, context)
            if other.condition != context.condition:
                message = (
                    f"has the passages and support labels of {other.context_id} ({other.condition}); "
                    f"expected {context.condition} to differ"
                )
                yield context.context_id, message


def _support(passage: Passage) -> str:
    return passage.supports or "nothing stated"


def _counts(context: Context) -> Counter[str | None]:
    return Counter(passage.supports for passage in context.passages)


def check(study: Study) -> list[Finding]:
    """Every finding of every rule, sorted by rule, place and message."""
    material = Material(
        conditions=study.conditions,
        regimes=study.regimes,
        tasks=tuple(map(task_of, read_columns(study, "tasks", schema("tasks").names).to_pylist())),
        contexts=tuple(map(context_of, read_columns(study, "contexts", schema("contexts").names).to_pylist())),
    )
    found = [
        Finding(rule=name, where=where, message=message)
        for name, one in RULES.items()
        for where, message in one.find(material)
    ]
    return sorted(found, key=attrgetter("rule", "where", "message"))
