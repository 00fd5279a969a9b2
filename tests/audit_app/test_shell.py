"""The page at the address of every screen."""

from starlette.applications import Starlette
from starlette.testclient import TestClient

from audit_app.gate import script_hash
from audit_app.page import pages
from audit_app.shell import PATHS, TOLD, shells, streamlit_page, told
from data.records import Person


def test_every_screen_of_everybody_has_the_page_at_its_address() -> None:
    people = [Person(person_id=role, display_name=role, role=role) for role in ("annotator", "adjudicator", "lead")]
    assert {path for person in people for _, path, _ in pages(person)} == set(PATHS) - {""}
    with TestClient(Starlette(routes=[*shells()])) as client:
        for path in PATHS:
            answer = client.get(f"/{path}")
            assert answer.headers["content-type"].startswith("text/html")
            assert answer.headers["cache-control"] == "no-cache"
            assert answer.text == told(streamlit_page())
        assert client.get("/other").status_code == 404


def test_streamlits_page_is_only_told_its_server_and_to_open_no_dialog() -> None:
    page = streamlit_page()
    assert told(page).replace(TOLD, "") == page
    assert told(page).count(TOLD) == 1
    assert len({script_hash(page), script_hash(told(page)), ""}) == 3
