"""Which check of the audit compares which table, and the tables that no check compares, each with the reason.

A test takes the list of tables from the engines: one that is neither here nor there fails it, and in each table that is
compared it plants a changed, a lost and a doubled row, which `althing audit` must find under the name given here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from command_api.inline_projections import INLINE_PROJECTIONS
from infra.domain.visits import tables
from infra.ops.audit import built_visits, reported_sales
from projectors.registry import REGISTRY

POSTGRES: Final[Mapping[str, str]] = {
    **{f"read.{model.name}": f"read.{model.name}" for model in REGISTRY.postgres},
    **{
        f"lookup.{table.name}": f"lookup.{table.name}"
        for projection in INLINE_PROJECTIONS.projections
        for table in projection.tables
    },
    reported_sales.REJECTED: reported_sales.REJECTED,
    reported_sales.AWAITING: reported_sales.AWAITING,
    reported_sales.PENDING: reported_sales.PENDING,
    reported_sales.KNOWN: reported_sales.KNOWN,
    "events.stored_events": "relay",
    "auth.audit": "audit trail",
    "notifications.notification": "notifications",
}
"""By table, without its generation: the name under which the audit reports what is wrong with it."""

CLICKHOUSE: Final[Mapping[str, str]] = {
    **{
        table.name: table.name
        for family in REGISTRY.clickhouse
        for table in (family.main, *family.others, *family.rollups)
    },
    tables.VISIT_EVENTS: built_visits.CHECKS[0],
    tables.BREAKDOWN: built_visits.CHECKS[1],
    tables.VISIT_BUILDS: built_visits.CHECKS[2],
}

WITHOUT_CHECK: Final[Mapping[str, tuple[str, ...]]] = {
    "The log itself, which everything else is compared with; signatures protect its records.": (
        *("log.record", "log.partition", "log.split", "log.topic", "log.signed_from"),
    ),
    "Credentials, keys, one-time links and their limits: written and read by sign-in alone, and in no event.": (
        *("auth.access_token", "auth.contact_link", "auth.credential", "auth.first_account", "auth.handoff_code"),
        *("auth.invite_code", "auth.linked_sign_in", "auth.login_ticket", "auth.one_time_link", "auth.postback_token"),
        *("auth.provider_sign_in", "auth.rate_limit", "auth.recovery_code", "auth.second_factor", "auth.session"),
        *("auth.setup_token", "auth.subject_key", "auth.website_session", "ingest.salt", "forum.salt"),
        *("ingest.visitor_key", "log.text_key", "notifications.webhook_secret", "social.connection_flow", "sql.token"),
    ),
    "What is queued, due, limited or answered already: work in progress, which shows no figure and ends on its own.": (
        *("kernel.idempotency", "kernel.timeout", "notifications.alert_mail", "notifications.digest"),
        *("notifications.webhook_delivery", "insights.daily_analysis", "insights.digest", "marketplace.saved_search"),
        *("marketplace.saved_search_notice", "ops.escrow_call", "ops.escrow_message", "ops.mail", "ops.to_erase"),
        *("ops.visitor_to_erase",),
        *("publishing.sent_form", "forum.act", "forum.views", "forum.visit", "conversions.click_day"),
    ),
    "Positions, states and measurements of the services: what a projection, a backup or an outside service did last.": (
        *("engine.build", "engine.dead_letter", "engine.log_end", "engine.log_sample", "engine.position"),
        *("engine.projection", "engine.relay", "engine.request", "engine.runner", "engine.sample", "events.snapshots"),
        *("lookup.projection", "ops.backup", "ops.canary", "ops.llm_call", "ops.migrations", "operations.rate_source"),
        *("kernel.account_usage",),
        *("notifications.link_check", "domains.dns_check", "ingest.key_use", "auth.audit_anchor", "social.connection"),
    ),
    "Texts, images and files of people, kept here alone so that they can be erased; events have their ids.": (
        *("ops.contact", "forum.member", "forum.read", "forum.follower", "marketplace.listing_host", "sql.saved_query"),
        *("sql.statement", "conversions.payout_file", "ops.listing_image", "ops.listing_image_use"),
        *("social.post_image", "publishing.site_image", "publishing.served_site", "publishing.site_file"),
        *("publishing.rendered_page",),
    ),
}
"""Tables of Postgres that are compared with nothing, by reason."""
