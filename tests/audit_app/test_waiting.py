"""Leases, the daily limit, and why there is nothing to do: in words."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from audit_app.actions.answers import Refused
from audit_app.actions.labelling import renew
from audit_app.actions.sampling import Plan, draw_sample
from data.store.connection import open_store
from data.study import Study, open_study, replace_text

PAST = "2000-01-01T00:00:00"


def yes(view: dict[str, Any]) -> str:
    return str(view["label"]["values"][0]["value"])


@pytest.fixture
def study(grid: Any, study_from: Any) -> Study:
    """Two responses on two tasks, each for one person, D only."""
    made: Study = study_from(grid(2, conditions=("clean",)), labels=["D"])
    draw_sample(made, Plan(size=None, overlap=0))
    return made


def setting(study: Study, text: str) -> Study:
    replace_text(study.path / "study.toml", f"[labelling]\n{text}\n")
    return open_study(study.path)


def change(study: Study, sql: str) -> None:
    with open_store(study) as store:
        store.change(sql, ())


def keep(desk: Any, view: dict[str, Any], **more: Any) -> dict[str, Any]:
    return renew(desk.study, desk.person, {"assignment_id": view["assignment_id"], **more})


def lease_until(study: Study, view: dict[str, Any]) -> str:
    with open_store(study) as store:
        row = store.row("SELECT lease_until FROM assignment WHERE assignment_id = ?", [view["assignment_id"]])
    assert row
    return str(row["lease_until"])


def test_a_lease_is_as_long_as_the_study_says_and_work_makes_it_longer(study: Study, person_in: Any, desk: Any) -> None:
    ann = desk(setting(study, "lease_minutes = 2"), person_in(study, "ann"))
    view = ann.view()
    assert view["lease_seconds"] == 120
    change(study, f"UPDATE assignment SET lease_until = '{PAST}' WHERE state = 'claimed'")
    assert keep(ann, view) == {"lease_seconds": 120}
    until = datetime.fromisoformat(lease_until(study, view))
    assert timedelta(seconds=110) < until - datetime.now(UTC) <= timedelta(seconds=120)


def test_what_ran_out_is_taken_again_if_it_is_free_and_not_if_it_is_not(
    study: Study, person_in: Any, desk: Any
) -> None:
    ann, ben, cat = (desk(study, person_in(study, name)) for name in ("ann", "ben", "cat"))
    view = ann.view()
    change(study, f"UPDATE assignment SET lease_until = '{PAST}' WHERE state = 'claimed'")
    assert ann.answer(view, "1")["saved"]["value"] == "1"  # late, but nobody else has it
    change(study, "UPDATE assignment SET state = 'open', person_id = NULL WHERE state = 'claimed'")
    view = ben.view()
    change(study, f"UPDATE assignment SET lease_until = '{PAST}' WHERE state = 'claimed'")
    assert cat.view()["assignment_id"] == view["assignment_id"]
    for late in (lambda: keep(ben, view), lambda: ben.answer(view, "1")):
        with pytest.raises(Refused, match="somebody else has it now") as caught:
            late()
        assert caught.value.status == 403
    assert keep(cat, view)["lease_seconds"] == 1800


def test_finished_work_has_no_lease_and_gets_none(study: Study, person_in: Any, desk: Any) -> None:
    ann = desk(study, person_in(study, "ann"))
    view = ann.view()
    ann.answer(view, "1")
    with pytest.raises(Refused, match="finished already") as caught:
        keep(ann, view)
    assert caught.value.status == 409
    assert lease_until(study, view) == "None"
    with pytest.raises(Refused, match="Somebody else has signed in"):
        keep(ann, view, who="another")


def test_a_daily_limit_ends_the_day_but_not_what_is_begun(study: Study, person_in: Any, desk: Any) -> None:
    limited = setting(study, "daily_limit = 1")
    ann, ben = (desk(limited, person_in(study, name)) for name in ("ann", "ben"))
    view = ann.view()
    change(study, "UPDATE assignment SET state = 'open', person_id = NULL WHERE state = 'claimed'")
    view = ann.view()
    after = ann.answer(view, "1")["next"]
    assert after["state"] == "empty"
    assert "limit of 1 item a day" in after["reason"]
    assert "more for you" not in after["reason"]
    assert ben.view()["state"] == "view"
    change(study, "UPDATE assignment SET finished_at = '2020-01-01T12:00:00' WHERE state = 'done'")
    change(study, "UPDATE assignment SET state = 'open', person_id = NULL WHERE state = 'claimed'")
    assert ann.view()["state"] == "view"
    change(study, "UPDATE assignment SET finished_at = '2999-01-01T12:00:00' WHERE state = 'done'")
    assert ann.view()["state"] == "view"  # begun before the limit was reached


def test_a_skip_does_not_count_towards_the_limit(study: Study, person_in: Any, desk: Any) -> None:
    ann = desk(setting(study, "daily_limit = 1"), person_in(study, "ann"))
    assert ann.answer(ann.view(), None, label="skip", comment="unclear")["next"]["state"] == "view"


def test_what_is_dealt_to_others_is_named(study: Study, person_in: Any, desk: Any) -> None:
    ann, ben = desk(study, person_in(study, "ann")), person_in(study, "ben")
    change(study, f"UPDATE assignment SET reserved_for = '{ben.person_id}'")
    assert "2 assignments are left, but not for you: dealt to other people." in ann.view()["reason"]


def test_every_reason_why_work_is_not_for_somebody_is_counted(
    grid: Any, study_from: Any, person_in: Any, desk: Any
) -> None:
    study = study_from(grid(4), labels=["G"])
    draw_sample(study, Plan(size=None, overlap=1))
    ann, ben = desk(study, person_in(study, "ann")), person_in(study, "ben")
    for name in ("cat", "dan"):
        person_in(study, name)
    for _ in range(4):  # one context of every task; the other one is not for ann any more
        view = ann.view()
        ann.answer(view, "established")
    reason = ann.view()["reason"]
    assert "12 assignments are left, but not for you:" in reason
    assert "4 on items that you have labelled or skipped" in reason
    assert "8 on questions that you have read in another version" in reason
    change(study, "UPDATE assignment SET reserved_for = 'ben' WHERE state = 'open' AND item_id LIKE 't00.%'")
    reason = ann.view()["reason"]
    assert "2 dealt to other people" in reason
    assert ben.person_id not in reason
