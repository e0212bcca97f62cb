"""Raises an alarm when reports of conversions have values that cannot be read, first of all unfilled placeholders.

`lookup.unread_report` -> this -> event `website.reports_unread` -> notification of the owner. One alarm per website,
day, field and partner: the id derives from them, so two leaders or a crash raise it once.
"""

from __future__ import annotations

from datetime import date, timedelta
from threading import Event
from typing import Final
from uuid import UUID

import structlog
from prometheus_client import Counter

from command_api.kernel.container import Container
from command_api.kernel.decision import event_metadata, system_context
from command_api.kernel.event_store import ConcurrencyConflict
from command_api.kernel.leader_election import Connection
from command_api.websites import model as websites
from schemas.events.websites import ReportsUnread
from schemas.identity import unread_alarm_id
from schemas.tracking import NO_ID

NAME: Final = "unread-alarm"
INTERVAL: Final = timedelta(seconds=15)

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
_ALARMS = Counter("policy_unread_alarms_total", "Alarms about reports with values that cannot be read")


def run(container: Container, connection: Connection, _stop: Event) -> None:
    """A recurring job: see `raise_due`."""
    raise_due(container, connection)


def raise_due(container: Container, connection: Connection) -> int:
    """Checks today and yesterday (UTC); returns the number of alarms."""
    return sum(_raise(container, *row) for row in connection.execute(_UNREAD).fetchall())


def _raise(
    container: Container, website_id: UUID, day: date, field: str, is_placeholder: bool, partner_id: UUID, reports: int
) -> bool:
    partner = None if partner_id == NO_ID else partner_id
    alarm_id = unread_alarm_id(website_id, day, field, partner, is_placeholder=is_placeholder)
    website = container.load(website_id, websites.evolve)
    if website is None or website.disconnected:
        return False
    context = system_context()
    alarm = ReportsUnread(
        **event_metadata(alarm_id, 0, context),
        website_id=website_id,
        account_id=website.account_id,
        day=day,
        field=field,
        is_placeholder=is_placeholder,
        partner_id=partner,
        reports=reports,
    )
    try:
        with container.commands.unit_of_work(context) as uow:
            uow.append(alarm)
    except ConcurrencyConflict:
        return False  # raised on this day already
    log.warning("reports_unread", website_id=website_id, field=field, is_placeholder=is_placeholder, reports=reports)
    _ALARMS.inc()
    return True


_UNREAD: Final = """
SELECT website_id, day, field, is_placeholder, partner_id, reports FROM lookup.unread_report
WHERE NOT is_raised AND day >= (now() AT TIME ZONE 'UTC')::date - 1 ORDER BY day, website_id LIMIT 1000"""
