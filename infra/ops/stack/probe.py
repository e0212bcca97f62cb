"""Questions over loopback HTTP that say whether a process is ready."""

from __future__ import annotations

import http.client
import ipaddress
import json
from typing import Final

from infra.ops.stack.ports import LOOPBACK

_MAX_BYTES: Final = 64 * 1024


def why_not_alive(port: int, *, host: str = LOOPBACK, timeout_s: float = 3.0) -> str | None:
    """Returns None when `/livez` is answered 200 in time. Otherwise returns what the process says itself (it knows that
    it hangs), or an empty text if it says nothing."""
    try:
        status, body = _get(port, "/livez", host, timeout_s)
        if status == 200:
            return None
        return str(json.loads(body)["reason"])
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return ""


def answers(port: int, path: str, *, host: str = LOOPBACK, timeout_s: float = 1.0) -> bool:
    """Returns whether `GET path` is answered 200 in time."""
    try:
        return _get(port, path, host, timeout_s)[0] == 200
    except (OSError, http.client.HTTPException):
        return False


def _get(port: int, path: str, host: str, timeout_s: float) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(reachable(host), port, timeout=timeout_s)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read(_MAX_BYTES)
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
