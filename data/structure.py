"""Whether imported contexts are built as their conditions say, rule by rule and in sum per condition.

A rule about conditions or regimes applies where the study declares them and the data have them; a study without
contexts passes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

# Each of these registers its rules, in the order in which they are listed.
from data import layout_rules as _layout  # noqa: F401  # isort: skip
from data import construction_rules as _construction  # noqa: F401  # isort: skip
from data import nearness as _nearness  # noqa: F401  # isort: skip
from data.records import context_of, task_of
from data.rules import BLEMISH, BREAKS, RULES, Material
from data.study import Study
from data.texts import read_columns, schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is not as declared."""

    rule: str
    where: str
    """The context_id, or the task_id for a rule about a task; study.toml for what is declared and nowhere built."""
    message: str
    """What is wrong, and what was expected."""
    severity: str
    """"breaks": the context is not what its condition claims. "blemish": it still is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionCount:
    """How many contexts of one condition have something wrong with them."""

    condition: str | None
    n: int
    n_broken: int
    """With a finding that breaks the condition."""
    n_blemished: int
    """With blemishes only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """Everything found, and the contexts of each condition counted."""

    findings: tuple[Finding, ...]
    """Sorted by rule, place and message."""
    conditions: tuple[ConditionCount, ...]
    """In the order in which they are declared, then those that are not, then the contexts without one."""


def check(study: Study) -> Structure:
    """Every finding of every rule, and what share of each condition's contexts has one."""
    material = Material(
        conditions=study.conditions,
        regimes=study.regimes,
        tasks=tuple(map(task_of, read_columns(study, "tasks", schema("tasks").names).to_pylist())),
        contexts=tuple(map(context_of, read_columns(study, "contexts", schema("contexts").names).to_pylist())),
    )
    found = [
        Finding(rule=name, where=where, message=message, severity=one.severity)
        for name, one in RULES.items()
        for where, message in one.find(material)
    ]
    ordered = sorted(found, key=attrgetter("rule", "where", "message"))
    return Structure(findings=tuple(ordered), conditions=tuple(_counts(material, ordered)))


def _counts(material: Material, findings: Sequence[Finding]) -> list[ConditionCount]:
    of = {
        severity: {one.where for one in findings if one.severity == severity and not RULES[one.rule].of_task}
        for severity in (BREAKS, BLEMISH)
    }
    there = dict.fromkeys(context.condition for context in material.contexts)
    undeclared = sorted(name for name in there if name is not None and name not in material.conditions)
    counts = []
    for condition in [*(c for c in material.conditions if c in there), *undeclared, *([None] if None in there else [])]:
        ids = {context.context_id for context in material.contexts if context.condition == condition}
        broken = ids & of[BREAKS]
        blemished = len(ids & of[BLEMISH] - broken)
        counts.append(ConditionCount(condition=condition, n=len(ids), n_broken=len(broken), n_blemished=blemished))
    return counts
