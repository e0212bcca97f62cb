"""A random history from one seed. Knows no answer.

Everything is a public call. Clicks, reports and repeats of one website are shuffled as real senders shuffle them: a
sale may come before its click, a network before the shop, and anything twice. A transaction is reported by one to five
reports, each of which names some of its fields. Only a report that names a click id comes after that click, and so does
one that names the time of such a sale.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any, Final, Literal
from uuid import UUID

from tests.oracle.history import (
    ADDRESSES,
    SUBS,
    Call,
    Decision,
    Event,
    Filter,
    Follow,
    History,
    Link,
    Outage,
    Program,
    Report,
    Site,
    Source,
    Spent,
    Status,
    Subs,
)

ZONES: Final = ("UTC", "America/Vancouver", "Pacific/Auckland", "Asia/Kathmandu", "America/Havana")
CURRENCIES: Final = ("USD", "JPY", "KWD")
VALUES: Final = ("a", "b", "a,b", "-a", "(none)", "x y", "ä\\b", "=1+1", " a")
"""Of sub ids: among them all signs that mean something in a filter or a spreadsheet."""
SHORT_OUTAGES: Final[tuple[Outage, ...]] = ("log paused", "ingest killed")
OUTAGES: Final[tuple[Outage, ...]] = (*SHORT_OUTAGES, "log killed")
CAMPAIGNS: Final = ("oracle mail", "Spring Sale", "partner-x")
MAX_CLAIM: Final = 300_000
"""Minor units below the limit of a claim in each currency."""
LARGE_CLAIM: Final = 10**9
"""Minor units above it in each currency."""


def make(seed: int, now: datetime, transactions: int = 40, outages: tuple[Outage, ...] = ()) -> History:
    """A history that ends at `now`, but for what happens while it is played. `outages`: one on each website,
    in turn."""
    rng = random.Random(seed)
    programs = [
        Program(f"oracle-{seed}-a", rate_bp=rng.randrange(1, 3_000)),
        Program(f"oracle-{seed}-b", rate_bp=rng.randrange(1, 3_000), cookie_days=7),
        Program(f"oracle-{seed}-c", flat=rng.randrange(1, 5_000)),
    ]
    sites = [
        _Making(rng, f"oracle-{seed}-{number}.example", currency, now).site(transactions)
        for number, currency in enumerate(CURRENCIES)
    ]
    for number, site in enumerate(sites):
        site.spent = _spent(random.Random(f"{seed} {number}"), site, now.date(), number)
    if outages and transactions:
        for number, site in enumerate(sites):
            site.outages[rng.randrange(len(site.calls) // 2)] = outages[number % len(outages)]
    decisions = [
        Decision(number, txid, rng.choice(("approve", "reject", "reverse")), rng.choice((1, 33, 50, 100)))
        for number, site in enumerate(sites)
        for txid in sorted({report.txid for report in site.reports})
        if rng.random() < 0.4
    ]
    rng.shuffle(decisions)
    return History(seed, programs, sites, decisions)


def _spent(rng: random.Random, site: Site, today: date, number: int) -> list[Spent]:
    """Costs of all lengths, refunds among them: of the first website for sources, of the second for links, of others
    for anything. From a chance of their own: the rest of a history is the same without them."""
    found = []
    for _ in range(12):
        first = today - timedelta(days=rng.randrange(-1, 25))
        currency = rng.choice((site.currency, "EUR"))
        amount = rng.choice((1, 99, rng.randrange(1, 10**6), -rng.randrange(1, 10**4)))
        is_of_source = number == 0 or (number != 1 and rng.random() < 0.4)
        source = rng.choice((*CAMPAIGNS, "never seen")) if is_of_source else ""
        is_of_link = number == 1 or (not source and rng.random() < 0.4)
        link = rng.randrange(len(site.links)) if is_of_link else None
        corrected = rng.choice((None, None, rng.randrange(1, 10**5)))
        ends: Literal["stands", "removed", "restored"] = rng.choice(
            ("stands", "stands", "stands", "removed", "restored")
        )
        days = rng.choice((0, 0, 1, 6, 30))
        found.append(Spent(first, first + timedelta(days=days), amount, currency, source, link, corrected, ends))
    return found


def filters(rng: random.Random) -> list[Filter]:
    """One or two of them, or none."""
    values = {
        "country": sorted({*ADDRESSES.values(), ""} - {"ZZ"}),
        "partner": ["0", "1", "2", ""],
        **{name: ["", *VALUES] for name in SUBS},
    }
    found = []
    for name in rng.sample(sorted(values), rng.choice((0, 1, 1, 2))):
        known = values[name]
        wanted = tuple(rng.sample(known, rng.choice((0, 1, 2, 3))))
        unwanted = tuple(rng.sample(known, 1)) if not wanted or rng.random() < 0.3 else ()
        found.append(Filter(name, wanted, unwanted))
    return found


class _Making:
    """One website at a time."""

    def __init__(self, rng: random.Random, domain: str, currency: str, now: datetime) -> None:
        self.rng, self.now = rng, now
        links = [Link(0), Link(1, self.subs(0.7)), Link(2, self.subs(0.7), "THREE"), Link(0, self.subs(0.7), "Zero-0")]
        links.append(Link(1, self.subs(0.4), variants=(1, 1, 2)))
        self.made = Site(domain, rng.choice(ZONES), currency, rng.random() < 0.3, links)

    def site(self, transactions: int) -> Site:
        rng, made = self.rng, self.made
        self.visitors = [f"v{number}" for number in range(max(4, transactions // 2))]
        for _ in range(transactions * 2):
            made.events.append(self.event(rng.randrange(len(made.links)) if rng.random() < 0.9 else None))
        made.events += [self.page_before(event) for event in made.events if rng.random() < 0.3]
        made.follows = [self.follow() for _ in range(transactions // 4)]
        for number in range(transactions):
            made.reports += self.transaction(f"T{number}")
        made.calls = self.shuffled([*made.events, *made.follows, *made.reports])
        # Repeats: any event, and the reports that a sender may send again without saying anything new.
        repeats = rng.sample(made.events, len(made.events) // 4)
        made.calls += [*repeats, *(report for report in made.reports if not report.status and rng.random() < 0.3)]
        return made

    def shuffled(self, calls: list[Call]) -> list[Call]:
        """In any order in which the clicks whose ids are named have happened by then."""
        follows = [call for call in calls if isinstance(call, Follow)]
        at = {id(follow): self.rng.random() for follow in follows}
        clicks: dict[str, list[Follow]] = {}
        for call in calls:
            if isinstance(call, Report) and call.click is not None:
                clicks.setdefault(call.txid, []).append(call.click)

        def place(call: Call) -> float:
            if isinstance(call, Follow):
                return at[id(call)]
            after: list[Follow] = []
            if isinstance(call, Report) and call.is_timed:
                after = clicks.get(call.txid, [])
            elif isinstance(call, Report) and call.click is not None:
                after = [call.click]
            first = max((at[id(click)] for click in after), default=0.0)
            return first + self.rng.random() * (1 - first)

        return sorted(calls, key=place)

    def event(self, link: int | None) -> Event:
        rng = self.rng
        event_id = UUID(int=rng.getrandbits(128), version=4)
        return Event(event_id, rng.choice(self.visitors), self.moment(), rng.choice(list(ADDRESSES)), link, self.subs())

    def page_before(self, event: Event) -> Event:
        """A page view with a campaign that perhaps begins the visit of an event, whichever arrives first."""
        earlier = timedelta(minutes=self.rng.choice((1, 7, 29, 31)), seconds=self.rng.randrange(60))
        name = self.rng.choice(CAMPAIGNS)
        event_id = UUID(int=self.rng.getrandbits(128), version=4)
        return Event(event_id, event.visitor, event.at - earlier, event.ip, source=name)

    def follow(self) -> Follow:
        return Follow(self.rng.randrange(len(self.made.links)), self.rng.choice(list(ADDRESSES)), self.subs(0.4))

    def subs(self, often: float = 0.2) -> Subs:
        return {name: self.rng.choice(VALUES) for name in SUBS if self.rng.random() < often}

    def moment(self) -> datetime:
        return self.now - timedelta(seconds=self.rng.randrange(600, 20 * 86_400))

    def transaction(self, txid: str) -> list[Report]:
        """What shop, network and page say of one sale, each a part of it."""
        rng, made = self.rng, self.made
        is_fresh = rng.random() < 0.35
        if not is_fresh:
            made.moments[txid] = self.moment()
        amount, currency = (
            rng.choice((0, 1, rng.randrange(1, 10**6))),
            rng.choice((made.currency, made.currency, "EUR")),
        )
        found: list[Report] = []
        if rng.random() < 0.8:
            payout = rng.randrange(1, 10**4) if rng.random() < 0.1 else None
            found.append(Report(txid, "shop", amount, currency, payout))
        if rng.random() < 0.15:  # it contradicts itself: what was received first stands
            found.append(Report(txid, "shop", amount + 7, currency))
        if rng.random() < 0.15:  # a report of its own for what leads to the click
            found.append(Report(txid, "shop", currency=currency))
        if rng.random() < 0.5:
            found.append(self.postback(txid, amount, currency))
        if rng.random() < 0.3:
            status: Status = rng.choice(("approved", "rejected", "reversed", "pending"))
            found.append(Report(txid, "network", status=status))
        if rng.random() < 0.15:  # reversed by the sender's own figures: the whole sale, or a part of them
            by: Source = rng.choice(("network", "network", "shop"))
            told, earned = (rng.choice((None, amount // 3, 95)) for _ in range(2))
            found.append(Report(txid, by, told, currency, earned, "reversed"))
        is_claimed = is_fresh and rng.random() < 0.3
        if not found and not is_claimed:
            found.append(Report(txid, "shop", amount, currency))
        found = [replace(report, **self.time(is_fresh)) for report in found]
        found = self.traced(found, is_fresh)
        if is_claimed:
            found.append(self.claim(txid, amount, currency, may_exceed=bool(found)))
        return found

    def postback(self, txid: str, amount: int, currency: str) -> Report:
        rng = self.rng
        says = rng.choice((None, None, amount, amount + 1))
        payout = rng.choice((None, rng.randrange(1, 10**4)))
        status: Status = rng.choice(("", "", "approved", "rejected", "hold", "reversed"))
        return Report(txid, "network", says, currency if says is not None else self.made.currency, payout, status)

    def time(self, is_fresh: bool) -> dict[str, Any]:
        if self.rng.random() < (0.3 if is_fresh else 0.15):
            return {"is_timed": False}
        off = self.rng.random() < 0.2 and not is_fresh
        return {"earlier": timedelta(seconds=self.rng.randrange(6 * 3600))} if off else {}

    def traced(self, reports: list[Report], is_fresh: bool) -> list[Report]:
        """With visitor, coupon and click id, each in one report or two. A postback cannot name a visitor."""
        rng, coupons = self.rng, [link.coupon for link in self.made.links if link.coupon]
        if rng.random() < 0.9:
            reports = self.in_some(reports, "visitor", self.visitors, shop_only=True)
        if rng.random() < (0.4 if is_fresh else 0.15):
            reports = self.in_some(reports, "coupon", [*coupons, "NOSUCH"])
        if is_fresh and self.made.follows and rng.random() < 0.4:
            reports = self.in_some(reports, "click", self.made.follows)
        return reports

    def in_some(
        self, reports: list[Report], name: str, values: Sequence[Any], *, shop_only: bool = False
    ) -> list[Report]:
        """Mostly one value in one report; sometimes another one in a second."""
        able = [number for number, report in enumerate(reports) if report.by == "shop" or not shop_only]
        named = self.rng.sample(able, min(len(able), self.rng.choice((1, 1, 1, 2))))
        value = self.rng.choice(values)
        said = {number: value if self.rng.random() < 0.7 else self.rng.choice(values) for number in named}
        return [
            replace(report, **{name: said[number]}) if number in said else report
            for number, report in enumerate(reports)
        ]

    def claim(self, txid: str, amount: int, currency: str, *, may_exceed: bool) -> Report:
        """By the public site key, with a click of its own: one click may claim five transactions an hour."""
        rng = self.rng
        click = self.follow()
        self.made.follows.append(click)
        said = min(MAX_CLAIM, rng.choice((amount, amount, amount + 9)))
        coupon, is_timed = rng.choice(("", "", "three")), rng.random() < 0.5
        if may_exceed and rng.random() < 0.4:
            said = LARGE_CLAIM
        return Report(
            txid, "page", said, currency, click=click, coupon=coupon, is_timed=is_timed, is_too_large=said > MAX_CLAIM
        )
