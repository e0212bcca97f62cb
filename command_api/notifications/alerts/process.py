"""Process managers of alerts: `alerts:check` checks every website every five minutes, `alerts:daily` after each of its
days, `alerts:links` requests the destinations of its links; `alerts:mail` sends what they raise.

A check only reads. What it found goes to command `RecordAlerts`, which opens and ends alerts by their own events.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from command_api.insights.history_reader import HistoryUnavailable
from command_api.insights.schedule import next_due
from command_api.kernel.command_handlers import Command
from command_api.kernel.container import Container
from command_api.kernel.process_manager import Issue, ProcessManager, issuing
from command_api.kernel.timeouts import Timeout
from command_api.notifications.alerts import checks as alert_checks
from command_api.notifications.alerts import commands
from command_api.notifications.alerts.checks import Check
from command_api.notifications.alerts.link_health import LinkChecker, LinkHealth
from command_api.notifications.alerts.names import DAILY, FREQUENT, LINKS, MAILS
from command_api.notifications.alerts.networks import NetworkFinder
from command_api.notifications.alerts.rates import conversion_rate_fell, epc_fell
from command_api.notifications.alerts.records import RecordFinder
from command_api.notifications.alerts.traffic import TrafficFinder
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.log import Log
from schemas.events.notifications import AlertKind
from schemas.zones import ZoneInfo

EVERY: Final = timedelta(minutes=5)
BATCH_SIZES: Final = {FREQUENT: 50, DAILY: 10, LINKS: 1}
MAX_DELAY: Final = timedelta(days=2)

ALERT_MAILS: Final = ProcessManager(
    MAILS,
    issuing(commands.SendAlertMail),
    ids="SELECT DISTINCT account_id FROM notifications.alert_mail",
    max_delay=MAX_DELAY,
)


def alert_processes(
    container: Container, clients: ClientPool, log: Log, links: LinkChecker
) -> Sequence[ProcessManager]:
    """Returns the process managers of alerts. `clients`: connections to ClickHouse; `links`: requests destinations."""
    traffic, records = TrafficFinder(container, clients, log), RecordFinder(container)
    health, networks = LinkHealth(container, links), NetworkFinder(container)
    checks = (
        Check(
            FREQUENT,
            {
                AlertKind.NO_EVENTS: traffic.silent,
                AlertKind.POSTBACKS_REJECTED: traffic.rejected,
                AlertKind.PENDING_CONVERSIONS: records.pending,
                AlertKind.PARTNER_DEACTIVATED: records.deactivated,
                AlertKind.REPORTS_STOPPED: networks.stopped,
                AlertKind.IMPORT_FAILED: networks.failed,
            },
            lambda _website, now: now + EVERY,
        ),
        Check(
            DAILY,
            {
                AlertKind.CONVERSION_RATE_FELL: traffic.rates(conversion_rate_fell),
                AlertKind.EPC_FELL: traffic.rates(epc_fell),
                AlertKind.MONTH_CLOSED: records.closed_month,
                AlertKind.DECLINES_ROSE: networks.declined,
                AlertKind.PARTNER_OVERDUE: networks.overdue,
            },
            lambda website, now: next_due(ZoneInfo(website.timezone), now),
        ),
        Check(
            LINKS,
            {AlertKind.LINK_BROKEN: health.broken},
            lambda website, now: health.next_due(website.id, now),
        ),
    )
    return [*(checking(container, check) for check in checks), ALERT_MAILS]


def checking(container: Container, check: Check) -> ProcessManager:
    """The process manager of one check."""

    def plan(timeouts: Sequence[Timeout], now: datetime) -> Issue:
        watched = {one.website.id: one for one in alert_checks.watch(container, [each.id for each in timeouts])}
        result = alert_checks.run(check, list(watched.values()), now)

        def issue(timeout: Timeout) -> Command[int] | datetime | None:
            one = watched.get(timeout.id)
            if one is None:
                return None
            next_at = check.next_due(one.website, now)
            if not result.changes(one):
                return next_at
            causes = tuple(result.by_website.get(timeout.id, ()))
            return commands.RecordAlerts(timeout.id, check.name, result.kinds, causes, next_at)

        return issue

    return ProcessManager(
        check.name,
        plan,
        BATCH_SIZES[check.name],
        unavailable=(HistoryUnavailable,),
        ids="SELECT website_id FROM lookup.website",
        max_delay=MAX_DELAY,
    )
