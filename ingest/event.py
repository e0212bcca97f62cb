"""The events that the pipelines process before they are in the log. They are data; the steps complete them in place.

Structs outside the garbage collector's care, because ten thousand of them are made a second.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from infra.kernel.http.request_limits import Scope
from infra.kernel.log import Headers as RecordHeaders
from infra.kernel.log import Record
from ingest.directory.directory import KeyEntry, LinkEntry
from ingest.links.routing import Route
from ingest.rows import SentEvent
from ingest.visitors.request_context import Headers, RequestContext
from schemas.networks import TxidScope
from schemas.tracking import NO_ID, ConversionReported, TrackedEvent

NO_RECORD: Final = Record("", b"", b"")
NO_HEADERS: Final[Headers] = {}


class SiteEvent(Struct, gc=False):
    """An event of `POST /track` or the pixel. `headers`, `method`: of its request. `row`: new (`new_row`), and
    shared with the other events of the request until step validate copies it, unless the event `is_alone`. `occurred`:
    Unix time in ms, corrected by `clock_off`. `own_id`: the id of a click that has a click id of its own."""

    request: RequestContext
    headers: Headers
    sent: SentEvent
    row: TrackedEvent
    method: str = "POST"
    is_alone: bool = False
    occurred: int = 0
    is_clamped: bool = False
    clock_off: int = 0
    own_id: str = ""
    record_headers: RecordHeaders = ()
    record: Record = NO_RECORD


class LinkClick(Struct, gc=False):
    """A followed link. `request` has the time of the click; `route`: where it leads this visitor."""

    request: RequestContext
    headers: Headers
    method: str
    scope: Scope
    link: LinkEntry
    route: Route
    row: TrackedEvent
    record_headers: RecordHeaders = ()
    record: Record = NO_RECORD


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line of an access log that is a page view. `address`: the visitor's, or the name of their host; `target`: path
    and query; `referrer`, `user_agent`: empty = the log has none."""

    address: str
    at: datetime
    target: str
    referrer: str
    user_agent: str


class ImportedPage(Struct, gc=False):
    """A page view of an access log. `visitor_key`: of the import's visitors."""

    request: RequestContext
    page: PageLine
    visitor_key: bytes
    row: TrackedEvent
    record_headers: RecordHeaders
    headers: Headers = NO_HEADERS
    method: str = "GET"
    record: Record = NO_RECORD


PageEvent = SiteEvent | LinkClick | ImportedPage


@dataclass(frozen=True, slots=True)
class ConversionReport:
    """A report of a conversion as it was sent. Amounts are in minor units; `None`: not given."""

    kind: str
    reported_by: str
    event: str
    txid: str
    click_id: str = ""
    visitor_id: str = ""
    coupon: str = ""
    amount: int | None = None
    payout: int | None = None
    currency: str = ""
    status: str = ""
    occurred_at: str | int | None = None
    customer_id: str = ""
    partner_id: UUID = NO_ID
    subs: dict[str, str] = field(default_factory=dict)
    props: dict[str, Any] = field(default_factory=dict)
    txid_scope: TxidScope = TxidScope.WEBSITE
    other_id: UUID = NO_ID
    """The conversion's id by the rules of before, where they gave another one."""
    apart: str = ""
    """The text that distinguishes a report without a transaction id of its own."""
    unread: dict[str, str] = field(default_factory=dict)
    """Fields that could not be read and are empty, as they were sent."""
    exact: dict[str, str] = field(default_factory=dict)
    """Amounts that are no whole minor units, as decimals of minor units."""


@dataclass(slots=True)
class ReportedEvent:
    """A reported conversion. `occurred`: Unix time in ms; `reported`: what goes into the log, once a step made it."""

    key: KeyEntry
    request: RequestContext
    report: ConversionReport
    occurred: int = 0
    props: str = ""
    reported: ConversionReported | None = None
