"""One question of the rubric: what is asked, from which view, and what may be answered."""

import json
from dataclasses import dataclass
from typing import Literal

_YES = {"1", "true", "yes"}
_NO = {"0", "false", "no"}
_CODES = str.maketrans(" -", "__")


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One answer that can be given: its key, what is stored, what is read on screen."""

    key: str
    value: str
    text: str
    help: str | None = None
    evidence: bool | Literal["required", "quote"] = False
    """Whether a quote from the passages is asked for with this answer. Where it is "required", a note that names the
    passage by its number will do as well; "quote" takes nothing else."""
    note: bool = False
    """Whether this answer needs a note."""
    severity: str | None = None
    """Of a construction error: "breaks" the condition (also when nothing is said), or is a "blemish"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A case and its answer, shown with the definition; a counter-example is one whose answer surprises."""

    text: str
    value: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One label of the rubric: what is asked, from which view, and what may be answered."""

    name: str
    title: str
    item_kind: str
    pass_: str
    view: str
    question: str
    definition: str
    values: tuple[Value, ...]
    kind: str = "choice"
    each: str | None = None
    """"passage" when the question is asked of every passage."""
    diagnostic: bool = False
    examples: tuple[Example, ...] = ()

    def codes(self, stored: str) -> list[str]:
        """The values in a stored answer: one, or as many as were marked."""
        return list(json.loads(stored)) if self.kind == "many" and stored.startswith("[") else [stored]

    def parse(self, raw: str) -> str | None:
        """The stored value for what a file says; None for a blank; ValueError with what was expected.

        >>> from data.rubric import default_text, parse_rubric
        >>> rubric = parse_rubric(default_text(), "rubric.toml")
        >>> rubric["D"].parse("Yes"), rubric["G"].parse("no"), rubric["D"].parse("")
        ('1', 'not_supported', None)
        """
        text = raw.strip().casefold()
        if not text:
            return None
        stored = [value.value for value in self.values]
        folded = {value.casefold(): value for value in stored}
        # A column of whole numbers with a gap comes out of pandas as 1.0, 2.0.
        for candidate in (text, text.translate(_CODES), text.removesuffix(".0")):
            if candidate in folded:
                return folded[candidate]
        if self.kind == "choice":
            if text in _YES:
                return stored[0]
            if text in _NO:
                return stored[-1] if self.name == "G" or "0" not in stored else "0"
        raise ValueError(f"{raw!r}; expected one of {', '.join(stored)}, or yes/no")
