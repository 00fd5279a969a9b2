"""Text of others on a Streamlit screen: shown as it is, never read as markdown or HTML."""

from html import escape


def literal(text: str, direction: str = "auto") -> str:
    """HTML for `st.html` that shows exactly this text; its direction is that of its first letter unless given.

    `st.html` strips the blanks of whitespace-only lines, hence the coded newlines.

    >>> literal("![x](http://a) <b>")
    '<div dir="auto" style="white-space: pre-wrap; overflow-wrap: anywhere">![x](http://a) &lt;b&gt;</div>'
    """
    coded = escape(text).replace("\r\n", "\n").replace("\n", "&#10;")
    return f'<div dir="{direction}" style="white-space: pre-wrap; overflow-wrap: anywhere">{coded}</div>'
