"""The columns of a kind of report: what their headers may be called, and how an object of JSON gives flat records.

The networks' reports and the files of costs each describe their kind by it; everything else of reading is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.domain.report_files.source import MAX_COLUMNS

MAX_NESTED: Final = 4

Flat = dict[str, str]


def flatten(record: Mapping[str, Any]) -> Flat:
    """The record's plain values by their paths: `clickRefs.clickRef`. Lists are left out."""
    flat: Flat = {}
    _flatten(record, "", 0, flat)
    return flat


def _flatten(record: Mapping[str, Any], prefix: str, depth: int, flat: Flat) -> None:
    for name, value in record.items():
        if isinstance(value, str):
            flat[prefix + name] = value
        elif value is True or value is False:
            flat[prefix + name] = "true" if value else "false"
        elif isinstance(value, dict) and depth < MAX_NESTED:
            _flatten(value, f"{prefix}{name}.", depth + 1, flat)
        elif value is None:
            flat[prefix + name] = ""
        if len(flat) > MAX_COLUMNS:
            return


def as_one(record: Mapping[str, Any]) -> Iterable[Flat]:
    """The object as one record."""
    return (flatten(record),)


@dataclass(frozen=True, slots=True)
class ReportColumns:
    """The columns of one kind of report. `headers`: field to the names that its header may have, the first that a file
    has is taken; `necessary`: the fields that every row needs; `flat_records`: the records of an object of JSON."""

    headers: tuple[tuple[str, tuple[str, ...]], ...]
    necessary: tuple[str, ...]
    flat_records: Callable[[dict[str, Any]], Iterable[Flat]] = as_one
