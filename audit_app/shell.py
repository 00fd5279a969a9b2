"""Streamlit's one HTML page, served at the address of every screen and told where its server is.

Streamlit guesses: from /label it first asks /label/_stcore/health, which is not there, and leaves two errors in
the console before it asks /_stcore/health. Told the address (its own setting `BACKEND_BASE_URL`), it asks once.

Told to keep its error dialogs to itself (`blockErrorDialogs`), it puts none over the page while the connection is
cut: that took the keyboard from whoever was typing and stayed after the answer was saved. The labelling loop says so
in its own words, and so does `component/watch.js` on every other page.
"""

from html import escape
from importlib.resources import files

from starlette.convertors import StringConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from audit_app.language import _
from audit_app.notice import notice

PATHS = (
    "", "label", "context", "adjudicate", "report", "compare", "judge", "agreement", "people", "assignments", "rounds",
    "settings",
)  # fmt: skip
"""The addresses of all screens, and the one that leads to the first."""

TOLD = "window.__streamlit = { BACKEND_BASE_URL: window.location.origin, HOST_CONFIG: { blockErrorDialogs: true } };"


class Elsewhere(StringConvertor):
    """A path at which there is neither a screen nor a file of Streamlit's."""

    regex = r"(?!_stcore/|static/|media/|component/|favicon\.png).+"


register_url_convertor("elsewhere", Elsewhere())


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
    """A route for the address of every screen, and one that says of every other that there is none.

    Streamlit would show the first screen there, under a dialog that takes the keyboard.
    """
    page = told(streamlit_page())

    async def shell(request: Request) -> Response:
        return HTMLResponse(page, headers={"Cache-Control": "no-cache"})

    async def nowhere(request: Request) -> Response:
        meant = request.path_params["path"].rstrip("/").lower()
        if meant in PATHS:
            return RedirectResponse(f"/{meant}")
        begin = escape(_("To the first page"))
        return notice(
            _("There is no such page"),
            _("Look at the address again, or begin anew."),
            404,
            more=f'<a class="main" href="/">{begin}</a>',
        )

    return [*(Route(f"/{path}", shell) for path in PATHS), Route("/{path:elsewhere}", nowhere)]
