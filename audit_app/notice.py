"""The small pages of our own beside the app: refusals, sign-in, where one is signed in. No scripts, nothing to load."""

from html import escape

from starlette.responses import HTMLResponse

from audit_app.language import LANGUAGES, _, current, direction

_PAGE = """<!doctype html>
<html lang="{language}" dir="{direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · Evidence Audit</title>
<style>
:root {{ color-scheme: light dark; --line: color-mix(in srgb, CanvasText 22%, Canvas); --main: #2a6fc9; }}
html {{ background: Canvas; color: CanvasText; }}
body {{ align-items: center; display: flex; font: 1.1rem/1.55 system-ui, sans-serif; justify-content: center;
  margin: 0; min-height: 90vh; padding: 1rem; }}
main {{ border: 1px solid var(--line); border-radius: 0.75rem; box-sizing: border-box; max-width: 30rem;
  overflow-wrap: anywhere; padding: 1.75rem 2rem; width: 100%; }}
h1 {{ font-size: 1.4rem; line-height: 1.3; margin: 0.25rem 0 0.75rem; }}
p {{ margin: 0 0 0.75rem; white-space: pre-wrap; }} p:last-child {{ margin: 0; }}
small {{ opacity: 0.78; }} a {{ color: light-dark(#1a5fb4, #8ab8ff); }}
label {{ display: block; font-size: 1rem; margin-top: 0.75rem; }}
input, button {{ border: 1px solid var(--line); border-radius: 0.4rem; font: inherit; padding: 0.45rem 0.75rem; }}
input {{ background: Field; box-sizing: border-box; color: FieldText; display: block; margin-top: 0.2rem;
  width: 100%; }}
button {{ background: Canvas; color: CanvasText; cursor: pointer; }}
a.main {{ border-radius: 0.4rem; box-sizing: border-box; display: block; padding: 0.45rem 0.75rem; text-align: center;
  text-decoration: none; }}
.main {{ background: var(--main); border-color: var(--main); color: #fff; margin: 1.1rem 0 0.5rem;
  width: 100%; }}
:focus-visible {{ outline: 2px solid var(--main); outline-offset: 2px; }}
.wrong {{ border-inline-start: 3px solid #c0392b; padding-inline-start: 0.75rem; }}
ul {{ list-style: none; margin: 0 0 0.75rem; padding: 0; }}
li {{ align-items: center; border-bottom: 1px solid var(--line); display: flex; gap: 1rem;
  justify-content: space-between; padding: 0.6rem 0; }}
.languages {{ display: flex; gap: 0.5rem; margin-top: 1.5rem; }}
.languages button {{ font-size: 0.9rem; padding: 0.2rem 0.6rem; }}
[aria-pressed="true"] {{ border: 2px solid; font-weight: 600; }}
li small {{ display: block; }} li > small {{ white-space: nowrap; }}
</style>
</head>
<body><main><small>Evidence Audit</small><h1>{title}</h1>{body}{languages}</main></body>
</html>
"""


def notice(title: str, text: str, status: int = 200, *, more: str = "") -> HTMLResponse:
    """A page that says something, shown as it is; `more` is HTML that follows.

    >>> b"&lt;b&gt;" in notice("Hello", "<b>").body
    True
    """
    return page(title, f"<p>{escape(text)}</p>{more}", status)


def page(title: str, body: str, status: int = 200) -> HTMLResponse:
    """A page of its own; the body is HTML."""
    said = {"language": current(), "direction": direction(), "languages": _languages()}
    return HTMLResponse(_PAGE.format(title=escape(title), body=body, **said), status, {"Cache-Control": "no-store"})


def _languages() -> str:
    """The choice of language, each by its own name."""
    buttons = "".join(
        f'<button name="language" value="{name}" lang="{name}" aria-pressed="{str(name == current()).lower()}">'
        f"{own}</button>"
        for name, own in LANGUAGES.items()
    )
    called = escape(_("Language"))
    return f'<form class="languages" method="post" action="/language" aria-label="{called}">{buttons}</form>'
