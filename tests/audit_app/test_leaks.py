"""Leaks as a command and as a stratum: what is flagged, and how that orders and stratifies the audit."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from audit_app.actions.leaks import leaks
from audit_app.actions.sampling import Plan, draw_sample, extend_sample
from audit_app.cli import cli
from data.errors import StudyProblem
from data.leak_scores import leak_scores, screened_contexts
from data.store.connection import open_store
from data.study import Study


def leaking(grid: Any, *, tasks: int = 20, every: int = 4, responses: bool = True) -> dict[str, Any]:
    """Every fourth absence says GOLD, every clean context says ALIAS but the second."""
    rows: dict[str, Any] = grid(tasks)
    for n, context in enumerate(rows["contexts"]):
        task = n // 2
        if context["condition"] == "clean" and task != 1:
            context["passages"][0]["text"] = "It is alias, they say."
        if context["condition"] == "evidence_absence" and task % every == 0:
            context["passages"][1]["text"] = "Some say GOLD."
    return rows if responses else {**rows, "responses": [], "verdicts": []}


@pytest.fixture
def study(grid: Any, study_from: Any) -> Study:
    made: Study = study_from(leaking(grid))
    return made


def test_flagged_absences_say_where(study: Study) -> None:
    found = leaks(study)
    assert [one.context_id for one in found.flagged] == [f"t{n:02}.evidence_absence" for n in range(0, 20, 4)]
    (quoted,) = found.flagged[0].hits
    assert (quoted.quote, quoted.hit.passage, quoted.hit.start) == ("Some say [GOLD].", 2, 9)
    assert found.sentence.startswith("5 of 20 evidence_absence contexts are flagged (25.0 %)")


def test_all_conditions_show_where_an_answer_is_missing(study: Study) -> None:
    found = leaks(study, condition=None)
    assert {one.condition: (one.n_flagged, one.n) for one in found.conditions} == {
        "clean": (19, 20), "evidence_absence": (5, 20),
    }  # fmt: skip
    assert found.unfound == ("t01.clean",)
    assert "They do not find it in t01.clean." in found.sentence


def test_the_command(study: Study) -> None:
    def run(*args: str) -> Any:
        return CliRunner().invoke(cli, ["leaks", "--study", str(study.path), *args])

    plain = run()
    assert (plain.exit_code, plain.stdout.count("evidence_absence") >= 5) == (1, True)
    assert "the answer word for word" in plain.stdout
    told = json.loads(run("--json").stdout)
    assert told["flagged"][0]["hits"][0]["text"] == "GOLD"
    assert run("--condition", "clean").exit_code == 0
    wrong = run("--condition", "nonsense")
    assert wrong.exit_code == 1
    assert "there are clean, evidence_absence; name one with --condition" in wrong.stderr
    every = run("--all")
    assert "clean" in every.stdout
    assert "5 of them are evidence_absence, which must not have it." in every.stderr


def test_nothing_to_screen_is_said(grid: Any, study_from: Any) -> None:
    with pytest.raises(StudyProblem, match="no contexts are imported"):
        leaks(study_from(grid(contexts=False), name="none"))
    study = study_from(grid(gold=False), name="gold")
    assert CliRunner().invoke(cli, ["leaks", "--study", str(study.path)]).exit_code == 1
    without = leaks(study)
    assert (
        without.sentence
        == "No evidence_absence contexts could be screened: 3 have no reference answer to look for. It comes with the "
        "tasks, in the field gold_answer (`evidence-audit import tasks --help`)."
    )


def test_what_was_screened_is_kept_until_more_comes_in(study: Study) -> None:
    first = screened_contexts(study)
    (kept,) = study.frame.glob("leaks-*.parquet")
    assert screened_contexts(study) == first
    assert [*study.frame.glob("leaks-*.parquet")] == [kept]
    assert leak_scores(study)["t00.evidence_absence"] == 1.0


def strata(study: Study, kind: str) -> set[str]:
    with open_store(study) as store:
        return {row["stratum"] for row in store.rows("SELECT stratum FROM draw WHERE item_kind = ?", [kind])}


def test_the_score_forms_strata_of_contexts_and_responses(study: Study) -> None:
    draw_sample(study, Plan(size=20, strata=("condition", "leak")))
    assert strata(study, "context") == strata(study, "response") == {
        "clean | 0.5 or more", "clean | below 0.5", "evidence_absence | 0.5 or more", "evidence_absence | below 0.5",
    }  # fmt: skip
    extend_sample(study, size=30)
    with open_store(study) as store:
        assert len(store.rows("SELECT * FROM draw WHERE item_kind = 'response'")) == 30


def test_the_score_forms_strata_without_responses(grid: Any, study_from: Any) -> None:
    study = study_from(leaking(grid, responses=False))
    draw_sample(study, Plan(size=20, strata=("leak",), bins={"leak": (0.2, 0.5)}))
    assert strata(study, "context") == {"0.5 or more", "below 0.2"}
    with pytest.raises(StudyProblem, match="unknown stratum column 'model'"):
        draw_sample(study, Plan(sample_id="b", size=20, strata=("model",)))


def audit_order(study: Study) -> list[str]:
    with open_store(study) as store:
        sql = "SELECT item_id FROM assignment WHERE item_kind = 'context' AND plan_order = 1 ORDER BY position"
        return [row["item_id"] for row in store.rows(sql)]


def test_flagged_contexts_can_be_audited_first(grid: Any, study_from: Any) -> None:
    rows = leaking(grid)
    plan = Plan(size=40, contexts=40, strata=("condition", "leak"))
    by_chance, by_leak = study_from(rows, name="a"), study_from(rows, name="b")
    draw_sample(by_chance, plan)
    draw_sample(by_leak, Plan(**{**{f: getattr(plan, f) for f in plan.__dataclass_fields__}, "order": "leak"}))
    flagged = {context for context, score in leak_scores(by_leak).items() if score and score >= 0.5}
    assert set(audit_order(by_leak)[: len(flagged)]) == flagged
    assert set(audit_order(by_chance)[: len(flagged)]) != flagged
    # Among the flagged, and among the others, the order is that of chance.
    for part in (flagged, set(audit_order(by_leak)) - flagged):
        assert [one for one in audit_order(by_leak) if one in part] == [
            one for one in audit_order(by_chance) if one in part
        ]
    with open_store(by_leak) as one, open_store(by_chance) as other:
        same = "SELECT item_id, inclusion_probability FROM draw ORDER BY item_id"
        assert one.rows(same) == other.rows(same)


def test_an_order_by_leak_score_needs_strata_by_it() -> None:
    with pytest.raises(StudyProblem, match="add leak to --strata"):
        Plan(order="leak").check()
