"""Verifies listings that are due: measures their websites from their own log (`measurement`).

Bots are excluded as in the dashboards. A listing on the market is checked daily, so that its badge follows the website;
a current result is measured again after 30 days.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final
from uuid import UUID

from command_api.kernel.container import Container
from command_api.kernel.process_manager import Issue, ProcessManager
from command_api.kernel.timeouts import Timeout
from command_api.marketplace import timeouts
from command_api.marketplace.listings import commands, model
from command_api.marketplace.listings.measurement import (
    Measurement,
    MeasurementSource,
    MonthlyCounts,
    is_current,
    measure,
    website_to_verify,
)
from infra.kernel.clickhouse.client import ClickHouseError, ClientPool

QUERY_TIMEOUT_S: Final = 10
_RETRY_DELAYS: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 2, 5, 15, 30, 60))


class ClickHouseMeasurements:
    """`MeasurementSource` from the raw events, a month at a time: rollups do not separate imported events."""

    def __init__(self, clients: ClientPool) -> None:
        self._clients = clients

    def by_month(self, website_id: UUID, edges: Sequence[datetime]) -> Sequence[MonthlyCounts]:
        moments = [int(edge.timestamp()) for edge in edges]
        counts = []
        with self._clients.use() as client:
            for start, end in pairwise(moments):
                values = {"website": str(website_id), "start": start, "end": end, "late": MEASURED_WITHIN_S}
                settings = {"max_execution_time": QUERY_TIMEOUT_S}
                [(visitors, pageviews, all_pageviews)] = client.query(_TRAFFIC, values, settings).result_rows
                [(revenue, all_revenue)] = client.query(_REVENUE, values, settings).result_rows
                counts.append(
                    MonthlyCounts(int(visitors), int(pageviews), int(revenue), int(all_pageviews), int(all_revenue))
                )
        return counts


def verification(container: Container, figures: MeasurementSource) -> ProcessManager:
    """Verifies each listing on the market."""

    def plan(_timeouts: Sequence[Timeout], now: datetime) -> Issue:
        return lambda timeout: commands.RecordVerification(timeout.id, measurement(timeout.id, now))

    def measurement(listing_id: UUID, now: datetime) -> Measurement | None:
        """Measures the listing's website, unless it is not proven or its last measurement is current."""
        listing = container.load(listing_id, model.evolve)
        website = website_to_verify(listing, container) if listing is not None else None
        if listing is None or website is None or isinstance(website, str) or is_current(listing, website, now):
            return None
        return measure(website, now, figures)

    return ProcessManager(
        timeouts.VERIFICATION,
        plan,
        batch_size=5,
        unavailable=(ClickHouseError, TimeoutError, OSError),
        ids="SELECT listing_id FROM lookup.listing"
        " WHERE status NOT IN ('draft', 'rejected', 'withdrawn', 'expired', 'sold')",
        retry_delays=_RETRY_DELAYS,
    )


MEASURED_WITHIN_S: Final = 86_400
"""An event that reaches the log later than this after its time is back-filled, marked or not."""

_MEASURED: Final = (
    "origin <> 'import' AND NOT has(splitByChar(',', flags), 'backfill')"
    " AND dateDiff('second', occurred_at, received_at) <= {late:UInt32}"
)
_SPAN: Final = (
    "website_id = {website:UUID} AND NOT is_bot AND occurred_at >= toDateTime64({start:UInt32}, 3, 'UTC')"
    " AND occurred_at < toDateTime64({end:UInt32}, 3, 'UTC')"
)
_TRAFFIC: Final = (
    f"SELECT uniqCombinedIf(12)(visitor, visitor <> 0 AND {_MEASURED}),"  # noqa: S608 - own text
    f" countIf(type = 'pageview' AND {_MEASURED}), countIf(type = 'pageview')"
    f" FROM events WHERE {_SPAN} AND type <> 'conversion'"
)
# A conversion is as old as its first row: later ones are decisions about it.
_REVENUE: Final = (
    "SELECT sumIf(amount, is_measured), sum(amount) FROM ("  # noqa: S608 - own text
    "SELECT sum(toInt128(c_pending)) + sum(toInt128(c_approved)) AS amount,"
    " dateDiff('second', min(occurred_at), min(received_at)) <= {late:UInt32} AS is_measured"
    f" FROM events WHERE {_SPAN} AND type = 'conversion' GROUP BY conversion_id)"
)
