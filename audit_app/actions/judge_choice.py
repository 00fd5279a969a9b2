"""Which judge is meant: a model behind a server, recorded verdicts, or the lexical baseline."""

import json
from collections.abc import Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from audit_app.actions.judge_work import stream
from data.errors import StudyProblem
from data.importers import read_records
from data.mapping import Mapping as FieldMapping
from data.reading import read
from data.records import Verdict
from data.rows import Row
from data.study import Study
from data.views import VIEWS, possible
from judge.chat import ChatJudge, passages_of
from judge.client import Client
from judge.judge import Judge, JudgeError, Judgement, Quote, Seen
from judge.lexical import LexicalJudge
from judge.prompts import view_hash
from judge.quotes import found_in
from judge.replay import Recorded, ReplayJudge

DEFAULTS: dict[str, object] = {"temperature": 0, "max_tokens": 2048}
"""Sent with every request unless something else is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeChoice:
    """Exactly one of model, replay and baseline says which judge it is."""

    model: str | None = None
    replay: Path | None = None
    baseline: bool = False
    name: str | None = None
    """What it is called in results; by default what it is."""
    base_url: str | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    """Beside or instead of `DEFAULTS`; None leaves one out."""
    timeout: float = 120.0
    retries: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A judge that is ready to be asked."""

    name: str
    judge: Judge
    closing: AbstractAsyncContextManager[Any] | None = None
    """Closed by whoever runs it, where it holds connections."""
    address: str | None = None
    """Of its server, where it has one of its own."""


def open_judge(study: Study | None, choice: JudgeChoice) -> Chosen:
    """The judge that was chosen; recorded verdicts are looked up in the study, judgements need none.

    Raises:
        StudyProblem: None or several were chosen, the record cannot be read, or a server cannot be asked like this.
    """
    given = [choice.model is not None, choice.replay is not None, choice.baseline]
    if sum(given) != 1:
        raise StudyProblem("say which judge: one of --model NAME, --replay FILE or --baseline")
    if choice.baseline:
        judge = LexicalJudge()
        return Chosen(name=choice.name or judge.model, judge=judge)
    if choice.replay is not None:
        replayed = replay_of(study, choice.replay)
        return Chosen(name=choice.name or f"replay of {choice.replay.name}", judge=replayed)
    parameters = {name: value for name, value in {**DEFAULTS, **choice.parameters}.items() if value is not None}
    try:
        client = Client(
            choice.model or "",
            base_url=choice.base_url,
            parameters=parameters,
            timeout=choice.timeout,
            retries=choice.retries,
        )
    except JudgeError as problem:
        raise StudyProblem(str(problem)) from None
    return Chosen(name=choice.name or client.model, judge=ChatJudge(client), closing=client, address=client.address)


def parse_parameters(pairs: Iterable[str]) -> dict[str, object]:
    """Parameters from NAME=VALUE: numbers, true, false and JSON as such, else text; without a value it is left out.

    Raises:
        StudyProblem: A pair is none.

    >>> parse_parameters(["temperature=0.7", "reasoning_effort=low", "max_tokens="])
    {'temperature': 0.7, 'reasoning_effort': 'low', 'max_tokens': None}
    """
    found: dict[str, object] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise StudyProblem(f"--parameter {pair!r}; expected NAME=VALUE, such as temperature=0.7")
        if name in ("model", "messages", "response_format", "stream", "n"):
            raise StudyProblem(f"--parameter {name} is not for you to set; it is part of how a judge is asked")
        try:
            found[name] = json.loads(value) if value else None
        except json.JSONDecodeError:
            found[name] = value
    return found


def replay_of(study: Study | None, path: Path) -> ReplayJudge:
    """A judge that says what a file holds: judgements as `export judgements` writes them, or verdicts.

    Raises:
        StudyProblem: The file cannot be read, or holds neither.
    """
    rows = [row for row in read(path) if isinstance(row, Row)]
    if not rows:
        raise StudyProblem(f"{path}: no rows; there is nothing to replay")
    judges = {str(row.values.get("judge")) for row in rows}
    if len(judges) > 1:
        raise StudyProblem(f"{path}: said by several judges ({', '.join(sorted(judges))}); keep one of them in a file")
    detailed = "view_hash" in rows[0].values
    if detailed:
        recorded = _judgements(rows)
    elif study is not None:
        recorded = _verdicts(study, path)
    else:
        raise StudyProblem(f"{path}: verdicts can be replayed in their study only; give it with --study DIR")
    models = sorted({said.judge_model for said in recorded.values() if said.judge_model})
    digest = sha256(path.read_bytes()).hexdigest()[:16]
    return ReplayJudge(recorded, model=f"replay of {', '.join(models) or path.name}", parameters={"record": digest})


def _judgements(rows: Iterable[Row]) -> Recorded:
    found = {}
    for row in rows:
        if str(row.values.get("answered")) == "0":
            continue
        try:
            found[str(row.values["label"]), str(row.values["view_hash"])] = _judgement(row.values)
        except (KeyError, TypeError, ValueError) as error:
            raise StudyProblem(f"{row.where}: no judgement as `export judgements` writes it ({error})") from None
    return found


def _judgement(values: Mapping[str, Any]) -> Judgement:
    evidence = values.get("evidence") or []
    quotes = json.loads(evidence) if isinstance(evidence, str) else evidence
    return Judgement(
        value=values.get("value") or None,
        evidence=tuple(
            Quote(text=quote["text"], passage=_number(quote.get("passage")), claim=_number(quote.get("claim")))
            for quote in quotes
        ),
        rationale=values.get("rationale") or None,
        unscored_reason=values.get("unscored_reason") or None,
        judge_model=values.get("judge_model") or None,
    )


def _number(raw: str | int | None) -> int | None:
    return None if raw is None else int(raw)


def _verdicts(study: Study, path: Path) -> Recorded:
    """Verdicts know their response; a judge knows what it is shown, so the views are made again."""
    records, problems = read_records("verdicts", path, [FieldMapping()])
    if problems:
        raise StudyProblem(problems)
    of_response: dict[str, Verdict] = {verdict.response_id: verdict for _, verdict in records}
    found: dict[tuple[str, str], Judgement] = {}
    for item in stream(study, sorted(of_response), missing_ok=True):
        verdict = of_response[item.response.response_id if item.response else ""]
        for question in study.rubric.questions:
            if question.item_kind == "response" and possible(question.view, item):
                view = VIEWS[question.view].of(item)
                said = _said(verdict, question.name, view)
                if said is not None:
                    found[question.name, view_hash(view)] = said
    return found


def _said(verdict: Verdict, label: str, view: Seen) -> Judgement | None:
    """One label of a verdict; what it quotes belongs to G, whose view has the passages."""
    value = getattr(verdict, label, None)
    if value is None:
        return None
    stored = ("established" if value else "not_supported") if label == "G" else str(value)
    quotes = found_in(passages_of(view), verdict.evidence) if label == "G" else ()
    return Judgement(value=stored, evidence=quotes, rationale=verdict.rationale, judge_model=verdict.judge_model)
