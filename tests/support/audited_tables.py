"""Which check of the audit compares which table, and the tables that no check compares, each with the reason.

A test takes the list of tables from the engines: one that is neither here nor there fails it, and in each table that is
compared it plants a changed, a lost and a doubled row, which `althing audit` must find under the name given here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from command_api.inline_projections import INLINE_PROJECTIONS
from infra.domain.visits import tables
from infra.ops.audit import built_visits, dead_letters, notifications, reported_sales, snapshots
from infra.ops.audit.beside_events import comparison
from projectors.registry import REGISTRY

POSTGRES: Final[Mapping[str, str]] = {
    **{f"read.{model.name}": f"read.{model.name}" for model in REGISTRY.postgres},
    **{
        f"lookup.{table.name}": f"lookup.{table.name}"
        for projection in INLINE_PROJECTIONS.projections
        for table in projection.tables
    },
    **{table.name: table.name for fold in comparison.FOLDS for table in fold.tables},
    **{
        table: table
        for table in (
            *(reported_sales.REJECTED, reported_sales.AWAITING, reported_sales.PENDING, reported_sales.KNOWN),
            *(comparison.KEYS, snapshots.TABLE, dead_letters.TABLE, notifications.FOLLOWERS),
        )
    },
    "events.stored_events": "relay",
    "kernel.audit": "audit trail",
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

UNJUDGED_COLUMNS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "Secrets, kept as a hash or sealed: no event has them; one that was changed lets nobody in, or cannot be opened.": {
        "accounts.invite_code": ("code_hash", "code_sealed"),
        "accounts.linked_sign_in": ("label_sealed",),
        "accounts.credential": ("password_hash",),
        "accounts.second_factor": ("secret_sealed", "last_timecode", "pending_sealed", "pending_at"),
        "accounts.recovery_code": ("code_hash",),
        "websites.postback_token": ("sealed",),
        "notifications.webhook_secret": ("sealed", "previous_sealed", "previous_until"),
        "social.connection": ("name_sealed", "tokens_sealed"),
        "leads.contact": ("email_sealed", "name_sealed"),
        "forum.member": ("handle_hash",),
    },
    "When the row was written, or what was done with it last: beside the time of its event.": {
        "accounts.linked_sign_in": ("linked_at",),
        "accounts.credential": ("updated_at",),
        "kernel.subject_key": ("created_at", "erased_at"),
        "kernel.audit_anchor": ("at",),
        "insights.digest": ("told_until",),
        "marketplace.saved_search": ("looked_at",),
        "marketplace.listing_image": ("created_at",),
        "publishing.site_image": ("created_at",),
        "conversions.payout_file": ("created_at",),
        "leads.contact": ("created_at", "held_until"),
    },
    "What an outside service answered last; the next answer replaces it.": {
        "notifications.webhook_secret": ("failures",),
        "marketplace.escrow_call": ("state", "attempts", "error", "next_at", "created_at"),
        "social.connection": (
            *("checked_at", "succeeded_at", "next_at", "failures", "problem", "followers", "posts", "views"),
            *("views_before", "views_on"),
        ),
        "engine.dead_letter": (
            *("id", "reason", "error", "headers", "first_at", "attempts", "state", "retry_requested_at", "decided_at"),
        ),
    },
    "Made of a picture or page whose content is compared: its measures, a smaller copy, the name of its making.": {
        "marketplace.listing_image": ("width", "height"),
        "social.post_image": ("width", "height"),
        "publishing.site_image": ("width", "height", "narrow"),
        "publishing.site_file": ("made_of", "problems"),
    },
}
"""Columns of compared tables that follow from no event, by reason."""

WITHOUT_CHECK: Final[Mapping[str, tuple[str, ...]]] = {
    "The log itself, which everything else is compared with; signatures protect its records.": (
        *("log.record", "log.partition", "log.split", "log.topic", "log.signed_from"),
    ),
    "Sessions, tokens, one-time links and salts, by hash: made by chance, in no event, and each ends by its own time."
    " One that is lost or changed lets nobody in; the lists of own sessions and tokens show these tables themselves.": (
        *("accounts.access_token", "accounts.handoff_code", "accounts.login_ticket", "accounts.one_time_link"),
        *("accounts.provider_sign_in", "accounts.session", "accounts.setup_token", "accounts.website_session"),
        *("leads.contact_link", "sql.token"),
        *("social.connection_flow", "ingest.salt", "ingest.visitor_key", "forum.salt"),
    ),
    "Keys of texts in the log: erasing a person changes one, and no event says how. What they open is compared as rows"
    " of ClickHouse, which also name each key that has to be there.": ("log.text_key",),
    "Limits, and answers to repeated requests: they hold for hours or a day, and only refuse or repeat.": (
        *("kernel.rate_limit", "accounts.first_account", "kernel.account_usage", "kernel.idempotency", "forum.act"),
        *("forum.visit", "marketplace.escrow_message", "marketplace.saved_search_notice"),
    ),
    "When to look at something: what is then decided or shown is made of events. A lost timeout is restored from what"
    " waits for it; a lost mark makes the work be done once more.": (
        *("kernel.timeout", "insights.daily_analysis", "notifications.alert_mail", "notifications.digest"),
        *("conversions.click_day", "operations.to_erase", "operations.visitor_to_erase", "publishing.sent_form"),
        "forum.views",
    ),
    "What was sent to whom outside, and what the other side answered: no event has it, and nothing is made of it.": (
        *("kernel.mail", "notifications.webhook_delivery", "notifications.link_check", "domains.dns_check"),
        *("operations.rate_source", "kernel.llm_call"),
    ),
    "Positions, states and measurements of the services themselves. A position that is wrong leaves records without"
    " rows, or rows twice, which the checks of the rows find.": (
        *("engine.build", "engine.log_end", "engine.log_sample", "engine.position", "engine.projection"),
        *("engine.relay", "engine.request", "engine.runner", "engine.sample", "lookup.projection", "ingest.key_use"),
        *("operations.backup", "operations.canary", "ops.migrations"),
    ),
    "Kept nowhere else, and shown to their account alone: what a person has read or run, which is no decision.": (
        *("forum.read", "sql.statement"),
    ),
    "Lines of reports, which follow from the stored file and the events of its import; what they state of sales is in"
    " the log, and what follows from that is compared as conversions.": (
        *("networks.import_file", "networks.import_job", "networks.import_row", "networks.stated_sale"),
    ),
    "Lines of files of costs, which follow from the stored file and the events of its import; what they book is in the"
    " events, and compared as rows of cost_changes.": (
        *("costs.import_file", "costs.import_layout", "costs.import_row"),
    ),
    "Credentials of networks' APIs, and how far the reading of each is: no event has them. What was read becomes an"
    " import, which is in the log; a pull whose position is lost begins again, and a row counts once.": (
        *("networks.connection", "networks.pulled_page", "networks.call_pace"),
    ),
    "Credentials of ad platforms' APIs, and what was sent to each platform and answered: no event has it."
    " The conversions themselves are compared.": ("destinations.destination", "destinations.delivery"),
    "Made before the decision that uses it: queries of an earlier version, which become events when the service starts;"
    " pages that are published under the hash of all that they are made of, and then compared as files.": (
        *("sql.saved_query", "publishing.rendered_page"),
    ),
}
"""Tables of Postgres that are compared with nothing, by reason."""
