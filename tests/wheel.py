"""Builds the wheel, looks into it, installs it in a clean environment, makes the demo there and starts the server."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.error import URLError
from urllib.request import urlopen
from zipfile import ZipFile

ROOT = Path(__file__).parents[1]
ROOMS = ("audit_app", "judge", "metrics", "data", "sampling", "agreement")
MUST_HAVE = (
    "data/store/connection.py",
    "data/rubric.toml",
    "data/study.toml",
    "data/migrations/__init__.py",
    "data/canaries.jsonl",
    "data/demo/responses.jsonl",
    "data/mappings/openqa_nq301.toml",
    "audit_app/component/label.js",
    "audit_app/locale/ar.po",
)
MUST_NOT_HAVE = ("data/demo/answer_key.jsonl", "tests/")


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def look_into(wheel: Path) -> None:
    """Everything the app needs is there, nothing private is."""
    names = ZipFile(wheel).namelist()
    missing = [name for name in (*MUST_HAVE, *(f"{room}/py.typed" for room in ROOMS)) if name not in names]
    unwanted = [name for name in names if name.startswith(MUST_NOT_HAVE)]
    if missing or unwanted:
        sys.exit(f"{wheel.name}: missing {missing}, should not be there {unwanted}")


def start(command: Path, study: Path) -> None:
    """The installed server answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen([command, "serve", "--study", study, "--port", str(port)], cwd=study)
    try:
        for _ in range(120):
            try:
                with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
                    if answer.read() == b"ok":
                        return
            except (URLError, OSError):
                time.sleep(0.5)
        sys.exit("the installed server did not answer within a minute")
    finally:
        server.terminate()
        server.wait(20)


def main() -> None:
    """The whole check."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        run(sys.executable, "-m", "build", "--wheel", "--outdir", folder)
        (wheel,) = folder.glob("*.whl")
        run(Path(sys.executable).parent / "check-wheel-contents", wheel)
        look_into(wheel)
        run(sys.executable, "-m", "venv", folder / "clean")
        python = folder / "clean" / "bin" / "python"
        pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        run(python, *pip, "-c", ROOT / "constraints.txt", wheel)
        command = python.with_name("evidence-audit")
        os.environ.pop("PYTHONPATH", None)
        made = json.loads(run(command, "demo", "--dir", folder / "study", "--no-serve", "--json", cwd=folder))
        start(command, Path(made["folder"]))
        print(f"{wheel.name}: built, installed in a clean environment and started")


if __name__ == "__main__":
    main()
