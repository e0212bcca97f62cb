"""Sales beside the visits of their clicks: source, campaign and pages of a sale are those of its click's visit.

The visits are found again from the raw rows, by the audit's own definition (`infra.ops.audit.visits_of_events`); the
sales are read from both stores. Under live traffic a sale is a moment behind its click: a difference is looked at again
until `PATIENCE_S` is over.
"""

# ruff: noqa: S608 - queries are made of this package's own names, and of ids and times that the engines returned

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic, sleep
from typing import Any, Final
from uuid import UUID

import psycopg

from infra.kernel.clickhouse.reader import Reader
from infra.ops.audit import visits_of_events
from infra.ops.audit.quiescence import exists
from infra.ops.audit.report import AuditReport, DefectKind
from schemas.events.conversions import VisitDetails
from schemas.tracking import NO_ID

PATIENCE_S: Final = 40.0
"""Longer than it takes until a changed day makes the search of its sales due, and they are searched."""
POLL_S: Final = 2.0
MAX_EVENTS: Final = 1_000
"""The maximum number of events of a visitor on a day: the attribution reads no more of them."""

_CHECK: Final = "sale visits"
_BATCH: Final = 500
_COLUMNS: Final = ("source", *VisitDetails.model_fields)
_OF_CLICK: Final = {
    "type": "toString(type)",
    "at": "toUnixTimestamp64Milli(occurred_at)",
    "click_id": "click_id",
    "link": "toString(link_id)",
    "partner": "toString(partner_id)",
    "is_bot": "is_bot",
    "visitor": "visitor",
    **{name: f"toString({name})" for name in _COLUMNS if name not in visits_of_events.COLUMNS},
}
"""The columns that a row has from its event, not from its visit."""


@dataclass(frozen=True, slots=True)
class _Sale:
    """A sale whose click is still searched for, as Postgres has it."""

    id: UUID
    website_id: UUID
    clicked_at: datetime
    click_id: str
    link_id: UUID | None
    partner_id: UUID
    source: str
    bot_reason: str


def audit_sale_visits(clickhouse: Reader, postgres: psycopg.Connection[Any]) -> AuditReport:
    """Compares every sale whose click may still change."""
    report = AuditReport()
    if not exists(postgres, "conversions.pending_attribution") or not exists(postgres, "read.conversions"):
        return report
    deadline, wrong = monotonic() + PATIENCE_S, dict[UUID, str]()
    ids: Sequence[UUID] | None = None
    while True:
        sales = [_Sale(*row) for row in postgres.execute(_SALES, {"ids": ids})]
        for batch in (sales[start : start + _BATCH] for start in range(0, len(sales), _BATCH)):
            wrong |= _differences(clickhouse, batch, report if ids is None else AuditReport())
        if not wrong or monotonic() > deadline:
            break
        ids, wrong = list(wrong), {}
        sleep(POLL_S)
    for sale_id, difference in wrong.items():
        report.found(DefectKind.WRONG, _CHECK, f"conversion {sale_id} {difference}")
    return report


def _differences(clickhouse: Reader, sales: Sequence[_Sale], report: AuditReport) -> dict[UUID, str]:
    """Returns the differences, by sale."""
    ids = _list(str(sale.id) for sale in sales)
    rows = clickhouse.rows(
        "SELECT toString(conversion_id) AS id, toString(argMax(visitor, _offset)) AS last_visitor,"
        f" {', '.join(f'toString(argMax({name}, _offset)) AS last_{name}' for name in _COLUMNS)}"
        f" FROM events WHERE type = 'conversion' AND conversion_id IN ({ids}) GROUP BY conversion_id"
    )
    stored = {UUID(row["id"]): row for row in rows}
    clicks = _clicks(clickhouse, sales, {row["last_visitor"] for row in rows} - {"0"})
    differences: dict[UUID, str] = {}
    for sale in sales:
        click, row = clicks.get(_key_of(sale)), stored.get(sale.id)
        # What a traffic rule has marked otherwise since keeps the visit of its time.
        if click is None or row is None or click["is_bot"] != bool(sale.bot_reason):
            continue
        report.checked["visits of sales"] += 1
        other = {name: row[f"last_{name}"] for name in _COLUMNS if row[f"last_{name}"] != click[name]}
        if sale.source != click["source"]:
            other["source in Postgres"] = sale.source
        if other:
            text = ", ".join(f"{name}={value!r}" for name, value in other.items())
            differences[sale.id] = (
                f"has {text}; the visit of its click has { ({name: click[name] for name in _COLUMNS}) }"
            )
    return differences


def _clicks(clickhouse: Reader, sales: Sequence[_Sale], visitors: Iterable[str]) -> Mapping[tuple[Any, ...], Any]:
    """The clicks of these visitors with their visits. The click of a visitor with more events is left out."""
    numbers = ", ".join(sorted(visitors))
    if not numbers:
        return {}
    condition = (
        f"website_id IN ({_list({str(sale.website_id) for sale in sales})}) AND toDate(occurred_at) IN"
        f" ({_list({sale.clicked_at.astimezone(UTC).date().isoformat() for sale in sales})}) AND visitor IN ({numbers})"
    )
    own = ", ".join(f"own_content.{number} AS {name}" for number, name in enumerate(_OF_CLICK, 1))
    of_visit = ", ".join(name for name in _COLUMNS if name not in _OF_CLICK)
    query = visits_of_events.query(condition, f"({', '.join(_OF_CLICK.values())})")
    rows = clickhouse.rows(
        f"SELECT * FROM (SELECT toString(website_id) AS website, {of_visit}, {own}, count() OVER"
        f" (PARTITION BY website_id, day, visitor) AS events FROM ({query}))"
        f" WHERE type = 'click' AND events <= {MAX_EVENTS}"
    )
    return {key: row for row in rows for key in _keys_of(row)}


def _keys_of(row: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    if row["click_id"]:
        yield row["website"], row["click_id"]
    yield row["website"], row["click_id"], row["at"], row["link"], row["partner"]


def _key_of(sale: _Sale) -> tuple[Any, ...]:
    """The key of its click: the click id, or all that a click without one has."""
    if sale.click_id:
        return str(sale.website_id), sale.click_id
    at = round(sale.clicked_at.timestamp() * 1000)
    return str(sale.website_id), "", at, str(sale.link_id or NO_ID), str(sale.partner_id)


def _list(values: Iterable[str]) -> str:
    return ", ".join(f"'{value}'" for value in sorted(values))


_SALES: Final = (
    "SELECT c.id, c.website_id, c.clicked_at, coalesce(c.click_id, ''), c.link_id, c.partner_id, c.source,"
    " c.click_bot_reason FROM conversions.pending_attribution AS p JOIN read.conversions AS c ON c.id = p.conversion_id"
    " WHERE c.clicked_at IS NOT NULL AND c.attributed_by <> 'coupon'"
    " AND (%(ids)s::uuid[] IS NULL OR c.id = ANY(%(ids)s)) ORDER BY c.id"
)
