"""Process manager `link-shifts`: looks at the results of each split whose weights follow them, once a day.

It reads figures from ClickHouse and issues `ShiftWeights`, which decides by the link's own events: a decision of the
day that was stored is not taken again, whatever happened to the timeout. `command_api.links.shifting.handlers` sets the
timeouts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from command_api.kernel.container import Container
from command_api.kernel.process_manager import Issue, ProcessManager
from command_api.kernel.timeouts import Timeout
from command_api.links import model as links
from command_api.links.model import LinkAggregate
from command_api.links.shifting import commands, model
from command_api.links.shifting.handlers import NAME, live_variants
from command_api.websites import model as websites
from command_api.websites.model import Website
from infra.domain.splits import statement
from infra.domain.splits.judging import VariantFigures
from infra.domain.splits.statement import DayRow
from infra.domain.visits.tables import CONVERSION_EVENTS
from infra.kernel.clickhouse.client import ClickHouseError, ClientPool
from infra.kernel.log import LogUnavailable

FiguresOf = Callable[[LinkAggregate, Website, date], Sequence[VariantFigures]]
"""Reads the figures of a split's variants that get traffic, for a look on that day (UTC)."""
BATCH_SIZE: Final = 5
MAX_DELAY: Final = timedelta(days=2)
QUERY_TIMEOUT_S: Final = 10
_FIGURES: Final = statement.figures_by_day("events", CONVERSION_EVENTS)


class FiguresIncomplete(Exception):
    """The last whole day is still being counted."""


def link_shifts(container: Container, figures_of: FiguresOf, is_counted: Callable[[datetime], bool]) -> ProcessManager:
    """The process manager. `is_counted`: whether everything before a moment is in the read models."""

    def plan(_timeouts: Sequence[Timeout], now: datetime) -> Issue:
        today = now.astimezone(UTC).date()
        if not is_counted(datetime.combine(today, time(), UTC)):
            raise FiguresIncomplete("yesterday is still being counted")

        def issue(timeout: Timeout) -> commands.ShiftWeights | None:
            link = container.load(timeout.id, links.evolve)
            website = container.load(link.website_id, websites.evolve) if link is not None else None
            if link is None or website is None or website.disconnected or not model.is_watched(link):
                return None
            return commands.ShiftWeights(link.id, today, tuple(figures_of(link, website, today)))

        return issue

    return ProcessManager(
        NAME,
        plan,
        BATCH_SIZE,
        unavailable=(FiguresIncomplete, LogUnavailable, ClickHouseError, OSError),
        ids="SELECT link_id FROM lookup.shifting_link",
        max_delay=MAX_DELAY,
    )


def read_figures(
    container: Container, clients: ClientPool, link: LinkAggregate, website: Website, today: date
) -> list[VariantFigures]:
    """The figures of the variants that get traffic, of the days that are judged."""
    first = statement.first_day(website.expired_before, today)
    bound = {"website": str(website.id), "link": str(link.id), "first": first.isoformat()}
    with clients.use() as client:
        settings = {"max_execution_time": QUERY_TIMEOUT_S, "max_threads": 2}
        result = client.query(_FIGURES, parameters=bound, settings=settings)
        rows = [DayRow.of(dict(zip(result.column_names, row, strict=True))) for row in result.result_rows]
    return statement.variants_of(rows, live_variants(link, container), today)
