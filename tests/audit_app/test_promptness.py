import gc
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from audit_app.promptness import answer_at_once, keep_what_is_loaded, send_at_once


class Transport:
    """A transport that has this socket."""

    def __init__(self, connection: socket.socket | None) -> None:
        self.connection = connection

    def get_extra_info(self, name: str) -> socket.socket | None:
        return self.connection if name == "socket" else None


@pytest.fixture
def connection() -> Iterator[socket.socket]:
    """A connection taken as Streamlit takes it: asyncio would leave the delay on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        with socket.create_connection(listener.getsockname()):
            taken, _ = listener.accept()
            with taken:
                assert taken.proto != socket.IPPROTO_TCP
                assert not delay_is_off(taken)
                yield taken


def delay_is_off(connection: socket.socket) -> bool:
    return bool(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))


def test_every_connection_sends_at_once(connection: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[Any] = []
    protocol: Any = AutoHTTPProtocol
    monkeypatch.setattr(protocol, "connection_made", lambda self, transport: taken.append(transport))
    answer_at_once()
    transport = Transport(connection)
    protocol.connection_made(None, transport)
    assert delay_is_off(connection)
    assert taken == [transport]


def test_what_is_no_tcp_connection_stays_as_it_is() -> None:
    send_at_once(Transport(None))  # type: ignore[arg-type]  # all that is asked of a transport
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        send_at_once(Transport(one))  # type: ignore[arg-type]  # a stand-in


def test_what_is_loaded_is_not_looked_through_again() -> None:
    there = [[]]  # type: ignore[var-annotated]  # anything that is looked after
    keep_what_is_loaded()
    try:
        assert not any(one is there for one in gc.get_objects())
    finally:
        gc.unfreeze()
    assert any(one is there for one in gc.get_objects())
