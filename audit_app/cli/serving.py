"""Commands that open the app: serve and demo."""

import re
import socket
import webbrowser
from dataclasses import asdict
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import urlsplit

import click

from audit_app import launch
from audit_app.actions.demo import make_demo
from audit_app.actions.staffing import few_people
from audit_app.actions.studies import checked_study
from audit_app.cli.options import json_option, print_json, say, study_option
from audit_app.origin import is_ours
from data.errors import StudyProblem
from data.study import Study


def _free(address: str, port: int) -> None:
    """Says before anything is started that a port is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            raise StudyProblem(
                f"{address}:{port} cannot be used ({error.strerror}); is the app running already? "
                f"Stop it, or choose another port with --port {port + 1}"
            ) from None


BEYOND = """\
This address can be reached from other machines, and links, passwords and answers would travel unencrypted.
Put a reverse proxy with TLS in front, on this machine, and leave --address at 127.0.0.1. The proxy
- passes on the Host header unchanged, and the websocket (Upgrade and Connection headers, no short time-out);
- sets X-Forwarded-For (then tries at passwords are counted by the visitor's address), in place of what a visitor sends.
  It is believed from 127.0.0.1; for a proxy on another machine set FORWARDED_ALLOW_IPS to its address;
- lets nobody reach port {port} but itself.
Name the proxy's address with --public https://YOUR-HOST, and give people links that fit:
evidence-audit people link PERSON_ID --address https://YOUR-HOST"""

_PUBLIC = re.compile(r"(https?)://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?/?", re.IGNORECASE)


def _public(study: Study, address: str, port: int, public: str | None) -> str | None:
    """The address under which people reach the server; None where it is this machine's own.

    Raises:
        StudyProblem: It is no address, or the server listens under every name and none was said.
    """
    if public is not None and not _PUBLIC.fullmatch(public):
        raise StudyProblem(f"--public {public!r}; expected an address without a path, like https://audit.example.org")
    if public is None and study.oidc is not None:
        public = "/".join(study.oidc.address.split("/")[:3])
    if public is None and address in ("0.0.0.0", "::", ""):
        raise StudyProblem(
            f"--address {address} listens on every network; say with --public under which address people reach it, "
            "for instance --public https://audit.example.org (requests for any other name are refused)"
        )
    if public is None and address not in LOCAL:
        public = f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"
    if public is None or is_ours(urlsplit(public.lower()).netloc, None):
        return None
    return public.rstrip("/").lower()


LOCAL = ("127.0.0.1", "localhost", "::1")


def _serve(study: Study, address: str, port: int, public: str | None = None) -> None:
    where = public or f"http://{address}:{port}"
    say(f"Serving “{study.name}” on {where}. Open your personal link in a browser; Ctrl+C stops.")
    if address not in LOCAL:
        say(BEYOND.format(port=port))
    code = launch.serve(study.path, address=address, port=port, public=public)
    if code:
        raise StudyProblem(f"the server ended with status {code}; its last lines above say why")


@click.command(epilog="Example: evidence-audit serve --study study --port 8501")
@click.option("--address", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True)
@click.option(
    "--public",
    metavar="URL",
    help="Where people reach the app through a proxy, like https://audit.example.org; requests for other names are "
    "refused, and X-Forwarded-* headers are believed from the proxy only.",
)
@study_option
def serve(address: str, port: int, public: str | None, folder: Path) -> None:
    """Serve the labelling app and the results of a study."""
    study = checked_study(folder)
    public = _public(study, address, port, public)
    _free(address, port)
    warning = few_people(study)
    if warning:
        say(f"Note: {warning}")
    _serve(study, address, port, public)


@click.command(epilog="Example: evidence-audit demo --dir demo-study --no-serve")
@click.option(
    "--dir", "folder", type=click.Path(path_type=Path), help="Where to make it; a temporary folder by default."
)
@click.option("--no-serve", is_flag=True, help="Make the study, do not open it.")
@click.option("--browser/--no-browser", default=True, help="Open the lead's link in a browser.")
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True)
@json_option
def demo(folder: Path | None, no_serve: bool, browser: bool, port: int, as_json: bool) -> None:
    """Make the demo study, with scripted labels in it, and open it."""
    if not no_serve:
        _free("127.0.0.1", port)
    made = make_demo(folder or Path(mkdtemp(prefix="evidence-audit-demo-")), address=f"http://127.0.0.1:{port}")
    if as_json:
        print_json({"folder": str(made.study.path), "lead": asdict(made.lead), "annotator": asdict(made.annotator)})
    else:
        say(f"The demo study is in {made.study.path}")
        click.echo(f"Results, as the lead:         {made.lead.link}")
        click.echo(f"Label, as a fourth annotator: {made.annotator.link}")
        say("One browser is one person: open the second link in a private window or another browser.")
    if no_serve:
        return
    if browser:
        launch.when_up(port, lambda: webbrowser.open(made.lead.link))
    _serve(made.study, "127.0.0.1", port)
