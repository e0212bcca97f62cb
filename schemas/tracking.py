"""The records that ingest writes to the log without a decision, and the one list of the raw row's columns.

`TrackedEvent` is one record of topic `clicks`; its JSON is at the same time one row of ClickHouse table `events`
(`JSONEachRow`; fields at their default are omitted), so that projectors pass the bytes through. Times are UTC text,
`YYYY-MM-DD hh:mm:ss.mmm`. Ids and hashes are what they are in ClickHouse: UUID text and unsigned 64-bit numbers.

Each of its fields is the entry of a column: the record, what `/track` accepts (`is_sent`), the projector's check, the
table, the analysts' tables, the audit and the documentation follow from `COLUMNS`. A new tracked property is one entry.

Kafka headers of topic `clicks`: `h` = 8 bytes, hash of what the client sent, present only when the record may come
twice: the client chose the event id, or ingest itself may send it again (redirects, imports). A record without `h`
has an id that the server minted, so it can have no duplicate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, get_type_hints
from uuid import UUID

import msgspec
from pydantic import Field, StringConstraints

from schemas.base import Frozen, Money
from schemas.click_id import event_id
from schemas.network_sales import NetworkSale

NO_ID: Final = UUID(int=0)
"""`link_id`, `partner_id`, `conversion_id`: none."""
NO_ID_TEXT: Final = str(NO_ID)

SUBS: Final = tuple(f"sub{number}" for number in range(1, 11))
"""The names of a link's sub ids."""

LOG_TIME: Final = r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$"
LogTime = Annotated[str, StringConstraints(pattern=LOG_TIME)]

IMPRESSION: Final = "link.impression"
"""Type of the event that the script sends for an affiliate link that was in view. Its `value` is the number of page
views for which the sampled one stands."""
MAX_IMPRESSIONS_EVERY: Final = 1_000

PAGE_NAMED: Final = "page"
"""Flag of a followed link: it named the page on which it stood, which is then its path."""

AD_IDS_NOT_KEPT: Final = "ad_ids_not_kept"
"""Flag of an event whose ad click ids were to be kept, and there was no key to seal them."""

HASH_HEADER: Final = "h"

ROUTED: Final = "redirect"
"""Origin of followed links: what their `props` have is the route that the link's rules chose."""


class Outcome(StrEnum):
    """The outcome of an event in ingest or right after it: a closed list, shown to the website's owner."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    BOT = "bot"
    SUSPICIOUS = "suspicious"
    PREFETCH = "prefetch"
    SPAM_REFERRER = "spam_referrer"
    UNKNOWN_SITE = "unknown_site"
    ORIGIN_NOT_ALLOWED = "origin_not_allowed"
    THROTTLED = "throttled"
    INVALID = "invalid"
    TOO_LARGE = "too_large"
    TOO_OLD = "too_old"
    NOT_ALLOWED = "not_allowed"


class Suspicion(StrEnum):
    """Why an event is probably faked. It is excluded like a bot's: `is_bot` with one of these as `bot_reason`."""

    RATE = "rate"
    BURST = "burst"
    CHANGING_AGENTS = "changing_agents"
    MANY_LINKS = "many_links"
    MANY_VISITORS = "many_visitors"
    INCOHERENT_HEADERS = "incoherent_headers"
    DATACENTRE_ADDRESS = "datacentre_address"
    IMPOSSIBLE_SEQUENCE = "impossible_sequence"
    REMARKED = "remarked"


class Part(Enum):
    """Which of the analysts' tables (`infra.domain.sql_access.tables`) show a column."""

    HEAD = "events, clicks, pageviews, conversion_changes"
    EVENT = "events"
    VISIT = "events, clicks, pageviews"
    LINK = "events, clicks, conversion_changes, conversions"
    CONVERSION = "events, conversion_changes"
    HIDDEN = ""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the raw row.

    `type`: the ClickHouse type; `meaning`: for the documentation and the analysts' schema; `part`: who sees it.
    `is_sent`: `/track` and the pixel accept a field of this name, and step validate keeps its text; every other column
    is filled in by the step that computes it. `since`: the version of table `events` that first has it. `name` and
    `default` come from the field.
    """

    type: str
    meaning: str
    part: Part
    is_sent: bool = False
    since: int = 2
    name: str = ""
    default: Any = ""


LOW: Final = "LowCardinality(String)"
TEXT: Final = "String"
ID: Final = "UUID"
TIME: Final = "DateTime64(3, 'UTC')"
HASH: Final = "UInt64"
NUMBER: Final = "Int64"
FLAG: Final = "Bool"

_Id = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
_Time = Annotated[str, msgspec.Meta(pattern=LOG_TIME)]
_Hash = Annotated[int, msgspec.Meta(ge=0)]  # msgspec takes no bound beyond 2^63
_Type = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9_.-]{1,64}$")]
_Country = Annotated[str, msgspec.Meta(pattern=r"^[A-Z]{2}$")]
_REASONS: Final = ", ".join(Suspicion)


class TrackedEvent(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """One click, page view or custom event as ingest accepted and enriched it (topic `clicks`)."""

    NAME: ClassVar[str] = "tracking.event"
    VERSION: ClassVar[int] = 1

    event_id: Annotated[_Id, Column(ID, "Unique per website", Part.HEAD)]
    website_id: Annotated[_Id, Column(ID, "The website; its domain and currency are in table websites", Part.HEAD)]
    type: Annotated[_Type, Column(LOW, "click, pageview, conversion, or the name of a custom event", Part.EVENT)]
    occurred_at: Annotated[_Time, Column(TIME, "When it happened, UTC", Part.HEAD)]
    received_at: Annotated[_Time, Column(TIME, "When it reached us, UTC", Part.HEAD)]
    visitor: Annotated[
        _Hash,
        Column(HASH, "Pseudonym of the visitor, changing daily unless the sender names one; 0: unknown", Part.HEAD),
    ] = 0
    session: Annotated[_Hash, Column(HASH, "Pseudonym of the session; 0: unknown", Part.HEAD)] = 0
    hostname: Annotated[str, Column(LOW, "Host of the page", Part.VISIT)] = ""
    path: Annotated[str, Column(TEXT, "Path of the page", Part.VISIT)] = ""
    title: Annotated[str, Column(TEXT, "Title of the page", Part.VISIT)] = ""
    referrer_host: Annotated[str, Column(LOW, "Host of the page before", Part.VISIT)] = ""
    source: Annotated[str, Column(LOW, "Where the visit came from: a name, a host or utm_source", Part.VISIT)] = ""
    channel: Annotated[str, Column(LOW, "Kind of source: Direct, Organic Search, Affiliate, ...", Part.VISIT)] = ""
    utm_source: Annotated[str, Column(LOW, "As sent", Part.VISIT)] = ""
    utm_medium: Annotated[str, Column(LOW, "As sent", Part.VISIT)] = ""
    utm_campaign: Annotated[str, Column(LOW, "As sent", Part.VISIT)] = ""
    utm_content: Annotated[str, Column(LOW, "As sent", Part.VISIT)] = ""
    utm_term: Annotated[str, Column(LOW, "As sent", Part.VISIT)] = ""
    country: Annotated[_Country, Column(LOW, "ISO 3166-1 code; ZZ: unknown", Part.VISIT)] = "ZZ"
    region: Annotated[str, Column(LOW, "Region, where it is known", Part.VISIT)] = ""
    device: Annotated[str, Column(LOW, "desktop, mobile, tablet or other", Part.VISIT)] = ""
    browser: Annotated[str, Column(LOW, "Family of the browser", Part.VISIT)] = ""
    os: Annotated[str, Column(LOW, "Family of the operating system", Part.VISIT)] = ""
    is_bot: Annotated[bool, Column(FLAG, "A machine, or suspicious; dashboards leave these out", Part.VISIT)] = False
    bot_reason: Annotated[
        str,
        Column(LOW, f"Why it is excluded: crawler, prefetch, ...; of suspicious ones: {_REASONS}", Part.VISIT),
    ] = ""
    click_id: Annotated[str, Column(TEXT, "The click; partners hand it back with a sale", Part.LINK)] = ""
    link_id: Annotated[_Id, Column(ID, "The tracked link; zeros: none", Part.LINK)] = NO_ID_TEXT
    partner_id: Annotated[_Id, Column(ID, "The partner; zeros: none", Part.LINK)] = NO_ID_TEXT
    sub1: Annotated[str, Column(TEXT, "Sub id 1 of the link", Part.LINK, is_sent=True)] = ""
    sub2: Annotated[str, Column(TEXT, "Sub id 2 of the link", Part.LINK, is_sent=True)] = ""
    sub3: Annotated[str, Column(TEXT, "Sub id 3 of the link", Part.LINK, is_sent=True)] = ""
    sub4: Annotated[str, Column(TEXT, "Sub id 4 of the link", Part.LINK, is_sent=True)] = ""
    sub5: Annotated[str, Column(TEXT, "Sub id 5 of the link", Part.LINK, is_sent=True)] = ""
    sub6: Annotated[str, Column(TEXT, "Sub id 6 of the link", Part.LINK, is_sent=True)] = ""
    sub7: Annotated[str, Column(TEXT, "Sub id 7 of the link", Part.LINK, is_sent=True)] = ""
    sub8: Annotated[str, Column(TEXT, "Sub id 8 of the link", Part.LINK, is_sent=True)] = ""
    sub9: Annotated[str, Column(TEXT, "Sub id 9 of the link", Part.LINK, is_sent=True)] = ""
    sub10: Annotated[str, Column(TEXT, "Sub id 10 of the link", Part.LINK, is_sent=True)] = ""
    value: Annotated[int, Column(NUMBER, "Amount in minor units, if sent", Part.EVENT)] = 0
    currency: Annotated[str, Column(LOW, "ISO 4217 code of value", Part.EVENT)] = ""
    props: Annotated[str, Column(TEXT, "Properties from the sender, as a JSON object", Part.EVENT)] = ""
    flags: Annotated[
        str, Column(LOW, "Comma list: future_clamped, clock_corrected, backfill, page, ad_ids_not_kept", Part.HIDDEN)
    ] = ""
    origin: Annotated[
        str,
        Column(LOW, "script, server, pixel, redirect, import; of a conversion: claim or decision", Part.HIDDEN),
    ] = "server"
    city: Annotated[str, Column(LOW, "City, where it is known", Part.VISIT, since=3)] = ""
    language: Annotated[str, Column(LOW, "First language of the browser: de, en, ...", Part.VISIT, since=3)] = ""
    placement: Annotated[
        str, Column(LOW, "Where on the page a link stood, as sent", Part.VISIT, is_sent=True, since=3)
    ] = ""
    ad_ids: Annotated[
        str, Column(TEXT, "Click ids of advertising networks, sealed with an erasable key", Part.HIDDEN, since=4)
    ] = ""


def _fields() -> Iterator[Column]:
    """The columns that are fields of `TrackedEvent`, in their order."""
    hints = get_type_hints(TrackedEvent, include_extras=True)
    for field in msgspec.structs.fields(TrackedEvent):
        entry = next(part for part in hints[field.name].__metadata__ if isinstance(part, Column))
        yield replace(entry, name=field.name, default=None if field.required else field.default)


EVENT_COLUMNS: Final = tuple(_fields())
"""The columns of a tracked event: the fields of its record in the log. `default` is None where it is required."""

CONVERSION_COLUMNS: Final = (
    Column(ID, "The conversion", Part.CONVERSION, name="conversion_id", default=NO_ID_TEXT),
    Column(LOW, "Name of the conversion: sale, signup, ...", Part.CONVERSION, name="event_name"),
    Column("Int8", "Change of the number of pending conversions", Part.CONVERSION, name="d_pending", default=0),
    Column("Int8", "The same for approved ones", Part.CONVERSION, name="d_approved", default=0),
    Column("Int8", "The same for rejected ones", Part.CONVERSION, name="d_rejected", default=0),
    Column("Int8", "The same for reversed ones", Part.CONVERSION, name="d_reversed", default=0),
    Column(NUMBER, "Change of pending commission, in minor units", Part.CONVERSION, name="c_pending", default=0),
    Column(NUMBER, "The same for approved commission", Part.CONVERSION, name="c_approved", default=0),
    Column(NUMBER, "The same for reversed commission", Part.CONVERSION, name="c_reversed", default=0),
    Column(TEXT, "Entry page of the visit that earned the conversion", Part.CONVERSION, name="entry_page", since=3),
    Column(LOW, "Coupon that led to the link", Part.CONVERSION, name="coupon", since=3),
)
"""The columns that only rows of type `conversion` fill; the projector makes them from decided events."""

TEXT_KEY: Final = "_text_key"

PLACE_COLUMNS: Final = (
    Column(LOW, "Topic of the record", Part.HIDDEN, name="_topic"),
    Column("UInt16", "Partition of the record", Part.HIDDEN, name="_partition", default=0),
    Column("UInt64", "Offset of the record", Part.HIDDEN, name="_offset", default=0),
    Column("UInt32", "Key that sealed the record's texts; 0: none", Part.HIDDEN, name=TEXT_KEY, default=0, since=5),
)
"""The columns with the position of the row's record in the log, and the key of its texts; the projector appends
them."""

OF_PERSONS: Final = frozenset({"click_id", "ad_ids", "props", "title", "city", "region", *SUBS})
"""Columns that describe the person rather than what happened: empty in the rows of a visitor who was forgotten. Visitor
and session get other pseudonyms there."""

SEALED_OF_EVENTS: Final = tuple(
    column.name for column in EVENT_COLUMNS if column.name in OF_PERSONS and column.name != "ad_ids"
)
"""Fields of a record of topic `clicks` that lie sealed in it (`infra.kernel.log.sealed_texts`); the click ids of
advertising networks are sealed with keys of their own."""
SEALED_OF_REPORTS: Final = ("click_id", "visitor", "customer", "subs", "props", "unread")
"""The same of `ConversionReported`."""
SEALED_OF_REFUSALS: Final = ("sample", "request")
"""The same of `Refusal`."""

COLUMNS: Final = tuple(
    sorted((*EVENT_COLUMNS, *CONVERSION_COLUMNS, *PLACE_COLUMNS), key=lambda column: column.name != "website_id")
)
"""Every column of the raw row, in the order of the table: the website first, by which rows are sorted and filtered."""


class ConversionReported(Frozen):
    """One report of a lead or sale (topic `conversions`). Whether and what it counts is decided by `command_api`."""

    NAME: ClassVar[str] = "tracking.conversion_reported"
    VERSION: ClassVar[int] = 1

    report_id: UUID
    conversion_id: UUID = Field(description="uuid5 of website, event name and transaction id: `schemas.identity`")
    website_id: UUID
    kind: str = Field(pattern="^(lead|sale)$")
    event: str
    txid: str
    reported_by: str = Field(pattern="^(sale|lead|postback|import)$")
    occurred_at: LogTime
    received_at: LogTime
    click_id: str = ""
    visitor: int = Field(default=0, ge=0, lt=2**64)
    coupon: str = ""
    partner_id: UUID = Field(default=NO_ID, description="From a postback; a hint, not a proof")
    amount: Money | None = Field(default=None, description="None: the report names no amount")
    payout: Money | None = None
    status: str = Field(default="", pattern="^(|pending|approved|rejected|reversed|hold)$")
    customer: str = ""
    subs: dict[str, str] = Field(default_factory=dict)
    props: str = ""
    key_kind: str = Field(
        default="",
        pattern="^(|site|secret|postback|import)$",
        description="Kind of the key that sent it: with a site key the report is a claim; empty: not recorded then",
    )
    time_named: bool = Field(default=False, description="False: `occurred_at` is the time of receipt")
    address_class: str = Field(default="", description="Class of the sender's address, e.g. datacentre; empty: none")
    is_conflict: bool = Field(
        default=False,
        description="It contradicts an earlier report: rejected as `amount_conflict` or `click_conflict`",
    )
    txid_scope: str = Field(
        default="",
        pattern="^(|website|click)$",
        description="Within what the sender's transaction ids are unique; empty: the website",
    )
    other_id: UUID = Field(
        default=NO_ID, description="The conversion's id by the rules of before, where they give another one"
    )
    unread: dict[str, str] = Field(default_factory=dict, description="Fields that could not be read, as they were sent")
    exact: dict[str, str] = Field(
        default_factory=dict, description="Amounts that are no whole minor units, as decimals of minor units"
    )
    network_sale: NetworkSale | None = Field(
        default=None, description="The network's own account of the sale; else none"
    )

    @property
    def correlation_id(self) -> str:
        """A report that names its click continues the click's chain; another one begins a chain with its own id."""
        return str(event_id(self.click_id) if self.click_id else self.report_id)


NOT_DECIDING: Final[Mapping[str, Any]] = MappingProxyType({"customer": "", "subs": {}, "props": ""})
"""Fields of a report on which no decision depends, as they are left where its visitor was erased before it."""


class Refusal(Frozen):
    """An event that ingest rejected, or the projector for a repeated id with other content (topic `rejected`).

    A repeated report of a conversion is one as well (outcome `duplicate`), because it is in no other topic."""

    NAME: ClassVar[str] = "tracking.refusal"
    VERSION: ClassVar[int] = 1

    id: UUID
    website_id: UUID = NO_ID
    at: LogTime
    outcome: Outcome
    code: str = Field(description="Stable reason, e.g. bad_json, unknown_key, amount_conflict, id_conflict")
    message: str
    endpoint: str
    key_kind: str = ""
    count: int = Field(default=1, ge=1, description="Equal rejections of one second are stored as one record")
    sample: str = Field(default="", description="The start of the request, without secret parts")
    partner: str = Field(default="", description="Slug of the partner, as the postback names it")
    report_id: UUID = Field(default=NO_ID, description="The report, if it was accepted and its decision rejects it")
    request: str = Field(
        default="",
        description="Of a postback that can be replayed: its fields as JSON, without secret and personal parts",
    )


def log_time(moment: datetime) -> str:
    """`moment` (aware) as the log writes times: UTC, milliseconds."""
    utc = moment.astimezone(UTC)
    return utc.strftime("%Y-%m-%d %H:%M:%S.") + f"{utc.microsecond // 1000:03d}"


def from_log_time(text: str) -> datetime:
    """The moment that a log time names."""
    return datetime.fromisoformat(text + "+00:00")
