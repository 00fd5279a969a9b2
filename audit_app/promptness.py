"""Answers are made without pauses, and leave the server at once.

Streamlit makes its listening socket without naming the protocol, so asyncio does not take the connections for TCP and
leaves Nagle's algorithm on: the second packet of an answer then waits up to 40 ms for the first to be acknowledged.
"""

import gc
import socket
from asyncio import BaseTransport
from typing import Any, cast

from uvicorn.protocols.http.auto import AutoHTTPProtocol


def send_at_once(transport: BaseTransport) -> None:
    """Switches the delay off for one connection; a connection without a socket stays as it is."""
    connection = transport.get_extra_info("socket")
    if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def answer_at_once() -> None:
    """Switches the delay off for every connection that this process takes from now on."""
    protocol = cast(Any, AutoHTTPProtocol)
    before = protocol.connection_made

    def connection_made(self: Any, transport: BaseTransport) -> None:
        send_at_once(transport)
        before(self, transport)

    protocol.connection_made = connection_made


def keep_what_is_loaded() -> None:
    """Takes what is there by now, and is needed as long as the server runs, out of all later looks for garbage."""
    gc.collect()
    gc.freeze()
