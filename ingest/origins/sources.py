"""Search engines, mail, messengers and apps by which a visit from one of them is recognised (`sources.toml`), and the
sign-in and payment pages from which visitors return (`return_hosts.txt`).

What they say is decided once, in ingest: the record in the log has source and channel, so a rebuild gives the same, and
a change of a table concerns later visits only.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ingest.origins import social_networks

TABLE: Final = Path(__file__).with_name("sources.toml")
RETURN_HOSTS: Final = Path(__file__).with_name("return_hosts.txt")
Source = tuple[str, str]
"""Name and channel."""
NONE: Final[Source] = ("", "")


def known(host: str) -> Source:
    """Returns the source that a host, lower case, is known as; empty: none."""
    host = host.removeprefix("www.")
    return _HOSTS.get(host) or next((_DOMAINS[domain] for domain in _suffixes(host) if domain in _DOMAINS), NONE)


def is_return_host(host: str) -> bool:
    """Returns whether visitors come back from there after they signed in or paid."""
    return any(domain in _RETURNS for domain in _suffixes(host))


def host_of_app(scheme: str, name: str) -> str:
    """Returns the host of an app. `scheme`: `android-app` or `ios-app`. An unknown package is its own host; an unknown
    number names nothing."""
    if scheme == "android-app":
        return _ANDROID_APPS.get(name.lower(), name)
    return _IOS_APPS.get(name, "")


def _suffixes(host: str) -> Iterator[str]:
    labels = host.split(".")
    return (".".join(labels[start:]) for start in range(len(labels)))


_SOURCES: Final[list[dict[str, Any]]] = tomllib.loads(TABLE.read_text())["sources"]
_HOSTS: Final = {
    prefix + host: (source["name"], source.get("channel", "referral"))
    for source in _SOURCES
    for host in source.get("hosts", ())
    for prefix in ("", *(f"{label}." for label in source.get("labels", ())))
}
_DOMAINS: Final = {
    domain: (source["name"], source.get("channel", "referral"))
    for source in _SOURCES
    for domain in source.get("domains", ())
} | {host: (name, "social") for host, name in social_networks.HOSTS.items()}
_RETURNS: Final = frozenset(
    line.strip() for line in RETURN_HOSTS.read_text().splitlines() if line.strip() and not line.startswith("#")
)


def _apps(column: str) -> dict[str, str]:
    return {
        app.lower(): (source.get("hosts") or source["domains"])[0]
        for source in _SOURCES
        for app in source.get(column, ())
    }


_ANDROID_APPS: Final = _apps("apps") | {app.lower(): host for app, host in social_networks.ANDROID_APPS.items()}
_IOS_APPS: Final = _apps("app_ids") | dict(social_networks.IOS_APPS)
