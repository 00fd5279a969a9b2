"""Whether a text names something only to deny it: cues around the place, in the same sentence for the most part.

A cue counts by where it stands: "not X but Y" denies X and asserts Y, "contrary to popular belief, Y" denies nothing by
itself. The cues are English for the most part; plain negation is read in some other languages too.
"""

import re

from data.leaks.lexicon import LEXICON
from data.leaks.written import Written

_NOT = re.compile(r"(?:\b(?:not|never|no longer|neither|nor|cannot|without|far from)|n['’]t)\b", re.I)
_ONLY = re.compile(
    r"\bnot\s+(?:only|just|merely|simply|solely|until|before|least|far from|to be confused|without|surprising\w*)\b"
    r"|\b(?:never|nor|n['’]t)\s+(?:just|only|merely|until|before)\b|n['’]t\s+only\b|\bno\s+(?:doubt|wonder|question|less)\b",
    re.I,
)
"""Negations that assert what follows."""

_STOP = re.compile(
    r"\b(?:but|however|rather|instead(?!\s+of)|it was|it is|they are|in fact|actually|because|when|until|since|"
    r"after|while|who|which|yet)\b|[;:—–]|,\s+(?:the|it|he|she|they|its|his|her|their)\b",
    re.I,
)
"""What ends the reach of a negation before the place."""

_BEFORE = re.compile(
    r"(?:\binstead of|\brather than|\bunlike|\bas opposed to|\bin contrast (?:to|with)|\bcontrary to|"
    r"\breplac(?:ing|es|ed)|\bin place of|\bin lieu of|\baway from|\bas against|\bdespite|"
    r"\bshift(?:ing|ed)? from|\bsurpass(?:ing|es|ed)?|"
    r"\boutnumber(?:s|ing|ed)?|\boverturn(?:s|ing|ed)?|\bforgo(?:es|ing)?|\babandon(?:ed|ing|s)?|\bexclud(?:es|ing|ed)|"
    r"\beschew(?:s|ed|ing)?|\bdiffer(?:s|ing|ent)? from|\bdeviat\w+ from|\bconfused with|\bmistaken for)"
    r"[^.;:!?,]{0,60}$",
    re.I,
)
"""Words right before the place that set it aside."""

_THAN = re.compile(
    r"\b(?:more|less|fewer|better|greater|larger|higher|rather|longer|earlier|later|other|\w+er)\b[^.;:!?]{0,80}\bthan\b"
    r"[^.;:!?,]{0,25}$",
    re.I,
)
_NONE_OTHER = re.compile(r"\b(?:none|no one|nobody|nothing|no)\s+(?:\w+\s+){0,2}(?:other|less|fewer)\s+than\b", re.I)

_MISTAKE = re.compile(
    r"\b(?:mis(?:taken|takenly|conceptions?|beliefs?|attributed|credited|identified|reported|understood|interpreted|"
    r"labell?ed|quoted|located)|mistak(?:e|es|ing)|incorrect(?:ly)?|erroneous(?:ly)?|wrong(?:ly)?|fals(?:e|ely)|"
    r"inaccurate(?:ly)?|untrue|myths?|fallac(?:y|ies)|debunk\w*|refut\w*|disprov\w*|rumou?rs?|hoax|"
    r"den(?:y|ies|ied|ying)|reject(?:s|ed)?|ruled? out)\b",
    re.I,
)
"""Words that call something wrong; they count in the clause of the place."""

_DOUBLE = re.compile(
    r"(?:\b(?:not|never|cannot|without|no one|nobody|none|few)|n['’]t)\s+(?:(?:be|can|could|would|at all|ever)\s+){0,2}"
    rf"(?:{_MISTAKE.pattern}|\b(?:doubt|disput|question|contest)(?:e?s|ed|ing)?\b)",
    re.I,
)
"""A negation of such a word, which asserts: did not deny, cannot be disputed."""

_TRAILING = re.compile(
    rf"^(?:(?:(?!\b(?:and|but|while|that)\b)[^.;:!?,]){{0,24}}?\b(?:{'|'.join(LEXICON['denial']['aside'])})\b"
    r"|[^.;:!?]{0,40}?(?:[,(—–]\s*(?:(?:but|and|though|although)\s+)?(?:which|that|this|it)|,?\s*but\s+(?:they|he|she|we|those)"
    r"|[.!?]\s+(?:that|this|which))\s+"
    r"(?:is|are|was|were|would be|has been|have been|had been|turns? out to be|turned out to be|proves?|proved)\s+"
    r"(?:(?:of course|simply|just|quite|plainly|clearly|completely|entirely|also|an?|the)\s+){0,2}"
    rf"(?:{'|'.join(LEXICON['denial']['wrong'])})\b)",
    re.I,
)
"""What is said behind the place sets it aside: ", which is wrong", "has nothing to do with it"."""

_HABIT = (
    r"(?:often|common(?:ly)?|wide(?:ly|spread)?|general(?:ly)?|popular(?:ly)?|universal(?:ly)?|usual(?:ly)?|"
    r"typical(?:ly)?|traditional(?:ly)?|frequent(?:ly)?|convention(?:al(?:ly)?)?|normal(?:ly)?|ordinar(?:y|ily)|"
    r"original(?:ly)?|previous(?:ly)?|former(?:ly)?|historical(?:ly)?|initial(?:ly)?|once|standard|expected|assumed|"
    r"presumed|supposed(?:ly)?|anticipated|regular(?:ly)?|mistakenly|always)"
)
_HELD = (
    r"(?:believ\w*|belief|think\w*|thought|assum\w*|credit\w*|associat\w*|attribut\w*|consider\w*|regard\w*|expect\w*|"
    r"perceiv\w*|claim\w*|presum\w*|suppos\w*|suggest\w*|imagin\w*|linked|identified|recogni[sz]ed|known)"
)
_CUSTOM_BEFORE = re.compile(rf"\b{_HABIT}\b(?:[\s,]+[\w'’\"“‘()-]+){{0,6}}[\s,\"'“‘(]*$", re.I)
_HELD_BEFORE = re.compile(
    rf"\b(?:many|most|some|people|everyone|fans|experts?|one|we|you|they|might|may|would|could)\b[^.;:!?,]{{0,25}}\b{_HELD}\b"
    r"[^.;:!?,]{0,50}$|\b(?:assumption|expectation|belief|notion|idea|claim|view|theory)s?\b[^.;:!?,]{0,50}$",
    re.I,
)
_CUSTOM_AFTER = re.compile(
    rf"^[\"'”’)\]]{{0,2}},?\s*(?:(?:\w+\s+){{0,2}}(?:as|though|although)\s+)?(?:(?:is|was|are|were|being)\s+)?{_HABIT}\s+{_HELD}\b",
    re.I,
)
"""What is commonly believed, or was so once; that denies only where the text goes on to say otherwise."""

_SET_AGAINST = re.compile(r"\b(?:contrar(?:y|ily)|opposite|unlike|despite|against|defying|challenging|opposed)\b", re.I)
"""What follows is set against a belief, and so asserted."""

_OTHERWISE = re.compile(
    r"\b(?:but|however|actually|in fact|in reality|in truth|surprising\w*|unexpected\w*|contrar(?:y|ily)|instead|"
    r"rather|now|recent(?:ly)?|though|although|despite|yet|while|whereas|intriguingly|paradoxically|alternat\w*|parallel|"
    r"fictional|imaginary|hypothetical|reimagin\w*|moved|shift\w*|chang\w*|switch\w*|transfer\w*|transition\w*|"
    r"relocat\w*|reassign\w*|redefin\w*|renamed|revis\w*|newly|twist|opposite|reorgani[sz]\w*|strange(?:ly)?|"
    r"peculiarly|curious(?:ly)?|unusual(?:ly)?|unconventional|unorthodox|anymore)\b",
    re.I,
)

_FROM = re.compile(
    r"\b(?:mov|shift|chang|switch|transfer|transition|relocat|reassign|lower|rais|convert|increas|reduc|evolv|deviat|"
    r"depart|migrat|extend|alter|renam)\w*\b[^.;!?]{0,60}\bfrom\b(?!.*\bto\b)[^.;:!?,]{0,40}$",
    re.I,
)

_AFTER = re.compile(
    r"^[\"'”’)\]\w ,]{0,24}?(?:\b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)(?:\s+\w+)?\s*"
    r"(?:n['’]t|\s+not\b|\s+never\b|\s+no longer\b)"
    r"|(?:isn|aren|wasn|weren|don|doesn|didn|hasn|hadn|couldn|wouldn)['’]t)",
    re.I,
)
"""A negated verb right behind the place."""
_AFTER_ONLY = re.compile(r"(?:not|n['’]t)\s+(?:only|just|merely|until|before)\b", re.I)

_OTHER_BEFORE = re.compile(
    r"(?:\b(?:no|nunca|jamás|não|nao|nicht|kein|keine|keinen|non|pas|ne|jamais|nie|niet|geen|не|нет|hiç|bukan|tidak)\b|"
    r"\bn['’](?:est|était|a)\b|ليس|ليست|لم|لن|ليسوا|بدلا من|خلافا|नहीं|न कि|"
    r"不是|并非|並非|不在|没有|而非|ではなく|לא)[^.;:!?،。！？]{0,40}$",
    re.I,
)
_OTHER_AFTER = re.compile(
    r"^[\s\"'”’」』)]{0,3}\w{0,6}\s?(?:नहीं|ではな|じゃな|değil|이 아니|가 아니|은 아니|는 아니|ليس|не был|不是)", re.I
)
_ENGLISH_NO = re.compile(r"\bno\b[^.;:!?]{0,40}$", re.I)
_SENTENCE = re.compile(r"(?<!\b[A-Z])(?<!\b(?:St|Mr|Dr|vs))[.!?।。！？؟]+[\"'”’)\]]*(?:\s+|$)|\n+")
_CLAUSE = re.compile(r"[,;:—–]\s|\b(?:but|however|yet)\b", re.I)
REACH = 70
"""Letters before the place in which a negation reaches it."""

SIGHT = 500
"""Letters before and behind the place that are read at most: a list without a full stop may go on for a whole book."""


def is_denied(text: Written, start: int, end: int) -> bool:
    """Whether the words at these offsets are named only to deny them.

    >>> claim = "Its name was not 'Little Boy' but 'Big Man'."
    >>> is_denied(Written(claim), 18, 28), is_denied(Written(claim), 35, 42)
    (True, False)
    """
    first, last = _sentence(text.text, start, end)
    before, after = text.text[first:start], text.text[end:last]
    return (
        _negated(before)
        or _set_aside(before, is_number=_is_number(text, start))
        or _negated_after(after)
        or _TRAILING.match(text.text[end : end + 120]) is not None
        or _called_wrong(before, after)
        or _left_behind(text.text, last, before, after)
    )


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    far = max(start - SIGHT, 0)
    first = max((found.end() for found in _SENTENCE.finditer(text, far, start)), default=far)
    return first, _sentence_end(text, end)


def _sentence_end(text: str, at: int) -> int:
    far = min(at + SIGHT, len(text))
    found = _SENTENCE.search(text, at, far)
    return found.end() if found else far


def _negated(before: str) -> bool:
    """A negation that reaches the place: no other clause begins in between."""
    if _OTHER_BEFORE.search(before) and not _ENGLISH_NO.search(before):
        return True
    found = [cue for cue in _NOT.finditer(before) if not _DOUBLE.match(before, cue.start())]
    if not found:
        return False
    cue = found[-1]
    between = before[cue.end() :]
    return len(between) <= REACH and not _ONLY.match(before, cue.start()) and not _STOP.search(between)


def _is_number(text: Written, start: int) -> bool:
    return start in text.number_starts


def _set_aside(before: str, *, is_number: bool) -> bool:
    """Named as what something else is compared with or put in the place of; "more than" sets no number aside."""
    if _NONE_OTHER.search(before):
        return False
    return any(cue.search(before) for cue in ((_FROM, _BEFORE) if is_number else (_FROM, _BEFORE, _THAN)))


def _negated_after(after: str) -> bool:
    if _OTHER_AFTER.match(after):
        return True
    found = _AFTER.match(after)
    return found is not None and not (
        _AFTER_ONLY.search(after[: found.end() + 8]) or _DOUBLE.search(after[: found.end() + 20])
    )


def _called_wrong(before: str, after: str) -> bool:
    """A word like "mistakenly" in the clause of the place, unless it is negated itself."""
    clause = _CLAUSE.split(before)[-1] + " | " + _CLAUSE.split(after)[0]
    return _MISTAKE.search(_DOUBLE.sub(" ", clause)) is not None


def _left_behind(text: str, last: int, before: str, after: str) -> bool:
    """What is commonly believed, or was so once, in a text that goes on to say otherwise."""
    cue = _CUSTOM_BEFORE.search(before) or _HELD_BEFORE.search(before) or _CUSTOM_AFTER.match(after)
    if cue is None or (
        cue.re is not _CUSTOM_AFTER and _SET_AGAINST.search(before[max(cue.start() - 25, 0) : cue.end()])
    ):
        return False
    return _OTHERWISE.search(before + " " + text[last - len(after) : _sentence_end(text, last)]) is not None
