"""Whose request it is: under which name this server was asked for, and by whose page."""

import re
from ipaddress import IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import Scope

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_HOST = re.compile(r"([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?")
UNLINKED = ("/api/", "/out")
"""What a link on a foreign page must not reach: asking for work takes it, and signing out ends a session."""


def host_of(headers: Headers) -> str | None:
    """The Host of a request with its port; None when it is no host, or not the only one.

    >>> host_of(Headers({"host": "Audit.Example:8501"})), host_of(Headers({"host": "a b"}))
    ('audit.example:8501', None)
    """
    given = headers.getlist("host")
    host = given[0].lower() if len(given) == 1 else ""
    return host if _HOST.fullmatch(host) else None


def is_ours(host: str, public: str | None) -> bool:
    """Whether this server goes by this name: this machine's own, or the public address.

    Any other name was made to lead here by somebody else (DNS rebinding): the browser would then take their page for
    ours.

    >>> is_ours("localhost:8501", None), is_ours("evil.example", None), is_ours("a.example", "https://a.example")
    (True, False, True)
    """
    return re.sub(r":\d+$", "", host) in LOOPBACK or (public is not None and host == urlsplit(public).netloc.lower())


def origin_of(scope: Scope, host: str) -> str:
    """Our own origin, as a browser that asked for this names it."""
    return f"{'https' if scope['scheme'] in ('https', 'wss') else 'http'}://{host}"


def same_origin(scope: Scope, host: str) -> bool:
    """Whether a request comes from our own pages; clients that are no browser send no Origin.

    Stricter than Streamlit's own check, which lets any page on localhost through.
    """
    return Headers(scope=scope).get("origin") in (None, origin_of(scope, host))


def is_foreign(scope: Scope, host: str) -> bool:
    """Whether a page of another origin sent this request, other than by a link to a page of ours."""
    headers = Headers(scope=scope)
    if not same_origin(scope, host):
        return True
    if headers.get("sec-fetch-site", "none") in ("same-origin", "none"):
        return False
    linked = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return not linked or scope["method"] not in ("GET", "HEAD") or scope["path"].startswith(UNLINKED)


def address_of(connection: HTTPConnection) -> str:
    """Where a request comes from, to count tries at passwords; of IPv6 the network, which is one customer's.

    >>> address_of(HTTPConnection({"type": "http", "client": ("2001:db8:1:2:3:4:5:6", 80)}))
    '2001:db8:1:2::/64'
    """
    given = connection.client.host if connection.client else ""
    try:
        address = ip_address(given)
    except ValueError:
        return given
    if not isinstance(address, IPv6Address):
        return given
    return str(address.ipv4_mapped or ip_network((address.packed, 64), strict=False))
