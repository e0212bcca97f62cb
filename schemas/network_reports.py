"""Networks' report files, as `network_reports.toml` describes them: headers per field, words, exact layouts.

The write side reads files by it (`command_api.networks.reading`); `docs/networks.md` says from it how sales arrive.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from pydantic import Field

from schemas.base import Frozen
from schemas.networks import NETWORKS

PATH: Final = Path(__file__).with_name("network_reports.toml")
COMMON: Final = "common"
MAPPED: Final = "file (mapped)"
"""How docs name a file that the mapping reads."""

StatusWord = Literal["pending", "approved", "rejected", "reversed", "paid"]


class NetworkReports(Frozen):
    """The description of one network's report files. The comments of `network_reports.toml` explain the fields."""

    layouts: tuple[str, ...] = ()
    marks: tuple[tuple[str, ...], ...] = ()
    date_order: Literal["ymd", "dmy", "mdy", ""] = ""
    decimal_mark: Literal[".", ",", ""] = ""
    currency: str = Field(default="", pattern=r"^([A-Z]{3})?$")
    timezone: str = ""
    status: StatusWord | Literal[""] = ""
    columns: Mapping[str, tuple[str, ...]] = {}
    without: frozenset[str] = frozenset()
    statuses: Mapping[str, StatusWord] = {}


def _read() -> Mapping[str, NetworkReports]:
    tables: dict[str, Any] = tomllib.loads(PATH.read_text(encoding="utf-8"))
    unknown = tables.keys() - NETWORKS.keys() - {COMMON}
    if unknown:
        raise ValueError(f"{PATH.name}: networks.toml has no {', '.join(sorted(unknown))}")
    return MappingProxyType({slug: NetworkReports.model_validate(table) for slug, table in tables.items()})


NETWORK_REPORTS: Final = _read()
"""What each network adds to `COMMON`, by slug."""


@cache
def reports_of(network: str) -> NetworkReports:
    """The description of a network's files, the common lists included. Raises `KeyError`: there is no such network."""
    common, own = NETWORK_REPORTS[COMMON], NETWORK_REPORTS.get(network, NetworkReports())
    postback = {word: "pending" if status == "hold" else status for word, status in NETWORKS[network].statuses.items()}
    columns = {
        field: (*own.columns.get(field, ()), *common.columns.get(field, ()))
        for field in ({**common.columns, **own.columns})
        if field in own.columns or field not in own.without
    }
    statuses = {**common.statuses, **postback, **own.statuses}
    return NetworkReports.model_validate(own.model_dump() | {"columns": columns, "statuses": statuses})


def read_layouts(network: str) -> tuple[str, ...]:
    """The names of what is read of a network's files: exact layouts first, then `MAPPED`."""
    own = NETWORK_REPORTS.get(network, NetworkReports())
    return (*own.layouts, MAPPED)
