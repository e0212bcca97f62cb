"""Social networks: referrers, apps, deep links and in-app browsers by which a visit from one of them is recognised.

The table is `social_networks.toml`. What it says is decided once, in ingest: the record in the log has source and
channel, so a rebuild gives the same, and a change of the table concerns later visits only.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

TABLE: Final = Path(__file__).with_name("social_networks.toml")


def in_app_network(agent_text: str) -> str:
    """The network whose in-app browser has this user agent; empty: none."""
    return next((name for part, name in _IN_APP if part in agent_text), "")


def _by(column: str) -> Mapping[str, str]:
    return {value: network["name"] for network in _NETWORKS for value in network[column]}


def _host_by(column: str) -> Mapping[str, str]:
    return {value: network["hosts"][0] for network in _NETWORKS for value in network[column]}


_NETWORKS: Final[list[dict[str, Any]]] = tomllib.loads(TABLE.read_text())["networks"]
_IN_APP: Final = tuple((part, network["name"]) for network in _NETWORKS for part in network["in_app"])

HOSTS: Final = _by("hosts")
"""The name of a network by its host."""
UTM_SOURCES: Final = _by("utm_sources")
"""The name of a network by what `utm_source` may call it, lower case."""
ANDROID_APPS: Final = _host_by("apps")
"""The host of the network of an app, by the package that `android-app://` names."""
IOS_APPS: Final = _host_by("app_ids")
"""The same by the App Store id that `ios-app://` names."""
SCHEMES: Final = _host_by("schemes")
"""The same by the scheme of a deep link."""
