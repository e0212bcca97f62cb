"""The process managers and recurring jobs of the write side, which the command service's `ProcessWorker` runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from threading import Event

from command_api.analytics.reports.process import scheduled_reports
from command_api.analytics.reports.renderer import ReportRenderer
from command_api.conversions import automatic_approval, claim_alarm, event_expiry, unread_alarm
from command_api.conversions.attribution import repository as attribution
from command_api.conversions.attribution import visit_changes
from command_api.conversions.attribution.click_reader import UNAVAILABLE as CLICKHOUSE_UNAVAILABLE
from command_api.conversions.attribution.click_reader import ClickHouseClicks
from command_api.conversions.attribution_process import awaiting_exchange_rate, pending_attribution
from command_api.conversions.decision_handlers import SCHEDULED_DECISIONS
from command_api.costs.imports.handlers import COST_IMPORTS
from command_api.destinations.clicks import ClickHouseAdClicks
from command_api.destinations.platforms.client import AdClient
from command_api.destinations.process import destination_deliveries
from command_api.domains.dns_check import open_dns_checker
from command_api.domains.verification_process import domain_verification
from command_api.forum import views
from command_api.inline_projections import INLINE_PROJECTIONS
from command_api.insights.completeness import wait_until_counted
from command_api.insights.digest import INSIGHT_DIGEST
from command_api.insights.schedule import daily_insights
from command_api.insights.service import InsightService
from command_api.kernel import audit_anchor, inline_rebuild
from command_api.kernel.container import Container
from command_api.kernel.leader_election import Connection
from command_api.kernel.process_manager import ProcessManager
from command_api.kernel.scheduler import JobConnection, RecurringJob
from command_api.leads.early_access_handlers import PLACE_EXPIRY
from command_api.links.bulk.handlers import LINK_BULKS
from command_api.links.shifting.process import link_shifts, read_figures
from command_api.marketplace import process as marketplace
from command_api.marketplace.listings.verification import ClickHouseMeasurements
from command_api.networks.connections.process import network_pulls
from command_api.networks.process import network_imports
from command_api.networks.pulling.client import ReportClient
from command_api.notifications.alerts.link_health import OutwardLinkChecker
from command_api.notifications.alerts.process import alert_processes
from command_api.notifications.webhooks.outbox import open_outbound, webhook_deliveries
from command_api.operations.exchange_rates.source import OutwardRateFetcher, reference_rates
from command_api.publishing.subscriptions.process import newsletter_forms
from command_api.social.connections.process import social_readings
from command_api.social.network_client import NetworkClient
from infra.domain.escrow_provider import EscrowProvider
from infra.domain.social_connections import configured_apps
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.llm import LanguageModel
from infra.kernel.log import Log


def process_managers(container: Container, clients: ClientPool, events: Log) -> Sequence[ProcessManager]:
    """Returns the process managers of all contexts. `clients`: connections to ClickHouse."""
    clicks = ClickHouseClicks(clients)
    insights = InsightService(container, clients, LanguageModel(container.settings, container.pool), events)
    return [
        awaiting_exchange_rate(container, clicks, events),
        pending_attribution(container, clicks),
        domain_verification(container, open_dns_checker(container.settings)),
        daily_insights(insights),
        INSIGHT_DIGEST,
        scheduled_reports(container, ReportRenderer(container.settings)),
        PLACE_EXPIRY,
        newsletter_forms(container),
        SCHEDULED_DECISIONS,
        LINK_BULKS,
        COST_IMPORTS,
        network_imports(container, clicks, events),
        network_pulls(container, ReportClient.of(container.settings)),
        destination_deliveries(container, ClickHouseAdClicks(container, clients), AdClient.of(container.settings)),
        link_shifts(
            container,
            partial(read_figures, container, clients),
            partial(wait_until_counted, events, container.pool),
        ),
        *_reference_rates(container),
        *_social_readings(container),
        *alert_processes(container, clients, events, OutwardLinkChecker.of(container.settings)),
        webhook_deliveries(container, open_outbound(container.settings)),
        *marketplace.process_managers(
            container, ClickHouseMeasurements(clients), EscrowProvider.over_http(container.settings)
        ),
    ]


def _reference_rates(container: Container) -> Sequence[ProcessManager]:
    """Returns the process that fetches reference rates; none if the installation may call nothing outside."""
    if container.settings.exchange_rates is None:
        return []
    return [reference_rates(container, OutwardRateFetcher.of(container.settings))]


def _social_readings(container: Container) -> Sequence[ProcessManager]:
    """Returns the process that reads social channels; none unless the installation has an app at a network."""
    if not configured_apps(container.settings):
        return []
    return [social_readings(container, NetworkClient.of(container.settings))]


def recurring_jobs(container: Container, clients: ClientPool) -> Sequence[RecurringJob]:
    """Returns the work of the write side that repeats at an interval. `clients`: connections to ClickHouse."""
    connection = JobConnection(container.settings)

    def job(name: str, every: timedelta, work: Callable[[Connection, Event], object]) -> RecurringJob:
        run = connection.given_to(work)
        return RecurringJob(name, every, run, expected=CLICKHOUSE_UNAVAILABLE, is_quiet=True, in_order=True)

    return [
        job(audit_anchor.NAME, audit_anchor.INTERVAL, partial(audit_anchor.anchor, container)),
        job(attribution.COUNTS, attribution.COUNT_INTERVAL, attribution.count),
        job(automatic_approval.NAME, automatic_approval.INTERVAL, partial(automatic_approval.approve_due, container)),
        job(claim_alarm.NAME, claim_alarm.INTERVAL, partial(claim_alarm.run, container)),
        job(visit_changes.NAME, visit_changes.INTERVAL, partial(visit_changes.run, container, clients)),
        job(event_expiry.NAME, event_expiry.INTERVAL, partial(event_expiry.expire_due, container, clients)),
        job(unread_alarm.NAME, unread_alarm.INTERVAL, partial(unread_alarm.run, container)),
        job(views.NAME, views.FLUSH_INTERVAL, lambda _connection, _stop: views.flush(container)),
        RecurringJob(
            inline_rebuild.REPEATS,
            inline_rebuild.REPEAT_INTERVAL,
            partial(inline_rebuild.repeat_after_upgrade, container.settings, container.pool, INLINE_PROJECTIONS),
            expected=(inline_rebuild.Rebuilding,),
            is_quiet=True,
        ),
    ]
