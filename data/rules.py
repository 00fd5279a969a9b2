"""What a structure rule is, and what it looks at: one rule, one function, one name."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from data.records import Context, Task
from data.rubric import BLEMISH, BREAKS


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

Find = Callable[[Material], Found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A check by name."""

    name: str
    description: str
    severity: str
    """"breaks": the context is not what its condition claims. "blemish": it still is."""
    of_task: bool
    """Whether what it finds is about a task, not about one context."""
    find: Find


RULES: dict[str, Rule] = {}
"""Every rule by its name, in the order in which they are listed."""


def rule(severity: str, *, of_task: bool = False) -> Callable[[Find], Find]:
    """Registers a function as a rule: its name is the rule's, its docstring the description."""

    def register(find: Find) -> Find:
        RULES[find.__name__] = Rule(
            name=find.__name__, description=find.__doc__ or "", severity=severity, of_task=of_task, find=find
        )
        return find

    return register


__all__ = ["BLEMISH", "BREAKS", "RULES", "Found", "Material", "Rule", "rule"]
