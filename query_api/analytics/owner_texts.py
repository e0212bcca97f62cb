"""Finds where the owner of a website wrote a person's id themselves, so that they can delete it there.

These texts are theirs: they are found and shown, never changed. What is searched is bounded: the newest rows of each
kind, and the newest files of payouts. An id is found where it stands between other letters and digits, to the letter.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from pydantic import Field

from infra.domain.payout_files import opened
from infra.domain.visitor_data.person import Person
from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import DecryptionError
from query_api.kernel.postgres_reader import PostgresReader
from schemas.http.responses import ResponseModel

MIN_LENGTH: Final = 4
"""A shorter id is a number or word like any other."""
MAX_IDS: Final = 50
MAX_PLACES: Final = 10
"""Maximum number of places of one kind that are named."""
MAX_FILES: Final = 10
MAX_IDS_IN_FILES: Final = 10
MAX_INFLATED: Final = 1024 * 1024
"""Bytes of the compressed parts of a file that are read."""


class OwnText(ResponseModel):
    """A text of the owner that has the id."""

    what: str = Field(description="Kind of the text")
    name: str = Field(description="Which one")
    path: str = Field(description="Page of the app where it is changed or deleted")
    until: str = Field(description="Of what nobody can delete: how long it stays; empty: it can be deleted")


@dataclass(frozen=True, slots=True)
class _Kind:
    """Texts of one table: whose they are, where they are, how each is named, and how many of the newest are read."""

    what: str
    table: str
    mine: str
    columns: tuple[str, ...]
    name: str
    newest: str
    path: str
    most: int = 2_000
    until: str = ""

    def statement(self) -> str:
        texts = ", ".join(f"t.{column}::text" for column in self.columns)
        return (
            f"(SELECT '{self.what}' AS what, left({self.name}::text, 200) AS name, '{self.path}' AS path,"
            f" '{self.until}' AS until"
            f" FROM (SELECT * FROM {self.table} AS t WHERE {self.mine} ORDER BY t.{self.newest} DESC"
            f" LIMIT {self.most}) AS t WHERE concat_ws(E'\\n', {texts}) ~ %(pattern)s LIMIT {MAX_PLACES})"
        )


def _day(column: str) -> str:
    return f"to_char(t.{column} AT TIME ZONE 'UTC', 'YYYY-MM-DD')"


_WEBSITE: Final = "t.website_id = %(site)s"
_ACCOUNT: Final = "t.account_id = %(me)s"
_EITHER: Final = f"({_WEBSITE} OR {_ACCOUNT})"
_AUTHOR: Final = "t.author_id = %(me)s"
_SELLER: Final = "t.seller_id = %(me)s"
_THEIRS: Final = f"{_WEBSITE} AND t.id = ANY(%(ids)s)"
_OF_SITE: Final = f"{_ACCOUNT} AND t.site_id IN (SELECT s.id FROM read.sites AS s WHERE s.website_id = %(site)s)"
_LINK: Final = ("slug", "destination", "subs", "coupon", "routing", "tags", "folder", "utm")
_PARTNER: Final = ("name", "slug", "base_url", "description", "terms")
_REQUEST: Final = ("name", "website", "note", "reason")
_MATCHING: Final = "/affiliate-matching"
_STATEMENT_UNTIL: Final = "Deleted 400 days after it ran."
_WITH_QUERY: Final = "Deleted with the query, or after further versions."
_WITH_PAGE: Final = "Deleted with the website that was built."
_RECORD: Final = "Stays: a record of what moved money, or of what was found."
KINDS: Final = (
    _Kind("Note on a chart", "read.annotations", _WEBSITE, ("text",), "t.text", "at", "/analytics"),
    _Kind("Cost", "read.costs", _WEBSITE, ("entry",), _day("added_at"), "added_at", "/payouts/costs"),
    _Kind(
        "File of costs",
        "read.cost_imports",
        _WEBSITE,
        ("file", "mapping", "questions", "message"),
        _day("uploaded_at"),
        "uploaded_at",
        "/payouts/costs",
    ),
    _Kind(
        "Network report",
        "read.network_imports",
        _WEBSITE,
        ("file", "mapping", "questions", "message"),
        _day("uploaded_at"),
        "uploaded_at",
        "/conversions/networks",
    ),
    _Kind("Saved view", "read.saved_views", _EITHER, ("name", "state"), "t.name", "saved_at", "/analytics"),
    _Kind(
        "Email report", "read.reports", _ACCOUNT, ("parameters", "failure"), _day("since"), "since", "/account-settings"
    ),
    _Kind("Saved SQL query", "read.saved_queries", _ACCOUNT, ("title", "text"), "t.title", "changed_at", "/sql"),
    _Kind(
        "Earlier SQL query",
        "read.query_versions",
        _ACCOUNT,
        ("title", "text"),
        "t.title",
        "saved_at",
        "/sql",
        until=_WITH_QUERY,
    ),
    _Kind("Pinned chart", "read.pinned_charts", _ACCOUNT, ("parameters",), _day("pinned_at"), "pinned_at", "/sql"),
    _Kind(
        "SQL statement",
        "sql.statement",
        _ACCOUNT,
        ("text", "message"),
        _day("started_at"),
        "started_at",
        "/sql",
        until=_STATEMENT_UNTIL,
    ),
    _Kind("Link", "read.links", _WEBSITE, _LINK, "t.slug", "created_at", "/links"),
    _Kind("Change of a link", "read.link_changes", _WEBSITE, ("fields",), _day("at"), "at", "/links", until=_RECORD),
    _Kind(
        "Change of many links",
        "read.link_bulks",
        _WEBSITE,
        ("change",),
        _day("started_at"),
        "started_at",
        "/links",
        until=_RECORD,
    ),
    _Kind("Channel", "read.social_channels", _WEBSITE, ("handle", "name"), "t.name", "added_at", "/links/channels"),
    _Kind(
        "Post", "read.social_posts", _WEBSITE, ("address", "title"), "t.title", "published_at", "/links/channels/posts"
    ),
    _Kind("Private partner", "read.partners", _ACCOUNT, _PARTNER, "t.name", "created_at", "/links/partners"),
    _Kind(
        "Request for a partner",
        "read.partner_requests",
        _ACCOUNT,
        _REQUEST,
        "t.name",
        "requested_at",
        "/links/partners",
    ),
    _Kind("Payout", "read.payouts", _WEBSITE, ("reference", "reason"), _day("recorded_at"), "recorded_at", "/payouts"),
    _Kind(
        "Step of a payout",
        "read.payout_steps",
        _WEBSITE,
        ("detail",),
        _day("at"),
        "position",
        "/payouts",
        until=_RECORD,
    ),
    _Kind(
        "Bulk decision",
        "read.conversion_decisions",
        _WEBSITE,
        ("reason",),
        "t.reason",
        "scheduled_at",
        "/conversions",
        until=_RECORD,
    ),
    _Kind(
        "Reason at a conversion",
        "read.conversions",
        _THEIRS,
        ("reason",),
        "t.txid",
        "occurred_at",
        "/conversions",
        until=_RECORD,
    ),
    _Kind("Traffic rule", "read.traffic_rules", _WEBSITE, ("conditions", "note"), "t.note", "created_at", "/websites"),
    _Kind("Key", "read.website_keys", _WEBSITE, ("name",), "t.name", "created_at", "/websites"),
    _Kind("Webhook", "read.webhooks", _ACCOUNT, ("url",), _day("added_at"), "added_at", "/integrations"),
    _Kind(
        "Insight",
        "read.insights",
        _WEBSITE,
        ("insight", "dismissed_reason"),
        _day("told_at"),
        "told_at",
        "/insights",
        until=_RECORD,
    ),
    _Kind(
        "Alert",
        "read.alerts",
        _WEBSITE,
        ("title", "text", "path"),
        "t.title",
        "opened_at",
        "/notifications",
        until=_RECORD,
    ),
    _Kind("Built website", "read.sites", _WEBSITE, ("slug", "document"), "t.slug", "updated_at", "/builder", 50),
    _Kind(
        "Earlier page",
        "read.site_versions",
        _OF_SITE,
        ("document",),
        _day("saved_at"),
        "saved_at",
        "/builder",
        100,
        _WITH_PAGE,
    ),
    _Kind("Idea of a program", "read.idea_choices", _ACCOUNT, ("reason", "note"), _day("at"), "at", _MATCHING),
    _Kind(
        "Answers about ideas",
        "read.idea_rounds",
        _ACCOUNT,
        ("answers",),
        _day("requested_at"),
        "requested_at",
        _MATCHING,
    ),
    _Kind("Profile", "read.matching_profiles", _ACCOUNT, ("business_idea",), "t.industry", "analyzed_at", _MATCHING),
    _Kind("Application", "read.application_steps", _ACCOUNT, ("note",), _day("at"), "at", _MATCHING),
    _Kind("Listing", "read.listings", _SELLER, ("title", "description"), "t.title", "created_at", "/marketplace/mine"),
    _Kind("Question", "read.listing_questions", _AUTHOR, ("text",), _day("asked_at"), "asked_at", "/marketplace"),
    _Kind("Answer", "read.listing_questions", _SELLER, ("answer",), _day("asked_at"), "asked_at", "/marketplace/mine"),
    _Kind(
        "Saved search",
        "read.saved_searches",
        _ACCOUNT,
        ("search",),
        _day("created_at"),
        "created_at",
        "/marketplace/saved",
    ),
    _Kind("Message about an offer", "read.offer_messages", _AUTHOR, ("text",), _day("at"), "at", "/marketplace/deals"),
    _Kind("Forum thread", "read.forum_threads", _AUTHOR, ("title",), "t.title", "position", "/forum"),
    _Kind("Forum post", "read.forum_posts", _AUTHOR, ("text",), "left(t.text, 60)", "position", "/forum"),
    _Kind("Earlier forum post", "read.forum_edits", _AUTHOR, ("text",), "left(t.text, 60)", "position", "/forum"),
    _Kind("Report of a post", "read.forum_flags", _ACCOUNT, ("note",), "left(t.note, 60)", "flagged_at", "/forum"),
)
"""Every table with texts of a website's owner. A unit test compares it with all read models."""

_STATEMENT: Final = " UNION ALL ".join(kind.statement() for kind in KINDS)
_FILES: Final = (
    "SELECT p.id, p.paid_on FROM read.payouts AS p WHERE p.website_id = %(site)s AND p.file ->> 'media_type' ="
    " 'application/pdf' ORDER BY p.paid_on DESC, p.id LIMIT %(most)s"
)
_FILE: Final = "SELECT sealed FROM conversions.payout_file WHERE payout_id = %s AND website_id = %s"
_COUNT: Final = "SELECT count(*) AS files FROM read.payouts WHERE website_id = %(site)s AND file IS NOT NULL"


@dataclass(frozen=True, slots=True)
class OwnerTextMatches:
    """The texts with the ids, and how many files with payouts were not searched: images, and files that are older."""

    texts: list[OwnText]
    files_not_searched: int


def sought_ids(person: Person, value: str) -> list[str]:
    """Returns the texts to search: the requested id, and the clicks and orders that it leads to."""
    ids = [value, *sorted(person.txids), *sorted(person.click_ids)]
    return [text for text in dict.fromkeys(ids) if len(text) >= MIN_LENGTH][:MAX_IDS]


def find_own_texts(
    reader: PostgresReader, settings: Settings, account_id: UUID, person: Person, value: str
) -> OwnerTextMatches:
    """Searches all kinds of texts of the account and of the person's website."""
    ids, bound = sought_ids(person, value), {"site": person.website_id, "me": account_id}
    [counted] = reader.rows(_COUNT, bound)
    if not ids:
        return OwnerTextMatches([], counted["files"])
    asked = {**bound, "ids": list(person.conversion_ids), "pattern": _pattern(ids)}
    texts = [OwnText(**row) for row in reader.rows(_STATEMENT, asked)]
    files = reader.rows(_FILES, {**bound, "most": MAX_FILES})
    for file in files:
        stored = reader.rows(_FILE, (file["id"], person.website_id))
        if any(_stands_in(ids[:MAX_IDS_IN_FILES], _content(settings, file["id"], each["sealed"])) for each in stored):
            texts.append(OwnText(what="File of a payout", name=file["paid_on"].isoformat(), path="/payouts", until=""))
    return OwnerTextMatches(texts, counted["files"] - len(files))


def _pattern(ids: Sequence[str]) -> str:
    """Returns the pattern of Postgres for one of the ids, not within a longer word."""
    texts = "|".join(re.sub(r"([^0-9A-Za-z\u0080-\U0010ffff])", r"\\\1", text) for text in ids)
    return f"(?<![0-9A-Za-z])(?:{texts})(?![0-9A-Za-z])"


def _content(settings: Settings, payout_id: UUID, sealed: str) -> bytes:
    try:
        return opened(settings, payout_id, sealed)
    except DecryptionError:  # of another master key: nobody reads it
        return b""


def _stands_in(ids: Sequence[str], document: bytes) -> bool:
    """Returns whether a PDF has one of the ids, as written or in its compressed parts, where texts may be cut in
    pieces."""
    return any(_stands_alone(text.encode(), part) for part in _parts(document) for text in ids)


def _stands_alone(text: bytes, part: bytes) -> bool:
    at = part.find(text)
    while at >= 0:
        before, after = part[max(0, at - 1) : at], part[at + len(text) : at + len(text) + 1]
        if not before.isalnum() and not after.isalnum():
            return True
        at = part.find(text, at + 1)
    return False


def _parts(document: bytes) -> Iterator[bytes]:
    yield document
    left = MAX_INFLATED
    for compressed in _STREAMS.findall(document):
        if left <= 0:
            return
        try:
            part = zlib.decompressobj().decompress(compressed, left)
        except zlib.error:
            continue
        left -= len(part)
        yield part
        yield b"".join(_PIECES.findall(part))


_STREAMS: Final = re.compile(rb"stream\r?\n(.*?)endstream", re.DOTALL)
_PIECES: Final = re.compile(rb"\(([^()\\\\]*)\)")
