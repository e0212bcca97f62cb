"""Decided costs against ClickHouse: what each event adds and takes back is in `cost_changes`, once."""

# ruff: noqa: S608 - queries are made of this package's own names and of numbers

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final
from uuid import UUID

from infra.kernel.clickhouse.reader import Reader
from infra.ops.audit.report import AuditReport, DefectKind
from schemas.base import DomainEvent
from schemas.events.costs import CostAdded, CostChanged, CostEntry, CostImportBooked, CostRemoved, CostRestored
from schemas.identity import platform_cost_id
from schemas.tracking import NO_ID, log_time

_CHECK: Final = "cost_changes"
_COLUMNS: Final = (
    *("website_id", "cost_id", "changed_at", "first", "last", "source", "campaign", "term", "content", "link_id"),
    *("placement", "amount", "currency"),
)
_Row = tuple[str, ...]


class CostRows:
    """The rows of `cost_changes` before `end`, each against the event that it was made of."""

    def __init__(self, clickhouse: Reader, end: int, dead: set[int], report: AuditReport) -> None:
        self._dead, self._report = dead, report
        self._rows: dict[int, list[_Row]] = defaultdict(list)
        selected = ", ".join(f"toString({name}) AS {name}" for name in _COLUMNS)
        for row in clickhouse.rows(f"SELECT {selected}, _offset FROM cost_changes WHERE _offset < {end}"):
            self._rows[int(row["_offset"])].append(tuple(row[name] for name in _COLUMNS))

    def audit(self, offset: int, event: DomainEvent) -> None:
        """Compares the rows of an event; one that is not about costs has none."""
        expected = sorted(_rows_of(event))
        if not expected or offset in self._dead:
            return
        self._report.checked["rows of cost_changes"] += len(expected)
        found, name = sorted(self._rows.pop(offset, [])), f"domain[0]@{offset}"
        if found == expected:
            return
        if len(found) < len(expected):
            self._report.found(DefectKind.MISSING, _CHECK, f"{name} has {len(found)} of {len(expected)} rows")
        elif len(found) > len(expected):
            extra = len(found) - len(expected)
            self._report.found(DefectKind.DUPLICATE, _CHECK, f"{name} has {len(found)} rows", extra)
        else:
            self._report.found(DefectKind.WRONG, _CHECK, f"{name} has {found} instead of {expected}")

    def finish(self) -> None:
        """Reports the rows that no event made."""
        for offset, rows in self._rows.items():
            self._report.found(DefectKind.WRONG, _CHECK, f"domain[0]@{offset} has {len(rows)} rows, but no cost")


def _rows_of(event: DomainEvent) -> list[_Row]:
    if isinstance(event, CostAdded | CostRestored):
        return [_row(event, event.entry, 1)]
    if isinstance(event, CostRemoved):
        return [_row(event, event.entry, -1)]
    if isinstance(event, CostChanged):
        return [_row(event, event.replaced, -1), _row(event, event.entry, 1)]
    if isinstance(event, CostImportBooked):
        cost_id = platform_cost_id(event.website_id, event.platform)
        taken = [_row(event, one.replaced, -1, cost_id) for one in event.changes if one.replaced is not None]
        return taken + [_row(event, one.entry, 1, cost_id) for one in event.changes if one.entry is not None]
    return []


def _row(event: Any, entry: CostEntry, sign: int, cost_id: UUID | None = None) -> _Row:
    values = (
        *(
            event.website_id,
            cost_id or event.originator_id,
            log_time(event.timestamp),
            entry.first,
            entry.last,
            entry.source,
        ),
        *(entry.campaign, entry.term, entry.content, entry.link_id or NO_ID, entry.placement),
        *(sign * entry.worth.amount, entry.worth.currency),
    )
    return tuple(str(value) for value in values)
