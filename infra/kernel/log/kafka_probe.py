"""Probes whether a Kafka server answers, without a client: a readiness check that needs no sign-in."""

from __future__ import annotations

import socket
import struct
from typing import Final

_API_VERSIONS: Final = struct.pack(">ihhih", 12, 18, 0, 1, 2) + b"up"


def answers(port: int, host: str = "127.0.0.1", *, plain: bool = True) -> bool:
    """Returns whether the server answers a request of its protocol (an open port alone comes earlier than that); not
    `plain`: whether the port is open."""
    try:
        with socket.create_connection((host, port), timeout=1) as connection:
            if not plain:
                return True
            connection.sendall(_API_VERSIONS)
            return len(connection.recv(8)) > 0
    except OSError:
        return False
