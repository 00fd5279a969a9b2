import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.errors import StudyProblem
from data.records import DIAGNOSTICS, LABELS, Context, Passage, Response, Task
from data.rubric import Rubric, default_text, parse_rubric
from data.views import VIEWS, Item, artifacts

SHIPPED = parse_rubric(default_text(), "rubric.toml")
TASK = Task(task_id="t", question="?", gold_answer="x")
CONTEXT = Context(
    context_id="c", task_id="t", passages=tuple(Passage(passage_id=f"{n}", rank=n, text="x") for n in (1, 2))
)
RESPONSE = Response(response_id="r", text="x")


def entry(name: str, view: str, /, **changes: str) -> str:
    kind = "response" if "response" in artifacts(view) else "context"
    pass_ = "context" if kind == "context" else "correctness" if "gold_answer" in artifacts(view) else "evidence"
    settings_ = {
        "name": f'"{name}"', "title": '"T"', "item_kind": f'"{kind}"', "pass": f'"{pass_}"', "view": f'"{view}"',
        "question": '"?"', "definition": '"d"',
        "values": '[{ key = "1", value = "1", text = "Yes" }, { key = "2", value = "0", text = "No" }]',
        **changes,
    }  # fmt: skip
    return "[[labels]]\n" + "\n".join(f"{key} = {value}" for key, value in settings_.items() if value) + "\n"


def problem(*entries: str) -> str:
    with pytest.raises(StudyProblem) as caught:
        parse_rubric("".join(entries), "rubric.toml")
    return str(caught.value)


def test_the_shipped_rubric_asks_in_the_order_that_keeps_labels_apart() -> None:
    rubric = SHIPPED
    assert [name for name in rubric.names("response") if name in LABELS] == list(LABELS)
    assert set(DIAGNOSTICS) < set(rubric.names("response"))
    assert rubric.names("context") == ["answerable", "supports", "construction_errors"]
    assert (rubric.passes("response"), rubric.passes("context")) == (["evidence", "correctness"], ["context"])


def test_labels_see_what_their_definition_compares() -> None:
    rubric = SHIPPED
    assert {name: rubric[name].view for name in LABELS} == {
        "D": "DisclosureView", "A": "SubstanceView", "G": "GroundingView", "C": "CorrectnessView",
    }  # fmt: skip
    assert {rubric[name].view for name in DIAGNOSTICS} == {"GroundingView"}


@pytest.mark.parametrize("later", ["DisclosureView", "SubstanceView", "GroundingView"])
def test_gold_before_a_label_that_gold_spoils_is_refused(later: str) -> None:
    text = problem(entry("C", "CorrectnessView"), entry("G", later))
    assert "label 'G' comes after 'C', which shows gold_answer; ask 'G' first" in text


def test_passages_before_d_and_condition_before_stage_one_are_refused() -> None:
    assert "shows passages" in problem(entry("G", "GroundingView"), entry("D", "DisclosureView"))
    text = problem(entry("b", "ConstructionView"), entry("a", "SupportView"))
    assert "label 'a' comes after 'b', which shows condition" in text
    assert "shows gold_answer" in problem(entry("b", "SupportView"), entry("a", "AnswerabilityView"))


@pytest.mark.parametrize(("pass_", "view"), [("correctness", "GroundingView"), ("evidence", "CorrectnessView")])
def test_a_pass_never_mixes_gold_and_evidence(pass_: str, view: str) -> None:
    assert "belongs in pass" in problem(entry("X", view, **{"pass": f'"{pass_}"'}))


def test_a_response_is_never_labelled_from_a_view_of_the_context() -> None:
    text = problem(entry("X", "ConstructionView", item_kind='"response"', **{"pass": '"evidence"'}))
    assert "ConstructionView is a view of a context" in text


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"view": '"JudgeView"'}, "'JudgeView'; expected one of DisclosureView"),
        ({"pass": '"first"'}, "'first'; expected one of evidence"),
        ({"item_kind": '"task"'}, "'task'; expected one of response, context"),
        ({"kind": '"slider"'}, "'slider'; expected one of choice, many"),
        ({"diagnostic": '"yes"'}, "expected one of true, false"),
        ({"question": ""}, "field 'question': missing"),
        ({"title": "3"}, "expected text"),
        ({"colour": '"red"'}, "no such setting"),
        ({"values": '"yes"'}, "expected a list of"),
        ({"values": '[{ key = "1", value = "1", txt = "Yes" }]'}, "expected a list of"),
        ({"values": '[{ key = "1", value = 1, text = "Yes" }]'}, "values.value"),
        ({"values": '[{ key = "1", value = "1" }]'}, "values.text"),
        (
            {"values": '[{ key = "1", value = "1", text = "Y" }, { key = "1", value = "0", text = "N" }]'},
            "values.key",
        ),
        ({"name": '"a.b"'}, "a dot in it"),
        ({"each": '"passage"', "view": '"DisclosureView"'}, "shows none"),
        (
            {"values": '[{ key = "1", value = "1", text = "Yes", evidence = "yes" }]'},
            "expected true, false, 'required' or 'quote'",
        ),
        (
            {"values": '[{ key = "1", value = "1", text = "Yes", evidence = 1 }]'},
            "expected true, false, 'required' or 'quote'",
        ),
        ({"values": '[{ key = "1", value = "1", text = "Yes", note = "yes" }]'}, "expected true or false"),
        ({"examples": '"none"'}, "field 'examples': label 'X'; expected a list"),
        ({"examples": '[{ text = "a", value = "1" }]'}, "field 'examples'"),
        ({"examples": '[{ text = "a", value = "7", why = "b" }]'}, "one of its values"),
        ({"examples": '[{ text = "a", value = "1", why = " " }]'}, "field 'examples'"),
        (
            {"view": '"DisclosureView"', "values": '[{ key = "1", value = "1", text = "Yes", evidence = true }]'},
            "no passage to quote",
        ),
    ],
)
def test_each_fault_of_an_entry_is_named(changes: dict[str, str], sentence: str) -> None:
    assert sentence in problem(entry("X", "GroundingView", **changes))


def test_every_fault_is_named_at_once() -> None:
    text = problem(entry("X", "GroundingView", title=""), entry("Y", "GroundingView", view='"Z"'))
    assert len(text.splitlines()) == 2


@pytest.mark.parametrize("text", ["", "labels = 3", "labels = [1]", "[[labels"])
def test_a_text_that_is_no_rubric_is_one_sentence(text: str) -> None:
    assert "rubric.toml" in problem(text)


def test_a_label_given_twice_is_refused() -> None:
    assert "given twice" in problem(entry("D", "DisclosureView"), entry("D", "DisclosureView"))


@given(st.permutations(sorted(VIEWS)))
@settings(max_examples=60)
def test_no_order_that_loads_ever_shows_gold_before_grounding(order: list[str]) -> None:
    try:
        rubric = parse_rubric("".join(entry(view, view) for view in order), "r")
    except StudyProblem:
        return
    names = rubric.names("response")
    assert names.index("CorrectnessView") > max(
        names.index(n) for n in ("GroundingView", "SubstanceView", "DisclosureView")
    )


@pytest.mark.parametrize(
    ("label", "raw", "stored"),
    [
        ("D", "YES", "1"),
        ("D", " false ", "0"),
        ("D", "", None),
        ("G", "Not supported", "not_supported"),
        ("G", "1", "established"),
        ("G", "no", "not_supported"),
        ("D", "0.0", "0"),
        ("provenance_honesty", "2", "2"),
        ("provenance_honesty", "2.0", "2"),
        ("supports", "gold", "gold"),
    ],
)
def test_values_in_files_are_read_kindly(label: str, raw: str, stored: str | None) -> None:
    assert SHIPPED[label].parse(raw) == stored


def test_values_with_capitals_are_found() -> None:
    values = '[{ key = "1", value = "Yes sir", text = "Y" }, { key = "2", value = "0", text = "N" }]'
    assert parse_rubric(entry("X", "GroundingView", values=values), "r")["X"].parse("yes SIR") == "Yes sir"


def test_an_unknown_value_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="expected one of established, contradicted, partly, not_supported"):
        SHIPPED["G"].parse("maybe")


def test_an_unknown_label_is_refused_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match="it has D, A, G"):
        SHIPPED["X"]


def asked(rubric: Rubric, item: Item, pass_: str) -> list[str]:
    return rubric.asked(item, pass_)


def test_only_what_an_item_has_is_asked() -> None:
    rubric = SHIPPED
    whole = Item(task=TASK, context=CONTEXT, response=RESPONSE)
    assert asked(rubric, whole, "evidence") == ["D", "A", "G"]
    assert rubric.asked(whole, "evidence", diagnostics=True) == ["D", "A", "G", *DIAGNOSTICS]
    assert asked(rubric, whole, "correctness") == ["C"]
    assert asked(rubric, Item(task=TASK, response=RESPONSE), "evidence") == ["D", "A"]
    without_gold = Item(task=Task(task_id="t", question="?"), context=CONTEXT, response=RESPONSE)
    assert asked(rubric, without_gold, "correctness") == []
    assert asked(rubric, Item(task=TASK, context=CONTEXT), "context") == [
        "answerable", "supports.1", "supports.2", "construction_errors",
    ]  # fmt: skip
    assert rubric["supports.2"].name == "supports"


def test_a_changed_rubric_has_another_hash() -> None:
    text = default_text()
    assert parse_rubric(text, "r").hash == SHIPPED.hash
    assert parse_rubric(text.replace("Discloses", "Says so"), "r").hash != SHIPPED.hash


def test_a_cut_rubric_is_valid_toml_with_the_rest_untouched() -> None:
    cut = tomllib.loads(default_text(["C", "D"]))
    assert [label["name"] for label in cut["labels"]] == ["D", "C"]
    assert cut["skip_reasons"]


def test_every_label_that_people_are_asked_for_first_comes_with_examples() -> None:
    rubric = SHIPPED
    for name in ("D", "A", "G", "C", "answerable", "supports"):
        answers = [example.value for example in rubric[name].examples]
        assert len(set(answers)) >= 2
        assert set(answers) <= {value.value for value in rubric[name].values}


def test_the_severity_of_an_error_is_one_of_two() -> None:
    text = default_text().replace('severity = "blemish" }', 'severity = "awful" }', 1)
    with pytest.raises(StudyProblem, match=r"values\.severity.*expected 'breaks' .* or 'blemish'"):
        parse_rubric(text, "rubric.toml")
