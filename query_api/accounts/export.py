"""`GET /api/platform/export`: everything that is stored about an account, as one JSON document, streamed.

One section a table, each read page by page, so that an export of any length holds neither memory nor a connection.
Row-level security shows only the account's own rows. A new table with rows of accounts gets a `Section`
here; a test holds that every read model of that kind has one.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

import orjson
from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from infra.domain import contacts
from infra.domain.social_connections import decrypt_name
from infra.kernel.config.settings import Settings
from infra.kernel.security.access_tokens import require_whole_account
from infra.kernel.security.audit_log import Entry, record
from infra.kernel.security.client_info import client_of
from infra.kernel.security.oauth_providers import decrypt_label
from query_api.kernel.dependencies import CallerScope, Context
from query_api.kernel.postgres_reader import PostgresReader, Row
from query_api.kernel.sections import Section, pages

router = APIRouter(tags=["account"])


def _without_payment_page(_: Settings, row: Row) -> Row:
    """Removes the buyer's payment page, which only the buyer's deal page shows."""
    return {name: value for name, value in row.items() if name != "payment_url"}


def _with_label(settings: Settings, row: Row) -> Row:
    label = decrypt_label(settings, str(row["id"]), row["label_sealed"])
    return {**{name: value for name, value in row.items() if name != "label_sealed"}, "label": label}


def _with_name(settings: Settings, row: Row) -> Row:
    opened = decrypt_name(settings, row["channel_id"], row["name_sealed"])
    return {**{name: value for name, value in row.items() if name != "name_sealed"}, "name": opened}


def _with_address(settings: Settings, row: Row) -> Row:
    email = contacts.decrypt_field(settings, row["id"], "email", row["email_sealed"])
    return {**{name: value for name, value in row.items() if name != "email_sealed"}, "email": email}


_OWN: Final = "t.account_id = %(account)s"
_OWN_PARTNERS: Final = "t.account_id = %(account)s"
_WRITTEN: Final = "t.author_id = %(account)s"
_OF_WEBSITES: Final = "t.website_id IN (SELECT id FROM read.websites WHERE account_id = %(account)s)"

_DEALS: Final = "(t.seller_id = %(account)s OR t.buyer_id = %(account)s)"
_QUESTION: Final = "id, listing_id, text, asked_at, answer, answered_at"

SECTIONS: Final[tuple[Section, ...]] = (
    Section("account", "read.accounts", "t.id = %(account)s"),
    Section("details", "read.account_details", _OWN, key=("account_id",)),
    Section(
        "sessions",
        "accounts.session",
        _OWN,
        shown="id, created_at, last_seen_at, expires_at, revoked_at, user_agent_family, country",
    ),
    Section(
        "websiteSessions",
        "accounts.website_session",
        _OWN,
        shown="id, website_id, created_at, last_seen_at, expires_at, revoked_at, user_agent_family",
    ),
    Section(
        "linkedSignIns",
        "accounts.linked_sign_in",
        _OWN,
        shown="id, provider, linked_at, label_sealed",
        opened=_with_label,
    ),
    Section("invites", "read.invites", _OWN),
    Section(
        "invited", "read.invite_joins", "t.invited_by = %(account)s", key=("account_id",), shown="invite_id, joined_at"
    ),
    Section("mails", "kernel.mail", _OWN, shown="id, kind, subject, state, created_at, sent_at"),
    Section("websites", "read.websites", _OWN),
    Section("sites", "read.sites", _OWN),
    Section("siteVersions", "read.site_versions", _OWN, key=("position",)),
    Section("siteReleases", "read.site_releases", _OWN, key=("position",)),
    Section("siteSubscriptions", "read.site_subscriptions", _OWN, key=("position",)),
    Section(
        "siteSubscribers",
        "leads.contact",
        _OWN,
        shown="id, site_id, email_sealed, created_at, confirmed_at",
        opened=_with_address,
    ),
    Section(
        "websiteKeys",
        "read.website_keys",
        _OF_WEBSITES,
        shown="id, website_id, kind, last4, public_key, allowed_origins, created_at, revoked_at",
    ),
    Section("partners", "read.partners", _OWN_PARTNERS),
    Section("partnerTerms", "read.partner_terms", _OWN_PARTNERS, key=("partner_id", "effective_at")),
    Section("partnerRequests", "read.partner_requests", _OWN),
    Section("customDomains", "read.custom_domains", _OWN),
    Section("links", "read.links", _OF_WEBSITES),
    Section("socialChannels", "read.social_channels", _OF_WEBSITES),
    Section("socialChannelFigures", "read.social_channel_figures", _OF_WEBSITES, key=("channel_id", "day", "source")),
    Section(
        "socialConnections",
        "social.connection",
        _OWN,
        key=("channel_id",),
        shown="channel_id, network, name_sealed, connected_at, checked_at, succeeded_at, problem, followers, posts,"
        " views",
        opened=_with_name,
    ),
    Section("socialPosts", "read.social_posts", _OF_WEBSITES),
    Section("socialPostFigures", "read.social_post_figures", _OF_WEBSITES, key=("post_id", "source")),
    Section("linkChanges", "read.link_changes", f"{_OF_WEBSITES} AND t.version > 1", key=("position",)),
    Section("linkBulks", "read.link_bulks", _OF_WEBSITES),
    Section("linkBulkOutcomes", "read.link_bulk_outcomes", _OF_WEBSITES, key=("bulk_id", "link_id")),
    Section("conversions", "read.conversions", _OF_WEBSITES),
    Section("conversionSteps", "read.conversion_steps", _OF_WEBSITES, key=("position",)),
    Section("conversionDecisions", "read.conversion_decisions", _OF_WEBSITES),
    Section("statementMonths", "read.statement_months", _OF_WEBSITES),
    Section("reconciledSales", "read.reconciled_sales", _OF_WEBSITES),
    Section("acceptedMonths", "read.accepted_months", _OF_WEBSITES),
    Section("payouts", "read.payouts", _OF_WEBSITES),
    Section("payoutSteps", "read.payout_steps", _OF_WEBSITES, key=("position",)),
    Section("networkImports", "read.network_imports", _OF_WEBSITES),
    Section("costs", "read.costs", _OF_WEBSITES),
    Section("costImports", "read.cost_imports", _OF_WEBSITES),
    Section("destinations", "read.destinations", _OF_WEBSITES),
    Section("networkConnections", "read.network_connections", _OF_WEBSITES),
    Section("websiteZones", "read.website_zones", _OF_WEBSITES, key=("position",)),
    Section("trafficRules", "read.traffic_rules", _OF_WEBSITES, key=("position",)),
    Section(
        "visitorErasures",
        "read.visitor_erasures",
        _OF_WEBSITES,
        shown="id, website_id, named_by, counts, erased_by, erased_at",
    ),
    Section("retention", "read.retention", _OF_WEBSITES, key=("website_id",)),
    Section("eventExpiries", "read.event_expiries", _OF_WEBSITES, key=("website_id", "before")),
    Section("annotations", "read.annotations", _OF_WEBSITES),
    Section("imports", "read.imports", _OF_WEBSITES),
    Section("savedViews", "read.saved_views", f"({_OWN} OR {_OF_WEBSITES})"),
    Section("emailReports", "read.reports", _OWN),
    Section("defaultViews", "read.default_views", _OWN, key=("website_id",)),
    Section("matchingProfiles", "read.matching_profiles", _OWN, key=("account_id",)),
    Section("ideaRounds", "read.idea_rounds", _OWN, key=("account_id",)),
    Section("ideaChoices", "read.idea_choices", _OWN),
    Section("applications", "read.applications", _OWN),
    Section("applicationSteps", "read.application_steps", _OWN),
    Section("lessonsDone", "read.lessons_done", _OWN),
    Section("forumMember", "read.forum_members", _OWN, key=("account_id",)),
    Section("forumSuspensions", "read.forum_suspensions", _OWN, key=("account_id",)),
    Section("forumThreads", "read.forum_threads", _WRITTEN, shown="id, title, category_id, created_at, visible"),
    Section(
        "forumPosts",
        "read.forum_posts",
        _WRITTEN,
        shown="id, thread_id, text, state, reply_to, likes, created_at, edited_at",
    ),
    Section("forumEdits", "read.forum_edits", _WRITTEN, key=("position",)),
    Section("forumLikes", "read.forum_likes", _OWN, key=("post_id",)),
    Section("forumFollows", "read.forum_follows", _OWN, key=("thread_id",)),
    Section("forumReports", "read.forum_flags", _OWN, key=("post_id",)),
    Section("forumRead", "forum.read", _OWN, key=("thread_id",)),
    Section("notifications", "notifications.notification", _OWN),
    Section("alertRules", "read.alert_rules", _OF_WEBSITES),
    Section("alerts", "read.alerts", _OWN),
    Section("webhooks", "read.webhooks", _OWN),
    Section("webhookDeliveries", "notifications.webhook_delivery", _OWN),
    Section("alertDelivery", "read.alert_deliveries", _OWN, key=("account_id",)),
    Section("notificationChoices", "read.notification_choices", _OWN, key=("kind",)),
    Section("seller", "read.sellers", _OWN, key=("account_id",)),
    Section("listings", "read.listings", "t.seller_id = %(account)s"),
    Section("listingQuestions", "read.listing_questions", "t.author_id = %(account)s", shown=_QUESTION),
    Section(
        "listingAnswers", "read.listing_questions", "t.seller_id = %(account)s AND t.answer <> ''", shown=_QUESTION
    ),
    Section("watchedListings", "read.listing_watches", _OWN),
    Section("savedSearches", "read.saved_searches", _OWN),
    Section("offers", "read.offers", _DEALS),
    Section("offerMessages", "read.offer_messages", "t.author_id = %(account)s"),
    Section("escrows", "read.escrows", _DEALS, opened=_without_payment_page),
    Section("marketSteps", "read.market_steps", "t.aggregate_id = ANY((SELECT read.reader_deals())::uuid[])"),
    Section("insights", "read.insights", _OF_WEBSITES),
    Section("insightsDigest", "read.insight_digests", _OWN, key=("account_id",)),
    Section("languageModelCalls", "kernel.llm_call", _OWN, shown="id, purpose, used_tokens, outcome, created_at"),
    Section("savedQueries", "read.saved_queries", _OWN),
    Section("queryVersions", "read.query_versions", _OWN, key=("position",)),
    Section("pinnedCharts", "read.pinned_charts", _OWN),
    Section("statements", "sql.statement", _OWN),
    Section(
        "clickhouseTokens",
        "sql.token",
        _OWN,
        shown="id, name, last4, created_at, last_used_at, expires_at, revoked_at",
    ),
    Section(
        "accessTokens",
        "accounts.access_token",
        _OWN,
        shown="id, name, last4, scopes, website_ids, created_at, expires_at, last_used_at, revoked_at",
    ),
    Section("activity", "kernel.audit", _OWN, key=("seq",), shown="seq, at, action, outcome, address, device, details"),
)


@router.get(
    "/api/platform/export",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/json": {"schema": {"type": "object"}}}}},
)
def export_account(request: Request, context: Context, scope: CallerScope) -> StreamingResponse:
    """Everything that is stored about your account."""
    require_whole_account(scope.principal)
    mine = scope.principal.account_id
    with context.pool.connection() as connection:
        entry = Entry("account.exported", actor_id=mine, account_id=mine)
        record(connection, entry, client_of(request, context.settings))
    day = datetime.now(UTC).date().isoformat()
    return StreamingResponse(
        document(PostgresReader(context.pool, mine), mine, context.settings),
        media_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="account-{day}.json"', "Cache-Control": "no-store"},
    )


def document(reader: PostgresReader, account: UUID, settings: Settings) -> Iterator[bytes]:
    """The document in chunks, read lazily."""
    head = orjson.dumps({"exportedAt": datetime.now(UTC), "accountId": account}).decode()
    yield head[:-1].encode()
    for section in SECTIONS:
        yield f',"{section.name}":['.encode()
        comma = b""
        for page in pages(reader, section, {"account": account}):
            rows = [section.opened(settings, row) for row in page]
            yield comma + b",".join(orjson.dumps(row, default=_plain, option=orjson.OPT_UTC_Z) for row in rows)
            comma = b","
        yield b"]"
    yield b"}"


def _plain(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)
