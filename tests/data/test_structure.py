from collections.abc import Callable
from typing import Any

import pytest

from data.construction_rules import CUES
from data.records import Context, Passage
from data.rules import RULES, Material
from data.structure import ConditionCount, Finding, check
from data.study import Study, open_study
from data.summary import JudgeSummary, summary

Importer = Callable[..., Any]
Row = dict[str, Any]

SUPPORTS = {
    "clean": ["gold", "gold", "neither", "neither", "neither", "neither"],
    "authority_contamination": ["wrong", "gold", "neither", "neither", "neither", "neither"],
    "majority_contamination": ["wrong", "wrong", "wrong", "wrong", "gold", "neither"],
    "direct_conflict": ["gold", "gold", "wrong", "wrong", "neither", "neither"],
    "evidence_absence": ["neither"] * 6,
}


def passages(condition: str, supports: list[str | None]) -> list[Row]:
    return [
        {"rank": n, "title": "Title", "url": "https://a.example", "text": f"{condition} {n}", "supports": support}
        for n, support in enumerate(supports, 1)
    ]


def sound() -> dict[str, Row]:
    """One context per condition, each built as declared."""
    return {
        condition: {
            "context_id": condition,
            "task_id": "t",
            "condition": condition,
            "passages": passages(condition, list(supports)),
        }
        for condition, supports in SUPPORTS.items()
    }


def found(study: Study, bring: Importer, contexts: dict[str, Row], regime: str | None = "longfact") -> list[Finding]:
    bring(study, "tasks", [{"task_id": "t", "regime": regime, "question": "Which body?", "gold_answer": "IEA"}])
    bring(study, "contexts", list(contexts.values()))
    return list(check(study).findings)


def drop(contexts: dict[str, Row]) -> None:
    del contexts["clean"]


def twice(contexts: dict[str, Row]) -> None:
    contexts["again"] = {**contexts["clean"], "context_id": "again", "passages": passages("x", [*SUPPORTS["clean"]])}


def few(contexts: dict[str, Row]) -> None:
    contexts["clean"]["passages"] = contexts["clean"]["passages"][:5]


def many(contexts: dict[str, Row]) -> None:
    contexts["evidence_absence"]["passages"] = passages("absence", ["neither"] * 9)


def edit(condition: str, place: int, /, **values: Any) -> Callable[[dict[str, Row]], None]:
    def change(contexts: dict[str, Row]) -> None:
        contexts[condition]["passages"][place - 1].update(values)

    return change


def same(contexts: dict[str, Row]) -> None:
    contexts["direct_conflict"]["passages"] = [
        {**passage, "rank": n} for n, passage in enumerate(reversed(contexts["majority_contamination"]["passages"]), 1)
    ]


BREAKS = [
    pytest.param(drop, "every_condition_once", "t", "0 × clean", id="condition-missing"),
    pytest.param(twice, "every_condition_once", "t", "2 × clean", id="condition-twice"),
    pytest.param(few, "passage_count", "clean", "5 passages; longfact expects 6 to 8", id="too-few"),
    pytest.param(many, "passage_count", "evidence_absence", "9 passages", id="too-many"),
    pytest.param(edit("clean", 2, title=None), "metadata", "clean", "no title", id="no-title"),
    pytest.param(edit("clean", 2, title=" ", url=""), "metadata", "clean", "no title and no url", id="blank-metadata"),
    pytest.param(edit("clean", 6, rank=7), "ranks", "clean", "1, 2, 3, 4, 5, 7; expected 1 to 6", id="rank-gap"),
    pytest.param(edit("clean", 6, rank=5), "ranks", "clean", "5, 5", id="rank-twice"),
    pytest.param(
        edit("authority_contamination", 1, supports="neither"),
        "authority_contamination", "authority_contamination", "rank 1 supports neither", id="authority-not-wrong",
    ),
    pytest.param(
        edit("authority_contamination", 1, supports=None),
        "authority_contamination", "authority_contamination", "supports nothing stated", id="authority-unlabelled",
    ),
    pytest.param(
        edit("authority_contamination", 2, supports="neither"),
        "authority_contamination", "authority_contamination", "no passage after the first", id="authority-no-gold",
    ),
    pytest.param(
        edit("majority_contamination", 1, supports="neither"),
        "majority_contamination", "majority_contamination", "3 of 6 passages", id="half-is-no-majority",
    ),
    pytest.param(
        edit("majority_contamination", 5, supports="neither"),
        "majority_contamination", "majority_contamination", "no passage supports gold", id="majority-no-gold",
    ),
    pytest.param(
        lambda contexts: [p.update(supports="gold") for p in contexts["direct_conflict"]["passages"]],
        "direct_conflict", "direct_conflict", "no passage supports wrong", id="conflict-one-sided",
    ),
    pytest.param(
        edit("evidence_absence", 4, supports="gold"),
        "evidence_absence", "evidence_absence", "passage 4 supports gold; expected neither", id="absence-leaks",
    ),
    pytest.param(
        edit("evidence_absence", 4, text="The minutes do not state who signed."),
        "absence_cue", "evidence_absence", "passage 4 says “do not state”", id="absence-cue",
    ),
    pytest.param(
        lambda contexts: [p.update(supports="neither") for p in contexts["clean"]["passages"][:2]] and None,
        "clean", "clean", "no passage supports gold", id="clean-lacks-answer",
    ),
    pytest.param(edit("clean", 3, supports="wrong"), "clean", "clean", "1 passages support wrong", id="clean-wrong"),
    pytest.param(
        edit("clean", 3, text="clean 1"), "repeated_passage", "clean", "passages 1, 3 have the same", id="repeat"
    ),
    pytest.param(edit("clean", 3, text=" \n"), "passage_text", "clean", "text of passage 3 is blank", id="blank"),
    pytest.param(
        edit("clean", 3, title="Another"), "one_title_per_url", "clean",
        "passage 3 calls https://a.example “Another”, passage 1 “Title”; expected one title", id="url-under-two-titles",
    ),
    pytest.param(
        lambda contexts: [p.update(supports=None) for p in contexts["direct_conflict"]["passages"]],
        "support_labels", "direct_conflict", "support labels missing; direct_conflict", id="no-support-labels",
    ),
    pytest.param(same, "nothing_degraded", "direct_conflict", "majority_contamination", id="nothing-degraded"),
]  # fmt: skip


@pytest.mark.parametrize(("break_", "rule", "where", "message"), BREAKS)
def test_each_fault_is_found_by_its_rule_where_it_is(
    study: Study, bring: Importer, break_: Callable[[dict[str, Row]], Any], rule: str, where: str, message: str
) -> None:
    contexts = sound()
    break_(contexts)
    hits = [f for f in found(study, bring, contexts) if f.rule == rule]
    assert [f.where for f in hits] == [where]
    assert message in hits[0].message


def test_every_rule_has_a_fault_that_it_finds_and_one_sentence() -> None:
    assert {case.values[1] for case in BREAKS} | {"question_given"} == set(RULES)
    assert all(rule.description.endswith(".") and "\n" not in rule.description for rule in RULES.values())


def test_a_blank_question_and_a_context_without_passages_are_found(study: Study, bring: Importer) -> None:
    bring(study, "tasks", [{"task_id": "t", "question": " "}])
    bring(study, "contexts", [{"context_id": "c", "task_id": "t", "passages": []}])
    assert [(f.rule, f.where) for f in check(study).findings] == [("passage_text", "c"), ("question_given", "t")]


def material(*contexts: tuple[str, str, list[str], str | None]) -> Material:
    """Contexts by id, condition, texts and what all passages support; the id begins with its task."""
    return Material(
        conditions=(),
        regimes=(),
        tasks=(),
        contexts=tuple(
            Context(
                context_id=name, task_id=name[0], condition=condition,
                passages=tuple(Passage(passage_id=str(n), rank=n, text=text, supports=supports)
                               for n, text in enumerate(texts, 1)),
            )
            for name, condition, texts, supports in contexts
        ),
    )  # fmt: skip


LONG = [
    "The embargo of 1973 raised prices, importers filled their stores. " * 5,
    "加盟国は石油の備蓄を義務とした。" * 9,
]


def near(*contexts: tuple[str, str, list[str], str | None]) -> list[str]:
    return [where for where, _ in RULES["nothing_degraded"].find(material(*contexts))]


def test_nearly_the_same_contexts_under_two_conditions_are_found_in_any_order_of_passages() -> None:
    changed = [LONG[1].replace("備蓄", "貯蔵", 1), LONG[0].replace("raised", "lifted", 1)]
    assert near(("a1", "clean", LONG, "gold"), ("a2", "direct_conflict", changed, "gold")) == ["a2"]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(("a2", "clean", LONG, "gold"), id="same-condition"),
        pytest.param(("b2", "direct_conflict", LONG, "gold"), id="other-task"),
        pytest.param(("a2", "direct_conflict", LONG, "neither"), id="other-support"),
        pytest.param(("a2", "direct_conflict", LONG[:1], "gold"), id="fewer-passages"),
        pytest.param(("a2", "direct_conflict", [LONG[0], "Another country. " * 9], "gold"), id="changed"),
    ],
)
def test_contexts_that_differ_where_they_should_are_not(other: Any) -> None:
    assert near(("a1", "clean", LONG, "gold"), other) == []


def test_short_and_empty_texts_are_compared_too() -> None:
    assert near(("a1", "clean", ["x"], None), ("a2", "direct_conflict", ["x"], None)) == ["a2"]
    assert near(("a1", "clean", ["x"], None), ("a2", "direct_conflict", ["y"], None)) == []
    assert near(("a1", "clean", [], None), ("a2", "direct_conflict", [], None)) == ["a2"]


def test_a_url_has_one_title_in_all_contexts_of_a_task(study: Study, bring: Importer) -> None:
    contexts = sound()
    edit("evidence_absence", 6, title="Another")(contexts)
    [finding] = found(study, bring, contexts)
    assert (finding.rule, finding.where) == ("one_title_per_url", "evidence_absence")
    assert "passage 6 calls https://a.example “Another”, passage 1 of clean “Title”" in finding.message


def test_severity_and_share_are_told_per_condition(study: Study, bring: Importer) -> None:
    contexts = sound()
    edit("clean", 3, supports="wrong")(contexts)
    edit("clean", 4, title=None)(contexts)
    edit("evidence_absence", 1, title=None)(contexts)
    found(study, bring, contexts)
    structure = check(study)
    assert {f.rule: f.severity for f in structure.findings} == {"clean": "breaks", "metadata": "blemish"}
    assert structure.conditions[0] == ConditionCount(condition="clean", n=1, n_broken=1, n_blemished=0)
    assert structure.conditions[-1] == ConditionCount(condition="evidence_absence", n=1, n_broken=0, n_blemished=1)
    assert [count.n_broken for count in structure.conditions] == [1, 0, 0, 0, 0]


def test_a_sound_study_has_no_findings(study: Study, bring: Importer) -> None:
    assert found(study, bring, sound()) == []


@pytest.mark.parametrize(
    "cue",
    ["does not provide", "do not state", "cannot determine", "insufficient information", "not specified", "isn’t named",
     "could not be determined", "Not enough evidence", "has no information on", "unable to determine",
     "doesn't mention",
     "insufficient to determine", "no mention of", "which is unclear, not",
     "remains unknown,", "do not say", "does not say", "is unclear from"],
)  # fmt: skip
def test_absence_cues_are_seen(study: Study, bring: Importer, cue: str) -> None:
    contexts = sound()
    edit("evidence_absence", 1, text=f"It {cue} anything.")(contexts)
    assert [f.rule for f in found(study, bring, contexts)] == ["absence_cue"]


@pytest.mark.parametrize(
    "says",
    ["The evidence is insufficient.", "This is insufficient context.", "What is here is not sufficient.",
     "It cannot be answered from this.", "The passage does not contain it.", "The documents do not include a name.",
     "The report did not give the year.", "The article fails to mention the body.", "This excerpt lacks the answer.",
     "The name is not given here.", "The winner is not known.", "The evidence is inconclusive.",
     "The results supplied here do not name it.", "None of the sources names the body.", "No passage says which.",
     "One can’t determine who.", "The data were insufficient to say.", "No data are available.",
     "There is no evidence.", "There is not sufficient evidence.",
     "Its founder could not be identified.", "It remains inconclusive.", "The documents say nothing about it.",
     "The report makes no reference to the body.", "The text is silent on this.", "The article never names it.",
     "Nothing in these results names the body.", "The name is not included in this document.",
     "The answer is not in the text.", "The name is missing from the passage.", "No further details were given.",
     "There isn’t enough information.", "There is too little evidence.", "The details are unavailable.",
     "It is not possible to determine who.", "It is impossible to tell the year from these passages.",
     "The founder is left unnamed.", "No answer is given.", "The context does not have an answer."],
)  # fmt: skip
def test_a_passage_that_says_it_has_no_answer_is_a_cue(says: str) -> None:
    assert CUES.search(f"Prices rose in 1973. {says} They fell later.")


@pytest.mark.parametrize(
    "says",
    ["The treaty did not name a successor.", "Ministers could not answer critics.", "There is no data cap.",
     "The report said that ministers could not answer critics.", "The agency was not established until 1974.",
     "He was not named captain.", "The town is not known for its wine.", "The battle was inconclusive.",
     "The fee did not include tax.", "She was not given a seat.", "They had not enough coal.",
     "The minister said nothing.", "Nothing in the harbour moved.", "The stone is missing from the crown.",
     "The law never names a successor.", "It was impossible to tell the twins apart.", "The army makes no mention."],
)  # fmt: skip
def test_what_people_and_treaties_do_not_do_is_no_cue(says: str) -> None:
    assert CUES.search(says) is None


def test_a_cue_is_no_fault_elsewhere_and_plain_negation_is_no_cue(study: Study, bring: Importer) -> None:
    contexts = sound()
    edit("clean", 1, text="The report does not state a date.")(contexts)
    edit("evidence_absence", 1, text="Prices did not come back down, and no importer went short.")(contexts)
    assert found(study, bring, contexts) == []


def test_local_fragments_need_no_title(study: Study, bring: Importer) -> None:
    contexts = sound()
    for context in contexts.values():
        for passage in context["passages"]:
            passage.update(title=None, url=None)
    assert found(study, bring, contexts, regime="clbench") == []


def test_a_study_without_contexts_passes(study: Study, bring: Importer) -> None:
    bring(study, "tasks", [{"task_id": "t", "question": "?"}])
    assert check(study).findings == ()


def test_contexts_without_conditions_regimes_and_support_pass(study: Study, bring: Importer) -> None:
    contexts = {"c": {"context_id": "c", "task_id": "t", "passages": ["one", "two"]}}
    assert found(study, bring, contexts, regime=None) == []


def test_rules_of_conditions_that_are_not_declared_do_not_apply(study: Study, bring: Importer) -> None:
    settings = study.path / "study.toml"
    settings.write_text('name = "s"\nregimes = []\nconditions = []\n')
    contexts = sound()
    edit("clean", 3, supports="wrong")(contexts)
    del contexts["direct_conflict"]
    assert found(open_study(study.path), bring, contexts) == []


def test_findings_are_sorted_and_the_same_each_time(study: Study, bring: Importer) -> None:
    contexts = sound()
    few(contexts)
    edit("authority_contamination", 1, supports="neither", title=None)(contexts)
    findings = found(study, bring, dict(reversed(contexts.items())))
    assert findings == list(check(study).findings)
    assert findings == sorted(findings, key=lambda f: (f.rule, f.where, f.message))
    assert len(findings) == 3


def test_summary_counts_what_is_there_and_what_is_missing(study: Study, bring: Importer) -> None:
    bring(study, "tasks", [{"task_id": "t", "question": "?"}])
    bring(study, "responses", [{"response_id": f"r{n}", "task_id": "t", "text": ""} for n in range(3)])
    bring(
        study,
        "verdicts",
        [
            {"response_id": "r0", "judge": "b", "G": 1},
            {"response_id": "r1", "judge": "b", "G": None, "unscored_reason": "no JSON"},
            {"response_id": "r0", "judge": "a", "C": 1, "A": 1, "G": 0, "D": 0},
            {"response_id": "r1", "judge": "a", "C": 1, "A": 1, "G": 0, "D": None},
            {"response_id": "r2", "judge": "a", "C": 1, "A": 1, "G": 0, "D": 1},
        ],
    )
    counts = summary(study)
    assert (counts.n_tasks, counts.n_contexts, counts.n_responses, counts.n_verdicts) == (1, 0, 3, 5)
    assert counts.judges == (
        JudgeSummary(judge="a", n_verdicts=3, n_without_verdict=0, n_unscored=1),
        JudgeSummary(judge="b", n_verdicts=2, n_without_verdict=1, n_unscored=1),
    )


def test_summary_of_an_empty_study_is_zero(study: Study) -> None:
    assert summary(study).judges == ()


def test_what_the_majority_rule_cannot_check_is_said() -> None:
    assert "not recorded" in RULES["majority_contamination"].description


def test_a_condition_that_nobody_built_is_said_once(study: Study, bring: Importer) -> None:
    """Not once for every task: the study declares more than the files have."""
    bring(study, "tasks", [{"task_id": f"t{n}", "question": "?"} for n in range(3)])
    rows = [
        {"context_id": f"t{n}-{name}", "task_id": f"t{n}", "condition": name, "passages": ["x"]}
        for n in range(3)
        for name in ("clean", "evidence_absence")
    ]
    bring(study, "contexts", rows[:-1])
    hits = [one for one in check(study).findings if one.rule == "every_condition_once"]
    assert [one.where for one in hits] == ["study.toml", "t2"]
    assert hits[0].message.startswith(
        "declares authority_contamination, majority_contamination, direct_conflict, of which"
    )
    assert "has 0 × evidence_absence; expected" in hits[1].message
