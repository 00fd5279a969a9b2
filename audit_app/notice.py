"""The small pages that stand outside the gate: not signed in, a link that does not work, signed out."""

from html import escape

from starlette.responses import HTMLResponse

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · Evidence Audit</title>
<style>
body {{ align-items: center; display: flex; font: 1.1rem/1.55 system-ui, sans-serif; justify-content: center;
  margin: 0; min-height: 90vh; padding: 1rem; }}
main {{ border: 1px solid color-mix(in srgb, CanvasText 20%, Canvas); border-radius: 0.75rem; max-width: 30rem;
  overflow-wrap: anywhere; padding: 1.75rem 2rem; }}
h1 {{ font-size: 1.4rem; line-height: 1.3; margin: 0.25rem 0 0.75rem; }}
p {{ margin: 0; white-space: pre-wrap; }}
small {{ opacity: 0.75; }}
</style>
</head>
<body><main><small>Evidence Audit</small><h1>{title}</h1><p>{text}</p></main></body>
</html>
"""


def notice(title: str, text: str, status: int = 200) -> HTMLResponse:
    """A page of its own, without scripts or anything to load.

    >>> b"&lt;b&gt;" in notice("Hello", "<b>").body
    True
    """
    page = _PAGE.format(title=escape(title), text=escape(text))
    return HTMLResponse(page, status, {"Cache-Control": "no-store"})
