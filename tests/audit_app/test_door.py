"""Sign-in against a real study behind the real gate."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from hashlib import scrypt
from html import escape
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from audit_app.actions import passwords, people
from audit_app.actions.people import add_person
from audit_app.actions.sign_in import set_password
from audit_app.api import routes
from audit_app.app import ServedStudy
from audit_app.door import doors
from audit_app.gate import COOKIE, Gate
from data.store.connection import open_store
from data.study import Study

HERE = "http://localhost"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture
def study(study_from: Any) -> Study:
    made: Study = study_from({})
    return made


@pytest.fixture
def browser(study: Study) -> Iterator[Callable[..., TestClient]]:
    """Another browser at the door of the study."""
    served = ServedStudy(study.path)
    gate = Middleware(Gate, person_of=served.person_of, public="https://audit.example")
    app = Starlette(routes=[*doors(served), *routes(served)], middleware=[gate])
    with ExitStack() as stack:

        def another(address: str = HERE, **more: Any) -> TestClient:
            client = TestClient(app, address, follow_redirects=False, headers={"user-agent": FIREFOX}, **more)
            return stack.enter_context(client)

        yield another


def path_of(link: str) -> str:
    return "/in/" + link.rsplit("/", 1)[1]


@pytest.fixture
def link(study: Study) -> str:
    return path_of(add_person(study, "Ann", person_id="ann").link)


def may_work(client: TestClient) -> bool:
    status = client.get("/api/view").status_code
    assert status in (200, 401)
    return status == 200


def test_the_personal_link_sets_the_cookie_and_leaves_the_address_bar(browser: Any, link: str) -> None:
    answer = browser().get(link)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert answer.headers["cache-control"] == "no-store"
    parts = answer.headers["set-cookie"].split("; ")
    assert parts[0].startswith(f"{COOKIE}=")
    assert {"HttpOnly", "SameSite=lax", "Path=/", f"Max-Age={30 * 24 * 3600}"} <= set(parts)
    assert "Secure" not in parts


def test_behind_https_the_cookie_is_for_https_only(browser: Any, link: str) -> None:
    assert "Secure" in browser("https://audit.example").get(link).headers["set-cookie"]


def test_a_bad_link_is_a_friendly_page(browser: Any, link: str) -> None:
    answer = browser().get("/in/wrong")
    assert answer.status_code == 403
    assert "ask the person who sent it" in answer.text
    assert "set-cookie" not in answer.headers


def test_signing_out_ends_the_session(browser: Any, link: str) -> None:
    client = browser()
    client.get(link)
    assert may_work(client)
    secret = client.cookies[COOKIE]
    assert "signed out" in client.get("/out").text
    client.cookies.set(COOKIE, secret)
    assert not may_work(client)
    assert browser().get("/out").status_code == 200


def test_a_link_that_is_revoked_ends_work_in_the_middle(browser: Any, study: Study, link: str) -> None:
    client = browser()
    client.get(link)
    assert may_work(client)
    people.revoke(study, "ann")
    assert not may_work(client)
    assert client.get(link).status_code == 403
    client.get(path_of(people.new_link(study, "ann").link))
    assert may_work(client)


def test_somebody_who_is_paused_is_told_so_and_goes_on_afterwards(browser: Any, study: Study, link: str) -> None:
    client = browser()
    client.get(link)
    people.pause(study, "ann")
    for path, status in (("/label", 401), ("/api/view", 401), (link, 403)):
        answer = client.get(path)
        assert answer.status_code == status
        assert "paused" in answer.text
        assert "saved" in answer.text
    people.resume(study, "ann")
    assert may_work(client)


def test_a_session_ends_after_the_days_of_the_study(browser: Any, study: Study, link: str) -> None:
    client = browser()
    client.get(link)
    with open_store(study) as store:
        store.change("UPDATE session SET created_at = '2020-01-01T00:00:00.000000+00:00'", [])
    assert not may_work(client)
    settings = study.path / "study.toml"
    settings.write_text(settings.read_text().replace("session_days = 30", "session_days = 0.5"))
    assert "Max-Age=43200" in client.get(link).headers["set-cookie"]
    assert may_work(client)


PASSWORD = "correct horse battery"


@pytest.fixture
def known(study: Study, link: str) -> str:
    """The name of somebody with a password."""
    return set_password(study, "ann", PASSWORD)


def sign_in(client: TestClient, name: str, password: str = PASSWORD, **headers: str) -> Any:
    return client.post("/sign-in", data={"name": name, "password": password}, headers={"origin": HERE, **headers})


def test_name_and_password_let_in_like_a_link(browser: Any, known: str) -> None:
    client = browser()
    page = client.get("/sign-in")
    assert 'autocomplete="current-password"' in page.text
    assert "<script" not in page.text
    answer = sign_in(client, known)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert {"HttpOnly", "SameSite=lax"} <= set(answer.headers["set-cookie"].split("; "))
    assert may_work(client)


def test_unknown_names_and_wrong_passwords_are_refused_alike(browser: Any, known: str) -> None:
    names = ["nobody", known, '"><b>']
    answers = [sign_in(browser(), name, "wrong") for name in names]
    assert {answer.status_code for answer in answers} == {403}
    typed = [f' value="{escape(name)}"' for name in names]
    assert all(value in answer.text for value, answer in zip(typed, answers, strict=True))
    assert len({answer.text.replace(value, "") for value, answer in zip(typed, answers, strict=True)}) == 1
    assert "do not match" in answers[0].text
    assert not any("set-cookie" in answer.headers for answer in answers)


def test_brute_force_is_slowed_down(browser: Any, known: str) -> None:
    client = browser()
    codes = [sign_in(client, known, f"guess {n}").status_code for n in range(6)]
    assert codes == [403] * 5 + [429]
    answer = sign_in(client, known)
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) in (1, 2)
    assert "Too many tries" in answer.text


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:81"])
@pytest.mark.parametrize("path", ["/sign-in", "/account"])
def test_a_form_on_another_site_is_refused(browser: Any, known: str, link: str, path: str, origin: str) -> None:
    client = browser()
    client.get(link)
    answer = client.post(path, data={"name": known, "password": PASSWORD, "end": "others"}, headers={"origin": origin})
    assert answer.status_code == 403
    assert "another site" in answer.text
    assert "set-cookie" not in answer.headers


def test_an_endless_form_is_not_read_to_its_end(browser: Any) -> None:
    assert sign_in(browser(), "x" * 20_000).status_code == 422


@pytest.mark.parametrize("body", [b"", b"name=%ff&password=%00", b"\xff\xfe", b"name&password"])
def test_what_is_no_form_is_no_match(browser: Any, body: bytes) -> None:
    assert browser().post("/sign-in", content=body).status_code == 403


def test_the_account_lists_sessions_and_ends_them(browser: Any, study: Study, link: str) -> None:
    here, there, third = browser(), browser(), browser()
    for client in (there, third, here):
        client.get(link)
    page = here.get("/account").text
    assert page.count("Firefox on Linux</span>") == 0
    assert page.count("Firefox on Linux<small>") == 3
    assert page.count("this one") == 1
    numbers = re.findall(r'value="(\d+)"', page)
    assert len(numbers) == 2
    answer = here.post("/account", data={"end": numbers[0]}, headers={"origin": HERE})
    assert (answer.status_code, answer.headers["location"]) == (303, "/account")
    assert [may_work(client) for client in (there, third)].count(True) == 1
    here.post("/account", data={"end": "others"}, headers={"origin": HERE})
    assert [may_work(client) for client in (here, there, third)] == [True, False, False]
    assert "Sign out everywhere else" not in here.get("/account").text


@pytest.mark.parametrize("end", ["", "nonsense", "-1", "9" * 500, "²"])
def test_ending_what_is_no_session_ends_nothing(browser: Any, link: str, end: str) -> None:
    client = browser()
    client.get(link)
    assert client.post("/account", data={"end": end}).status_code == 303
    assert may_work(client)


def test_the_account_needs_a_session(browser: Any) -> None:
    assert browser().get("/account").status_code == 401
    assert browser().post("/account", data={"end": "others"}).status_code == 401


def test_a_name_is_shown_as_it_is(browser: Any, study: Study) -> None:
    client = browser()
    client.get(path_of(add_person(study, "<script>alert(1)</script>").link))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in client.get("/account").text


def test_a_study_that_cannot_be_opened_is_said_without_its_path(browser: Any, study: Study) -> None:
    (study.path / "study.toml").unlink()
    for answer in (browser().get("/in/token"), browser().post("/sign-in", data={"name": "a", "password": "b"})):
        assert answer.status_code == 503
        assert str(study.path) not in answer.text


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 "
         "Safari/537.36 Edg/140.0.0.0", "Edge on Windows"),
        ("Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile "
         "Safari/537.36", "Chrome on Android"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
         "Version/18.5 Mobile/15E148 Safari/604.1", "Safari on iPhone"),
        ("curl/8.14", "A program"),
        ("<b>Firefox/1", "Firefox"),
    ],
)  # fmt: skip
def test_a_session_says_from_where(browser: Any, study: Study, link: str, agent: str, words: str) -> None:
    browser().get(link, headers={"user-agent": agent})
    with open_store(study) as store:
        assert store.rows("SELECT device FROM session") == [{"device": words}]


def test_the_door_speaks_the_language_of_the_browser_until_another_is_chosen(browser: Any, known: str) -> None:
    client = browser()
    arabic = {"accept-language": "ar-EG,ar;q=0.9,en;q=0.5"}
    assert '<html lang="ar" dir="rtl">' in client.get("/sign-in", headers=arabic).text
    assert "غير متطابقين" in sign_in(client, known, "wrong", **arabic).text
    assert "لم تسجّل الدخول" in client.get("/api/view", headers=arabic).json()["error"]
    answer = client.post("/language", data={"language": "en"}, headers={"origin": HERE, **arabic})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert '<html lang="en" dir="ltr">' in client.get("/sign-in", headers=arabic).text


def test_the_views_and_refusals_of_the_loop_are_in_the_language_chosen(browser: Any, link: str) -> None:
    client = browser()
    client.get(link)
    client.post("/language", data={"language": "ar"}, headers={"origin": HERE})
    assert "تسجيل الخروج من هنا" in client.get("/account").text
    assert "لم يُخطَّط شيء" in client.get("/api/view").json()["reason"]
    assert "لا توجد قبل هذا" in client.get("/api/back").json()["error"]


def test_a_language_goes_with_the_person_who_chose_it(browser: Any, link: str) -> None:
    here, there = browser(), browser()
    here.get(link)
    assert here.post("/language", data={"language": "ar"}, headers={"origin": HERE}).headers["location"] == "/account"
    english = {"accept-language": "en"}
    assert '<html lang="en"' in there.get("/sign-in", headers=english).text
    there.get(link)
    assert '<html lang="ar"' in there.get("/account", headers=english).text
    assert "لم يُخطَّط شيء" in there.get("/api/view", headers=english).json()["reason"]


def test_a_language_that_there_is_not_is_not_kept(browser: Any) -> None:
    answer = browser().post("/language", data={"language": "tlh"}, headers={"origin": HERE})
    assert "set-cookie" not in answer.headers
    foreign = browser().post("/language", data={"language": "ar"}, headers={"origin": "http://evil.example"})
    assert foreign.status_code == 403


OLD, NEW = "correct horse battery", "staple under the lamp"


def changed(client: TestClient, old: str, new: str, again: str | None = None) -> Any:
    return client.post("/account/password", data={"old": old, "new": new, "again": again or new})


def test_ones_own_password_ends_the_other_sessions(browser: Any, study: Study, link: str) -> None:
    set_password(study, "ann", OLD)
    here, there = browser(), browser()
    for client in (here, there):
        client.get(link)
    assert "/account/password" in here.get("/account").text
    answer = changed(here, OLD, NEW)
    assert answer.status_code == 200
    assert "is changed" in answer.text
    assert (may_work(here), may_work(there)) == (True, False)
    for password, status in ((OLD, 403), (NEW, 303)):
        assert browser().post("/sign-in", data={"name": "Ann", "password": password}).status_code == status


def test_a_password_is_not_changed_by_whoever_does_not_know_it(browser: Any, study: Study, link: str) -> None:
    set_password(study, "ann", OLD)
    client = browser()
    client.get(link)
    assert changed(client, OLD, NEW, "staple under the lamb").status_code == 422
    assert changed(client, OLD, "short").status_code == 422
    answers = [changed(client, f"wrong {n}", NEW) for n in range(6)]
    assert answers[0].status_code == 403
    assert "until now is not right" in answers[0].text
    assert answers[-1].status_code == 429
    foreign = client.post("/account/password", data={"old": OLD}, headers={"origin": "https://evil.example"})
    assert foreign.status_code == 403
    assert browser().post("/account/password", data={"old": OLD}).status_code == 401
    assert browser().post("/sign-in", data={"name": "Ann", "password": OLD}).status_code == 303


def test_who_has_no_password_is_offered_none_to_change(browser: Any, link: str) -> None:
    client = browser()
    client.get(link)
    assert "/account/password" not in client.get("/account").text
    assert changed(client, "", NEW).status_code == 403


def test_signing_out_everywhere_ends_this_session_too(browser: Any, link: str) -> None:
    here, there = browser(), browser()
    for client in (here, there):
        client.get(link)
    answer = here.post("/account", data={"end": "everywhere"})
    assert answer.headers["location"] == "/out"
    assert here.get("/out").status_code == 200
    assert (may_work(here), may_work(there)) == (False, False)


def test_a_strangers_link_asks_before_it_makes_somebody_else_of_whoever_is_signed_in(
    browser: Any, study: Study, link: str
) -> None:
    theirs = path_of(add_person(study, "<b>Eve</b>", person_id="eve").link)
    client = browser()
    client.get(link)
    before = client.cookies[COOKIE]
    asked = client.get(theirs)
    assert asked.status_code == 200
    assert "&lt;b&gt;Eve&lt;/b&gt;" in asked.text
    assert client.cookies[COOKIE] == before
    forced = client.post(theirs, headers={"origin": "http://evil.example"})
    assert (forced.status_code, client.cookies[COOKIE]) == (403, before)
    assert client.get(link).status_code == 303, "one's own link asks nothing"
    assert client.post(theirs, headers={"origin": HERE}).status_code == 303
    assert client.get("/api/here").json() == {"who": "eve"}


def test_a_secret_that_somebody_else_chose_never_becomes_a_session(browser: Any, link: str, known: str) -> None:
    for by_link in (True, False):
        client = browser()
        client.cookies.set(COOKIE, "chosen-by-an-attacker")
        answer = client.get(link) if by_link else sign_in(client, known)
        assert answer.status_code == 303
        assert "chosen-by-an-attacker" not in answer.headers["set-cookie"]
        client.cookies.clear()
        client.cookies.set(COOKIE, "chosen-by-an-attacker")
        assert not may_work(client)


def test_an_unknown_name_costs_as_much_work_as_a_known_one(
    browser: Any, known: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked: list[tuple[Any, ...]] = []

    def counted(*given: Any, **how: Any) -> bytes:
        worked.append((how["n"], how["r"], how["p"]))
        return scrypt(*given, **how)

    monkeypatch.setattr(passwords, "scrypt", counted)
    sign_in(browser(), known, "wrong")
    sign_in(browser(), "nobody", "wrong")
    assert len(worked) == 2
    assert worked[0] == worked[1]


def test_one_address_cannot_try_every_name(browser: Any, known: str) -> None:
    client = browser()
    codes = [sign_in(client, f"name {n}", "wrong").status_code for n in range(22)]
    assert codes[:20] == [403] * 20
    assert 429 in codes[20:]


@pytest.mark.parametrize("address", ["2001:db8::1", "::ffff:192.0.2.1"])
def test_tries_are_counted_by_the_network_of_one_customer(browser: Any, known: str, address: str) -> None:
    for n in range(22):
        last = sign_in(browser(client=(f"{address}{n:x}", 9)), f"name {n}", "wrong").status_code
    assert last == (429 if ":db8:" in address else 403)


def test_no_door_takes_an_address_to_go_on_to(browser: Any, link: str, known: str) -> None:
    for query in ("?next=https://evil.example", "?next=//evil.example&url=https://evil.example"):
        assert browser().get(link + query).headers["location"] == "/"
        assert sign_in(browser(), known).headers["location"] == "/"
        said = browser().post("/language" + query, data={"language": "ar"}, headers={"origin": HERE})
        assert said.headers["location"] == "/sign-in"
