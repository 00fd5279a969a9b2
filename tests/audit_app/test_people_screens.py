"""The leads' screens about people and their work: what they show, and that every button does what its action does."""

import re
from collections.abc import Callable
from html import unescape
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from audit_app.actions import people
from audit_app.actions.answers import Refused
from audit_app.actions.people import add_person
from audit_app.actions.progress import progress
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
from audit_app.actions.sign_in import enter, person_of
from audit_app.gate import COOKIE
from audit_app.launch import STUDY
from audit_app.page import first_page, pages
from data.records import Person
from data.store import people as stored_people
from data.store.connection import open_store
from data.study import Study
from tests.audit_app.conftest import PATIENCE

EVIL = "<img src=x onerror=alert(1)> ![p](http://evil.example/p.png) **b** $1 :red[r] </td>"
SignIn = Callable[..., str]


def people_screen() -> None:
    from audit_app.screens.people import render

    render()


def assignments_screen() -> None:
    from audit_app.screens.assignments import render

    render()


def whole_page() -> None:
    from audit_app.page import main

    main()


@pytest.fixture
def study(study_from: Any, grid: Any, monkeypatch: pytest.MonkeyPatch) -> Study:
    made: Study = study_from(grid(6, conditions=("clean",)), labels=["D", "G"])
    draw_sample(made, Plan(size=None, overlap=0))
    monkeypatch.setenv(STUDY, str(made.path))
    return made


@pytest.fixture
def as_(study: Study, monkeypatch: pytest.MonkeyPatch) -> SignIn:
    """Somebody new looks at the screens; their session."""

    def sign_in(person_id: str, role: str = "lead", name: str = "Demo lead") -> str:
        link = add_person(study, name, role=role, person_id=person_id).link
        secret = enter(study, link.rsplit("/", 1)[1])
        assert secret
        here = SimpleNamespace(cookies={COOKIE: secret}, headers={}, url="https://audit.example/people")
        monkeypatch.setattr(st, "context", here)
        return secret

    return sign_in


def opened(screen: Callable[[], None]) -> AppTest:
    app = AppTest.from_function(screen, default_timeout=PATIENCE).run()
    assert not app.exception
    return app


def text(app: AppTest) -> str:
    shown = [block.value for block in app.html if "<style>" not in block.value]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", " ".join(shown))))


def click(app: AppTest, label: str) -> AppTest:
    """Clicks a button and draws the screen again, as a browser does."""
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def found(study: Study, person_id: str) -> Person:
    with open_store(study) as store:
        person = stored_people.find(store, person_id)
    assert person
    return person


def choose(app: AppTest, person_id: str) -> AppTest:
    app.selectbox(key="person").select(person_id).run()
    assert not app.exception
    return app


def test_alone_the_lead_is_told_what_to_do_first(study: Study, as_: SignIn) -> None:
    as_("lead")
    assert "Nobody can label yet. Invite somebody below" in text(opened(people_screen))


def test_somebody_is_invited_and_the_link_is_shown_until_it_is_put_away(study: Study, as_: SignIn) -> None:
    as_("lead")
    app = opened(people_screen)
    app.text_input[0].set_value(EVIL)
    app.multiselect(key="invite-teams").select("evidence")
    click(app, "Invite")
    (link,) = [code.value for code in app.code]
    assert link.startswith("https://audit.example/in/")
    person = person_of(study, enter(study, link.rsplit("/", 1)[1]))
    assert person
    assert (person.display_name, person.teams) == (EVIL, ("evidence",))
    assert "<img" not in " ".join(block.value for block in app.html if "<style>" not in block.value)
    assert "1 person can label" in text(app)
    app.run()
    assert len(app.code) == 1
    click(app, "I have copied it")
    assert len(app.code) == 0


def test_an_empty_name_is_refused_in_a_sentence(study: Study, as_: SignIn) -> None:
    as_("lead")
    app = click(opened(people_screen), "Invite")
    assert "Nothing was changed: give a name." in text(app)
    assert "Nothing was changed" not in text(app.run())


def test_the_table_says_how_far_everybody_is(study: Study, as_: SignIn, person_in: Any, desk: Any) -> None:
    as_("lead")
    ann = desk(study, person_in(study, "ann"))
    for _ in range(3):
        ann.answer(ann.view(), ann.view()["label"]["values"][0]["value"], active_seconds=7.0)
    add_person(study, "Ánn", person_id="ann2")
    shown = text(opened(people_screen))
    assert "ann annotator all active link 1 1 14 s an item never" in shown
    assert "“ann” can be taken for “Ánn” (ann2)." in shown


def test_pausing_resuming_and_revoking(study: Study, as_: SignIn, person_in: Any, desk: Any) -> None:
    as_("lead")
    desk(study, person_in(study, "ann")).view()
    app = choose(opened(people_screen), "ann")
    click(app, "Pause")
    assert found(study, "ann").status == "paused"
    assert "ann: annotator, paused. Given back: 1 item begun without an answer." in text(app)
    click(app, "Resume")
    assert found(study, "ann").status == "active"
    click(app, "Revoke access")
    assert found(study, "ann").status == "revoked"
    click(app, "Make a new link")
    assert found(study, "ann").status == "active"
    assert enter(study, app.code[0].value.rsplit("/", 1)[1])


def test_role_and_teams_are_changed(study: Study, as_: SignIn, person_in: Any) -> None:
    as_("lead")
    person_in(study, "ann")
    app = choose(opened(people_screen), "ann")
    app.selectbox(key="role-ann").select("adjudicator")
    app.multiselect(key="teams-ann").select("context")
    click(app, "Save")
    changed = found(study, "ann")
    assert (changed.role, changed.teams) == ("adjudicator", ("context",))


def test_a_new_name_that_looks_like_anothers_is_warned_about(study: Study, as_: SignIn, person_in: Any) -> None:
    as_("lead")
    for name in ("ann", "ben"):
        person_in(study, name)
    app = choose(opened(people_screen), "ben")
    app.text_input(key="name-ben").set_value("Аnn")  # a Cyrillic letter
    click(app, "Save")
    assert found(study, "ben").display_name == "Аnn"
    assert "can be taken for" in text(app)


def test_accounts_are_registered_where_the_organisation_signs_people_in(
    study: Study, as_: SignIn, person_in: Any
) -> None:
    as_("lead")
    assert not [one for one in opened(people_screen).text_input if "E-mail" in one.label]
    with (study.path / "study.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[oidc]\nissuer = "https://login.example"\nclient_id = "a"\naddress = "https://a.example"\n')
    app = opened(people_screen)
    app.text_input[0].set_value("Ann")
    app.text_input(key="invite-email").set_value(" Ann@Example.org ")
    click(app, "Invite")
    (ann,) = [each for each in progress(study) if each.person.display_name == "Ann"]
    assert ann.email == "ann@example.org"
    who = ann.person.person_id
    with open_store(study) as store:
        stored_people.bind_account(store, who, "https://login.example", "subject")
    app = choose(opened(people_screen), who)
    assert app.text_input(key=f"email-{who}").value == "ann@example.org"
    click(app, "Save")
    with open_store(study) as store:
        assert stored_people.of_account(store, "https://login.example", "subject"), "the same address unties nothing"
    app.text_input(key=f"email-{who}").set_value("nonsense")
    click(app, "Save")
    assert "Nothing was changed: e-mail address 'nonsense'" in text(app)
    app.text_input(key=f"email-{who}").set_value("ann.lee@example.org")
    click(app, "Save")
    with open_store(study) as store:
        assert stored_people.emails(store) == {who: "ann.lee@example.org"}
        assert stored_people.of_account(store, "https://login.example", "subject") is None


def test_a_lead_cannot_lock_themselves_out_on_the_screen(study: Study, as_: SignIn) -> None:
    as_("lead")
    app = choose(opened(people_screen), "lead")
    assert next(button for button in app.button if button.label == "Pause").disabled
    assert app.selectbox(key="role-lead").disabled


def test_work_in_hand_is_taken_away_or_given_to_somebody(study: Study, as_: SignIn, person_in: Any, desk: Any) -> None:
    as_("lead")
    ann, ben = desk(study, person_in(study, "ann")), desk(study, person_in(study, "ben"))
    one = ann.view()["assignment_id"]
    app = opened(assignments_screen)
    assert "1 in hand" in text(app)
    app.selectbox(key="one-to").select("ben")
    click(app, "Take it away from them")
    assert "it is kept for them" in text(app)
    assert ben.view()["assignment_id"] == one
    app.run()
    click(app, "Take it away from them")
    assert "whoever asks next may have it" in text(app)
    assert ann.view()["assignment_id"] == one


def test_a_lead_who_adjudicates_sees_no_ids_of_the_data_in_assignments(
    study: Study, as_: SignIn, person_in: Any, desk: Any
) -> None:
    as_("lead")
    desk(study, person_in(study, "ann")).view()
    app = opened(assignments_screen)
    drawn = text(app) + " ".join(str(option) for box in app.selectbox for option in box.options)
    assert "no. 1" in drawn
    assert "t0" not in drawn
    assert "baseline" not in drawn
    with open_store(study) as store:
        stored_people.results_opened(store, "lead")
    assert ".clean.wren.baseline" in text(opened(assignments_screen)), "whoever opened results decides nothing"


def test_dealt_work_is_dealt_again_or_handed_over(study: Study, as_: SignIn, person_in: Any) -> None:
    as_("lead")
    for name in ("ann", "ben"):
        person_in(study, name)
    app = opened(assignments_screen)
    assert "Nothing is dealt" in text(app)
    click(app, "Deal again at random")
    assert "Dealt 6 openings to 2 annotators" in text(app)
    app.selectbox(key="from").select("ann")
    app.selectbox(key="to").select("ben")
    click(app, "Hand over")
    assert "openings went over." in text(app)
    assert "ben 6" in text(app)
    people.pause(study, "ann")
    click(app, "Deal again at random")
    assert "Nothing was changed: dealing needs two active annotators" in text(app)


def test_without_a_plan_the_screen_says_what_comes_first(
    study_from: Any, as_: SignIn, monkeypatch: pytest.MonkeyPatch, study: Study
) -> None:
    empty = study_from({}, name="empty")
    link = add_person(empty, "Lead", role="lead").link
    monkeypatch.setenv(STUDY, str(empty.path))
    cookies = {COOKIE: enter(empty, link.rsplit("/", 1)[1])}
    monkeypatch.setattr(st, "context", SimpleNamespace(cookies=cookies, headers={}, url=None))
    assert "Nothing is planned yet" in text(opened(assignments_screen))


@pytest.mark.parametrize("screen", [people_screen, assignments_screen])
@pytest.mark.parametrize("role", ["annotator", "adjudicator"])
def test_nobody_but_leads_sees_anything_even_where_the_screen_is_drawn(
    study: Study, as_: SignIn, screen: Callable[[], None], role: str
) -> None:
    as_("somebody", role)
    person = found(study, "somebody")
    assert not {"People", "Assignments", "Report"} & {title for title, _, _ in pages(person)}
    shown = text(opened(screen))
    assert "Only leads may do this." in shown
    assert "somebody" not in shown


@pytest.mark.parametrize(
    ("teams", "page"),
    [((), "label"), (("context",), "context"), (("evidence",), "label"), (("evidence", "context"), "label")],
)
def test_whoever_only_audits_contexts_begins_there(teams: tuple[str, ...], page: str) -> None:
    assert first_page(Person(person_id="p", display_name="P", role="annotator", teams=teams)) == page
    assert first_page(Person(person_id="p", display_name="P", role="adjudicator", teams=teams)) == "adjudicate"


def report_page() -> None:
    from audit_app.page import report

    report()


def test_results_are_opened_by_a_button_that_says_what_it_means(study: Study, as_: SignIn) -> None:
    as_("lead")
    assert first_page(found(study, "lead")) == "people"
    unseal(study, "a test")
    opened(people_screen)
    app = opened(report_page)
    assert "you will get no assignments and no adjudication" in text(app)
    assert "Acc" not in text(app)
    assert found(study, "lead").results_opened_at is None
    assert found(study, "lead").may_adjudicate
    click(app, "Open results")
    assert "Acc" in text(app)
    assert found(study, "lead").results_opened_at
    assert not found(study, "lead").may_adjudicate
    assert first_page(found(study, "lead")) == "report"


def test_what_is_sealed_is_no_result_to_have_opened(study: Study, as_: SignIn) -> None:
    as_("lead")
    for path, screen in ((path, screen) for _, path, screen in pages(found(study, "lead"))):
        if path in ("report", "compare", "judge", "agreement"):
            screen()
    assert "Results are sealed" in text(opened(report_page))
    assert found(study, "lead").results_opened_at is None


@pytest.mark.parametrize("path", ["report", "compare", "judge", "agreement"])
def test_results_are_refused_by_the_action_not_by_the_menu(study: Study, as_: SignIn, path: str) -> None:
    as_("lead")
    by_path = {path: screen for _, path, screen in pages(found(study, "lead"))}
    as_("ann", "annotator", "Ann")
    with pytest.raises(Refused, match="Only leads"):
        by_path[path]()


def test_a_session_that_ended_shows_nothing_more(study: Study, as_: SignIn) -> None:
    as_("lead")
    people.revoke(study, "lead")
    assert "signed out" in text(opened(whole_page))
    as_("ann", "annotator", "Ann")
    people.pause(study, "ann")
    assert "paused" in text(opened(whole_page))


def rounds_screen() -> None:
    from audit_app.screens.rounds import render

    render()


def test_the_rounds_show_what_changed_in_the_rubric(study: Study, as_: SignIn) -> None:
    as_("lead")
    assert "nobody" not in text(opened(rounds_screen))
    path = study.path / "rubric.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('version = "1"', "version = '<b>2'"), encoding="utf-8")
    app = opened(rounds_screen)
    assert "nobody has worked under it yet" in text(app)
    assert '-version = "1"' in app.code[0].value
    assert not any("<b>2" in block.value for block in app.html)


def test_earlier_answers_are_asked_again_and_taken_back_by_buttons(
    study: Study, as_: SignIn, person_in: Any, desk: Any
) -> None:
    as_("lead")
    desk(study, person_in(study, "ann")).finish(lambda view: "1" if view["label"]["name"] == "D" else "not_supported")
    assert "Ask again" not in text(opened(rounds_screen))
    path = study.path / "rubric.toml"
    path.write_text("# clearer\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    app = opened(rounds_screen)
    assert "12 answers on finished items were given under earlier versions." in text(app)
    app.multiselect(key="again-labels").set_value(["G"])
    click(app, "Ask them again")
    assert "6 answers on 6 items are asked again" in text(app)
    assert "Asked again and not answered yet: 6 answers on 6 items." in text(app)
    click(app, "Ask no more")
    assert "6 answers on 6 items are asked no more" in text(app)
    assert not any(button.label == "Ask no more" for button in app.button)
