"""Streamlit's one HTML page, served at the address of every screen and told where its server is.

Streamlit guesses: from /label it first asks /label/_stcore/health, which is not there, and leaves two errors in
the console before it asks /_stcore/health. Told the address (its own setting `BACKEND_BASE_URL`), it asks once.

Told to keep its error dialogs to itself (`blockErrorDialogs`), it puts none over the page while the connection is
cut: that took the keyboard from whoever was typing and stayed after the answer was saved. The labelling loop says so
in its own words, and so does `component/watch.js` on every other page.
"""

from importlib.resources import files

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

PATHS = (
    "", "label", "context", "adjudicate", "report", "compare", "judge", "agreement", "people", "assignments", "rounds",
    "settings",
)  # fmt: skip
"""The addresses of all screens, and the one that leads to the first."""

TOLD = "window.__streamlit = { BACKEND_BASE_URL: window.location.origin, HOST_CONFIG: { blockErrorDialogs: true } };"


def streamlit_page() -> str:
    """The HTML that Streamlit serves; it begins with one inline script, which the policy must name."""
    return files("streamlit").joinpath("static/index.html").read_text(encoding="utf-8")


def told(page: str) -> str:
    """The page with the server's address in the inline script that it begins with; as it is without one.

    >>> told("<script>x = 1</script>").startswith("<script>window.__streamlit = {")
    True
    """
    return page.replace("<script>", f"<script>{TOLD}", 1)


def shells() -> list[Route]:
    """A route for the address of every screen."""
    page = told(streamlit_page())

    async def shell(request: Request) -> Response:
        return HTMLResponse(page, headers={"Cache-Control": "no-cache"})

    return [Route(f"/{path}", shell) for path in PATHS]
