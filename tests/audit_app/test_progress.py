from typing import Any

import pytest

from audit_app.actions.answers import Refused
from audit_app.actions.people import add_person
from audit_app.actions.progress import progress
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.sign_in import enter


def test_progress_and_speed_of_each_person(study_from: Any, grid: Any, person_in: Any, desk: Any) -> None:
    study = study_from(grid(3, conditions=("clean",)), labels=["D", "A"])
    draw_sample(study, Plan(size=None))
    lead, ann = person_in(study, "lead", role="lead"), desk(study, person_in(study, "ann"))
    # Two labels per item, at 2 + 2, 2 + 10 and, unfinished, 2 seconds.
    for seconds in (2.0, 2.0, 2.0, 10.0, 2.0):
        ann.answer(ann.view(), "1", active_seconds=seconds)
    enter(study, add_person(study, "Ben", person_id="ben").link.rsplit("/", 1)[1])
    found = {each.person.person_id: each for each in progress(study, by=lead)}
    assert list(found) == ["lead", "ann", "ben"]
    assert (found["ann"].n_done, found["ann"].n_in_hand, found["ann"].n_skipped) == (2, 1, 0)
    assert (found["ann"].seconds_per_item, found["ann"].n_timed) == (8.0, 2)
    assert (found["ann"].n_sessions, found["ann"].last_seen) == (0, None)
    assert found["ben"].n_sessions == 1
    assert found["ben"].last_seen
    assert (found["ben"].n_done, found["ben"].seconds_per_item) == (0, None)
    with pytest.raises(Refused, match="Only leads"):
        progress(study, by=ann.person)


def test_what_was_never_timed_has_no_speed(study_from: Any, grid: Any, person_in: Any, desk: Any) -> None:
    study = study_from(grid(1, conditions=("clean",)), labels=["D"])
    draw_sample(study, Plan(size=None))
    ann = desk(study, person_in(study, "ann"))
    ann.answer(ann.view(), "1", active_seconds=None)
    (only,) = progress(study)
    assert (only.n_done, only.seconds_per_item, only.n_timed) == (1, None, 0)
