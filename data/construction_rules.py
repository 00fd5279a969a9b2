"""Rules about what a condition claims: whether the builder's own support labels fit it, and what a passage says itself.

Support labels are claims: here they are checked against each other, not against texts.
"""

import re
from collections import Counter
from operator import attrgetter

from data.records import Context, Passage
from data.rules import BLEMISH, BREAKS, Found, Material, rule

_SOURCE = (
    r"(?:passages?|sources?|texts?|reports?|results?|documents?|articles?|evidence|information|contexts?|records?|"
    r"excerpts?|snippets?|fragments?|materials?|pages?|papers?|extracts?|summar(?:y|ies)|data|files?|notes?)"
)
_ASIDE = (
    r"(?:\s+(?:here|above|below|itself|themselves|alone|also|still|supplied|provided|given|available|retrieved|together|"
    r"simply|(?:of|in|from|on|about|for)(?: (?:the|this|that|these))? \w+)){0,3}"
)
_NOW = r"(?:(?:do|does)(?: not|n['’]t)|can(?:not| not|['’]t))"
_EVER = rf"(?:{_NOW}|(?:did|could|has|have|had)(?: not|n['’]t))"
_SAY = r"(?:say|provide|state|specify|mention|indicate|identify|disclose|reveal|establish|determine)"
_GIVE = r"(?:give|name|answer|contain|include|tell|show|list|address|confirm|report|clarify|explain)"
_SAYS = (
    r"(?:says?|provides?|states?|specif(?:y|ies)|mentions?|indicates?|identif(?:y|ies)|discloses?|reveals?|"
    r"establish(?:es)?|gives?|names?|answers?|contains?|includes?|tells?|shows?)"
)
_SAID = r"(?:stated|specified|mentioned|indicated|identified|disclosed|revealed|determined)"
_GIVEN = r"(?:provided|established|named|answered|recorded|listed|clear|given(?! to\b)|known(?! (?:for|as|to)\b))"
_MATTER = r"(?:information|evidence|data|details?|context)"
_HOLD = r"(?:say|tell|give|provide|offer|contain|hold|reveal|state|include|make)s?"
_TELL = r"(?:determine|establish|identify|answer|tell|say)"
_HERE = rf"(?:the|this|these|any of the)(?: (?:provided|supplied|given|available))? {_SOURCE}"
_BE = r"(?:is|are|was|were|remains?|remained)"
CUES = re.compile(
    # What only a text is said to do needs no subject; what people and treaties do as well needs a text as its subject.
    rf"\b(?:{_NOW} {_SAY}\b|fails? to (?:say|state|specify|mention|indicate|identify|disclose|reveal)\b"
    rf"|{_SOURCE}{_ASIDE} (?:{_EVER} (?:{_SAY}|{_GIVE})|fail(?:s|ed)? to (?:{_SAY}|{_GIVE}))\b"
    rf"|(?:no|none of the|neither(?: of the)?)(?: \w+)? {_SOURCE}{_ASIDE} {_SAYS}\b"
    rf"|not {_SAID}\b|{_BE}(?:n['’]t| not) {_SAID}\b|(?:is|are)(?:n['’]t| not) {_GIVEN}"
    r"|(?:cannot|can['’]t|can not|could not|couldn['’]t) be (?:determined|answered|established|identified|inferred|"
    r"concluded|known|said|told|stated|specified)\b"
    r"|unable to (?:determine|establish|identify|answer|say|tell)\b|lacks? (?:the|an|any) answer\b"
    rf"|{_SOURCE}{_ASIDE} lack(?:s|ed)? (?:(?:the|an|any|enough|sufficient) )?(?:answer|name|date|figure|{_MATTER})\b"
    rf"|{_SOURCE}{_ASIDE} (?:{_HOLD} nothing\b"
    rf"|{_HOLD} no (?:answer|name|date|figure|mention|reference|indication|{_MATTER})\b"
    rf"|(?:is|are) silent\b|never {_SAYS}|{_NOW} have (?:the|an|any) answer\b)"
    rf"|nothing in {_HERE}\b|no indication in {_HERE}\b|no answer {_BE} (?:given|provided|offered|found|there)\b"
    rf"|not (?:included|found|to be found|present|contained|available|covered) (?:in|within|by) {_HERE}\b"
    rf"|answer {_BE}(?:n['’]t| not) in {_HERE}\b|{_BE} (?:missing|absent|omitted) from {_HERE}\b"
    rf"|(?:{_MATTER}|answer){_ASIDE} {_BE} (?:unavailable|missing|lacking)\b"
    rf"|not possible to {_TELL}\b"
    rf"|(?:impossible to|can(?:not|['’]t)) {_TELL}\b[^.;!?]{{0,30}} from {_HERE}\b"
    r"|(?:left|remains?) (?:unnamed|unspecified|unstated|unanswered)\b"
    rf"|insufficient(?:ly)?\b|not sufficient\b"
    rf"|(?:not|isn['’]t|do(?:es)?n['’]t)(?: have| contain| give)? enough {_MATTER}\b"
    rf"|too little {_MATTER}\b|not enough to (?:{_SAY}|tell|answer|conclude)\b"
    rf"|no(?: (?:further|more|other|specific|additional))? {_MATTER}"
    r"(?=\s*(?:[.,;:!?)]|$)|\s+(?:on|about|as|for|of|in|regarding|that|which|who|to|is|are|was|were|"
    r"exists?|available|given|provided|here)\b)|no mention of\b|contains? no mention\b"
    rf"|(?:it|which|who) is (?:unclear|unknown|undetermined|unspecified)\b|remains? (?:unclear|unknown|undetermined|"
    rf"unspecified|inconclusive)\b|unclear from\b|(?:{_SOURCE}|findings?){_ASIDE} {_BE} inconclusive\b"
    rf"|inconclusive (?:{_SOURCE}|findings?)\b)",
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
    """evidence_absence: no passage says itself that the answer is missing, as in "cannot be determined"."""
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
