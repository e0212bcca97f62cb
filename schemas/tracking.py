"""What the edge writes to the log: facts that no decision guards.

`TrackedEvent` is one record of topic `clicks`; its JSON is at the same time one row of ClickHouse table `events`
(`JSONEachRow`; fields at their default are left out), so that projectors pass the bytes through. Times are UTC text,
`YYYY-MM-DD hh:mm:ss.mmm`. Ids and hashes are what they are in ClickHouse: UUID text and unsigned 64-bit numbers.

Kafka headers of topic `clicks`: `h` = 8 bytes, hash of what the client sent, present only when the record may come
twice: the client chose the event id, or the edge itself may send it again (redirects, imports). A record without `h`
has an id that the server minted, so it can have no duplicate.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Final
from uuid import UUID

from pydantic import Field, StringConstraints

from schemas.base import Frozen, Money

NO_ID: Final = UUID(int=0)
"""`link_id`, `partner_id`, `conversion_id`: none."""

LOG_TIME: Final = r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$"
LogTime = Annotated[str, StringConstraints(pattern=LOG_TIME)]

HASH_HEADER: Final = "h"


class Outcome(StrEnum):
    """What became of an event at the edge or right after it: a closed list, shown to the website's owner."""

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
    """Why an event is probably faked. It is kept apart like a machine's: `is_bot` with one of these as `bot_reason`."""

    RATE = "rate"
    BURST = "burst"
    CHANGING_AGENTS = "changing_agents"
    MANY_LINKS = "many_links"
    MANY_VISITORS = "many_visitors"
    INCOHERENT_HEADERS = "incoherent_headers"
    DATACENTRE_ADDRESS = "datacentre_address"
    IMPOSSIBLE_SEQUENCE = "impossible_sequence"
    REMARKED = "remarked"


class TrackedEvent(Frozen):
    """One click, page view or custom event as the edge accepted and enriched it (topic `clicks`)."""

    NAME: ClassVar[str] = "tracking.event"
    VERSION: ClassVar[int] = 1

    event_id: UUID
    website_id: UUID
    type: str = Field(pattern=r"^[a-z0-9_.-]{1,64}$", description="pageview, click, or the website's own name")
    occurred_at: LogTime
    received_at: LogTime
    visitor: int = Field(default=0, ge=0, lt=2**64, description="Keyed hash; 0 = none could be made")
    session: int = Field(default=0, ge=0, lt=2**64, description="Hash of the session id; 0 = worked out when read")
    hostname: str = ""
    path: str = Field(default="", description="Path of the page, without query and fragment")
    title: str = ""
    referrer_host: str = ""
    source: str = Field(default="", description="utm_source, a known referrer's name, or its host")
    channel: str = Field(default="", description="direct, search, social, email, paid, affiliate, referral, internal")
    utm_source: str = ""
    utm_medium: str = ""
    utm_campaign: str = ""
    utm_content: str = ""
    utm_term: str = ""
    country: str = Field(default="ZZ", pattern=r"^[A-Z]{2}$", description="ISO 3166-1 alpha-2; ZZ = unknown")
    region: str = ""
    device: str = Field(default="", description="desktop, mobile, tablet, bot, other")
    browser: str = ""
    os: str = ""
    is_bot: bool = Field(default=False, description="Kept apart from the figures: a machine's, or suspicious")
    bot_reason: str = Field(
        default="",
        description="crawler, head, prefetch, headless, datacentre, spam_referrer, no_user_agent; or a `Suspicion`: "
        + ", ".join(Suspicion),
    )
    click_id: str = ""
    link_id: UUID = NO_ID
    partner_id: UUID = NO_ID
    sub1: str = ""
    sub2: str = ""
    sub3: str = ""
    sub4: str = ""
    sub5: str = ""
    sub6: str = ""
    sub7: str = ""
    sub8: str = ""
    sub9: str = ""
    sub10: str = ""
    value: int = Field(default=0, ge=-(2**63), lt=2**63, description="Minor units of `currency`, or a plain number")
    currency: str = ""
    props: str = Field(default="", description="The event's own properties, as a JSON object")
    flags: str = Field(default="", description="Comma list: future_clamped, backfill")
    origin: str = Field(default="server", description="script, server, pixel, redirect, import")


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
    partner_id: UUID = Field(default=NO_ID, description="Named by a postback; a hint, not a proof")
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


class Refusal(Frozen):
    """What the edge (or the projector, for an id used twice with other content) refused (topic `rejected`)."""

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
    count: int = Field(default=1, ge=1, description="Equal refusals of one second are kept as one record")
    sample: str = Field(default="", description="The start of what was sent, secret parts left out")


def log_time(moment: datetime) -> str:
    """`moment` (aware) as the log writes times: UTC, milliseconds."""
    utc = moment.astimezone(UTC)
    return utc.strftime("%Y-%m-%d %H:%M:%S.") + f"{utc.microsecond // 1000:03d}"


def from_log_time(text: str) -> datetime:
    """The moment that a log time names."""
    return datetime.fromisoformat(text + "+00:00")
