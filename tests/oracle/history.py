"""A random history of a few websites: what happens, and in which order it is sent. Made from one seed; knows no answer.

Everything is a public call. Clicks, reports and repeats of one website are shuffled as real senders shuffle them: a
sale may come before its click, a network before the shop, and anything twice.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal
from uuid import UUID

ZONES: Final = ("UTC", "America/Vancouver", "Pacific/Auckland", "Asia/Kathmandu", "America/Havana")
CURRENCIES: Final = ("USD", "JPY", "KWD")
RATES: Final = {("EUR", "USD"): "1.1", ("EUR", "JPY"): "161.37", ("EUR", "KWD"): "0.337"}
"""Major units of the second per major unit of the first; recorded for the first day of the past, so for every day."""
BROWSERS: Final = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0",
)
Way = Literal["secret", "postback"]


@dataclass(frozen=True)
class Program:
    """A partner: percent (hundredths) of the sale, or a flat sum in EUR cents."""

    name: str
    rate_bp: int = 0
    flat: int = 0
    cookie_days: int = 30


@dataclass(frozen=True)
class Click:
    id: UUID
    program: int
    visitor: str
    at: datetime


@dataclass(frozen=True)
class Report:
    """One report of a transaction. `sent` orders the reports as they are received."""

    txid: str
    by: Way
    at: datetime
    amount: int | None = None
    currency: str = ""
    payout: int | None = None
    visitor: str = ""
    status: str = ""


@dataclass
class Site:
    domain: str
    zone: str
    currency: str
    first_click: bool
    clicks: list[Click] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    calls: list[Click | Report] = field(default_factory=list)
    """In the order of sending, repeats included."""


@dataclass(frozen=True)
class Decision:
    """What a person decides about a transaction: `part` in hundredths of the sale, for `reverse`."""

    site: int
    txid: str
    action: Literal["approve", "reject", "reverse"]
    part: int = 100


@dataclass
class History:
    seed: int
    programs: list[Program]
    sites: list[Site]
    decisions: list[Decision]


def make(seed: int, now: datetime, transactions: int = 40) -> History:
    """A history that ends at `now`."""
    rng = random.Random(seed)
    programs = [
        Program(f"oracle-{seed}-a", rate_bp=rng.randrange(1, 3_000)),
        Program(f"oracle-{seed}-b", rate_bp=rng.randrange(1, 3_000), cookie_days=7),
        Program(f"oracle-{seed}-c", flat=rng.randrange(1, 5_000)),
    ]
    sites = [
        _site(rng, f"oracle-{seed}-{number}.example", currency, now, transactions)
        for number, currency in enumerate(CURRENCIES)
    ]
    decisions = [
        Decision(number, txid, rng.choice(("approve", "reject", "reverse")), rng.choice((1, 33, 50, 100)))
        for number, site in enumerate(sites)
        for txid in sorted({report.txid for report in site.reports})
        if rng.random() < 0.4
    ]
    rng.shuffle(decisions)
    return History(seed, programs, sites, decisions)


def _site(rng: random.Random, domain: str, currency: str, now: datetime, transactions: int) -> Site:
    site = Site(domain, rng.choice(ZONES), currency, rng.random() < 0.3)
    visitors = [f"v{number}" for number in range(max(4, transactions // 2))]

    def moment(least_s: int = 600) -> datetime:
        # Whole seconds: what is sent and what is stored are the same instant.
        ago = rng.randrange(least_s, 20 * 86_400)
        return (now - timedelta(seconds=ago)).replace(microsecond=0)

    for _ in range(transactions * 2):
        click = Click(UUID(int=rng.getrandbits(128), version=4), rng.randrange(3), rng.choice(visitors), moment())
        site.clicks.append(click)
    for number in range(transactions):
        site.reports += _reports(rng, f"T{number}", currency, rng.choice(visitors), moment)
    site.calls = [*site.clicks, *site.reports]
    rng.shuffle(site.calls)
    # Repeats: any click, and the reports that a sender may send again without saying anything new.
    repeats = rng.sample(site.clicks, len(site.clicks) // 4)
    site.calls += [*repeats, *(report for report in site.reports if not report.status and rng.random() < 0.3)]
    return site


def _reports(rng: random.Random, txid: str, currency: str, visitor: str, moment: Any) -> list[Report]:
    """The shop's report, and what a network adds in whichever order."""
    at, amount = moment(), rng.choice((0, 1, rng.randrange(1, 10**6)))
    sale_currency = rng.choice((currency, currency, "EUR"))
    shop = Report(txid, "secret", at, amount, sale_currency, visitor=visitor if rng.random() < 0.9 else "")
    found = [shop]
    if rng.random() < 0.15:  # the shop contradicts itself: what was received first stands
        found.append(Report(txid, "secret", at, amount + 7, sale_currency, visitor=shop.visitor))
    if rng.random() < 0.5:
        payout = rng.choice((None, rng.randrange(1, 10**4)))
        status = rng.choice(("", "approved", "rejected", "hold"))
        found.append(Report(txid, "postback", at, None, currency, payout=payout, status=status))
    return found


def now() -> datetime:
    return datetime.now(UTC)
