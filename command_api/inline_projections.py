"""The list of all inline projections of the write side.

Without the handlers, which import the whole service: `althing migrate` reads this list in a process of its own.
"""

from __future__ import annotations

from typing import Final

from command_api.accounts.lookups import ROLES
from command_api.analytics.reports.lookups import REPORT_LOOKUP
from command_api.analytics.views.lookups import VIEW_NAMES
from command_api.conversions.lookups import (
    CLAIM_COUNTS,
    MONTHLY_TOTALS,
    SCHEDULED_DECISIONS,
    SCOPED_TRANSACTIONS,
    TRANSACTION_NAMES,
    UNREAD_REPORTS,
)
from command_api.costs.imports.lookups import COST_IMPORTS
from command_api.domains.lookups import CUSTOM_DOMAINS
from command_api.forum.lookups import FORUM_MEMBER_STATS
from command_api.kernel.inline_projection import InlineProjections
from command_api.links.lookups import LINK_BULKS, LINK_LOOKUP
from command_api.marketplace.lookups import DEAL_LOOKUP, DIRECT_DEALS, WATCHLISTS
from command_api.networks.lookups import NETWORK_IMPORTS
from command_api.notifications.alerts.lookups import ALERT_STATES
from command_api.notifications.webhooks.lookups import WEBHOOK_TARGETS
from command_api.operations.lookups import EXCHANGE_RATE_LOOKUP
from command_api.partners.lookups import PARTNER_LOOKUP
from command_api.publishing.lookups import SITE_LOOKUP
from command_api.social.lookups import SOCIAL_CHANNEL_LOOKUP, SOCIAL_POST_LOOKUP
from command_api.sql.lookups import SQL_LOOKUP
from command_api.websites.lookups import WEBSITE_OWNERS

INLINE_PROJECTIONS: Final = InlineProjections(
    (
        ROLES,
        ALERT_STATES,
        WEBHOOK_TARGETS,
        CLAIM_COUNTS,
        CUSTOM_DOMAINS,
        DEAL_LOOKUP,
        EXCHANGE_RATE_LOOKUP,
        DIRECT_DEALS,
        MONTHLY_TOTALS,
        NETWORK_IMPORTS,
        COST_IMPORTS,
        FORUM_MEMBER_STATS,
        LINK_LOOKUP,
        LINK_BULKS,
        PARTNER_LOOKUP,
        VIEW_NAMES,
        REPORT_LOOKUP,
        SCHEDULED_DECISIONS,
        SCOPED_TRANSACTIONS,
        SOCIAL_CHANNEL_LOOKUP,
        SITE_LOOKUP,
        SOCIAL_POST_LOOKUP,
        SQL_LOOKUP,
        TRANSACTION_NAMES,
        UNREAD_REPORTS,
        WATCHLISTS,
        WEBSITE_OWNERS,
    )
)
