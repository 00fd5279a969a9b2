"""Taking things out as CSV or JSON lines: labels, one row per item × person × label × occasion, and records."""

import csv
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from io import StringIO
from typing import Any

COLUMNS: dict[str, str] = {
    "item_id": "id of the response or context, as imported",
    "item_kind": "response or context",
    "task_id": "task of the item",
    "context_id": "context of the item; empty when a response has none",
    "regime": "of the task",
    "condition": "of the context",
    "model": "of the response, as are prompt and run",
    "prompt": "which prompt the model was given",
    "run": "which run of the model",
    "person_id": "who answered (an opaque id)",
    "pass": "evidence, correctness or context",
    "purpose": "plan, calibration, canary, repeat or adjudication; only plan enters estimates",
    "occasion": "1, or more when the same person was asked again",
    "plan_order": "1 is the first person of the plan, whose label target A uses",
    "state": "done, claimed (begun) or skipped",
    "reason": "why the item was skipped, or why it was decided so",
    "cause": "why people differed, as the adjudicator sees it",
    "label": "label name; empty for a skipped item",
    "value": "as stored: 1, 0, a decision value, a JSON list of codes, or cannot_judge; of an adjudicator the decision",
    "vote": "what the adjudicator had voted before seeing the answers of others",
    "comment": "the note, as typed",
    "evidence": "JSON list of quotes: passage, start, end (code points), text; field, unless it stands in the text; "
    "code, which of several values it shows",
    "seen_before": "JSON: what this person had seen of the task before",
    "flags": "JSON list of what was said of the answer afterwards: kind (flag or slip) and note",
    "version": "1, or how often the answer was given when it was revised; the last one stands",
    "active_seconds": "seconds of work on all versions, idle time left out",
    "rubric_hash": "the rubric under which the answer was given",
    "created_at": "when the answer was given, UTC",
    "sample_id": "sample in which the item was drawn (the newest, if several)",
    "stratum": "stratum of the draw",
    "stratum_size": "items of the population in the stratum",
    "sample_size": "items drawn in the stratum",
    "inclusion_probability": "chance in (0, 1] that the item was drawn; its weight is the inverse",
    "permanent_number": "random number by which it was drawn",
    "part": "dev or validation: whether a judge may be tuned on the item's task; empty without such a split",
}
"""Every column of an export and what it means."""

SHOWN: dict[str, str] = {
    **{name: COLUMNS[name] for name in ("item_id", "item_kind", "task_id", "context_id")},
    "person_id": "on whose screen it was (an opaque id)",
    **{name: COLUMNS[name] for name in ("pass", "purpose", "occasion")},
    "view": "which view of the item was shown",
    "fields": "JSON list of what that view holds: response, passages, gold_answer and so on",
    "shown_at": "when it was sent to the browser, UTC",
}
"""Every column of the log of what was on whose screen."""


RELEVANCE: dict[str, str] = {
    **{name: COLUMNS[name] for name in ("task_id", "context_id", "regime", "condition")},
    "passage": "number of the passage, as people saw it",
    "passage_id": "id of the passage, as imported",
    "supports": "what it supports by people who saw no label of the builder: gold, wrong or neither; empty while open",
    "relevant": "1 if that is the reference answer, else 0",
    "how": "adjudicated, unanimous, majority, one person, or open",
    "n_people": "planned labels of this passage",
    "agreement": "share of the pairs of people who agree; empty for one person",
}
"""Every column of the relevance labels."""


JUDGED: dict[str, str] = {
    "judge": "what the judge is called in results",
    **{name: COLUMNS[name] for name in ("item_id", "item_kind")},
    "label": "label name; claims and faithfulness where responses were judged claim by claim",
    "value": "as stored: 1, 0, a decision value or a JSON list; empty when unscored",
    "evidence": "JSON list of quotes: text, passage (null: not in the context), claim",
    "rationale": "the judge's reason",
    "unscored_reason": "why there is no value",
    "answered": "1, or 0 when there was no reply and the next run asks again",
    "asked": "1, or 0 when it was taken from the answer to the same about another item",
    "model": "the model as it was asked for",
    "judge_model": "the model as whoever answered named it",
    "prompt_hash": "of the prompt without the artifacts",
    "view_hash": "of the artifacts",
    "parameters": "JSON of what else was sent",
    "input_tokens": "as counted by the server, as are output_tokens; by four characters a token when it counts none",
    "output_tokens": "0 when it was taken from another answer",
    "seconds": "from the request to the reply, repeats included",
    "n_retries": "how often the request was repeated",
    "reply_format": "how the form of the reply was asked for: json_schema, json_object or text",
    "created_at": "when it was stored, UTC",
}
"""Every column of what judges said."""

TRIED: dict[str, str] = {
    "kind": "canary or ablation",
    "at": "when it was tested, UTC",
    "judge": "name of the judge: a harness as it was given, or what a judge is called",
    "metric": "which of its scores or labels was tested",
    "passed": "whether it passed; empty where that cannot be told",
    "sentence": "what was found",
    "set_hash": "of the canaries",
    "scores": "JSON list, one list per canary: its score in every repeat, null where there was none",
    "baseline": "whether later runs on the canaries are compared with this one",
}
"""Every column of tests of judges."""

CLAIMED: dict[str, str] = {
    "judge": JUDGED["judge"],
    "response_id": "the response",
    "number": "which of its claims, from 1",
    "claim": "the claim, as the judge worded it",
    "supported": "whether the passages support it; empty when the judge did not say",
    "rationale": "why",
    "evidence": JUDGED["evidence"],
}
"""Every column of claims."""


def as_csv(
    rows: Iterable[Mapping[str, Any]], *, columns: Collection[str] = COLUMNS, excel: bool = False
) -> Iterator[str]:
    """The rows as lines of CSV after a header; for Excel with a byte-order mark and formulas defused.

    >>> list(as_csv([{"item_id": "007", "value": "=1"}]))[1][:6]
    '007,,,'
    """
    out = StringIO(newline="")
    # With this line end (RFC 4180) a lone CR or LF inside a text is quoted; with "\n" a CR would not be.
    writer = csv.writer(out, lineterminator="\r\n")
    out.write("\ufeff" if excel else "")
    writer.writerow(columns)
    yield out.getvalue()
    for row in rows:
        cells = [_cell(row.get(name)) for name in columns]
        out.seek(0)
        out.truncate()
        writer.writerow([_defused(cell) for cell in cells] if excel else cells)
        yield out.getvalue()


def as_jsonl(rows: Iterable[Mapping[str, Any]], *, columns: Collection[str] = COLUMNS) -> Iterator[str]:
    """The rows as JSON lines, with every column on every line."""
    for row in rows:
        yield json.dumps({name: row.get(name) for name in columns}, ensure_ascii=False) + "\n"


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)


def _defused(cell: str) -> str:
    """Excel runs a cell that begins like a formula; an apostrophe stops it."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell
