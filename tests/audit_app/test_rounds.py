"""A changed rubric starts a round: labels stay with their version, its text is kept, and results say when they mix."""

import json
import sqlite3
from typing import Any

import pytest
from click.testing import CliRunner

from audit_app.actions.answers import Refused
from audit_app.actions.labelling import next_view
from audit_app.actions.results import metrics
from audit_app.actions.rounds import changes, rubric_rounds, says
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.cli import cli
from data.store.connection import open_store
from data.study import Study, open_study


@pytest.fixture
def study(study_from: Any, grid: Any) -> Study:
    made: Study = study_from(grid(4, conditions=("clean",)), labels=["D", "A"])
    draw_sample(made, Plan(size=None, overlap=0))
    return made


def changed(study: Study, old: str = "version = ", new: str = "# clearer\nversion = ") -> Study:
    path = study.path / "rubric.toml"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    return open_study(study.path)


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_drawing_begins_the_first_round(study: Study) -> None:
    (first,) = rubric_rounds(study)
    assert (first.number, first.rubric_hash, first.is_current, first.n_labels) == (1, study.rubric.hash, True, 0)
    assert first.text == (study.path / "rubric.toml").read_text(encoding="utf-8")


def test_a_change_starts_a_round_with_the_next_question_and_old_labels_stay_with_theirs(
    study: Study, person_in: Any, desk: Any
) -> None:
    ann = person_in(study, "ann")
    desk(study, ann).finish(lambda view: "1", limit=3)
    later = changed(study)
    assert [one.started_at is None for one in rubric_rounds(later)] == [False, True]
    assert next_view(later, ann, "label")["rubric_hash"] == later.rubric.hash
    desk(later, ann).finish(lambda view: "1")
    old, new = rubric_rounds(later)
    assert [(one.n_labels, one.is_current) for one in (old, new)] == [(3, False), (5, True)]
    assert old.text == study.rubric.text
    assert "+# clearer" in changes(old, new).splitlines()
    with open_store(later) as store:
        given = store.rows("SELECT rubric_hash FROM label_event ORDER BY event_id")
    assert [row["rubric_hash"] for row in given] == [study.rubric.hash] * 3 + [later.rubric.hash] * 5
    assert "3 labels were given under earlier versions" in says((old, new))


def test_going_back_to_an_earlier_version_goes_on_with_its_round(study: Study, person_in: Any, desk: Any) -> None:
    ann = person_in(study, "ann")
    desk(study, ann).finish(lambda view: "1", limit=2)
    desk(changed(study), ann).finish(lambda view: "1", limit=2)
    back = changed(study, "# clearer\n", "")
    desk(back, ann).finish(lambda view: "1")
    assert [(one.n_labels, one.is_current) for one in rubric_rounds(back)] == [(6, True), (2, False)]


def test_results_say_when_they_mix_versions(study: Study, person_in: Any, desk: Any) -> None:
    ann = person_in(study, "ann")
    desk(study, ann).finish(lambda view: "1", limit=4)
    assert metrics(study, names=["abstention"]).mixture is None
    later = changed(study)
    desk(later, ann).finish(lambda view: "1")
    said = metrics(later, names=["abstention"])
    assert said.mixture is not None
    assert f"2 versions of the rubric (4 under {study.rubric.hash}, 4 under {later.rubric.hash})" in said.mixture
    assert said.mixture in said.remarks


def test_the_text_of_a_round_cannot_be_changed(study: Study) -> None:
    with open_store(study) as store:
        for statement in ("UPDATE round SET body = 'x'", "DELETE FROM round"):
            with pytest.raises(sqlite3.IntegrityError, match="round is append-only"):
                store.change(statement, ())


def test_labels_from_before_rounds_were_kept_have_a_round_without_a_text(
    study: Study, person_in: Any, desk: Any
) -> None:
    desk(study, person_in(study, "ann")).finish(lambda view: "1", limit=2)
    with open_store(study) as store:
        store.change("DROP TABLE round", ())
        store.change("DELETE FROM _sqlite_migrations WHERE name LIKE 'm007%'", ())
    later = changed(study)
    old, new = rubric_rounds(later)
    assert (old.rubric_hash, old.n_labels, old.text, new.is_current) == (study.rubric.hash, 2, None, True)
    refused = run("rubric", "diff", "--study", study.path)
    assert (refused.exit_code, "was not kept" in refused.output) == (1, True)


def test_rounds_are_for_leads(study: Study, person_in: Any) -> None:
    with pytest.raises(Refused, match="Only leads"):
        rubric_rounds(study, by=person_in(study, "ann"))


def test_the_commands(study: Study, person_in: Any, desk: Any) -> None:
    first, here = study.rubric.hash, ("--study", study.path)
    assert "nothing changed" in run("rubric", "diff", *here).output
    desk(study, person_in(study, "ann")).finish(lambda view: "1", limit=2)
    later = changed(study)
    assert run("rubric", "show", first[:6], *here).output == study.rubric.text
    assert "+# clearer" in run("rubric", "diff", *here).output
    rows = json.loads(run("rubric", "rounds", "--json", *here).output)
    assert [(row["rubric_hash"], row["n_labels"]) for row in rows] == [(first, 2), (later.rubric.hash, 0)]
    assert f"Round 2, rubric {later.rubric.hash}" in run("rubric", "rounds", *here).output
    assert "names 0 versions" in run("rubric", "show", "zzz", *here).output


def test_a_new_rubric_is_checked_before_it_is_used(study: Study, tmp_path: Any) -> None:
    draft = tmp_path / "draft.toml"
    draft.write_text(study.rubric.text, encoding="utf-8")
    assert json.loads(run("rubric", "check", draft, "--json").output)["hash"] == study.rubric.hash
    draft.write_text(study.rubric.text.replace("SubstanceView", "Nothing"), encoding="utf-8")
    assert "expected one of" in run("rubric", "check", draft).output
