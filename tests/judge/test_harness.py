"""Other people's judges: a function, a command, an endpoint; what goes wrong there is a reason and no score."""

import json
import shlex
import sys
import threading
from collections.abc import Iterator
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from judge.harness import Answer, open_harness

SAMPLES = [{"id": str(k), "response": "é \u2028" * k} for k in range(5)]

MODULE = """
def length(sample):
    return len(sample["response"]) / 100

def fails(sample):
    if sample["id"] == "3":
        raise RuntimeError("no such luck " * 20)
    return {"faithfulness": 1}

def spoils(sample):
    there = len(sample["passages"])
    del sample["passages"][1:]
    return there

def leaves(sample):
    raise SystemExit(0)

constant = 3
"""

COMMAND = """
import json, sys
for line in sys.stdin:
    sample = json.loads(line)
    print(json.dumps({"faithfulness": len(sample["response"]) / 100}), flush=True)
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "somebodys_judge.py").write_text(MODULE)
    (tmp_path / "half_written.py").write_text("def judge(:")
    (tmp_path / "a_script.py").write_text("raise SystemExit(0)")
    monkeypatch.syspath_prepend(tmp_path)
    return "somebodys_judge"


@pytest.fixture
def endpoint() -> Iterator[str]:
    class Judge(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sample = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            broken = sample["id"] == "3"
            body = b"{" if broken else json.dumps(len(sample["response"]) / 100).encode()
            self.send_response(500 if sample["id"] == "4" else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Judge)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/judge"
    server.shutdown()
    thread.join()
    server.server_close()


def command(script: str) -> str:
    return shlex.join([sys.executable, "-c", script])


def scores(named: str, **options: float) -> list[float | None]:
    return [answer.score("faithfulness")[0] for answer in open_harness(named, **options)(SAMPLES)]  # type: ignore[arg-type]  # options


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_function_is_called_once_per_sample_in_order(module: str, concurrency: int) -> None:
    assert scores(f"{module}:length", concurrency=concurrency) == [0.0, 0.03, 0.06, 0.09, 0.12]


def test_what_a_function_raises_is_the_reason_and_the_others_go_on(module: str) -> None:
    answers = list(open_harness(f"{module}:fails")(SAMPLES))
    assert [answer.score("faithfulness")[0] for answer in answers] == [1.0, 1.0, 1.0, None, 1.0]
    assert (answers[3].problem or "").startswith("RuntimeError: no such luck")
    assert len(answers[3].problem or "") < 100


def test_a_function_may_spoil_its_sample_or_leave(module: str) -> None:
    sample = {"id": "0", "passages": [{"text": "a"}, {"text": "b"}]}
    again = list(open_harness(f"{module}:spoils")([sample, {**sample}]))
    assert [answer.value for answer in again] == [2, 2]
    assert [answer.problem for answer in open_harness(f"{module}:leaves")([sample])] == ["SystemExit: 0"]


def test_a_command_reads_lines_and_writes_lines() -> None:
    assert scores(command(COMMAND)) == [0.0, 0.03, 0.06, 0.09, 0.12]


def test_a_command_that_reads_everything_first_and_much_of_it_does_not_hang() -> None:
    script = "import sys; lines = sys.stdin.readlines(); print('\\n'.join('0.5' for _ in lines))"
    many = [{"id": str(k), "response": "x" * 10_000} for k in range(300)]
    assert [answer.score("G")[0] for answer in open_harness(command(script))(many)] == [0.5] * 300


def test_a_command_that_talks_nonsense_says_so() -> None:
    answers = list(open_harness(command("print('hello'); print(0.5)\nfor k in '\xe9\xe9\xe9': print(k)"))(SAMPLES))
    assert [answer.problem for answer in answers[:2]] == ["wrote hello; expected a line of JSON", None]
    with pytest.raises(ValueError, match="more lines than the 5"):
        list(open_harness(command("print('0.5\\n' * 9)"))(SAMPLES))


def test_what_a_command_writes_in_another_encoding_is_one_missing_score() -> None:
    script = "import sys; sys.stdout.buffer.write(b'caf\\xe9\\n' + b'0.5\\n' * 4)"
    answers = list(open_harness(command(script))(SAMPLES))
    assert answers[0].problem == "wrote caf\ufffd; expected a line of JSON"
    assert [answer.value for answer in answers[1:]] == [0.5] * 4


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("", r"ended after 0 of 200 answers \(exit status 0\)$"),
        ("print(1)", r"ended after 1 of 200 answers"),
        ("print(1); raise RuntimeError('GPU\x1b gone')", r"status 1\); it wrote: Traceback.*RuntimeError: GPU  gone"),
        # Its own child holds stdout open: both have to go.
        ("import os, time; os.fork(); print(0.5, flush=True); time.sleep(60)", r"silent for 1 seconds after . of 200"),
    ],
)  # fmt: skip
def test_a_command_that_dies_or_hangs_ends_in_a_sentence_with_its_last_words(script: str, message: str) -> None:
    # Far more than a pipe holds, so that writing to it fails.
    many = [{"id": str(k), "response": "x" * 10_000} for k in range(200)]
    with pytest.raises(ValueError, match=message):
        list(open_harness(command(script), timeout=1 if "fork" in script else 60)(many))


@pytest.mark.parametrize("concurrency", [1, 3])
def test_an_endpoint_is_posted_each_sample(endpoint: str, concurrency: int) -> None:
    answers = list(open_harness(endpoint, concurrency=concurrency)(SAMPLES))
    assert [answer.score("G")[0] for answer in answers] == [0.0, 0.03, 0.06, None, None]
    assert "JSONDecodeError" in (answers[3].problem or "")
    assert answers[4].problem == "ValueError: the endpoint answered 500", "its address may hold a secret"


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("no_such_module_here:judge", "No module named"),
        ("no_such_module_here:judge", "PYTHONPATH"),
        ("somebodys_judge:judge", r"somebodys_judge.py\) has no judge"),
        ("half_written:judge", "importing half_written failed: SyntaxError"),
        ("a_script:judge", "importing a_script failed: SystemExit"),
        ("somebodys_judge:constant", "is no function"),
        ("/no/such/program --fast", "No such file"),
        (" ", "has no name"),
    ],
)
def test_a_harness_that_is_not_there_is_refused(module: str, named: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(open_harness(named)(SAMPLES))


@pytest.mark.parametrize(
    "value", [7, 10**400, -0.1, float("nan"), "0.5", None, [], {"other": 1}, {"G": "yes"}, np.ones(2)]
)
def test_what_is_no_score_is_missing_with_a_reason(value: object) -> None:
    score, problem = Answer(value).score("G")
    assert score is None
    assert "expected a number in [0, 1]" in (problem or "")


@pytest.mark.parametrize("value", [True, Fraction(1, 2), np.float32(0.5), np.array([0.5]), {"G": np.bool_(True)}])
def test_numbers_of_other_libraries_are_scores(value: object) -> None:
    score, problem = Answer(value).score("G")
    assert (score in (0.5, 1.0), problem) == (True, None)


def test_a_module_in_the_current_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "beside_us.py").write_text("def judge(sample): return 0.25")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    assert scores("beside_us:judge") == [0.25] * 5
