"""The command line: help everywhere, data on stdout and talk on stderr, and a sentence for whatever goes wrong."""

import errno
import hashlib
import io
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from audit_app import launch
from audit_app.actions import results
from audit_app.actions.labelling import next_view
from audit_app.actions.people import add_person
from audit_app.actions.sign_in import enter_by_password, set_password
from audit_app.cli import cli, main, serving
from audit_app.cli.options import Group
from data.study import Study

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "data" / "demo"


def inside(group: click.Group) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield name, command


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for name, inner in inside(command):
            yield from leaves(inner, (*path, name))
    else:
        yield " ".join(path), command


ALL = dict(leaves(cli))


@dataclass(frozen=True)
class Ended:
    """What a command left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The console command, in this process."""

    def call(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["evidence-audit", *map(str, arguments)])
        capsys.readouterr()
        code: Any = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        return Ended(code, *capsys.readouterr())

    return call


def one_sentence(ended: Ended, *parts: str, lines: int = 1) -> None:
    """Exit status 1, nothing on stdout, and this many lines on stderr."""
    assert (ended.code, ended.out) == (1, ""), ended
    assert "Traceback" not in ended.err
    assert len(ended.err.strip().splitlines()) == lines, ended.err
    assert ended.err.startswith("evidence-audit: ")
    for part in parts:
        assert part in ended.err


def fingerprint(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }


@pytest.mark.parametrize("name", ALL)
def test_every_command_has_help_and_an_example_that_fits_it(name: str, run: Run) -> None:
    ended = run(*name.split(), "--help")
    assert ended.code == 0
    assert len(ALL[name].get_short_help_str(200)) > 10
    examples = re.findall(r"evidence-audit ([a-z -]+)", (ALL[name].epilog or "").replace("\n", " "))
    assert examples, f"{name} has no example"
    assert examples[0].startswith(name)
    assert all(option.help for option in ALL[name].params if isinstance(option, click.Option) and
               option.name not in ("role", "port", "level", "kind")), name  # fmt: skip


def test_every_group_has_help() -> None:
    groups = [command for _, command in inside(cli) if isinstance(command, click.Group)]
    assert all(group.help for group in groups)
    assert {"sample draw", "people add", "people list", "judge check", "import labels"} <= ALL.keys()


def test_a_command_does_not_wait_for_what_it_does_not_need() -> None:
    program = "import sys; import audit_app.cli.results; print('openai' in sys.modules, 'streamlit' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize("name", [name for name in ALL if name not in ("serve", "export")])
def test_every_result_can_be_json(name: str) -> None:
    # `serve` ends in no result, and `export` is data already (--format jsonl).
    assert any("--json" in option.opts for option in ALL[name].params)


def test_the_readme_names_every_command() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in ALL if name not in readme] == []


def test_the_options_of_the_readme_exist() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    known = {opt for command in ALL.values() for option in command.params for opt in option.opts} | {"--help"}
    assert set(re.findall(r"(?<!`)--[a-z][a-z-]+", readme)) <= known


def test_the_main_job_step_by_step(run: Run, tmp_path: Path) -> None:
    study = tmp_path / "study"
    here = ("--study", study, "--json")
    made = run("init", study, "--json")
    assert json.loads(made.out)["labels"][:3] == ["D", "A", "G"]
    for kind, n in (("tasks", 24), ("contexts", 120), ("responses", 480), ("verdicts", 960)):
        done = json.loads(run("import", kind, DEMO / f"{kind}.jsonl", *here).out)
        assert (done["kind"], done["n"]) == (kind, n)
    checked = run("check", *here)
    assert checked.code == (1 if json.loads(checked.out)["findings"] else 0)
    drawn = json.loads(run("sample", "draw", "--size", 240, "--seed", 7, "--overlap", 0.4, "--name", "demo", *here).out)
    assert (drawn["n_responses"], drawn["sample_id"]) == (240, "demo")
    lead = json.loads(run("people", "add", "Lead", "--role", "lead", "--id", "lead", *here).out)
    assert set(lead) == {"person_id", "role", "link"}
    assert [person["person_id"] for person in json.loads(run("people", "list", *here).out)] == ["lead"]
    labels = json.loads(run("import", "labels", DEMO / "labels.jsonl", *here).out)
    n_labels = len((DEMO / "labels.jsonl").read_text(encoding="utf-8").splitlines())
    assert labels["n"] == n_labels
    sealed = run("metrics", *here)
    assert {row["value"] for row in json.loads(sealed.out)} == {None}
    assert "sealed" in sealed.err
    opened = run("metrics", "--unseal", "a test", *here)
    assert (
        len([row for row in json.loads(opened.out) if row["method"] == "corrected" and row["value"] is not None]) == 5
    )
    for command in (["agreement"], ["agreement", "--all", "--by", "condition,model", "--weighted"],
                    ["agreement", "--annotators"], ["agreement", "--aggregate", "dawid-skene"],
                    ["judge", "check", "--judge", "plover-judge"], ["judge", "check", "--by", "condition"], ["report"],
                    ["metrics", "--by", "condition,model", "--taxonomy", "--grounding", "lenient"],
                    ["report", "--format", "json"]):  # fmt: skip
        ended = run(*command, *here)
        assert ended.code == 0
        json.loads(ended.out)
    undecided = run("metrics", "--target", "B", *here)
    assert undecided.code == 0
    assert "on which people disagree need a decision" in undecided.err
    assert {row["tier"] for row in json.loads(undecided.out) if row["method"] == "corrected"} == {"refused"}
    rows = run("export", "--format", "jsonl", "--study", study).out.splitlines()
    assert len([json.loads(row) for row in rows]) == n_labels


@pytest.mark.parametrize("command", ["metrics", "agreement", "judge check", "report", "people list", "check", "export"])
def test_data_on_stdout_and_talk_on_stderr(run: Run, finished_demo: Any, command: str) -> None:
    ended = run(*command.split(), "--study", finished_demo.study.path)
    assert ended.code in (0, 1) if command == "check" else ended.code == 0
    assert ended.out.strip()
    for talk in ("target A)", "Only planned labels", "verdicts"):
        assert talk not in ended.out or command == "report"


def test_a_person_who_is_added_gets_the_link_on_stdout_alone(run: Run, study_from: Any) -> None:
    ended = run("people", "add", "Ann", "--study", study_from({}).path)
    assert re.fullmatch(r"http://127\.0\.0\.1:8501/in/\S+\n", ended.out)
    assert "Added Ann" in ended.err


@pytest.mark.parametrize("command", ["report", "export"])
def test_results_can_go_into_a_file(run: Run, finished_demo: Any, tmp_path: Path, command: str) -> None:
    there = tmp_path / "out"
    ended = run(command, "--study", finished_demo.study.path, "--out", there)
    assert (ended.code, ended.out) == (0, "")
    assert there.stat().st_size > 1000
    assert str(there) in ended.err


def test_every_agreement_figure_is_behind_an_option(run: Run, finished_demo: Any, tmp_path: Path) -> None:
    here = ("--study", finished_demo.study.path)
    plain, every = run("agreement", *here), run("agreement", "--all", "--by", "condition", *here)
    assert "Conger" not in plain.out
    assert "Conger's kappa" in every.out
    assert "evidence_absence" in every.out
    annotators = run("agreement", "--annotators", *here)
    assert "No self-consistency of D, A, G, C, answerable, supports: this annotator answered no hidden repeat." in (
        annotators.out
    )
    assert "Bias counts “Yes” of D and A and C, “Established” of G and answerable" in annotators.out
    written = run("agreement", "--aggregate", "dawid-skene", "--out", tmp_path / "posteriors.jsonl", *here)
    assert "not identified" in written.out
    assert f"Wrote {tmp_path / 'posteriors.jsonl'}" in written.err
    row = json.loads((tmp_path / "posteriors.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert set(row) == {"item_id", "label", "value", "posterior"}
    one_sentence(run("agreement", "--by", "colour", *here), "unknown slice column 'colour'")


def test_the_judge_is_checked_as_closely_as_one_likes(run: Run, finished_demo: Any) -> None:
    here = ("--study", finished_demo.study.path)
    plain = run("judge", "check", *here)
    assert "MCC" not in plain.out
    assert "refused" not in plain.out
    every = run("judge", "check", "--all", "--alternative", "--by", "model", *here)
    assert all(word in every.out for word in ("MCC", "F1", "two people's kappa", "wren-8b", "people yes, judge no"))
    assert "Alternative-annotator test of D, A, G, C refused: no item has labels of 3 people" in every.out


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["metrics", "--nonsense"], ["sample", "draw", "--size", "0"], ["metrics", "--metric", "F1"],
     ["import", "tasks"], ["people", "add"], ["sample", "draw", "--overlap", "2"], ["metrics", "--target", "C"],
     ["serve", "--port", "0"], ["import", "nonsense", "x"], ["agreement", "--annotators", "--all"],
     ["agreement", "--out", "x.csv"], ["agreement", "--aggregate", "dawid-skene", "--out", "x.xlsx"],
     ["judge", "check", "--epsilon", "1"], ["judge", "check", "--epsilon", "nan"], ["metrics", "--level", "nan"],
     ["judge", "rogan-gladen", "x.csv", "--level", "nan"], ["sample", "plan", "--within", "inf"],
     ["sample", "draw", "--bins", "source_sensitivity=nan"]],
)  # fmt: skip
def test_wrong_usage_is_status_two(run: Run, arguments: list[str]) -> None:
    ended = run(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert "Error: " in ended.err


@pytest.mark.parametrize("word", ["nan", "inf", "-inf", "1e999"])
def test_no_option_takes_what_is_no_number(word: str) -> None:
    taken = {}
    for name, command in ALL.items():
        for option in command.params:
            if isinstance(option.type, click.types.FloatParamType | click.FloatRange):
                with suppress(click.BadParameter):
                    taken[f"{name} {option.name}"] = option.type(word)
    assert taken == {}


def test_asking_for_help_is_no_error(run: Run) -> None:
    assert run("--help").code == run("-h").code == run("--version").code == 0
    assert "The usual order" in run("--help").out


@pytest.mark.parametrize(
    "command",
    ["metrics", "agreement", "judge check", "report", "check", "export", "people list", "sample draw", "serve",
     "import tasks x.jsonl", "people add Ann"],
)  # fmt: skip
def test_where_there_is_no_study_it_is_said(run: Run, tmp_path: Path, command: str) -> None:
    one_sentence(run(*command.split(), "--study", tmp_path), "no study in", "evidence-audit init")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["metrics", "agreement", "judge check", "report", "sample draw"])
def test_what_a_new_study_lacks_is_said(run: Run, study_from: Any, command: str) -> None:
    one_sentence(run(*command.split(), "--study", study_from({}).path), "evidence-audit ")


def line(**values: Any) -> str:
    return json.dumps(values) + "\n"


@pytest.fixture(scope="module")
def three_tasks(grid: Any, build_study: Any, tmp_path_factory: pytest.TempPathFactory) -> Study:
    made: Study = build_study(tmp_path_factory.mktemp("three"), grid(3))
    return made


BAD_FILES: list[Any] = [
    pytest.param("tasks", None, ["bad.jsonl", "No such file"], id="missing"),
    pytest.param("tasks", b"\xff\xfe\x00rubbish", ["bad.jsonl:1", "not UTF-8"], id="unreadable"),
    pytest.param("tasks", line(task_id="x", question="?") + '{"task_id": "y", "ques', ["bad.jsonl:2", "half-written"],
                 id="half-written"),
    pytest.param("tasks", "", ["no rows"], id="empty"),
    pytest.param("tasks", line(task_id="t00", question="?"), ["bad.jsonl:1", "t00"], id="twice"),
    pytest.param("contexts", line(context_id="c", task_id="t00", condition="foggy", passages=["p"]),
                 ["bad.jsonl:1: field 'condition'", "'foggy'", "expected one of clean"], id="unknown-condition"),
    pytest.param("contexts", line(context_id="c", task_id="t99", passages=["p"]), ["'t99'", "tasks"], id="no-task"),
    pytest.param("verdicts", line(response_id="r99", judge="j", C=1),
                 ["bad.jsonl:1: field 'response_id'", "'r99' is not among the"], id="dangling-verdict"),
    pytest.param("verdicts", line(response_id="t00.clean.wren.baseline", judge="j", C="perhaps"),
                 ["bad.jsonl:1: field 'C'", "expected 1/0"], id="no-label"),
    pytest.param("labels", line(item_id="t00.clean.wren.baseline", item_kind="response", person_id="p", label="C",
                                value="1"), ["bad.jsonl:1", "is not drawn"], id="not-drawn"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "content", "parts"), BAD_FILES)
def test_a_bad_file_is_told_in_a_line_and_nothing_is_lost(
    run: Run, three_tasks: Study, tmp_path: Path, kind: str, content: str | bytes | None, parts: list[str]
) -> None:
    study = three_tasks
    run("people", "list", "--study", study.path)  # makes the database
    before = fingerprint(study.path)
    path = tmp_path / "bad.jsonl"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    one_sentence(run("import", kind, path, "--study", study.path), *parts)
    assert fingerprint(study.path) == before


def test_every_bad_line_has_a_line(run: Run, three_tasks: Study, tmp_path: Path) -> None:
    study = three_tasks
    run("people", "list", "--study", study.path)  # makes the database
    before = fingerprint(study.path)
    path = tmp_path / "bad.jsonl"
    path.write_text("".join(line(context_id=f"c{n}", task_id="t99", condition="foggy", passages=["p"]) for n in (1, 2)))
    one_sentence(run("import", "contexts", path, "--study", study.path), ":1: field", ":2: field", lines=4)
    assert fingerprint(study.path) == before


def test_a_study_is_not_made_over_another(run: Run, finished_demo: Any) -> None:
    before = fingerprint(finished_demo.study.path)
    one_sentence(run("init", finished_demo.study.path), "already holds a study")
    one_sentence(run("demo", "--no-serve", "--dir", finished_demo.study.path), "already holds a study")
    assert fingerprint(finished_demo.study.path) == before


@pytest.mark.parametrize("command", ["metrics", "people list", "export", "people add Ann"])
def test_a_study_of_a_newer_version_is_left_alone(run: Run, demo_copy: Study, command: str) -> None:
    with closing(sqlite3.connect(demo_copy.database)) as db, db:
        db.execute("INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES "
                   "('evidence-audit', 'm999_later', '2030-01-01')")  # fmt: skip
    before = fingerprint(demo_copy.path)
    one_sentence(run(*command.split(), "--study", demo_copy.path), "newer version", "m999_later", "update")
    assert fingerprint(demo_copy.path) == before


@pytest.mark.parametrize(
    ("name", "content", "part"),
    [("study.db", b"this is no database at all" * 9, "not a readable database"),
     ("rubric.toml", b"labels = [", "rubric.toml"), ("study.toml", b"\xff", "utf-8"),
     ("study.toml", b'conditions = "clean"', "expected a list"), ("rubric.toml", b"", "no labels")],
)  # fmt: skip
def test_a_damaged_study_is_told(run: Run, demo_copy: Study, name: str, content: bytes, part: str) -> None:
    for beside in demo_copy.path.glob("study.db-*"):
        beside.unlink()
    (demo_copy.path / name).write_bytes(content)
    before = fingerprint(demo_copy.path)
    one_sentence(run("metrics", "--study", demo_copy.path), part)
    assert fingerprint(demo_copy.path) == before


@pytest.mark.parametrize(
    ("arguments", "part"),
    [(["metrics", "--judge", "nobody"], "judges are heron-judge, plover-judge"),
     (["judge", "check", "--judge", "nobody"], "judges are"),
     (["metrics", "--sample", "nothing"], "no sample 'nothing'"),
     (["metrics", "--by", "colour"], "unknown slice column 'colour'"),
     (["agreement", "--sample", "x"], "no sample 'x'"),
     (["sample", "draw", "--name", "demo"], "there is a sample 'demo' already"),
     (["sample", "draw", "--name", "x", "--strata", "colour"], "unknown stratum column"),
     (["sample", "draw", "--name", "x", "--size", "3", "--strata", "condition"], "the smallest total that works is 10"),
     (["people", "add", "Ann", "--id", "demo-lead"], "already"),
     (["import", "tasks", "x.jsonl", "--map", "nonsense"], "expected ours=theirs"),
     (["report", "--out", "/nowhere/at/all/report.md"], "/nowhere/at/all/report.md"),
     (["export", "--out", "/"], "/"), (["export", "--out", "/nowhere/x.csv"], "/nowhere/x.csv")],
)  # fmt: skip
def test_a_slip_is_told_in_a_sentence(run: Run, demo_copy: Study, arguments: list[str], part: str) -> None:
    before = fingerprint(demo_copy.path)
    one_sentence(run(*arguments, "--study", demo_copy.path), part)
    assert fingerprint(demo_copy.path) == before


def mount(folder: Path, *options: str) -> None:
    done = subprocess.run(["mount", *options, str(folder)], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"cannot mount here: {done.stderr.strip()}")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """A small file system of its own."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount a small or read-only disk")
    folder = tmp_path / "disk"
    folder.mkdir()

    def make(size: str) -> Path:
        mount(folder, "-t", "tmpfs", "-o", f"size={size}", "tmpfs")
        return folder

    yield make
    if os.path.ismount(folder):
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_told_and_costs_nothing(run: Run, disk: Callable[[str], Path]) -> None:
    folder = disk("640k")
    study = folder / "study"
    ballast = folder / "ballast"
    ballast.write_bytes(b"x" * (600 * 1024))
    one_sentence(run("init", study))
    assert not (study / "study.toml").exists()
    ballast.unlink()
    assert run("init", study).code == 0
    assert run("import", "tasks", DEMO / "tasks.jsonl", "--study", study).code == 0
    ballast.write_bytes(b"x" * (shutil.disk_usage(folder).free - 60 * 1024))
    before = fingerprint(study)
    one_sentence(run("import", "contexts", DEMO / "contexts.jsonl", "--study", study), "No space left")
    (folder / "more").write_bytes(b"x" * shutil.disk_usage(folder).free)
    one_sentence(run("people", "add", "Ann", "--study", study), "disk is full")
    assert {name: value for name, value in fingerprint(study).items() if name in before} == before
    assert not list(study.rglob("*.draft"))
    one_sentence(run("demo", "--no-serve", "--dir", folder / "demo"))


def test_answers_survive_a_disk_that_fills_up(
    run: Run, demo_copy: Study, disk: Callable[[str], Path], desk: Any
) -> None:
    folder = disk("4m")
    study = Path(shutil.copytree(demo_copy.path, folder / "study"))
    rows = len(run("export", "--study", study, "--format", "jsonl").out.splitlines())
    (folder / "ballast").write_bytes(b"x" * shutil.disk_usage(folder).free)
    one_sentence(run("report", "--study", study, "--out", folder / "report.md"))
    one_sentence(run("people", "add", "Ann", "--study", study), "the disk is full; nothing was changed")
    (folder / "ballast").unlink()
    assert len(run("export", "--study", study, "--format", "jsonl").out.splitlines()) == rows
    assert run("people", "add", "Ann", "--study", study).code == 0


def test_a_folder_that_cannot_be_written_is_told(run: Run, demo_copy: Study, disk: Callable[[str], Path]) -> None:
    folder = disk("8m")
    study = Path(shutil.copytree(demo_copy.path, folder / "study"))
    mount(folder, "-o", "remount,ro")
    before = fingerprint(study)
    one_sentence(run("init", folder / "new"), "Read-only")
    one_sentence(run("people", "add", "Ann", "--study", study), "cannot be written")
    one_sentence(run("sample", "draw", "--name", "more", "--study", study), "cannot ")
    one_sentence(run("report", "--study", study, "--out", folder / "x.md"))
    assert fingerprint(study) == before


@pytest.mark.parametrize("command", [["serve"], ["demo"]])
def test_a_port_in_use_is_told_before_anything_starts(
    run: Run, demo_copy: Study, tmp_path: Path, command: list[str]
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        where = ["--study", demo_copy.path] if command == ["serve"] else ["--dir", tmp_path / "new"]
        one_sentence(run(*command, "--port", port, *where), f"127.0.0.1:{port}", f"--port {port + 1}")
    assert not (tmp_path / "new").exists()


def test_serve_says_where_and_warns_of_an_open_address(
    run: Run, demo_copy: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def serve(folder: Path, **options: Any) -> int:
        asked.append((folder, options))
        return 0

    monkeypatch.setattr(launch, "serve", serve)
    monkeypatch.setattr(serving, "_free", lambda *arguments: None)
    everywhere = ["serve", "--study", demo_copy.path, "--address", "0.0.0.0", "--port", 8600]
    one_sentence(run(*everywhere), "listens on every network", "--public https://audit.example.org")
    one_sentence(run(*everywhere, "--public", "audit.example/x"), "expected an address without a path")
    assert asked == []
    ended = run(*everywhere, "--public", "https://Audit.example/")
    assert (ended.code, ended.out) == (0, "")
    assert "https://audit.example." in ended.err
    for part in ("reverse proxy with TLS", "Host header", "websocket", "X-Forwarded-For", "FORWARDED_ALLOW_IPS"):
        assert part in ended.err
    public = "https://audit.example"
    assert asked == [(demo_copy.path, {"address": "0.0.0.0", "port": 8600, "public": public})]
    for given, expected in (
        (["--address", "192.168.1.5"], "http://192.168.1.5:8501"),
        (["--public", "http://localhost:80"], None),
        ([], None),
    ):
        run("serve", "--study", demo_copy.path, *given)
        assert asked[-1][1]["public"] == expected
    with (demo_copy.path / "study.toml").open("a", encoding="utf-8") as settings:
        settings.write(f'\n[oidc]\nissuer = "https://login.example"\nclient_id = "a"\naddress = "{public}"\n')
    run("serve", "--study", demo_copy.path)
    assert asked[-1][1]["public"] == public
    monkeypatch.setattr(launch, "serve", lambda folder, **options: 3)
    assert run("serve", "--study", demo_copy.path).code == 1


def test_stopping_by_hand_is_quiet(run: Run, demo_copy: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(results, "metrics", interrupted)
    ended = run("metrics", "--study", demo_copy.path)
    assert ended.code == 1
    assert "Traceback" not in ended.err


REAL = [sys.executable, "-P", "-m", "audit_app"]


def test_the_demo_is_made_by_one_command(tmp_path: Path) -> None:
    done = subprocess.run([*REAL, "demo", "--no-serve", "--dir", tmp_path / "demo", "--json"], capture_output=True,
                          text=True, check=False, cwd=tmp_path)  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    made = json.loads(done.stdout)
    assert Path(made["folder"]) == tmp_path / "demo"
    assert made["lead"]["role"] == "lead"


def test_a_problem_is_status_one_in_a_real_shell_too(tmp_path: Path) -> None:
    done = subprocess.run([*REAL, "metrics"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("evidence-audit: no study in .")


@pytest.mark.parametrize("command", [["export"], ["metrics", "--json"]])
def test_a_closed_pipe_is_no_error(finished_demo: Any, command: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run([*REAL, *command, "--study", finished_demo.study.path], stdout=write,
                              stderr=subprocess.PIPE, text=True, check=False)  # fmt: skip
    finally:
        os.close(write)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_a_broken_pipe_to_somebody_else_is_an_error() -> None:
    @click.command("talk")
    def talk() -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    done = CliRunner().invoke(Group(commands=[talk]), ["talk"])
    assert (done.exit_code, done.stderr.count("Broken pipe")) == (1, 1)


def test_people_are_kept_out_and_let_in_again(run: Run, finished_demo: Any, demo_copy: Study) -> None:
    here = ("--study", demo_copy.path)
    run("people", "add", "Ann", "--id", "ann", *here)
    again = run("people", "add", "ánn", "--id", "ann-2", *here)
    assert "Note: “ánn” can be taken for “Ann” (ann)." in again.err
    assert "“Ann” can be taken for “ánn” (ann-2)" in run("people", "list", *here).err
    for command, said in (
        ("pause ann", "Ann: annotator, paused."),
        ("resume ann", "Ann: annotator, active."),
        ("change ann --name Anne --role adjudicator --team context", "Anne: adjudicator, active."),
        ("change ann --team all", "Anne: adjudicator, active."),
        ("sign-out ann", "Anne: adjudicator, active."),
        ("revoke ann", "Anne: adjudicator, revoked."),
    ):
        assert run("people", *command.split(), *here) == Ended(0, "", f"{said}\n")
        person = next(p for p in json.loads(run("people", "list", "--json", *here).out) if p["person_id"] == "ann")
        assert person["status"] in said
        assert person["teams"] == (["context"] if "--team context" in command else [])
    one_sentence(run("people", "resume", "ann", *here), "evidence-audit people link ann")
    link = run("people", "link", "ann", "--address", "https://audit.example", *here)
    assert link.out.startswith("https://audit.example/in/")
    one_sentence(run("people", "pause", "nobody", *here), "there is no person 'nobody'")


def test_the_list_of_people_says_how_far_they_are(run: Run, finished_demo: Any) -> None:
    found = json.loads(run("people", "list", "--json", "--study", finished_demo.study.path).out)
    by_id = {person["person_id"]: person for person in found}
    scripted, lead = by_id["scripted-1"], by_id["demo-lead"]
    assert scripted["n_done"] > 100
    assert (scripted["has_link"], scripted["last_seen"]) == (False, None)
    assert (lead["has_link"], lead["n_done"], lead["seconds_per_item"]) == (True, 0, None)
    assert (scripted["ways_in"], lead["ways_in"]) == ([], ["link"])


def test_the_list_of_people_says_who_can_sign_in_and_when_they_did(run: Run, demo_copy: Study) -> None:
    here = ("--study", demo_copy.path)
    set_password(demo_copy, "demo-annotator", "correct horse battery")
    assert enter_by_password(demo_copy, "fourth annotator", "correct horse battery", address="here")
    add_person(demo_copy, "newcomer", person_id="newcomer")  # whom no other test has signed in
    lines = run("people", "list", *here).out.splitlines()
    columns = [lines[0].index(name) for name in ("signs in with", "done", "last seen")]
    shown = {line.split()[0]: (line[columns[0] : columns[1]].strip(), line[columns[2] :].strip()) for line in lines[2:]}
    assert shown["newcomer"] == ("link", "never")
    assert shown["scripted-1"] == ("nothing", "never")
    assert shown["demo-annotator"][0] == "link or password"
    assert shown["demo-annotator"][1].startswith("20")


def test_a_password_is_read_from_a_prompt_or_standard_input_only(
    run: Run, demo_copy: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = ("--study", demo_copy.path)
    monkeypatch.setattr(sys, "stdin", io.StringIO("correct horse battery\nmore\n"))
    done = run("people", "password", "demo-annotator", "--stdin", *here)
    assert done == Ended(0, "", "Set. They sign in at /sign-in as: Fourth annotator\n")
    assert enter_by_password(demo_copy, "fourth annotator", "correct horse battery", address="here")
    monkeypatch.setattr(sys, "stdin", io.StringIO("short"))
    one_sentence(run("people", "password", "demo-annotator", "--stdin", *here), "expected 10 to 256")
    assert run("people", "password", "demo-annotator", "correct horse battery", *here).code == 2


def test_work_is_listed_released_and_given_to_others(run: Run, demo_copy: Study, person_in: Any) -> None:
    here = ("--study", demo_copy.path)
    ann, _ = (person_in(demo_copy, name) for name in ("ann", "ben"))
    run("sample", "extend", "--size", 300, "--no-deal", *here)
    view = next_view(demo_copy, ann, "label")
    listed = run("assignments", "list", *here)
    assert view["assignment_id"] in listed.out
    assert "1 in hand" in listed.err
    assert json.loads(run("assignments", "list", "--json", *here).out)["in_hand"][0]["person_id"] == "ann"
    one = view["assignment_id"]
    assert run("assignments", "reassign", one, "--to", "ben", *here).err == "Kept for ben.\n"
    assert run("assignments", "release", one, *here).err == "Released: whoever asks next may have it.\n"
    assert run("assignments", "hand-over", "ann", "--to", "ben", *here).err == "0 openings went over.\n"
    one_sentence(run("assignments", "release", "nothing", *here), "no assignment 'nothing'")


def test_the_check_prints_ten_findings_of_a_rule_unless_all_are_asked_for(run: Run, tmp_path: Path) -> None:
    assert run("init", tmp_path / "s").code == 0
    files = {
        "tasks": [{"task_id": f"t{n}", "question": " "} for n in range(14)],
        "contexts": [{"context_id": f"c{n}", "task_id": f"t{n}", "passages": ["x"]} for n in range(14)],
    }
    for kind, rows in files.items():
        (tmp_path / kind).with_suffix(".json").write_text(json.dumps(rows))
        assert run("import", kind, tmp_path / f"{kind}.json", "--study", tmp_path / "s").code == 0
    short, every = (run("check", *more, "--study", tmp_path / "s").out.splitlines() for more in ([], ["--all"]))
    blank = [line for line in short if "question is blank" in line]
    assert len(blank) == 10
    assert "… and 4 more of question_given (all with --all)" in short
    assert len([line for line in every if "question is blank" in line]) == 14


def test_the_check_tells_severity_and_what_share_of_each_condition_is_broken(run: Run, three_tasks: Study) -> None:
    found = run("check", "--study", three_tasks.path)
    assert found.code == 1
    assert "[clean, breaks]" in found.out
    assert "clean: 3 of 3 contexts (100.0%) are not what they claim to be" in found.err
    of_clean = [line for line in found.out.splitlines() if "[clean, breaks]" in line]
    assert len(of_clean) == 3
    rules = json.loads(run("check", "--rules", "--json").out)
    assert rules["absence_cue"]["severity"] == "breaks"
    assert rules["metadata"]["severity"] == "blemish"
