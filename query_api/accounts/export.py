"""`GET /api/platform/export`: everything that is stored about an account, as one JSON document, streamed.

One section a table, each read page by page, so that an export of any length holds neither memory nor a connection.
Row-level security shows the account's own rows alone, whoever it is. A new table with rows of accounts gets a `Section`
here; a test holds that every read model of that kind has one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

import orjson
from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from infra.audit_trail import Entry, record
from infra.client import client_of
from infra.identity_providers import opened_label
from infra.settings import Settings
from query_api.context import Context, Theirs
from query_api.reader import Reader, Row

router = APIRouter(tags=["account"])
PAGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Section:
    """The account's rows of one table. `key`: a column that orders them; `shown`: columns, where not all may go out."""

    name: str
    source: str
    key: str
    where: str
    shown: str = "t.*"
    opened: Callable[[Settings, Row], Row] = lambda _, row: row
    """Opens what lies sealed."""


def _without_payment_page(_: Settings, row: Row) -> Row:
    """Where the buyer pays is nobody's business but the buyer's, whose page of the deal shows it."""
    return {name: value for name, value in row.items() if name != "payment_url"}


def _with_label(settings: Settings, row: Row) -> Row:
    label = opened_label(settings, str(row["id"]), row["label_sealed"])
    return {**{name: value for name, value in row.items() if name != "label_sealed"}, "label": label}


_OWN: Final = "t.account_id = %(account)s"
_WRITTEN: Final = "t.author_id = %(account)s"
_OF_WEBSITES: Final = "t.website_id IN (SELECT id FROM read.websites WHERE account_id = %(account)s)"

_DEALS: Final = "(t.seller_id = %(account)s OR t.buyer_id = %(account)s)"
_QUESTION: Final = "t.id, t.listing_id, t.text, t.asked_at, t.answer, t.answered_at"

SECTIONS: Final[tuple[Section, ...]] = (
    Section("account", "read.accounts", "id", "t.id = %(account)s"),
    Section("details", "read.account_details", "account_id", _OWN),
    Section(
        "sessions",
        "auth.session",
        "id",
        _OWN,
        "t.id, t.created_at, t.last_seen_at, t.expires_at, t.revoked_at, t.user_agent_family, t.country",
    ),
    Section(
        "websiteSessions",
        "auth.website_session",
        "id",
        _OWN,
        "t.id, t.website_id, t.created_at, t.last_seen_at, t.expires_at, t.revoked_at, t.user_agent_family",
    ),
    Section(
        "linkedSignIns",
        "auth.linked_sign_in",
        "id",
        _OWN,
        "t.id, t.provider, t.linked_at, t.label_sealed",
        _with_label,
    ),
    Section("invites", "read.invites", "id", _OWN),
    Section("invited", "read.invite_joins", "account_id", "t.invited_by = %(account)s", "t.invite_id, t.joined_at"),
    Section("mails", "ops.mail", "id", _OWN, "t.id, t.kind, t.subject, t.state, t.created_at, t.sent_at"),
    Section("websites", "read.websites", "id", _OWN),
    Section(
        "websiteKeys",
        "read.website_keys",
        "id",
        _OF_WEBSITES,
        "t.id, t.website_id, t.kind, t.last4, t.public_key, t.allowed_origins, t.created_at, t.revoked_at",
    ),
    Section("customDomains", "read.custom_domains", "id", _OWN),
    Section("links", "read.links", "id", _OF_WEBSITES),
    Section("conversions", "read.conversions", "id", _OF_WEBSITES),
    Section("conversionSteps", "read.conversion_steps", "position", _OF_WEBSITES),
    Section("statementMonths", "read.statement_months", "id", _OF_WEBSITES),
    Section("websiteZones", "read.website_zones", "position", _OF_WEBSITES),
    Section("trafficRules", "read.traffic_rules", "position", _OF_WEBSITES),
    Section("matchingProfiles", "read.matching_profiles", "account_id", _OWN),
    Section("applications", "read.applications", "id", _OWN),
    Section("applicationSteps", "read.application_steps", "id", _OWN),
    Section("lessonsDone", "read.lessons_done", "id", _OWN),
    Section("forumMember", "read.forum_members", "account_id", _OWN),
    Section("forumSuspensions", "read.forum_suspensions", "account_id", _OWN),
    Section(
        "forumThreads", "read.forum_threads", "id", _WRITTEN, "t.id, t.title, t.category_id, t.created_at, t.visible"
    ),
    Section(
        "forumPosts",
        "read.forum_posts",
        "id",
        _WRITTEN,
        "t.id, t.thread_id, t.text, t.state, t.reply_to, t.likes, t.created_at, t.edited_at",
    ),
    Section("forumEdits", "read.forum_edits", "position", _WRITTEN),
    Section("forumLikes", "read.forum_likes", "post_id", _OWN),
    Section("forumFollows", "read.forum_follows", "thread_id", _OWN),
    Section("forumReports", "read.forum_flags", "post_id", _OWN),
    Section("forumRead", "ops.forum_read", "thread_id", _OWN),
    Section("notifications", "ops.notification", "id", _OWN),
    Section("notificationChoices", "read.notification_choices", "kind", _OWN),
    Section("seller", "read.sellers", "account_id", _OWN),
    Section("listings", "read.listings", "id", "t.seller_id = %(account)s"),
    Section("listingQuestions", "read.listing_questions", "id", "t.author_id = %(account)s", _QUESTION),
    Section(
        "listingAnswers", "read.listing_questions", "id", "t.seller_id = %(account)s AND t.answer <> ''", _QUESTION
    ),
    Section("watchedListings", "read.listing_watches", "id", _OWN),
    Section("savedSearches", "read.saved_searches", "id", _OWN),
    Section("offers", "read.offers", "id", _DEALS),
    Section("offerMessages", "read.offer_messages", "id", "t.author_id = %(account)s"),
    Section("escrows", "read.escrows", "id", _DEALS, opened=_without_payment_page),
    Section("marketSteps", "read.market_steps", "id", "t.aggregate_id = ANY((SELECT read.reader_deals())::uuid[])"),
    Section("insights", "read.insights", "id", _OF_WEBSITES),
    Section("insightsDigest", "read.insight_digests", "account_id", _OWN),
    Section(
        "languageModelCalls", "ops.llm_call", "id", _OWN, "t.id, t.purpose, t.used_tokens, t.outcome, t.created_at"
    ),
    Section("savedQueries", "ops.saved_query", "id", _OWN),
    Section("statements", "ops.sql_statement", "id", _OWN),
    Section(
        "clickhouseTokens",
        "auth.sql_token",
        "id",
        _OWN,
        "t.id, t.name, t.last4, t.created_at, t.last_used_at, t.expires_at, t.revoked_at",
    ),
    Section("activity", "auth.audit", "seq", _OWN, "t.seq, t.at, t.action, t.outcome, t.address, t.device, t.details"),
)


@router.get("/api/platform/export", response_class=StreamingResponse)
def export_account(request: Request, context: Context, theirs: Theirs) -> StreamingResponse:
    """Everything that is stored about one's own account."""
    mine = theirs.principal.account_id
    with context.pool.connection() as connection:
        entry = Entry("account.exported", actor_id=mine, account_id=mine)
        record(connection, entry, client_of(request, context.settings))
    day = datetime.now(UTC).date().isoformat()
    return StreamingResponse(
        document(Reader(context.pool, mine), mine, context.settings),
        media_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="account-{day}.json"', "Cache-Control": "no-store"},
    )


def document(reader: Reader, account: UUID, settings: Settings) -> Iterator[bytes]:
    """The document in pieces; each is read when it is asked for."""
    head = orjson.dumps({"exportedAt": datetime.now(UTC), "accountId": account}).decode()
    yield head[:-1].encode()
    for section in SECTIONS:
        yield f',"{section.name}":['.encode()
        comma = b""
        for page in _pages(reader, account, section):
            rows = [section.opened(settings, row) for row in page]
            yield comma + b",".join(orjson.dumps(row, default=_plain, option=orjson.OPT_UTC_Z) for row in rows)
            comma = b","
        yield b"]"
    yield b"}"


def _pages(reader: Reader, account: UUID, section: Section) -> Iterator[list[dict[str, Any]]]:
    after: Any = None
    while True:
        sql = (
            f"SELECT {section.shown}, t.{section.key} AS place FROM {section.source} AS t WHERE {section.where}"  # noqa: S608 - own text
            + (f" AND t.{section.key} > %(after)s" if after is not None else "")
            + f" ORDER BY t.{section.key} LIMIT {PAGE}"
        )
        page = reader.rows(sql, {"account": account, "after": after})
        if page:
            after = page[-1]["place"]
            yield [{name: value for name, value in row.items() if name != "place"} for row in page]
        if len(page) < PAGE:
            return


def _plain(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)
