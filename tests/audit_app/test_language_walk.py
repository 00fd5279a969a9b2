"""The screens of leads and the pages of the door in a made-up language: what is not in it is in no catalogue.

The made-up catalogue wraps what stands between the placeholders of each sentence, as in "⟦Judge ⟧{judge}". What is
left outside is data of the study, or a sentence that somebody forgot to give through the catalogue.
"""

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from html import unescape
from pathlib import Path
from string import Formatter
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from babel.messages.catalog import Catalog
from starlette.responses import Response
from streamlit.testing.v1 import AppTest

from audit_app import forms, gate, language, notice
from audit_app.actions import people, sign_in
from audit_app.actions.ablating import Samples, ablate, known
from audit_app.actions.agreeing import import_set
from audit_app.actions.answers import Refused
from audit_app.actions.canary_run import run_canaries
from audit_app.actions.demo import Demo
from audit_app.actions.judge_trials import note_ablation, trials
from audit_app.actions.people import add_person
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.sign_in import enter
from audit_app.language import speaking
from audit_app.launch import STUDY
from audit_app.reasons import DEFINED, TOLD, told
from data import frame as frames
from data.canaries import PREFIX, canaries
from data.errors import StudyProblem
from data.records import Person
from data.store.connection import open_store
from data.store.people import everyone, results_opened
from data.study import Study, init_study, open_study
from judge.harness import Answer, Harness
from judge.samples import Sample
from metrics.definitions import METRICS
from tests.audit_app.conftest import PATIENCE

SIGNS = [*METRICS, "AC1", "AC2", "F1", "MCC", "SE", "UTC", "rho_int", "logit-t", "Dirichlet-multinomial", "PABAK"]
"""Names of metrics and signs that are the same in every language."""


def wrapped(sentence: str) -> str:
    """The sentence with all its words in brackets, and its placeholders as they are."""
    found = ""
    for words, name, spec, conversion in Formatter().parse(sentence):
        words = words.replace("{", "{{").replace("}", "}}")
        found += f"⟦{words}⟧" if re.search("[A-Za-z]", words) else words
        if name is not None:
            found += "{" + name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "") + "}"
    return found


def made_up(real: Callable[[str], Catalog]) -> Callable[[str], Catalog]:
    def catalogue(name: str) -> Catalog:
        found = real(name)
        for message in found:
            if message.id:
                forms = message.id if isinstance(message.id, tuple | list) else (message.id,)
                said = [wrapped(form) for form in forms]
                message.string = tuple([*said, *said[-1:] * 6][:6]) if len(said) > 1 else said[0]
        return found

    return catalogue


@pytest.fixture(autouse=True)
def speech(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Everything is said in the made-up language, in place of the one that is not English."""
    monkeypatch.setattr(language, "catalogue", made_up(language.catalogue))
    for kept in (language._translations, language._sentences_of_scripts):
        kept.cache_clear()
    language.use("ar")
    yield
    language.use("en")
    for kept in (language._translations, language._sentences_of_scripts):
        kept.cache_clear()


def draw(name: str) -> None:
    from importlib import import_module

    from audit_app import language, page

    language.use("ar")
    if name in ("report", "judge", "agreement", "compare"):
        getattr(page, name)()
    else:
        import_module(f"audit_app.screens.{name}").render()


@pytest.fixture
def show(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """A screen of a study, for a lead who has opened results or not yet, with some of its parts open."""

    def shown(study: Study, name: str, *parts: str, opened: bool = True) -> AppTest:
        monkeypatch.setenv(STUDY, str(study.path))
        with open_store(study) as store:
            leads = [person for person in everyone(store) if person.role == "lead"]
        link = people.new_link(study, leads[0].person_id) if leads else add_person(study, "Demo lead", role="lead")
        if opened:
            with open_store(study) as store:
                results_opened(store, link.person_id)
        cookies = {gate.COOKIE: enter(study, link.link.rsplit("/", 1)[1])}
        monkeypatch.setattr(st, "context", SimpleNamespace(cookies=cookies, headers={}, url="https://a.example/x"))
        app = AppTest.from_function(draw, default_timeout=PATIENCE, args=(name,))
        for part in parts:
            app.session_state[part] = True
        app.run()
        assert not app.exception
        return app

    return shown


WORDS = ("label", "help", "placeholder", "options", "body")


def visible(app: AppTest) -> Iterator[str]:
    """Every text of a screen: of our own HTML also the labels that only a narrow screen shows."""
    for element in app.main:
        yield from _texts(element)


def _texts(node: Any) -> Iterator[str]:
    proto = getattr(node, "proto", None)
    if getattr(node, "type", "") == "html":
        yield from texts_of(node.value)
    elif getattr(node, "type", "") != "code":
        for name in WORDS:
            said = getattr(proto, name, None) or getattr(getattr(proto, "expandable", None), name, None)
            yield from [said] if isinstance(said, str) else list(said or ()) if name == "options" else []
    for child in getattr(node, "children", {}).values():
        yield from _texts(child)


def texts_of(page: str) -> Iterator[str]:
    page = re.sub(r"(?s)<(style|code|script)\b.*?</\1>", " ", page)
    yield from map(unescape, re.findall(r'(?:aria-label|data-label|title|placeholder)="([^"]*)"', page))
    yield from map(unescape, re.sub(r"<[^>]*>", "\n", page).split("\n"))


def data_of(study: Study) -> list[str]:
    """What is written on screens as it is: names, ids, values of the study and texts of its rubric."""
    study = open_study(study.path)
    found = [study.name, study.rubric.hash, *SIGNS]
    for question in study.rubric.questions:
        found += [question.name, question.title, *(value.text for value in question.values)]
        found += [value.value for value in question.values]
    with open_store(study) as store:
        found += [name for person in everyone(store) for name in (person.display_name, person.person_id)]
        found += [str(row["item_id"]) for row in store.rows("SELECT item_id FROM item")]
        found += [str(row["sample_id"]) for row in store.rows("SELECT sample_id FROM sample")]
        found += [str(row["rubric_hash"]) for row in store.rows("SELECT rubric_hash FROM round")]
    with suppress(StudyProblem):  # an empty study has none
        frame = frames.open_frame(study)
        counts = frames.pattern_counts(frame, None, frames.SLICES)
        found += frames.context_rows(frame)["context_id"].tolist()
        found += [*frames.judges(frame), *(str(v) for name in frames.SLICES for v in set(counts[name]))]
    return sorted({one for one in found if len(one) > 1}, key=len, reverse=True)


def unsaid(texts: Iterable[str], data: Iterable[str]) -> list[str]:
    """The texts with words that are neither wrapped nor data."""
    known = re.compile("|".join(rf"(?<!\w){re.escape(one)}(?!\w)" for one in data) or "(?!)")
    left = {text: known.sub(" ", re.sub(r"⟦[^⟦⟧]*⟧", " ", text)) for text in texts}
    return sorted({text for text, rest in left.items() if re.search(r"[A-Za-z]{2}", rest)})


def test_what_is_unsaid_is_found() -> None:
    said = ["⟦Judge ⟧wren", "Judge wren", "⟦Judge ⟧wren may be trusted", "12.3 %"]
    assert unsaid(said, ["wren"]) == ["Judge wren", "⟦Judge ⟧wren may be trusted"]


def check(study: Study, *apps: AppTest) -> None:
    left = unsaid([text for app in apps for text in visible(app)], data_of(study))
    assert not left, "\n".join(left)


RESULTS = ("report", "judge", "agreement", "compare")
PARTS = ("budgets", "contexts", "leaks", "coefficients", "pairs", "annotators", "consensus")


@pytest.mark.parametrize("name", [*RESULTS, "people", "assignments", "rounds", "settings", "adjudicate"])
def test_a_study_with_nothing_in_it(show: Any, tmp_path: Any, name: str) -> None:
    study = init_study(tmp_path / "empty", name="Nothing yet")
    check(study, show(study, name))


@pytest.mark.parametrize("name", [*RESULTS, "people", "assignments", "rounds", "settings", "adjudicate"])
def test_a_study_that_is_drawn_and_sealed(
    show: Any, study_from: Any, grid: Any, person_in: Any, desk: Any, name: str
) -> None:
    study = study_from(grid(6, models=("wren", "larch")))
    draw_sample(study, Plan(size=None, overlap=0.5))
    for one in ("ann", "ben"):
        person_in(study, one)
    desk(study, person_in(study, "cy")).view()
    check(study, show(study, name))


@pytest.mark.parametrize("name", [*RESULTS, "people", "assignments", "rounds", "settings", "adjudicate"])
def test_a_study_that_is_done(show: Any, finished_demo: Demo, name: str) -> None:
    check(finished_demo.study, show(finished_demo.study, name, *PARTS))


def test_every_choice_of_the_report(show: Any, finished_demo: Demo) -> None:
    app = show(finished_demo.study, "report")
    app.toggle(key="taxonomy").set_value(True)
    app.multiselect(key="by").select("model")
    app.selectbox(key="grounding").select("lenient").run()
    check(finished_demo.study, app)
    app.multiselect(key="by").set_value([])
    app.selectbox(key="annotators").select("annotators like these")
    app.selectbox(key="about").select("such tasks")
    app.selectbox(key="average").select("regimes")
    app.session_state["budgets"] = True
    app.run()
    check(finished_demo.study, app)
    app.session_state["budgets"], app.session_state["contexts"] = False, True
    app.selectbox(key="target").select("B").run()
    check(finished_demo.study, app)


def test_slices_of_the_judge_and_of_agreement(show: Any, finished_demo: Demo) -> None:
    judge, agreement = (show(finished_demo.study, name) for name in ("judge", "agreement"))
    judge.multiselect(key="judge-by").select("condition").run()
    agreement.multiselect(key="agreement-by").select("model")
    agreement.toggle(key="agreement-weighted").set_value(True).run()
    check(finished_demo.study, judge, agreement)


def test_labels_that_are_lent(show: Any, finished_demo: Demo) -> None:
    app = show(finished_demo.study, "report")
    app.multiselect(key="by").set_value(["model", "condition"]).run()
    app.selectbox(key="borrow").select("condition").run()
    check(finished_demo.study, app)


def test_results_that_are_about_to_be_opened(show: Any, tmp_path: Any) -> None:
    study = init_study(tmp_path / "empty", name="Nothing yet")
    app = show(study, "report", opened=False)
    assert [button.label for button in app.button] == ["⟦Open results⟧"]
    check(study, app)


def judge(*, leaks: bool = False, reads: bool = True) -> Harness:
    """Finds supported what a passage says; or also what the gold answer says; or whatever it is asked about."""

    def score(sample: Sample) -> Answer:
        said = [*(passage["text"] for passage in sample["passages"]), *([sample["gold_answer"]] if leaks else [])]
        return Answer(float(not reads or sample["response"] in said))

    return lambda asked: map(score, asked)


def samples(n: int) -> Samples:
    texts = [f"answer {k}" for k in range(n)]
    return Samples(
        samples=tuple(
            Sample(id=str(k), question=f"question {k}", response=text, gold_answer=text, gold_aliases=[],
                   passages=[{"text": text if k % 2 else "nothing"}], instruction="")
            for k, text in enumerate(texts)
        ),
        tasks=tuple(f"task {k}" for k in range(n)),
    )  # fmt: skip


def tried(study: Study) -> list[str]:
    """Puts judges to every test there is, with every outcome; what was recorded."""
    with speaking("en"):
        metrics = known(study.rubric, ["faithfulness"])
        tests = [(judge(), 150), (judge(leaks=True), 60), (judge(reads=False), 150), (judge(), 4), (judge(), 40)]
        for k, (harness, n) in enumerate(tests):
            (found,) = ablate(harness, samples(n), metrics, repeats=1).metrics
            note_ablation(study, f"wren {k}", found.metric, passed=found.passed, sentence=found.sentence)
        for harness, who, renew in (
            (judge(), "owl", False),
            (judge(), "owl", False),
            (judge(reads=False), "owl", False),
            (judge(), "lark", False),
            (judge(reads=False), "lark", True),
        ):
            run_canaries(harness, who, "G", study, repeats=1, renew=renew)
        return [one.sentence for one in trials(study)]


def test_judges_beside_each_other_and_what_came_out_of_tests_of_them(show: Any, demo_copy: Study) -> None:
    said = tried(demo_copy)
    findings = [
        "leaks",
        "does not look at",
        "is wired",
        "samples to tell",
        "baseline of owl",
        "finds more",
        "finds no more",
    ]
    assert all(any(one in sentence for sentence in said) for one in findings)
    names = ["faithfulness", "wren", "owl", "lark", *(canary.item_id.removeprefix(PREFIX) for canary in canaries())]
    assert unsaid(map(told, said), [*names, *SIGNS, "evidence-audit judge ablate"]) == []
    app = show(demo_copy, "judge")
    app.toggle(key="judges-compared").set_value(True).run()
    left = unsaid(visible(app), [*data_of(demo_copy), *names])
    assert not left, "\n".join(left)


@pytest.mark.parametrize("by", ["model", "judge", "condition"])
def test_every_comparison(show: Any, finished_demo: Demo, by: str) -> None:
    app = show(finished_demo.study, "compare")
    app.selectbox(key="compare_by").select(by)
    app.toggle(key="compare_details").set_value(True).run()
    check(finished_demo.study, app)


def test_what_is_done_with_people_and_work(show: Any, study_from: Any, grid: Any, person_in: Any, desk: Any) -> None:
    study = study_from(grid(6, conditions=("clean",)), labels=["D", "G"])
    draw_sample(study, Plan(size=None, overlap=0))
    for one in ("ann", "ben", "Ánn"):
        person_in(study, one) if one != "Ánn" else add_person(study, one)
    desk(study, person_in(study, "cy")).view()
    app = show(study, "people")
    for press in ("Invite", "Pause", "Resume", "Sign out everywhere", "Revoke access", "Make a new link"):
        if press == "Pause":
            app.selectbox(key="person").select("cy").run()
        click(app, press)
        check(study, app)
    work = show(study, "assignments")
    for press in ("Deal again at random", "Hand over", "Deal again at random"):
        click(work, press)
        check(study, work)


def test_what_cannot_be_done_and_what_is_taken_away(
    show: Any, study_from: Any, grid: Any, person_in: Any, desk: Any, give_labels: Any, label_rows: Any
) -> None:
    study = study_from(grid(4, conditions=("clean",)), labels=["C"])
    with (study.path / "study.toml").open("a") as settings:
        settings.write('\n[oidc]\nissuer = "https://a.example"\nclient_id = "a"\naddress = "https://b.example"\n')
    draw_sample(study, Plan(size=None, overlap=1.0))
    for who, value in (("ann", "1"), ("ben", "0")):
        give_labels(study, label_rows(who, {"t00.clean.wren.baseline": {"C": value}}))
    desk(study, person_in(study, "cy")).view()
    work, staff = show(study, "assignments"), show(study, "people")
    check(study, show(study, "adjudicate"))
    click(work, "Take it away from them")
    check(study, work)
    staff.text_input(key="invite-email").set_value("nonsense")
    click(staff, "Invite")
    staff.selectbox(key="person").select("cy").run()
    click(staff, "Save")
    check(study, staff)


def test_a_round_of_calibration(
    show: Any, study_from: Any, grid: Any, person_in: Any, desk: Any, tmp_path: Any
) -> None:
    study = study_from(grid(4, conditions=("clean",)), labels=["C"])
    draw_sample(study, Plan(size=2, overlap=0, floor=1))
    with open_store(study) as store:
        drawn = {row["task_id"] for row in store.rows("SELECT task_id FROM item")}
    free = [f"t{n:02}.clean.wren.baseline" for n in range(4) if f"t{n:02}" not in drawn]
    rows = [{"response_id": item, "label": "C", "value": "1", "reason": "REASON"} for item in free]
    path = tmp_path / "agreed.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    import_set(study, path)
    check(study, show(study, "people"))
    ann, ben = (desk(study, person_in(study, one)) for one in ("ann", "ben"))
    said = []
    for one, value in ((ann, "1"), (ben, "0")):
        for _item in free:
            said.append(one.answer(one.view(), value))
        said += [one.view(), {**desk(study, one.person, "context").view()}]
    check(study, show(study, "people"))
    left = unsaid(told_to(said), [*data_of(study), "REASON"])
    assert not left, "\n".join(left)


SAID = {"reason", "outcome"}
"""Fields of an answer of a route that hold sentences."""


def told_to(found: Any) -> Iterator[str]:
    """The sentences in the answer of a route."""
    for name, value in found.items() if isinstance(found, dict) else enumerate(found):
        if isinstance(value, dict | list):
            yield from told_to(value)
        elif isinstance(value, str) and name in SAID:
            yield value


REFUSED: list[tuple[dict[str, Any], int]] = [
    ({"value": "7"}, 422),
    ({"label": "Z"}, 422),
    ({"client_seq": "x"}, 422),
    ({"label": "skip"}, 422),
    ({"label": "skip", "comment": "other"}, 422),
    ({"value": "cannot_judge"}, 422),
    ({"comment": "\ud800"}, 422),
    ({"evidence": "x"}, 422),
    ({"evidence": ["x"]}, 422),
    ({"evidence": [{"passage": "1", "start": 0, "end": 1, "text": "p"}]}, 422),
    ({"evidence": [{"passage": 9, "start": 0, "end": 1, "text": "p"}]}, 422),
    ({"evidence": [{"passage": 1, "start": 0, "end": 1, "text": "x"}]}, 422),
    ({"assignment_id": "x"}, 403),
    ({"who": "x"}, 409),
]


def test_every_refusal_of_an_answer(study_from: Any, grid: Any, person_in: Any, desk: Any) -> None:
    study = study_from(grid(2, conditions=("clean",)), labels=["G"])
    draw_sample(study, Plan(size=None, overlap=0))
    ann = desk(study, person_in(study, "ann"))
    view, data = ann.view(), [*data_of(study), *study.rubric.skip_reasons, "client_seq", "passage", "start", "end"]
    for wrong, status in REFUSED:
        with pytest.raises(Refused) as refused:
            ann.answer(view, wrong.get("value", "not_supported"), **{k: v for k, v in wrong.items() if k != "value"})
        assert refused.value.status == status
        assert unsaid([str(refused.value)], [*data, "text"]) == []


def test_no_refusal_is_said_in_english_alone() -> None:
    """A sentence that a route answers with is given through the catalogue, whoever may see it."""
    for path in Path(gate.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Refused":
                assert not isinstance(call.args[1], ast.Constant | ast.JoinedStr), f"{path}:{call.lineno}"


def click(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == f"⟦{label}⟧").click().run()
    assert not app.exception


def test_a_rubric_that_has_changed(show: Any, study_from: Any, grid: Any, person_in: Any, desk: Any) -> None:
    study = study_from(grid(2))
    draw_sample(study, Plan(size=None))
    ann = desk(study, person_in(study, "ann"))
    ann.answer(ann.view(), "1")
    path = study.path / "rubric.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('version = "1"', 'version = "2"'), encoding="utf-8")
    check(study, show(study, "rounds"))


def test_the_pages_of_the_door() -> None:
    person = Person(person_id="ann", display_name="Ann", role="annotator")
    at = "2026-05-04T09:30:12+00:00"
    session = sign_in.Session(number=1, device="Firefox", created_at=at, seen_at=at, here=True)
    shown: list[Response] = [
        forms.sign_in_form("", 200),
        forms.account_page(person, (session,), own=True),
        forms.password_form(),
        notice.notice(language._("You are signed out"), language._(gate.SIGN_IN), more=gate.by_name()),
    ]
    texts = [text for page in shown for text in texts_of(bytes(page.body).decode())]
    assert unsaid(texts, ["Ann", "Firefox", "Evidence Audit", "English", "UTC"]) == []


def test_what_other_rooms_say_is_told_whole() -> None:
    assert unsaid([told("undefined: none of the 3 rows has a label of people and of the judge")], []) == []
    assert unsaid([told("refused: 3 labels in the denominator, 9 needed; label about 6 more")], []) == []
    assert told("something that nobody says") == "something that nobody says"


def test_no_pattern_is_twice_there() -> None:
    assert len(set(TOLD)) == len(TOLD)


def test_every_metric_is_told_as_it_is_defined() -> None:
    assert set(DEFINED) == {text for metric in METRICS.values() for text in (metric.title, metric.sentence)}
