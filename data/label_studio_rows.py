"""Rows out of a Label Studio JSON export: one per annotation and control tag; what was marked in a text is evidence.

A mark goes with the answer that was given for it: the one for the same region, or the one whose tag the mark's own tag
or label names. Marks that go with no answer are a row of their own, under the name of their tag.
"""

from collections.abc import Iterator, Sequence

from data.rows import Raw
from data.unfolding import Parts, Values, a_list, an_object, joined, name_of, objects, part

ANSWERS = ("choices", "taxonomy", "rating", "number", "textarea", "datetime", "pairwise", "ranker")
"""Types of results that answer a question; every other marks a region."""

MARKED, ALONE = "#marked", "#alone"
"""Fields of a row: the tags by which its evidence was marked, and whether it is nothing but marks."""


def annotations(row: Values) -> Parts:
    """A row per annotation and control tag; a cancelled annotation is one row with a reason."""
    of_task = {name: value for name, value in row.items() if name not in ("annotations", "predictions")}
    for n, note in enumerate(a_list(row.get("annotations"), "annotations"), 1):
        number = name_of(note.get("id") if isinstance(note, dict) else None, n)
        yield from part(f"task {name_of(row.get('id'), 1)}, annotation {number}", _annotation(of_task, note))


def _annotation(of_task: Values, given: Raw) -> Iterator[Values]:
    note = an_object(given, "annotations")
    who = note.get("completed_by")
    if isinstance(who, dict):
        who = who.get("email") or who.get("id")
    base: Values = {**of_task, "person": who, **{name: note.get(name) for name in ("created_at", "lead_time")}}
    if note.get("was_cancelled") is True:
        yield {**base, "reason": "other: skipped in Label Studio"}
        return
    results = objects(note.get("result"), "annotations.result")
    told = [result for result in results if result.get("type") in ANSWERS]
    rows = [_answer(result) for result in told]
    for region in (result for result in results if result.get("type") not in ANSWERS):
        _add(region, told, rows)
    for values in rows:
        yield {**base, **values}
        # The time is the whole annotation's, so only its first label carries it.
        base["lead_time"] = None


def _answer(result: Values) -> Values:
    value = an_object(result.get("value"), "annotations.result.value")
    kind = result.get("type")
    given = value.get("text" if kind == "textarea" else str(kind))
    evidence = [] if kind == "textarea" else _quotes(result, value)
    return {"label": result.get("from_name"), "value": joined(given), "evidence": evidence, MARKED: None, ALONE: None}


def _add(region: Values, told: Sequence[Values], rows: list[Values]) -> None:
    """A marked region as evidence of the answer it goes with, or as a row of its own."""
    tag = region.get("from_name") or region.get("type")
    if region.get("type") == "relation":
        rows.append({"label": "relations", "value": None, "evidence": [], MARKED: ["relations"], ALONE: True})
        return
    value = an_object(region.get("value"), "annotations.result.value")
    labels = value.get(str(region.get("type")))
    named = [tag, *(labels if isinstance(labels, list) else [])]
    same = [row for one, row in zip(told, rows, strict=False) if one.get("id") and one.get("id") == region.get("id")]
    same = same or [row for row in rows if not row.get(ALONE) and row["label"] in named]
    same = same or [row for row in rows if row.get(ALONE) and (row["label"], row["value"]) == (tag, joined(labels))]
    if not same:
        same = [{"label": tag, "value": joined(labels), "evidence": [], MARKED: None, ALONE: True}]
        rows += same
    into, tags = same[0]["evidence"], same[0][MARKED] or []
    if isinstance(into, list) and isinstance(tags, list):
        into += [quote for quote in _quotes(region, value) if quote not in into]
        same[0][MARKED] = [*tags, tag]


def _quotes(result: Values, value: Values) -> list[Raw]:
    """The text that was marked, with its offsets where these are of the whole text."""
    if not isinstance(value.get("text"), str):
        return []
    given = value.get("globalOffsets")
    offsets = given if isinstance(given, dict) else value if result.get("type") != "paragraphlabels" else {}
    places = {name: at for name in ("start", "end") if isinstance(at := offsets.get(name), str) and at.isdecimal()}
    return [{"text": value["text"], **(places if len(places) > 1 else {})}]
