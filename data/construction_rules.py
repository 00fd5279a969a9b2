"""Rules about what a condition claims: whether the builder's own support labels fit it, and what a passage says itself.

Support labels are claims: here they are checked against each other, not against texts.
"""

import re
from collections import Counter
from operator import attrgetter

from data.records import Context, Passage
from data.rules import BLEMISH, BREAKS, Found, Material, rule

_NOT = r"(?:do|does|did|could|can|is|are|was|were)(?: not|n['’]t)|cannot"
_TELL = r"say|provide|state|specify|mention|indicate|identify|disclose|reveal|establish|determine|answer|name"
_TOLD = r"provided|stated|specified|mentioned|indicated|identified|disclosed|revealed|established|determined|named"
CUES = re.compile(
    rf"\b(?:(?:{_NOT})(?: be)? (?:{_TELL}|{_TOLD})\b|not (?:{_TOLD})\b|unable to determine\b"
    r"|(?:insufficient|not enough|no) (?:information|evidence|data|details?)\b|no mention of\b"
    r"|insufficient to (?:determine|establish|identify|conclude|say|tell)\b"
    r"|(?:(?:it|which|who) is|remains?) (?:unclear|unknown|undetermined|unspecified)\b|unclear from\b)",
    re.IGNORECASE,
)
"""Wordings by which a passage itself says that the answer is missing."""


@rule(BREAKS)
def authority_contamination(material: Material) -> Found:
    """authority_contamination: the passage at rank 1 supports a wrong answer, at least one other supports gold."""
    for context in material.under("authority_contamination"):
        first, *others = sorted(context.passages, key=attrgetter("rank"))
        if first.supports != "wrong":
            yield context.context_id, f"rank {first.rank} supports {_support(first)}; expected wrong"
        if not any(passage.supports == "gold" for passage in others):
            yield context.context_id, "no passage after the first supports gold; expected at least one"


@rule(BREAKS)
def majority_contamination(material: Material) -> Found:
    """majority_contamination: over half support wrong (whether all the same: not recorded), at least one gold."""
    for context in material.under("majority_contamination"):
        counts, n = _counts(context), len(context.passages)
        if 2 * counts["wrong"] <= n:
            yield context.context_id, f"{counts['wrong']} of {n} passages support wrong; expected more than half"
        if not counts["gold"]:
            yield context.context_id, "no passage supports gold; expected at least one"


@rule(BREAKS)
def direct_conflict(material: Material) -> Found:
    """direct_conflict: at least one passage supports gold and at least one supports a wrong answer."""
    for context in material.under("direct_conflict"):
        for side in ("gold", "wrong"):
            if not _counts(context)[side]:
                yield context.context_id, f"no passage supports {side}; expected at least one"


@rule(BREAKS)
def evidence_absence(material: Material) -> Found:
    """evidence_absence: every passage supports neither the gold answer nor a wrong one."""
    for context in material.under("evidence_absence"):
        for passage in context.passages:
            if passage.supports != "neither":
                message = f"passage {passage.rank} supports {_support(passage)}; expected neither"
                yield context.context_id, message


@rule(BREAKS)
def absence_cue(material: Material) -> Found:
    """evidence_absence: no passage says itself that the answer is missing."""
    if "evidence_absence" not in material.conditions:
        return
    for context in material.contexts:
        for passage in context.passages if context.condition == "evidence_absence" else ():
            cue = CUES.search(passage.text)
            if cue:
                yield context.context_id, f"passage {passage.rank} says “{cue[0]}”; expected no explicit absence cue"


@rule(BREAKS)
def clean(material: Material) -> Found:
    """clean: at least one passage supports the gold answer and none supports a wrong one."""
    for context in material.under("clean"):
        counts = _counts(context)
        if not counts["gold"]:
            yield context.context_id, "no passage supports gold; expected at least one"
        if counts["wrong"]:
            yield context.context_id, f"{counts['wrong']} passages support wrong; expected none"


LABELLED = ("clean", "authority_contamination", "majority_contamination", "direct_conflict", "evidence_absence")
"""Conditions whose rules go by support labels."""


@rule(BLEMISH)
def support_labels(material: Material) -> Found:
    """A context whose condition is checked by support labels has some."""
    for context in material.contexts:
        checked = context.condition in LABELLED and context.condition in material.conditions
        if checked and context.passages and not any(passage.supports for passage in context.passages):
            message = f"support labels missing; {context.condition} cannot be checked without gold, wrong or neither"
            yield context.context_id, message


def _support(passage: Passage) -> str:
    return passage.supports or "nothing stated"


def _counts(context: Context) -> Counter[str | None]:
    return Counter(passage.supports for passage in context.passages)
