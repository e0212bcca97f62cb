"""Questions over loopback HTTP that say whether a process is ready."""

from __future__ import annotations

import http.client
import ipaddress

from infra.ops.stack.ports import LOOPBACK


def answers(port: int, path: str, *, host: str = LOOPBACK, timeout_s: float = 1.0) -> bool:
    """Whether `GET path` is answered 200 in time."""
    connection = http.client.HTTPConnection(reachable(host), port, timeout=timeout_s)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def reachable(host: str) -> str:
    """The address under which this machine reaches a server that listens on `host` (all addresses: loopback)."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if not address.is_unspecified:
        return host
    return LOOPBACK if address.version == 4 else "::1"
