"""Faithfulness claim by claim: a response is split, and every claim is judged beside the passages alone."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from data.questions import Question
from data.store import judgements
from data.store.connection import open_store
from data.study import Study
from data.views import ClaimsView, Item
from judge.replies import CLAIMS, SUPPORT
from judge.run import Work

CLAIMS_QUESTION = Question(
    name="claims",
    title="Claims",
    item_kind="response",
    pass_="evidence",
    view="DisclosureView",
    kind=CLAIMS,
    question="Which claims does the response make?",
    definition=(
        "Split it into claims that can be true or false on their own: one fact each, whole sentences, names instead of "
        "pronouns, nothing added. Leave out what claims nothing: greetings, offers, remarks about what it was given. A "
        "response that claims nothing has an empty list."
    ),
    values=(),
)
SUPPORT_QUESTION = Question(
    name="faithfulness",
    title="Faithfulness",
    item_kind="response",
    pass_="evidence",
    view="ClaimsView",
    kind=SUPPORT,
    question="Which of the claims do the passages support?",
    definition=(
        "A claim is supported when the passages, read on their own, state it or plainly imply it. Whether it is true "
        "in the world does not matter."
    ),
    values=(),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One claim of a response, and whether the passages support it."""

    response_id: str
    number: int
    claim: str
    supported: bool | None
    """None when the judge said nothing of it."""
    rationale: str | None
    evidence: tuple[dict[str, Any], ...]
    """Quotes with the passage that holds them, or null."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Faithfulness:
    """The supported share of a judge's claims, response by response, and their mean."""

    judge: str
    value: float | None
    """Mean over the responses that have one, in [0, 1]."""
    n: int
    """Responses that have one."""
    n_without: int
    """Responses without: no claims, or not all of them judged."""
    why_undefined: str | None
    claims: tuple[Claim, ...]


def support_work(item: Item, claims: str | None) -> Work | None:
    """The claims of a response beside its passages; None where it has none."""
    found = tuple(json.loads(claims)) if claims else ()
    if not found or item.response is None:
        return None
    return Work(
        item_kind="response",
        item_id=item.response.response_id,
        question=SUPPORT_QUESTION,
        view=ClaimsView.of(item, found),
    )


def faithfulness(study: Study, judge: str) -> Faithfulness:
    """What a judge found, claim by claim. Undefined when it judged no claim."""
    with open_store(study) as store:
        rows = [row for row in judgements.of_judge(store, judge) if row["label"] in ("claims", "faithfulness")]
    of_response: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        of_response.setdefault(row["item_id"], {})[row["label"]] = row
    claims = {response_id: list(_claims(response_id, both)) for response_id, both in of_response.items()}
    shares = [
        sum(bool(claim.supported) for claim in found) / len(found)
        for found in claims.values()
        if found and all(claim.supported is not None for claim in found)
    ]
    return Faithfulness(
        judge=judge,
        value=sum(shares) / len(shares) if shares else None,
        n=len(shares),
        n_without=len(claims) - len(shares),
        why_undefined=None if shares else "no response has claims that were all judged",
        claims=tuple(claim for found in claims.values() for claim in found),
    )


def _claims(response_id: str, rows: Mapping[str, Mapping[str, Any]]) -> Iterator[Claim]:
    texts = json.loads(rows["claims"]["value"] or "[]") if "claims" in rows else []
    judged = rows.get("faithfulness") or {"value": None, "rationale": None, "evidence": "[]"}
    supported = dict(json.loads(judged["value"] or "[]"))
    reasons = json.loads(judged["rationale"] or "{}")
    for number, text in enumerate(texts, 1):
        said = supported.get(number)
        yield Claim(
            response_id=response_id,
            number=number,
            claim=text,
            supported=None if said is None else bool(said),
            rationale=reasons.get(str(number)),
            evidence=tuple(quote for quote in json.loads(judged["evidence"]) if quote["claim"] == number),
        )
