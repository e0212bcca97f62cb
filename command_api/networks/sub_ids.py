"""Finds the clicks that had the sub ids of a report's rows: those that carry the website's own text in place of a click
id. Rows that `process` has stored -> these -> rows with click ids.

A sub id names a click only if one click alone fits the row: at the row's partner, before the sale, within the partner's
window. A text that many clicks have, such as the name of a place, names none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from command_api.conversions.attribution.click_reader import MAX_SUB_ID_CLICKS, ClickHouseClicks, SubIdClick
from command_api.conversions.attribution.rules import is_within_window
from command_api.kernel.container import Container
from command_api.networks import staging
from command_api.partners import model as partners
from command_api.partners.model import Partner

ROWS: Final = 2_000
"""Rows whose clicks are read at a time."""


@dataclass(frozen=True, slots=True)
class SubIdRow:
    """A stored row that has a sub id and no click id."""

    line: int
    sub_id: str
    partner_id: UUID
    occurred_at: datetime


def match_rows(container: Container, clicks: ClickHouseClicks, website_id: UUID, import_id: UUID) -> None:
    """Stores the click ids of the import's rows. Raises `click_reader.UNAVAILABLE`."""
    known: dict[UUID, Partner | None] = {}
    for rows in _batches(container, import_id):
        for partner_id in {row.partner_id for row in rows} - known.keys():
            known[partner_id] = container.load(partner_id, partners.evolve)
        windows = [
            period.cookie_days for partner in known.values() if partner is not None for period in partner.history
        ]
        first = min(row.occurred_at for row in rows) - timedelta(days=max(windows, default=0))
        last = max(row.occurred_at for row in rows)
        found = clicks.with_sub_ids(website_id, {row.sub_id for row in rows}, first, last)
        named = {row.line: click_of(row, found.get(row.sub_id, ()), known[row.partner_id]) for row in rows}
        with container.pool.connection() as connection:
            staging.set_clicks(connection, import_id, {line: click for line, click in named.items() if click})


def click_of(row: SubIdRow, clicks: Sequence[SubIdClick], partner: Partner | None) -> str:
    """The id of the one click that fits the row; empty: none or several do. `clicks`: those with its sub id."""
    if partner is None or len(clicks) >= MAX_SUB_ID_CLICKS:
        return ""
    fitting = [
        click.click_id
        for click in clicks
        if click.partner_id == partner.id and is_within_window(partner, click.occurred_at, row.occurred_at)
    ]
    return fitting[0] if len(fitting) == 1 else ""


def _batches(container: Container, import_id: UUID) -> Iterator[list[SubIdRow]]:
    line = 0
    while True:
        with container.pool.connection() as connection:
            rows = [SubIdRow(*row) for row in staging.rows_with_sub_ids(connection, import_id, line, ROWS)]
        if not rows:
            return
        yield rows
        line = rows[-1].line
