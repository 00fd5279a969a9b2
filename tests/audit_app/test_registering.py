"""What was registered stays as it was, and results say what was registered and what is exploratory."""

import json
import shlex
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from audit_app.actions import results
from audit_app.actions.judge_ledger import RunOptions
from audit_app.actions.judge_run import run_judge
from audit_app.actions.judge_work import Asked
from audit_app.actions.registering import register
from audit_app.actions.registration import Intent, Registration, is_registered, registered
from audit_app.actions.sampling import Plan, draw_sample, extend_sample
from audit_app.actions.seal import unseal
from audit_app.actions.standing import changes
from audit_app.cli import cli
from data import frame as frames
from data.errors import StudyProblem
from data.questions import Question
from data.store.connection import open_store
from data.study import Study, open_study
from judge.judge import Judgement, Seen

SES = Intent(metrics=("SES", "cSES"), by=(("model",),))


def run(line: str, study: Study) -> Result:
    return CliRunner().invoke(cli, [*shlex.split(line), "--study", str(study.path)])


def everything(study: Study) -> list[Registration]:
    with open_store(study) as store:
        return registered(store)


@pytest.fixture
def drawn(grid: Any, study_from: Any) -> Study:
    """A study with a sample of which nothing is labelled."""
    rows = grid(10, models=("a", "b"))
    rows["verdicts"] = [{"response_id": r["response_id"], "judge": "j", "C": 1, "A": 1, "G": 0, "D": 0}
                        for r in rows["responses"]]  # fmt: skip
    study: Study = study_from(rows)
    draw_sample(study, Plan(size=16, overlap=0, seed=5))
    return study


@pytest.fixture
def labelled(drawn: Study, give_labels: Any, label_rows: Any) -> Any:
    """Labels everything that was drawn."""

    def give(study: Study = drawn) -> Study:
        with open_store(study) as store:
            items = [row["item_id"] for row in store.rows("SELECT item_id FROM draw WHERE item_kind = 'response'")]
        values = {"D": "0", "A": "1", "G": "not_supported", "C": "1"}
        give_labels(study, label_rows("p", dict.fromkeys(items, values)))
        return study

    return give


def sentence(study: Study, **options: Any) -> str:
    return results.metrics(study, **options).sentence


def test_what_is_frozen(drawn: Study) -> None:
    made = register(drawn, SES)
    assert (made.metrics, made.by, made.target, made.judge) == (("SES", "cSES"), (("model",),), "A", "j")
    assert (made.sample["seed"], made.sample["n_responses"], made.amends, made.results_seen) == (5, 16, None, None)
    assert (made.labels_done, made.rubric_hash, made.stop) == (0, drawn.rubric.hash, "all planned labels are done")
    assert everything(drawn) == [made]
    with open_store(drawn) as store:
        row = store.row("SELECT * FROM registration")
        draws = store.rows("SELECT item_kind, item_id, stratum, stratum_size, sample_size, inclusion_probability, "
                           "permanent_number FROM draw")  # fmt: skip
    assert row is not None
    assert made.hash == row["hash"] == sha256(row["body"].encode()).hexdigest()
    # Keys in order and no spaces: one text for one content.
    assert row["body"] == json.dumps(json.loads(row["body"]), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    text = json.dumps({"draws": sorted(list(r.values()) for r in draws)}, ensure_ascii=False, separators=(",", ":"))
    assert made.sample["draws_hash"] == sha256(text.encode()).hexdigest()


def test_it_stands_and_is_amended_for_all_to_see(drawn: Study) -> None:
    first = register(drawn, SES)
    with pytest.raises(StudyProblem, match=r"Registered on .*; it stands\. .* --amend REASON"):
        register(drawn, Intent(metrics=("Acc",)))
    second = register(drawn, Intent(metrics=("Acc",)), amend="asked for by a reviewer")
    assert (second.amends, second.reason) == (first.hash, "asked for by a reviewer")
    assert everything(drawn) == [first, second]


@pytest.mark.parametrize("reason", ["why not", " "])
def test_there_is_nothing_to_amend_or_no_reason(drawn: Study, reason: str) -> None:
    if not reason.strip():
        register(drawn, SES)
    with pytest.raises(StudyProblem, match="--amend: expected a registration to amend and a reason"):
        register(drawn, SES, amend=reason)


@pytest.mark.parametrize("change", ["UPDATE registration SET body = '{}'", "DELETE FROM registration"])
def test_the_database_refuses_to_change_it(drawn: Study, change: str) -> None:
    register(drawn, SES)
    with open_store(drawn) as store, pytest.raises(sqlite3.IntegrityError, match="append-only"):
        store.change(change, [])


def test_a_change_behind_the_back_of_the_database_shows(drawn: Study) -> None:
    register(drawn, SES)
    with closing(sqlite3.connect(drawn.database)) as db, db:
        db.execute("DROP TRIGGER registration_update")
        db.execute("""UPDATE registration SET body = replace(body, '"SES"', '"Acc"')""")
    with pytest.raises(StudyProblem, match="registration 1 was changed after it was made"):
        everything(drawn)


def test_results_say_what_was_registered_and_what_is_exploratory(labelled: Any, drawn: Study) -> None:
    assert "egistered" not in sentence(labelled())
    register(drawn, SES)
    options = {"floor": 30}
    found = sentence(drawn, names=("SES", "cSES"), **options)
    assert "SES, cSES: registered on " in found
    assert "Exploratory" not in found
    assert "Exploratory, not registered in this form: Acc." in sentence(drawn, names=("Acc", "SES"))
    assert "Exploratory" not in sentence(drawn, names=("SES",), by=("model",))
    assert "Exploratory by condition: SES." in sentence(drawn, names=("SES",), by=("condition",))
    for other in ({"grounding": "lenient"}, {"level": 0.9}, {"floor": 5}):
        assert "Exploratory, not registered in this form: SES." in sentence(drawn, names=("SES",), **other)


def test_the_order_of_crossed_columns_does_not_matter(drawn: Study) -> None:
    register(drawn, Intent(metrics=("SES",), by=(("model", "condition"),)))
    way = Intent(metrics=("SES",), judge="j", sample_id="main")
    assert is_registered(everything(drawn), "SES", ("condition", "model"), way)
    assert not is_registered(everything(drawn), "SES", ("model",), way)
    assert not is_registered(everything(drawn), "SES", (), Intent(metrics=("SES",), judge="j", sample_id="other"))


def test_what_comes_after_results_were_seen_says_so(labelled: Any, drawn: Study) -> None:
    early = register(drawn, SES)
    labelled()
    assert early.sentence.endswith("before results were seen.")
    with open_store(drawn) as store:  # the contexts, too
        store.change("UPDATE assignment SET state = 'done'", [])
    late = register(drawn, Intent(metrics=("Acc", "SES")), amend="looked interesting")
    assert late.results_seen == "all planned labels were in"
    found = sentence(drawn, names=("SES", "Acc"))
    assert "SES: registered on " in found
    assert "before results were seen" in found
    assert "Acc: amended on " in found
    assert "after results were seen" in found


def test_opening_results_early_counts_once_there_are_labels(labelled: Any, drawn: Study) -> None:
    unseal(drawn, "curious")
    assert register(drawn, SES).results_seen is None
    labelled()
    assert "“curious”" in (register(drawn, SES, amend="again").results_seen or "")


def test_an_extension_does_not_hide_that_results_were_open(labelled: Any, drawn: Study) -> None:
    labelled()
    with open_store(drawn) as store:
        store.change("UPDATE assignment SET state = 'done'", [])
    extend_sample(drawn, size=20)
    assert not results.metrics(drawn).seal.is_open
    assert "they were open when the sample was extended on " in (register(drawn, SES).results_seen or "")


def test_an_export_of_sealed_answers_counts_as_seen(labelled: Any, drawn: Study) -> None:
    assert run("export", drawn).exit_code == 0
    assert register(drawn, SES).results_seen is None  # there was nothing in it
    labelled()
    assert not results.metrics(drawn).seal.is_open
    assert register(drawn, SES, amend="before the export").results_seen is None
    assert run("export", drawn).exit_code == 0
    assert "answers were exported on " in (register(drawn, SES, amend="after it").results_seen or "")


def test_a_hash_that_was_written_down_proves_a_registration(drawn: Study) -> None:
    one = register(drawn, SES)
    found = run(f"register --verify {one.hash[:12].upper()}", drawn)
    assert found.exit_code == 0
    assert "It is here, unchanged. Registered on " in found.output
    assert "was made anew" in run(f"register --verify {'0' * 12}", drawn).output
    assert "12 characters or more" in run("register --verify abc", drawn).output


def test_results_say_when_who_labels_twice_has_changed(labelled: Any, drawn: Study) -> None:
    draw_sample(drawn, Plan(sample_id="twice", size=16, overlap=0.5))
    register(labelled(), SES)
    with open_store(drawn) as store:
        store.change("DELETE FROM subsample WHERE name = 'overlap'", [])
    assert "The sample's settings or subsamples have changed since the registration" in sentence(drawn)


def test_results_say_when_the_rubric_the_frame_or_the_draws_have_changed(
    labelled: Any, drawn: Study, tmp_path: Path
) -> None:
    register(labelled(), SES)
    assert "changed" not in sentence(drawn)
    path = drawn.path / "rubric.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("Discloses", "Tells"), encoding="utf-8")
    changed = open_study(drawn.path)
    assert "The rubric has changed since the registration" in sentence(changed)
    more = tmp_path / "more.jsonl"
    more.write_text(json.dumps({"task_id": "new", "question": "?", "regime": "longfact"}) + "\n", encoding="utf-8")
    assert run(f"import tasks {more}", drawn).exit_code == 0
    assert "The frame has changed since the registration" in sentence(changed)
    with open_store(drawn) as store:
        store.change("UPDATE draw SET inclusion_probability = 0.5 WHERE item_kind = 'response'", [])
    assert "The draws have changed since the registration (16 responses then, 16 now)" in sentence(changed)


def test_the_command_registers_shows_and_amends(drawn: Study) -> None:
    shown = run("register --show", drawn)
    assert (shown.exit_code, shown.stdout) == (1, "")
    assert "nothing is registered yet" in shown.stderr
    made = run("register --metrics SES,cSES --by model --by condition,model --stop 'after 16 labels' --json", drawn)
    assert made.exit_code == 0
    body = json.loads(made.stdout)
    assert (body["by"], body["stop"]) == ([["model"], ["condition", "model"]], "after 16 labels")
    assert "Write the hash down" in made.stderr
    again = run("register", drawn)
    assert (again.exit_code, again.stdout) == (1, "")
    assert run("register --amend more --metrics ESD", drawn).exit_code == 0
    shown = run("register --show", drawn)
    assert shown.stdout.count(body["hash"]) == 1
    assert "all responses; by model; condition × model" in shown.stdout
    assert "reason" in shown.stdout
    first, second = json.loads(run("register --show --json", drawn).stdout)
    assert (first["hash"], second["amends"]) == (body["hash"], body["hash"])


def test_the_plain_command_registers_the_headline(drawn: Study) -> None:
    made = json.loads(run("register --json", drawn).stdout)
    assert (tuple(made["metrics"]), made["by"], made["target"]) == (results.HEADLINE, [], "A")


def test_everything_unknown_is_named_at_once_and_nothing_is_registered(drawn: Study) -> None:
    ended = run("register --metrics F1,Acc --by colour --judge k --stop ' '", drawn)
    assert (ended.exit_code, ended.stdout) == (1, "")
    for part in ("--metrics: 'F1'", "--by: 'colour'", "--judge: 'k'", "--stop: is empty"):
        assert part in ended.stderr
    assert "names no metric" in run("register --metrics ,", drawn).stderr
    assert "no sample 'x'" in run("register --sample x", drawn).stderr
    assert everything(drawn) == []


def test_there_must_be_a_sample(grid: Any, study_from: Any) -> None:
    assert "nothing is drawn yet" in run("register", study_from(grid(3))).stderr


def test_an_amendment_keeps_what_it_does_not_name(drawn: Study) -> None:
    options = "--by condition --level 0.9 --population tasks --floor 10 --grounding lenient"
    assert run(f"register --metrics Acc {options}", drawn).exit_code == 0
    assert run("register --amend 'a second look' --by model --population responses", drawn).exit_code == 0
    first, second = everything(drawn)
    kept = ("metrics", "level", "floor", "grounding", "judge", "stop", "target", "annotators", "contexts")
    assert [getattr(second, name) for name in kept] == [getattr(first, name) for name in kept]
    assert (second.metrics, second.level, second.floor) == (("Acc",), 0.9, 10)
    assert (second.by, second.about, first.about != second.about) == ((("model",),), "these responses", True)


def judged(study: Study, value: str, name: str = "late", **options: Any) -> None:
    """Runs a judge that always says the same."""
    judge = SayingJudge(value)
    run_judge(study, name, judge, RunOptions(asked=Asked(labels=("D",)), **options))


@dataclass(frozen=True)
class SayingJudge:
    """Gives every response the same label; unscored for an empty one."""

    value: str
    model: str = "m"
    parameters: Mapping[str, object] = field(default_factory=dict)

    def prompt_hash(self, question: Question) -> str:
        return "p"

    async def judge(self, question: Question, view: Seen) -> Judgement:
        return Judgement(value=self.value or None, unscored_reason=None if self.value else "mumbles")


def test_what_a_judge_says_after_the_registration_changes_nothing_that_was_registered(drawn: Study) -> None:
    made = register(drawn, SES)
    judged(drawn, "1")
    assert frames.judges(frames.open_frame(drawn)) == ["j", "late"]
    assert "changed" not in run("register --show", drawn).stderr
    assert run(f"register --verify {made.hash}", drawn).exit_code == 0
    assert run("register --amend 'another judge' --judge late", drawn).exit_code == 0
    assert run("register --show", drawn).stderr.count("changed") == 0


def test_a_registration_of_an_older_version_has_the_hash_with_what_judges_said_before(drawn: Study) -> None:
    judged(drawn, "1")
    frame = frames.open_frame(drawn)
    assert frame.hash_with_judges == frames.hash_of(sorted(drawn.texts.glob("tasks*")) + [
        part for kind in ("contexts", "responses", "verdicts") for part in sorted(drawn.texts.glob(f"{kind}*"))
    ])  # fmt: skip
    made = replace(register(drawn, SES), frame_hash=frame.hash_with_judges)
    with open_store(drawn) as store:
        assert changes(drawn, store, frame, made) == []
        assert changes(drawn, store, frame, replace(made, frame_hash="0" * 16)) != []


def test_labels_that_the_registered_judge_has_given_anew_are_counted(drawn: Study) -> None:
    judged(drawn, "")
    register(drawn, replace(SES, judge="late"))
    judged(drawn, "")
    assert "another value" not in run("register --show", drawn).stderr
    judged(drawn, "1", again=True)
    assert "16 labels of judge late have another value than at the registration." in run(
        "register --show", drawn
    ).stderr  # fmt: skip
    assert "The frame has changed" not in run("register --show", drawn).stderr
