"""Under which names the web app may be opened: its own, never a name that somebody pointed here.

A publisher's custom domain leads to the tracking API. Were the app served under it as well, the publisher's pages would
be of the same site as the app; and a name that is pointed here from outside (DNS rebinding) would read it as its own.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from infra.http_guard import Scope
from infra.settings import Settings

_LOCAL_ENDINGS: Final = (".localhost", ".local", ".internal", ".lan", ".home.arpa")


class Hosts:
    """`ALTHING_PUBLIC_URL`'s host, addresses, and names that no DNS gives to strangers."""

    def __init__(self, settings: Settings) -> None:
        self._own = (urlsplit(settings.app_url).hostname or "").lower()

    def may_serve(self, scope: Scope) -> bool:
        """Whether the request names the app as its host. One without a host, as old load balancers send, does."""
        given = next((value for name, value in scope["headers"] if name == b"host"), b"").decode("latin-1")
        host = _without_port(given.strip().lower())
        return host in ("", self._own) or "." not in host or host.endswith(_LOCAL_ENDINGS) or _is_address(host)


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].rstrip(".")


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
