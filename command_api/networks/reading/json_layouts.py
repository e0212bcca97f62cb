"""Turns an object of a JSON report into flat records: one per line of money, its values by their paths.

`json_source` -> this -> `row_reader`. Records with parts (Partnerize's items, ClickBank's lines) are taken apart here;
everything else follows from the columns of `schemas/network_reports.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from infra.domain.report_files.columns import Flat, flatten


def flat_records(network: str, record: dict[str, Any]) -> Iterator[Flat]:
    """The record's lines of money."""
    split = _SPLITTERS.get(network)
    if split is None:
        yield flatten(record)
    else:
        yield from split(record)


def _partnerize(record: dict[str, Any]) -> Iterator[Flat]:
    """An item each, where the conversion names items: their statuses may differ, also later."""
    inner = record.get("conversion_data", record)
    data = inner if isinstance(inner, dict) else record
    whole = flatten(data)
    items = [flatten(item) for item in _objects(data.get("conversion_items"))]
    if items and all(item.get("conversion_item_id") and item.get("item_publisher_commission") for item in items):
        for item in items:
            yield whole | {f"conversion_items.{name}": value for name, value in item.items()}
    else:
        yield whole


def _clickbank(record: dict[str, Any]) -> Iterator[Flat]:
    """A line each of those in which the account has the order's role."""
    whole = flatten({name: value for name, value in record.items() if name != "lineItemData"})
    for item in _objects(record.get("lineItemData")) or [{}]:
        flat = flatten(item)
        if flat.get("role", whole.get("role")) == whole.get("role"):
            yield whole | {f"lineItemData.{name}": value for name, value in flat.items()}


def _objects(value: Any) -> list[dict[str, Any]]:
    """A list of objects; a single one stands for a list of it."""
    listed = value if isinstance(value, list) else [value]
    return [each for each in listed if isinstance(each, dict)]


_SPLITTERS: Final[Mapping[str, Callable[[dict[str, Any]], Iterator[Flat]]]] = {
    "partnerize": _partnerize,
    "clickbank": _clickbank,
}
