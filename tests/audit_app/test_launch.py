import sys
from pathlib import Path

import pytest

from audit_app import launch


def test_the_server_listens_on_this_machine_only_and_sends_nothing_home() -> None:
    command = launch.command(port=8600)
    flags = dict(zip(command[6::2], command[7::2], strict=True))
    assert command[:5] == [sys.executable, "-P", "-m", "streamlit", "run"]
    assert Path(command[5]).name == "app.py"
    assert Path(command[5]).is_file()
    wanted = {
        "--server.address": "127.0.0.1",
        "--server.port": "8600",
        "--server.headless": "true",
        "--server.fileWatcherType": "none",
        "--server.enableAgentApi": "false",
        "--browser.gatherUsageStats": "false",
        "--runner.postScriptGC": "false",
        "--client.toolbarMode": "viewer",
        "--client.showErrorDetails": "none",
        "--client.showErrorLinks": "false",
    }
    assert wanted.items() <= flags.items()


def test_every_flag_is_a_setting_that_this_streamlit_has() -> None:
    from streamlit import config

    known = set(config.get_config_options())
    assert set(launch.FLAGS) <= known


def test_the_study_travels_as_an_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    environment = launch.environment(Path("study"))
    assert environment[launch.STUDY] == str(tmp_path / "study")
    monkeypatch.setenv(launch.STUDY, environment[launch.STUDY])
    assert launch.study_folder() == tmp_path / "study"


@pytest.mark.parametrize(
    ("public", "given", "believed"),
    [(None, None, ""), ("https://audit.example", None, "127.0.0.1,::1"), (None, "10.0.0.7", "10.0.0.7"),
     ("https://audit.example", "10.0.0.7", "10.0.0.7")],
)  # fmt: skip
def test_only_who_names_a_proxy_has_one(
    monkeypatch: pytest.MonkeyPatch, public: str | None, given: str | None, believed: str
) -> None:
    monkeypatch.delenv(launch.PROXIES, raising=False)
    if given:
        monkeypatch.setenv(launch.PROXIES, given)
    environment = launch.environment(Path("study"), public)
    assert environment[launch.PROXIES] == believed
    monkeypatch.setenv(launch.PUBLIC, environment[launch.PUBLIC])
    assert launch.public_address() == public


def test_without_a_word_the_study_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(launch.STUDY, raising=False)
    assert launch.study_folder() == Path(".")


def test_no_module_beside_the_app_is_named_like_a_room() -> None:
    # Streamlit puts this folder first on sys.path: audit_app/metrics.py would hide the room of that name.
    beside = {path.stem for path in Path(launch.__file__).parent.iterdir()}
    assert beside & {"data", "judge", "metrics", "sampling", "agreement", "benchmark", "pages"} == set()


@pytest.mark.parametrize(("code", "expected"), [("raise SystemExit(3)", 3), ("", 0)])
def test_serve_returns_what_the_server_returned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, expected: int
) -> None:
    monkeypatch.setattr(launch, "command", lambda **kwargs: [sys.executable, "-c", code])
    assert launch.serve(tmp_path) == expected


def test_serve_stops_the_server_when_it_is_asked_to_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import os, signal, time; os.kill(os.getppid(), signal.SIGTERM); time.sleep(60)"
    monkeypatch.setattr(launch, "command", lambda **kwargs: [sys.executable, "-c", code])
    assert launch.serve(tmp_path) == 0
