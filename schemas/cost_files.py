"""Cost exports of ad platforms, as `cost_files.toml` describes them: headers per field, the source of the visits.

The write side reads files by it (`command_api.costs.imports`); the web app shows the names.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from schemas.base import Frozen

PATH: Final = Path(__file__).with_name("cost_files.toml")
COMMON: Final = "common"


class CostFiles(Frozen):
    """The description of one platform's exports. The comments of `cost_files.toml` explain the fields."""

    name: str = ""
    source: str = ""
    marks: tuple[tuple[str, ...], ...] = ()
    columns: Mapping[str, tuple[str, ...]] = {}
    starts: Mapping[str, tuple[str, ...]] = {}


def _read() -> Mapping[str, CostFiles]:
    tables: dict[str, Any] = tomllib.loads(PATH.read_text(encoding="utf-8"))
    return MappingProxyType({platform: CostFiles.model_validate(table) for platform, table in tables.items()})


_FILES: Final = _read()
COST_PLATFORMS: Final = MappingProxyType({name: files for name, files in _FILES.items() if name != COMMON})
"""What each platform adds to the common lists, in the order of the file."""


@cache
def cost_files_of(platform: str) -> CostFiles:
    """The description of a platform's exports, the common lists included. Raises `KeyError`: there is no such
    platform."""
    common, own = _FILES[COMMON], COST_PLATFORMS[platform]
    columns = {
        field: (*own.columns.get(field, ()), *common.columns.get(field, ()))
        for field in ({**common.columns, **own.columns})
    }
    return own.model_copy(update={"columns": columns, "starts": {**common.starts, **own.starts}})
