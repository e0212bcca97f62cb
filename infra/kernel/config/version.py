"""The program's version. `pyproject.toml` is the only place that states it."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def product_version() -> str:
    """The version of the installed package; "0+unknown" in a checkout that is not installed."""
    try:
        return version("althing")
    except PackageNotFoundError:
        return "0+unknown"
