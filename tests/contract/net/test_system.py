"""Whether Kafka answers, as the system page says it while no projector looks at the log."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from infra.kernel.config.settings import Settings
from query_api.operations.system import _kafka_answers


@contextmanager
def server(answer: bytes) -> Iterator[str]:
    """Answers one request with these bytes, and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(64)
                connection.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        thread.join(5)


@pytest.mark.parametrize(("answer", "answers"), [(b"\0\0\0\x08abcdefgh", True), (b"", False)])
def test_an_open_port_alone_is_no_kafka(answer: bytes, answers: bool) -> None:
    with server(answer) as address:
        assert _kafka_answers(Settings(kafka_bootstrap_servers=address)) is answers


def test_nobody_there_is_no_answer_and_one_of_several_is_enough() -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        gone = f"127.0.0.1:{held.getsockname()[1]}"
    assert not _kafka_answers(Settings(kafka_bootstrap_servers=gone))
    assert not _kafka_answers(Settings())
    with server(b"\0\0\0\x04abcd") as address:
        assert _kafka_answers(Settings(kafka_bootstrap_servers=f"{gone},{address}"))
