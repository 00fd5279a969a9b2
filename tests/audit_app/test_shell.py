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


def test_elsewhere_is_a_page_of_our_own_and_streamlits_files_are_left_alone() -> None:
    with TestClient(Starlette(routes=[*shells()])) as client:
        for path in ("other", "label/x", "index.html", "static"):
            answer = client.get(f"/{path}")
            assert answer.status_code == 404
            assert "There is no such page" in answer.text
        for path in ("label/", "LABEL"):
            assert client.get(f"/{path}").text == told(streamlit_page())
        for path in ("static/js/index.js", "_stcore/health", "media/x.csv", "favicon.png"):
            assert client.get(f"/{path}").text == "Not Found"


def test_streamlits_page_is_only_told_its_server_and_to_open_no_dialog() -> None:
    page = streamlit_page()
    assert told(page).replace(TOLD, "") == page
    assert told(page).count(TOLD) == 1
    assert len({script_hash(page), script_hash(told(page)), ""}) == 3
