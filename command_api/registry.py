"""The command handlers of the write side; `open_container` gives them and the inline projections to the kernel."""

from __future__ import annotations

from typing import Final

from command_api.accounts import handlers as accounts
from command_api.analytics import handlers as analytics
from command_api.analytics.erasure import handlers as visitor_erasure
from command_api.analytics.reports import handlers as reports
from command_api.analytics.views import handlers as saved_views
from command_api.conversions import decision_handlers as conversion_decisions
from command_api.conversions import handlers as conversions
from command_api.conversions.payouts import handlers as payouts
from command_api.conversions.reconciliation import handlers as reconciliation
from command_api.costs import handlers as costs
from command_api.costs.imports import handlers as cost_imports
from command_api.destinations import handlers as destinations
from command_api.domains import handlers as domains
from command_api.forum import handlers as forum
from command_api.inline_projections import INLINE_PROJECTIONS
from command_api.insights import handlers as insights
from command_api.kernel import container
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.container import Container
from command_api.leads import handlers as leads
from command_api.links import handlers as links
from command_api.links.bulk import handlers as link_bulks
from command_api.links.importing import handlers as link_imports
from command_api.links.shifting import handlers as link_shifts
from command_api.marketplace import handlers as marketplace
from command_api.matching import handlers as matching
from command_api.networks import handlers as networks
from command_api.networks.connections import handlers as network_connections
from command_api.notifications import handlers as notifications
from command_api.notifications.alerts import handlers as alerts
from command_api.notifications.webhooks import handlers as webhooks
from command_api.operations import handlers as operations
from command_api.partners import handlers as partners
from command_api.publishing import handlers as publishing
from command_api.publishing.subscriptions import handlers as site_subscriptions
from command_api.social import handlers as social
from command_api.social.connections import handlers as social_connections
from command_api.sql import handlers as sql
from command_api.sql import query_handlers as saved_queries
from command_api.websites import handlers as websites
from infra.kernel.config.settings import Settings

HANDLERS: Final = CommandHandlers.merged(
    (
        accounts.HANDLERS,
        analytics.HANDLERS,
        saved_views.HANDLERS,
        reports.HANDLERS,
        visitor_erasure.HANDLERS,
        conversions.HANDLERS,
        conversion_decisions.HANDLERS,
        payouts.HANDLERS,
        reconciliation.HANDLERS,
        costs.HANDLERS,
        cost_imports.HANDLERS,
        destinations.HANDLERS,
        domains.HANDLERS,
        forum.HANDLERS,
        insights.HANDLERS,
        leads.HANDLERS,
        links.HANDLERS,
        link_bulks.HANDLERS,
        link_imports.HANDLERS,
        link_shifts.HANDLERS,
        marketplace.HANDLERS,
        matching.HANDLERS,
        networks.HANDLERS,
        network_connections.HANDLERS,
        notifications.HANDLERS,
        alerts.HANDLERS,
        webhooks.HANDLERS,
        operations.HANDLERS,
        partners.HANDLERS,
        social.HANDLERS,
        publishing.HANDLERS,
        site_subscriptions.HANDLERS,
        social_connections.HANDLERS,
        sql.HANDLERS,
        saved_queries.HANDLERS,
        websites.HANDLERS,
    )
)


def open_container(settings: Settings) -> Container:
    """Opens the services of the write side with everything that is registered here; see the kernel's function."""
    return container.open_container(settings, HANDLERS, INLINE_PROJECTIONS)
