import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from threading import Thread

import pytest
from babel.messages.extract import extract_from_dir

from audit_app import figures, language
from audit_app.language import COOKIE, LANGUAGES, RIGHT_TO_LEFT, catalogue, chosen
from data.views import TITLES

SOURCE = Path(language.__file__).parent
KEYWORDS = {"_": None, "mark": None, "ngettext": (1, 2)}
OTHERS = sorted(LANGUAGES.keys() - {"en"})


@pytest.fixture
def arabic() -> Iterator[None]:
    language.use("ar")
    yield
    language.use("en")


def marked() -> set[object]:
    """Every sentence that is marked in Python and in JavaScript, as the catalogue keeps it."""
    methods = [("**.py", "python"), ("component/*.js", "javascript")]
    return {message for _file, _line, message, *_rest in extract_from_dir(SOURCE, methods, keywords=KEYWORDS)}


def called(source: str) -> set[str]:
    """The constants that a module gives to `_` and `mark`, wherever they stand."""
    return {
        call.args[0].value
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("_", "mark")
        if isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str)
    }


def test_no_sentence_is_marked_where_the_extraction_does_not_look() -> None:
    """Before Python 3.12 an f-string is one token, so that what is marked inside is not found."""
    asked = marked()
    for path in SOURCE.rglob("*.py"):
        assert called(path.read_text(encoding="utf-8")) - asked == set(), path


def fields(sentence: str) -> list[str]:
    return sorted({name for _text, name, *_rest in Formatter().parse(sentence) if name is not None})


@pytest.mark.parametrize("name", OTHERS)
def test_the_catalogue_holds_every_marked_sentence_and_no_other(name: str) -> None:
    there = {
        message.id if isinstance(message.id, str) else tuple(message.id) for message in catalogue(name) if message.id
    }
    asked = marked()
    assert sorted(map(str, asked - there)) == []  # missing: run `make catalogues`, then translate
    assert sorted(map(str, there - asked)) == []  # stale


@pytest.mark.parametrize("name", OTHERS)
def test_every_sentence_is_translated_with_all_its_placeholders(name: str) -> None:
    for message in catalogue(name):
        if not message.id:
            continue
        one, many = (message.id, message.id) if isinstance(message.id, str) else message.id
        forms = [message.string] if isinstance(message.string, str) else list(message.string or ())
        assert all(forms), f"not translated: {message.id}"
        assert not message.fuzzy, message.id
        for form in forms[-1:] if isinstance(message.id, tuple) else forms:
            assert fields(form) == fields(many), f"placeholders differ: {one!r} {form!r}"
        for form in forms:
            assert set(fields(form)) <= set(fields(many)), f"placeholders differ: {one!r} {form!r}"


@pytest.mark.parametrize(
    ("cookies", "accepted", "expected"),
    [
        pytest.param({}, None, "en", id="nothing is said"),
        pytest.param({}, "ar", "ar", id="the browser's"),
        pytest.param({}, "de, ar;q=0.5, en;q=0.4", "ar", id="the first there is"),
        pytest.param({}, "en-GB, ar;q=0.9", "en", id="the order of wishes"),
        pytest.param({}, "ar;q=0, en", "en", id="not wished at all"),
        pytest.param({}, "ar;q=x;;,=", "en", id="not readable"),
        pytest.param({COOKIE: "ar"}, "en", "ar", id="chosen here"),
        pytest.param({COOKIE: "../../etc"}, "ar", "ar", id="no language of ours"),
    ],
)
def test_the_language_of_a_browser(cookies: dict[str, str], accepted: str | None, expected: str) -> None:
    assert chosen(cookies, accepted) == expected


def test_every_thread_has_its_own_language(arabic: None) -> None:
    said: list[str] = []
    thread = Thread(target=lambda: said.append(language.current()))
    thread.start()
    thread.join()
    assert said == ["en"]
    assert (language.current(), language.direction()) == ("ar", "rtl")


def test_every_language_that_runs_right_to_left_is_offered() -> None:
    assert LANGUAGES.keys() >= RIGHT_TO_LEFT


def test_the_scripts_get_their_own_sentences_only(arabic: None) -> None:
    said = language.for_scripts()
    sentences = said["sentences"]
    assert (said["language"], said["direction"]) == ("ar", "rtl")
    assert isinstance(sentences, dict)
    assert "Save the answer and go on" in sentences
    assert "This link does not work" not in sentences
    language.use("en")
    assert language.for_scripts() == {"language": "en", "direction": "ltr", "sentences": {}}


def test_arabic_counts_in_six_ways(arabic: None) -> None:
    one = "{n} assignment is left, but not for you: {reasons}."
    many = "{n} assignments are left, but not for you: {reasons}."
    assert len({language.ngettext(one, many, n) for n in (1, 2, 3, 11, 100)}) == 4  # 11 and 100 read alike here
    assert language.ngettext(one, many, 2).startswith("بقيت مهمتان")


def test_the_titles_of_artifacts_are_in_the_catalogue(arabic: None) -> None:
    assert all(language._(title) != title for title in TITLES.values())


def test_a_list_runs_as_its_language_does_and_what_it_holds_as_it_is(arabic: None) -> None:
    listed = language.joined(["Acc (0.5)", "SES"])
    assert listed == "\u2067\u2068Acc (0.5)\u2069\u060c \u2068SES\u2069\u2069"
    assert language.joined([]) == ""
    language.use("en")
    assert language.joined(["Acc (0.5)", "SES"]) == "Acc (0.5), SES"


def test_a_percent_stays_with_its_number_where_lines_run_from_left_to_right() -> None:
    assert figures.together("needed 80 %, -1.5 % of 3") == "needed 80\u00a0%, -1.5\u00a0% of 3"


@pytest.mark.usefixtures("arabic")
def test_a_percent_stays_with_its_number_and_in_its_order_in_arabic() -> None:
    assert figures.together("80 %") == "\u206680\u00a0%\u2069"
    assert "\u2066100\u00a0%\u2069" in figures.table([{"who": "x", "C": "✓ 2 of 2 (100 %, needed 80 %)"}])
