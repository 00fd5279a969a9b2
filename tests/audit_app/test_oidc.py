"""Sign-in by an organisation's account against a real provider on this machine, over HTTP."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from audit_app import oidc
from audit_app.actions import accounts, people
from audit_app.actions.answers import Refused
from audit_app.actions.people import add_person, register_email
from audit_app.api import routes
from audit_app.app import ServedStudy
from audit_app.door import STATE, doors
from audit_app.gate import COOKIE, Gate
from data.errors import StudyProblem
from data.study import Study, open_study
from tests.audit_app.provider import CLIENT, CLIENT_SECRET, Provider, providing, query_of

HERE = "http://127.0.0.1:8501"


@pytest.fixture(scope="module")
def running() -> Iterator[Provider]:
    with providing() as provider:
        yield provider


@pytest.fixture
def provider(running: Provider) -> Provider:
    """The provider, telling the truth."""
    running.claims, running.userinfo, running.metadata, running.signs, running.denies = {}, {}, {}, "own", False
    return running


@pytest.fixture
def study(study_from: Any, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.setenv(oidc.SECRET, CLIENT_SECRET)
    made: Study = study_from({})
    with (made.path / "study.toml").open("a", encoding="utf-8") as settings:
        settings.write(f'\n[oidc]\nissuer = "{provider.issuer}"\nclient_id = "{CLIENT}"\naddress = "{HERE}"\n')
    add_person(made, "Ann", person_id="ann", email=" Ann@Example.org ")
    return open_study(made.path)


@pytest.fixture
def browser(study: Study) -> Iterator[Callable[[], TestClient]]:
    served = ServedStudy(study.path)
    app = Starlette(routes=[*doors(served), *routes(served)], middleware=[Middleware(Gate, person_of=served.person_of)])
    with ExitStack() as stack:
        yield lambda: stack.enter_context(TestClient(app, HERE, follow_redirects=False))


def begun(client: TestClient) -> str:
    """The way back that the provider sends the browser, after it was sent there."""
    answer = client.get("/oidc/start")
    assert answer.status_code == 303
    back = httpx2.get(answer.headers["location"]).headers["location"]
    assert back.startswith(f"{HERE}/oidc/back?")
    return back.removeprefix(HERE)


def signed_in(client: TestClient) -> bool:
    return client.get("/api/view").status_code == 200


def refused(client: TestClient, sentence: str, status: int = 403) -> None:
    answer = client.get(begun(client))
    assert answer.status_code == status
    assert sentence.split(".")[0] in answer.text
    assert COOKIE not in client.cookies
    assert not signed_in(client)


def test_an_account_signs_in_and_is_tied_to_the_person(browser: Any, study: Study, provider: Provider) -> None:
    client = browser()
    answer = client.get(begun(client))
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert {"HttpOnly", "SameSite=lax"} <= set(answer.headers["set-cookie"].split("; "))
    assert signed_in(client)
    assert STATE not in client.cookies
    # The account is known by its subject now: another address of it changes nothing.
    provider.claims = {"email": "ann.married@example.org"}
    again = browser()
    assert again.get(begun(again)).status_code == 303
    assert client.cookies[COOKIE] != again.cookies[COOKIE]
    assert client.get("/out").status_code == 200
    assert not signed_in(client)


def test_the_request_carries_state_nonce_and_challenge(browser: Any) -> None:
    asked = query_of(browser().get("/oidc/start").headers["location"])
    assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
    assert asked["redirect_uri"] == f"{HERE}/oidc/back"
    assert min(len(asked[name]) for name in ("state", "nonce", "code_challenge")) >= 20
    assert CLIENT_SECRET not in str(asked)


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "another-app"},
        {"aud": None},
        {"iss": "https://evil.example"},
        {"exp": 1_000_000_000},
        {"exp": None},
        # The same in every worker that collects the tests; by its name it would be another test each second.
        {"iat": 4_000_000_000},
        {"azp": "another-app", "aud": [CLIENT, "another-app"]},
        {"sub": None},
    ],
    ids=str,
)
def test_a_token_that_is_not_for_this_sign_in_is_refused(browser: Any, provider: Provider, claims: Any) -> None:
    provider.claims = claims
    refused(browser(), oidc.UNSURE)


@pytest.mark.parametrize("signs", ["other", "none", "shared"])
def test_a_token_that_the_provider_did_not_sign_is_refused(browser: Any, provider: Provider, signs: str) -> None:
    provider.signs = signs
    refused(browser(), oidc.UNSURE)


def test_clocks_may_differ_by_a_little(browser: Any, provider: Provider) -> None:
    provider.claims = {"exp": int(time.time()) - 20}
    client = browser()
    assert client.get(begun(client)).status_code == 303


@pytest.mark.parametrize(
    ("claims", "sentence"),
    [
        ({"email": "bob@example.org"}, accounts.UNKNOWN),
        ({"email_verified": False}, accounts.UNVERIFIED),
        ({"email_verified": None}, accounts.UNVERIFIED),
        ({"email_verified": "false"}, accounts.UNVERIFIED),
    ],
    ids=str,
)
def test_who_is_not_registered_stays_outside(browser: Any, provider: Provider, claims: Any, sentence: str) -> None:
    provider.claims = claims
    refused(browser(), sentence)


def test_an_address_without_its_first_account_is_not_enough(browser: Any, study: Study, provider: Provider) -> None:
    client = browser()
    client.get(begun(client))
    provider.claims = {"sub": "s-other"}
    refused(browser(), accounts.ANOTHER)
    register_email(study, "ann", "ann@example.org")
    client = browser()
    assert client.get(begun(client)).status_code == 303


def test_the_address_may_come_from_userinfo_of_the_same_account_only(browser: Any, provider: Provider) -> None:
    provider.claims = {"email": None, "email_verified": None}
    provider.userinfo = {"email": "ann@example.org", "email_verified": True, "sub": "s-other"}
    refused(browser(), oidc.UNSURE)
    provider.userinfo["sub"] = "s-ann"
    client = browser()
    assert client.get(begun(client)).status_code == 303


def test_paused_and_revoked_people_stay_outside(browser: Any, study: Study) -> None:
    client = browser()
    client.get(begun(client))
    people.pause(study, "ann")
    refused(browser(), "Your part in this study is paused")
    people.resume(study, "ann")
    people.revoke(study, "ann")
    assert not signed_in(client)
    refused(browser(), accounts.UNKNOWN)


def test_a_way_back_works_once_and_in_its_own_browser_only(browser: Any) -> None:
    client, other = browser(), browser()
    back = begun(client)
    stolen = other.get(back)
    assert (stolen.status_code, COOKIE in other.cookies) == (403, False)
    assert oidc.STALE in stolen.text
    state = client.cookies[STATE]
    assert client.get(back).status_code == 303
    client.cookies.clear()
    client.cookies.set(STATE, state)
    assert client.get(back).status_code == 403
    assert not signed_in(client)


def test_a_sign_in_that_took_too_long_is_begun_anew(browser: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oidc, "MINUTES", 0)
    refused(browser(), oidc.STALE)


def test_a_refusal_at_the_provider_is_said(browser: Any, provider: Provider) -> None:
    provider.denies = True
    refused(browser(), oidc.DENIED)


def test_an_answer_of_another_issuer_is_refused(browser: Any) -> None:
    client = browser()
    assert client.get(begun(client) + "&iss=https://evil.example").status_code == 403
    assert not signed_in(client)


@pytest.mark.parametrize(
    "metadata", [{"issuer": "https://evil.example"}, {"token_endpoint": "ftp://evil.example"}, {"jwks_uri": None}]
)
def test_a_provider_that_contradicts_itself_is_not_asked(browser: Any, provider: Provider, metadata: Any) -> None:
    provider.metadata = metadata
    answer = browser().get("/oidc/start")
    assert answer.status_code == 403
    assert "could not be verified" in answer.text


def test_a_provider_that_is_down_is_said(browser: Any, study: Study, provider: Provider) -> None:
    settings = study.path / "study.toml"
    settings.write_text(settings.read_text().replace(provider.issuer, "http://127.0.0.1:9"))
    answer = browser().get("/oidc/start")
    assert answer.status_code == 503
    assert "cannot be reached" in answer.text


def test_no_query_leads_to_another_site(browser: Any) -> None:
    client = browser()
    back = begun(client)
    answer = client.get(f"{back}&next=https://evil.example&redirect_uri=https://evil.example")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


def test_neither_secret_nor_code_reaches_the_log(
    browser: Any, provider: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    provider.claims = {"aud": "another-app"}
    with caplog.at_level(logging.INFO, "audit_app"):
        client = browser()
        client.get(begun(client))
    ours = "".join(record.getMessage() for record in caplog.records if record.name.startswith("audit_app"))
    assert "InvalidClaimError" in ours
    assert CLIENT_SECRET not in ours
    assert "code-" not in ours


def test_without_settings_there_is_no_such_way(browser: Any, study: Study) -> None:
    assert "/oidc/start" in browser().get("/sign-in").text
    settings = study.path / "study.toml"
    settings.write_text(settings.read_text().partition("[oidc]")[0])
    client = browser()
    assert "/oidc/start" not in client.get("/sign-in").text
    assert client.get("/oidc/start").status_code == 404
    assert client.get("/oidc/back").status_code == 404


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('issuer = "http://id.example.org"', r"oidc.issuer.*https://"),
        ('client_secret = "hush-hush"', r"oidc.client_secret.*EVIDENCE_AUDIT_OIDC_SECRET"),
        ("client_id = 3", r"oidc.client_id.*missing"),
    ],
)
def test_settings_are_checked(study_from: Any, lines: str, said: str) -> None:
    made = study_from({})
    with (made.path / "study.toml").open("a", encoding="utf-8") as settings:
        settings.write(f"\n[oidc]\n{lines}\n")
    with pytest.raises(StudyProblem, match=said) as caught:
        open_study(made.path)
    assert "hush-hush" not in str(caught.value)
    assert "oidc.address" in str(caught.value)


def test_an_address_is_one_persons(study: Study) -> None:
    with pytest.raises(StudyProblem, match="registered for ann already"):
        add_person(study, "Bob", person_id="bob", email="ANN@example.org")
    assert [person.person_id for person in people.list_people(study)] == ["ann"]
    with pytest.raises(StudyProblem, match="expected one like"):
        register_email(study, "ann", "no address")
    annotator = people.list_people(study)[0]
    with pytest.raises(Refused, match="Only leads"):
        register_email(study, "ann", "x@example.org", by=annotator)
