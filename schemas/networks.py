"""Affiliate networks, trackers and program software, as `networks.toml` lists them.

The one source for postback presets, for the parameter in which a link passes its click id, and for the recognition of
a network's links.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pydantic import Field

from schemas.base import Frozen

PATH: Final = Path(__file__).with_name("networks.toml")
DEFAULT: Final = "default"
PARAMETER_PATTERN: Final = r"[A-Za-z0-9_.~-]{1,64}:?"
"""A query parameter, or with a colon at its end the beginning of a part of the path."""


class NetworkKind(StrEnum):
    """What it is. `tracker`: also software that networks run on; `program`: software of single programs."""

    NETWORK = "network"
    TRACKER = "tracker"
    PROGRAM = "program"
    GENERIC = "generic"


class Reports(StrEnum):
    """How sales come back: by a call to our URL, in files to import, or as JSON that a postback cannot read."""

    POSTBACK = "postback"
    FILE = "file"
    JSON = "json"


class TxidScope(StrEnum):
    """Within what a network's transaction ids are unique: all sales of a website, or those of one click."""

    WEBSITE = "website"
    CLICK = "click"


class NetworkPreset(Frozen):
    """One network. The comments of `networks.toml` explain the fields."""

    slug: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")
    name: str
    kind: NetworkKind
    hosts: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    click_id: str = Field(default="", pattern=rf"^({PARAMETER_PATTERN})?$")
    max_length: int | None = None
    reports: Reports = Reports.POSTBACK
    account: Mapping[str, str] = {}
    secret: Mapping[str, str] = {}
    names: Mapping[str, str] = {}
    postback: Mapping[str, str] = {}
    statuses: Mapping[str, str] = {}
    txid_scope: TxidScope = TxidScope.WEBSITE
    documented: bool = True
    note: str = ""
    source: str = ""


def _read() -> dict[str, NetworkPreset]:
    tables = tomllib.loads(PATH.read_text(encoding="utf-8"))
    return {slug: NetworkPreset.model_validate({"slug": slug, **table}) for slug, table in tables.items()}


NETWORKS: Final[Mapping[str, NetworkPreset]] = MappingProxyType(_read())
"""The presets by slug."""
_BY_HOST: Final[Mapping[str, NetworkPreset]] = {
    host: network for network in NETWORKS.values() for host in network.hosts
}


def txid_scope_of(preset: str, own: TxidScope) -> TxidScope:
    """Within what the transaction ids of reports in these names are unique. `own`: the website's setting, for Althing's
    names and the common ones, which any system may send."""
    network = NETWORKS[preset or DEFAULT]
    return own if network.kind is NetworkKind.GENERIC else network.txid_scope


def network_of_host(host: str) -> NetworkPreset | None:
    """The network that a link on `host` belongs to: one of its hosts, or a subdomain of one."""
    labels = host.lower().rstrip(".").split(".")
    return next((entry for at in range(len(labels) - 1) if (entry := _BY_HOST.get(".".join(labels[at:])))), None)


def click_id_parameter(own: str | None, preset: str | None) -> str:
    """The parameter in which links of a partner pass the click id: its own, else its network's; empty: none."""
    if own:
        return own
    network = NETWORKS.get(preset or DEFAULT)
    return network.click_id if network is not None else ""
