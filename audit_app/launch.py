"""The one way the app is started: Streamlit as a child process, every setting a flag."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from urllib.request import urlopen

STUDY = "EVIDENCE_AUDIT_STUDY"
"""The environment variable that tells the server process which study folder to serve."""

PUBLIC = "EVIDENCE_AUDIT_PUBLIC"
"""The environment variable with the address under which people reach the server, where it is not this machine's own."""

PROXIES = "FORWARDED_ALLOW_IPS"
"""Uvicorn's: whose word on a visitor's address and protocol is believed."""

FLAGS = {
    "server.headless": "true",
    "server.fileWatcherType": "none",
    "server.enableCORS": "true",
    "server.enableXsrfProtection": "true",
    "server.enableStaticServing": "false",
    "server.enableAgentApi": "false",
    "browser.gatherUsageStats": "false",
    # By default Streamlit collects all garbage after every run and halts all sessions meanwhile.
    "runner.postScriptGC": "false",
    # Its developer menu takes plain letters as shortcuts.
    "client.toolbarMode": "viewer",
    "client.showErrorDetails": "none",
    "client.showErrorLinks": "false",
    "logger.hideWelcomeMessage": "true",
    # Set for each of the two: one colour for both would switch the dark theme off.
    "theme.light.primaryColor": "#2a6fc9",
    "theme.dark.primaryColor": "#2a6fc9",
}


def command(*, address: str = "127.0.0.1", port: int = 8501) -> list[str]:
    """The command line of the server.

    `-P` keeps the user's own `data.py` in the current folder from being taken for ours.

    >>> command(port=8600)[1:5]
    ['-P', '-m', 'streamlit', 'run']
    """
    flags = {"server.address": address, "server.port": str(port), **FLAGS}
    app = Path(__file__).with_name("app.py")
    return [
        *(sys.executable, "-P", "-m", "streamlit", "run", str(app)),
        *(part for name, value in flags.items() for part in (f"--{name}", value)),
    ]


def environment(folder: Path, public: str | None = None) -> dict[str, str]:
    """The environment of the server: ours, the study folder and the public address.

    Without a public address there is no proxy in front, and whoever sends X-Forwarded-* is no proxy either.
    """
    more = {STUDY: str(folder.resolve()), PUBLIC: public or ""}
    proxies = os.environ.get(PROXIES, "127.0.0.1,::1" if public else "")
    return {**os.environ, PROXIES: proxies, **more}


def public_address() -> str | None:
    """The address under which people reach this server process; None where it is this machine's own."""
    return os.environ.get(PUBLIC) or None


def study_folder() -> Path:
    """The folder that this server process serves; `.` when nobody said."""
    return Path(os.environ.get(STUDY, "."))


def when_up(port: int, then: Callable[[], object]) -> None:
    """Calls `then` from another thread once the server on this port answers, for at most a minute."""

    def wait() -> None:
        for _ in range(120):
            try:
                with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2):
                    then()
                    return
            except OSError:
                time.sleep(0.5)

    threading.Thread(target=wait, daemon=True).start()


def serve(folder: Path, *, address: str = "127.0.0.1", port: int = 8501, public: str | None = None) -> int:
    """Serves a study until it is stopped (Ctrl+C, or SIGTERM to this process).

    Returns:
        The server's exit code; 0 when it was asked to stop.
    """
    server = subprocess.Popen(command(address=address, port=port), env=environment(folder, public))
    stopped = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal stopped
        stopped = True
        server.terminate()

    before = {each: signal.signal(each, stop) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        code = server.wait()
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    return 0 if stopped else code
