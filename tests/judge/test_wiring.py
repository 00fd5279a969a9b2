from data.rubric import default_text, parse_rubric
from data.views import VIEWS, artifacts
from judge.wiring import ARTIFACTS, GENERAL, wirings

RUBRIC = parse_rubric(default_text(), "rubric.toml")


def test_the_general_metrics_receive_what_their_terms_compare() -> None:
    assert {wiring.name: set(wiring.inside) for wiring in GENERAL} == {
        "faithfulness": {"response", "passages"},
        "relevance": {"response", "question"},
        "context_precision": {"passages", "question"},
        "context_recall": {"passages", "gold"},
        "correctness": {"response", "gold"},
    }


def test_inside_and_outside_are_everything_once() -> None:
    for wiring in wirings(RUBRIC.questions).values():
        assert sorted(wiring.inside + wiring.outside) == sorted(ARTIFACTS)
        assert set(wiring.inside) == wiring.receives


def test_a_label_receives_what_its_view_holds() -> None:
    for name, wiring in wirings(RUBRIC.questions).items():
        if name in RUBRIC.names():
            shown = artifacts(RUBRIC[name].view)
            assert ("gold" in wiring.receives) == ("gold_answer" in shown)
            assert ("passages" in wiring.receives) == ("passages" in shown)
    assert set(wirings(RUBRIC.questions)["C"].outside) == {"question", "passages"}
    assert "ConstructionView" in VIEWS  # its questions are about contexts and have no wiring
    assert "construction_errors" not in wirings(RUBRIC.questions)
