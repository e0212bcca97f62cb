"""All command handlers and inline projections of the write side: what `open_container` gives the kernel."""

from __future__ import annotations

from typing import Final

from command_api.accounts import handlers as accounts
from command_api.accounts.lookups import ROLES
from command_api.conversions import handlers as conversions
from command_api.conversions.lookups import CLAIM_COUNTS, MONTHLY_TOTALS
from command_api.domains import handlers as domains
from command_api.domains.lookups import CUSTOM_DOMAINS
from command_api.forum import handlers as forum
from command_api.forum.lookups import FORUM_MEMBER_STATS
from command_api.insights import handlers as insights
from command_api.kernel import container
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.container import Container
from command_api.kernel.inline_projection import InlineProjections
from command_api.leads import handlers as leads
from command_api.links import handlers as links
from command_api.links.lookups import LINK_LOOKUP
from command_api.marketplace import handlers as marketplace
from command_api.marketplace.lookups import DEAL_LOOKUP, WATCHLISTS
from command_api.matching import handlers as matching
from command_api.notifications import handlers as notifications
from command_api.operations import handlers as operations
from command_api.partners import handlers as partners
from command_api.sql import handlers as sql
from command_api.websites import handlers as websites
from command_api.websites.lookups import WEBSITE_OWNERS
from infra.kernel.config.settings import Settings

HANDLERS: Final = CommandHandlers.merged(
    (
        accounts.HANDLERS,
        conversions.HANDLERS,
        domains.HANDLERS,
        forum.HANDLERS,
        insights.HANDLERS,
        leads.HANDLERS,
        links.HANDLERS,
        marketplace.HANDLERS,
        matching.HANDLERS,
        notifications.HANDLERS,
        operations.HANDLERS,
        partners.HANDLERS,
        sql.HANDLERS,
        websites.HANDLERS,
    )
)
INLINE_PROJECTIONS: Final = InlineProjections(
    (
        ROLES,
        CLAIM_COUNTS,
        CUSTOM_DOMAINS,
        DEAL_LOOKUP,
        MONTHLY_TOTALS,
        FORUM_MEMBER_STATS,
        LINK_LOOKUP,
        WATCHLISTS,
        WEBSITE_OWNERS,
    )
)


def open_container(settings: Settings) -> Container:
    """Opens the services of the write side with everything that is registered here; see the kernel's function."""
    return container.open_container(settings, HANDLERS, INLINE_PROJECTIONS)
