"""What may happen on a few websites: links, clicks, reports of transactions, decisions, filters and outages.

`chance` makes a history of these at random, `world` plays it, and `books` say what every public number has to be.
Only `world` writes here: what a server decides while it answers (a click's id, the time of a sale that happens now).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Final, Literal
from uuid import UUID

RATES: Final = {("EUR", "USD"): "1.1", ("EUR", "JPY"): "161.37", ("EUR", "KWD"): "0.337"}
"""Major units of the second per major unit of the first; recorded for the first day of the past, so for every day."""
ADDRESSES: Final = {
    "217.237.150.51": "DE",
    "2003::1": "DE",
    "202.27.184.3": "NZ",
    "194.144.0.1": "IS",
    "12.1.2.3": "US",
    "192.0.2.1": "ZZ",  # reserved for documentation: in no country
}
"""Addresses of visitors, with the country of each: large networks that have been in one country for decades."""
SUBS: Final = ("sub1", "sub2", "sub10")

Subs = Mapping[str, str]
Source = Literal["shop", "network", "page"]
"""Who reports: the shop's server (secret key), a network (postback), or a page (public site key)."""
Outage = Literal["log paused", "log killed", "ingest killed"]
Status = Literal["", "pending", "hold", "approved", "rejected", "reversed"]


@dataclass(frozen=True)
class Program:
    """A partner: percent (hundredths) of the sale, or a flat sum in EUR cents."""

    name: str
    rate_bp: int = 0
    flat: int = 0
    cookie_days: int = 30


@dataclass(frozen=True)
class Link:
    """A link of a website to a program, with sub ids and a coupon of its own. `variants`: the programs of its split."""

    program: int
    subs: Subs = field(default_factory=dict)
    coupon: str = ""
    variants: tuple[int, ...] = ()


@dataclass(frozen=True)
class Event:
    """A click on a link, or a page view, that the website's server reports."""

    id: UUID
    visitor: str
    at: datetime
    ip: str = "192.0.2.1"
    link: int | None = None
    subs: Subs = field(default_factory=dict)
    source: str = ""
    """The campaign's, of a page view."""

    @property
    def type(self) -> str:
        return "pageview" if self.link is None else "click"


@dataclass(eq=False)
class Follow:
    """A visitor follows a link now. `click_id`, `at` and `variant` (from 1 on) are empty until it is played."""

    link: int
    ip: str
    subs: Subs
    click_id: str = ""
    at: datetime | None = None
    variant: int = 0


@dataclass(frozen=True)
class Report:
    """One report of a transaction, which may say much or little. The order of sending is that of receipt."""

    txid: str
    by: Source
    amount: int | None = None
    currency: str = ""
    payout: int | None = None
    status: Status = ""
    visitor: str = ""
    coupon: str = ""
    click: Follow | None = None
    is_timed: bool = True
    """It names the time of the sale."""
    earlier: timedelta = timedelta()
    """How much earlier its clock puts the sale."""
    is_too_large: bool = False
    """A claim above what a public site key may claim."""


@dataclass(frozen=True)
class Spent:
    """What traffic cost from `first` to `last`, days of the website's zone, as it was entered. `corrected`: the amount
    that it was changed to. `ends`: its status in the end."""

    first: date
    last: date
    amount: int
    currency: str
    source: str = ""
    link: int | None = None
    corrected: int | None = None
    ends: Literal["stands", "removed", "restored"] = "stands"


Call = Event | Follow | Report


@dataclass
class Site:
    domain: str
    zone: str
    currency: str
    first_click: bool
    links: list[Link]
    events: list[Event] = field(default_factory=list)
    follows: list[Follow] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    spent: list[Spent] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    """In the order of sending, repeats included."""
    outages: dict[int, Outage] = field(default_factory=dict)
    """What breaks before which call."""
    coupons_since: datetime = datetime.max.replace(tzinfo=UTC)
    """From when on the links have their coupons."""
    moments: dict[str, datetime] = field(default_factory=dict)
    """When each sale happened. One that is not here happens when its first report is sent."""

    def time_of(self, report: Report) -> datetime:
        return self.moments[report.txid] - report.earlier


@dataclass(frozen=True)
class Decision:
    """What a person decides about a transaction: `part` in hundredths of the sale, for `reverse`."""

    site: int
    txid: str
    action: Literal["approve", "reject", "reverse"]
    part: int = 100


@dataclass(frozen=True)
class Filter:
    """Figures of events whose value is among `wanted` (if there are any) and not among `unwanted`; empty: no value.
    Programs are named by their place in the history."""

    name: str
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()


@dataclass
class History:
    seed: int
    programs: list[Program]
    sites: list[Site]
    decisions: list[Decision]


def now() -> datetime:
    """Whole seconds: what is sent and what is stored are the same instant."""
    return datetime.now(UTC).replace(microsecond=0)
