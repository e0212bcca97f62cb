"""Asks a service that is starting whether it answers yet."""

from __future__ import annotations

import httpx


def answers(url: str) -> bool:
    """Whether `url` is answered with 200. Reads no list of authorities: that takes longer than the answer."""
    try:
        return httpx.get(url, timeout=2, verify=False).status_code == 200  # noqa: S501 - plain http on loopback
    except httpx.HTTPError:
        return False
