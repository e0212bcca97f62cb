"""Ends the time of single events that are older than their website's setting allows.

`read.retention` -> this, hourly -> `website.events_expired` -> `projectors.visits.expiry` deletes the rows

The first day that is kept is the begin of a month, so there is one event a month. A click stays as long as a sale may
name it: the windows are those of the partners that the website has clicks or sales of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from threading import Event
from typing import Any, Final, LiteralString
from uuid import UUID

from command_api.conversions.attribution.click_reader import QUERY_TIMEOUT_S
from command_api.kernel.container import Container
from command_api.kernel.decision import system_context
from command_api.kernel.leader_election import Connection
from command_api.partners import model as partners
from command_api.websites.commands import ExpireEvents
from infra.kernel.clickhouse.client import ClientPool

NAME: Final = "event-expiry"
INTERVAL: Final = timedelta(hours=1)
BATCH: Final = 100
"""Websites whose partners are read at once."""


def expire_due(container: Container, clients: ClientPool, connection: Connection, stop: Event) -> int:
    """A recurring job: looks at every website with a setting; returns the number of those whose events expired."""
    websites = [website_id for (website_id,) in connection.execute(_WEBSITES).fetchall()]
    windows: dict[UUID, int] = {}
    expired = 0
    for start in range(0, len(websites), BATCH):
        batch = websites[start : start + BATCH]
        first_days, promoted = _first_days(clients, batch), _partners(clients, batch)
        for website_id in batch:
            if stop.is_set():
                return expired
            if website_id not in first_days:
                continue
            of_website = promoted.get(website_id, ())
            _read_windows(container, of_website, windows)
            longest = max((windows[partner_id] for partner_id in of_website), default=0)
            command = ExpireEvents(website_id, first_days[website_id], longest)
            expired += container.commands.dispatch(command, system_context()).answer
    return expired


def _first_days(clients: ClientPool, websites: Sequence[UUID]) -> dict[UUID, date]:
    """Returns the day of the first event of each website."""
    return {website_id: first.date() for website_id, first in _rows(clients, _FIRST, websites)}


def _partners(clients: ClientPool, websites: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """Returns the partners that each website has clicks or sales of."""
    return {website_id: list(partner_ids) for website_id, partner_ids in _rows(clients, _PARTNERS, websites)}


def _rows(clients: ClientPool, query: str, websites: Sequence[UUID]) -> Sequence[Sequence[Any]]:
    bound = {"sites": [str(website_id) for website_id in websites]}
    with clients.use() as client:
        rows: Sequence[Sequence[Any]] = client.query(
            query, parameters=bound, settings={"max_execution_time": QUERY_TIMEOUT_S}
        ).result_rows
    return rows


def _read_windows(container: Container, wanted: Iterable[UUID], known: dict[UUID, int]) -> None:
    """The longest window that each partner has had or has announced, in days."""
    for partner_id in wanted:
        if partner_id not in known:
            partner = container.load(partner_id, partners.evolve)
            known[partner_id] = max((terms.cookie_days for terms in partner.history), default=0) if partner else 0


_WEBSITES: Final[LiteralString] = "SELECT website_id FROM read.retention WHERE raw_months IS NOT NULL ORDER BY 1"
_FIRST: Final = (
    "SELECT website_id, min(bucket) FROM traffic_15m WHERE website_id IN {sites:Array(UUID)} GROUP BY website_id"
)
_PARTNERS: Final = (
    "SELECT website_id, groupUniqArray(partner_id) FROM partner_15m WHERE website_id IN {sites:Array(UUID)}"
    " GROUP BY website_id"
)
