"""One transaction as its reports and clicks say it together: the oracle's own arithmetic, by docs/conversions.md.

No module of the product is imported here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Final

from tests.oracle.history import ADDRESSES, RATES, Event, Follow, History, Report, Site, Subs

DIGITS: Final = {"USD": 2, "JPY": 0, "KWD": 3, "EUR": 2}
CLOCKS: Final = timedelta(seconds=60)
"""A click or coupon that seems this much later than the sale still came before it."""
AMOUNT_TRUST: Final = {"shop": 3, "network": 2, "page": 1}
PAYOUT_TRUST: Final = {"network": 2, "shop": 1, "page": 0}
CLICK_TRUST: Final = {"shop": 2, "network": 2, "page": 1}
KEY_KINDS: Final = {"shop": "secret", "network": "postback", "page": "site"}


@dataclass(frozen=True)
class Origin:
    """Where a click, a page view or a sale comes from: what figures are filtered and broken down by."""

    program: int | None = None
    country: str = "ZZ"
    subs: Subs = field(default_factory=dict)
    source: str = ""
    """What brought the visitor to the visit."""
    variant: str = ""
    """Which variant of the link's split the click took."""


@dataclass
class Sale:
    """One transaction as it ends."""

    txid: str
    amount: int
    currency: str
    at: datetime
    origin: Origin
    by: str
    """What led to the click: click_id, coupon, visitor, or nothing."""
    key_kind: str
    conflicts: int
    commission: int
    status: str = "pending"
    back_amount: int = 0
    back: int = 0
    returned: Fraction = Fraction(0)
    """The part that reports take back."""
    by_hand: int = 0
    """Minor units that persons take back besides."""

    @property
    def program(self) -> int | None:
        return self.origin.program

    @property
    def net(self) -> int:
        return 0 if self.status == "rejected" else self.commission - self.back

    def reverse(self, part: int) -> None:
        """A person takes back `part` minor units; 0: all that is left. The commission follows in proportion."""
        if part == 0 or self.back_amount + part >= self.amount:
            self.back_amount, self.back, self.status = self.amount, self.commission, "reversed"
        else:
            self.by_hand += part
            self.take_back()

    def take_back(self) -> None:
        """What persons and reports take back of a sale that stands."""
        part = self.returned + (Fraction(self.by_hand, self.amount) if self.amount else 0)
        self.back_amount = min(self.amount, self.by_hand + even(self.amount * self.returned))
        self.back = self.commission if part >= 1 else even(self.commission * part)


def time_of(site: Site, reports: Sequence[Report]) -> datetime | None:
    """The time of the sale that its reports name; none: the time when the first was received."""
    trusted = [report for report in reports if report.by != "page"]
    named = next((report for report in trusted or reports if report.is_timed), None)
    return site.time_of(named) if named is not None else None


def is_refused(reports: Sequence[Report], report: Report) -> bool:
    """Whether the answer is that another amount or another click stands."""
    return _is_other_amount(reports, report) or _is_other_click(reports, report)


def _is_other_amount(reports: Sequence[Report], report: Report) -> bool:
    """Another amount stands, which is trusted at least as far as this one. A network beside the shop is not refused."""
    stands = _best([one for one in (*reports, report) if one.status != "reversed"], "amount", AMOUNT_TRUST)
    if report.status == "reversed" or report.amount is None or stands is None or _money(stands) == _money(report):
        return False
    return report.by != "network" or stands.by == "network"


def _is_other_click(reports: Sequence[Report], report: Report) -> bool:
    """Another click stands, which is trusted as far as this one."""
    stands = _best(reports, "click", CLICK_TRUST)
    if report.click is None or stands is None:
        return False
    return stands.click is not report.click and CLICK_TRUST[stands.by] == CLICK_TRUST[report.by]


def sale_of(history: History, site: Site, txid: str, reports: Sequence[Report], at: datetime) -> Sale:
    """What the reports, in the order of receipt, come to."""
    trusted = [report for report in reports if report.by != "page"]
    claims = [report for report in reports if report.by == "page"]
    stands = _standing(trusted, "amount", AMOUNT_TRUST)
    stands = stands or _best([claim for claim in claims if not claim.is_too_large], "amount", AMOUNT_TRUST)
    payout = _standing(trusted, "payout", PAYOUT_TRUST)
    if stands is not None:
        amount, currency = stands.amount or 0, stands.currency
    else:
        amount, currency = 0, payout.currency if payout else site.currency
    by, origin = _origin(history, site, trusted, at)
    if origin is None:
        by, origin = _origin(history, site, claims, at)
    commission = 0
    if origin is not None and origin.program is not None:
        commission = _commission(history, site, origin.program, amount, currency, payout)
    sale = Sale(
        txid=txid,
        amount=amount,
        currency=currency,
        at=at,
        origin=origin or Origin(),
        by=by,
        key_kind=next(kind for source, kind in KEY_KINDS.items() if any(one.by == source for one in reports)),
        conflicts=_conflicts(trusted, claims, stands, payout),
        commission=commission,
    )
    reversals = [report for report in trusted if report.status == "reversed"]
    part = _part(trusted, reversals[-1]) if reversals else None
    deciding = ("approved", "rejected") if part is not None else ("approved", "rejected", "reversed")
    decided = [report.status for report in trusted if report.status in deciding]
    if decided and decided[-1] == "reversed":
        sale.reverse(0)
        return sale
    sale.status, sale.returned = decided[-1] if decided else "pending", part or Fraction(0)
    sale.take_back()
    return sale


def origin_of(site: Site, call: Event | Follow) -> Origin:
    """Of a click or a page view. Its own sub ids replace those of its link one by one."""
    link = site.links[call.link] if call.link is not None else None
    subs = {**(link.subs if link else {}), **call.subs}
    source = _source_of(site, call) if isinstance(call, Event) else ""  # who follows a link came from nowhere
    program, variant = link.program if link else None, call.variant if isinstance(call, Follow) else 0
    if link is not None and variant:
        program = link.variants[variant - 1]
    return Origin(program, ADDRESSES[call.ip], subs, source, str(variant or ""))


def _source_of(site: Site, event: Event) -> str:
    """That of the first event of its visit: a UTC day of one visitor, without a pause of more than half an hour."""
    day = [one for one in site.events if one.visitor == event.visitor and one.at.date() == event.at.date()]
    source, before = "", datetime.min.replace(tzinfo=UTC)
    for one in sorted(day, key=lambda one: one.at):
        if one.at > before + timedelta(minutes=30):
            source = one.source
        if one is event:
            break
        before = one.at
    return source


def _standing(trusted: Sequence[Report], name: str, trust: dict[str, int]) -> Report | None:
    """What a report of the sale names, before what a reversal names."""
    told = [report for report in trusted if report.status != "reversed"]
    return _best(told, name, trust) or _best(trusted, name, trust)


def _part(trusted: Sequence[Report], reversal: Report) -> Fraction | None:
    """The part of the sale that a reversal takes back, measured by what its own sender told of the sale; none: all."""
    own = [report for report in trusted if report.by == reversal.by and report.status != "reversed"]
    for name in ("payout", "amount"):
        part = getattr(reversal, name)
        first = next((report for report in own if getattr(report, name) is not None), None)
        if not part or first is None or first.currency != reversal.currency:
            continue
        whole = getattr(first, name)
        if whole:
            return Fraction(part, whole) if part < whole else None
    return None


def _conflicts(
    trusted: Sequence[Report], claims: Sequence[Report], stands: Report | None, payout: Report | None
) -> int:
    """How many other values are named beside those that stand; a reversed part is none."""
    reports = [*trusted, *claims]
    parts = [one for one in trusted if one.status == "reversed" and _part(trusted, one) is not None]
    told = [report for report in reports if not any(report is part for part in parts)]
    amounts = {_money(report) for report in told if report.amount is not None}
    payouts = {(report.payout, report.currency) for report in told if report.payout is not None}
    clicks = [report.click.click_id for report in reports if report.click is not None and report.click.click_id]
    coupons = [report.coupon.upper() for report in reports if report.coupon]
    return (
        len(amounts - ({_money(stands)} if stands else set()))
        + len(payouts - ({(payout.payout, payout.currency)} if payout else set()))
        + max(0, len(set(clicks)) - 1)
        + max(0, len(set(coupons)) - 1)
    )


def _origin(history: History, site: Site, reports: Sequence[Report], at: datetime) -> tuple[str, Origin | None]:
    """By click id, then by coupon, then by visitor: of each the one that was received first."""
    follow = next((report.click for report in reports if report.click is not None), None)
    if follow is not None and follow.at is not None:
        origin = origin_of(site, follow)
        if origin.program is not None and _is_within(history, origin.program, follow.at, at):
            return "click_id", origin
    named = next((report.coupon for report in reports if report.coupon), "")
    link = next((link for link in site.links if named and link.coupon.upper() == named.upper()), None)
    if link is not None and at + CLOCKS >= site.coupons_since:
        return "coupon", Origin(link.program)
    visitor = next((report.visitor for report in reports if report.visitor), "")
    click = _click_of(history, site, visitor, at) if visitor else None
    return ("visitor", origin_of(site, click)) if click is not None else ("", None)


def _click_of(history: History, site: Site, visitor: str, at: datetime) -> Event | None:
    possible = [
        event
        for event in site.events
        if event.link is not None
        and event.visitor == visitor
        and _is_within(history, site.links[event.link].program, event.at, at)
    ]
    order = sorted(possible, key=lambda event: event.at)
    return (order[0] if site.first_click else order[-1]) if order else None


def _is_within(history: History, program: int, clicked: datetime, at: datetime) -> bool:
    return clicked <= at + CLOCKS and at - clicked <= timedelta(days=history.programs[program].cookie_days)


def _commission(history: History, site: Site, program: int, amount: int, currency: str, payout: Report | None) -> int:
    terms = history.programs[program]
    if payout is not None and payout.payout is not None:
        return _converted(Fraction(payout.payout), payout.currency, site.currency)
    if terms.rate_bp:
        return _converted(Fraction(amount * terms.rate_bp, 10_000), currency, site.currency)
    return _converted(Fraction(terms.flat), "EUR", site.currency)


def _best(reports: Sequence[Report], name: str, trust: dict[str, int]) -> Report | None:
    """The first of those that are trusted most."""
    naming = [report for report in reports if getattr(report, name) is not None]
    return max(naming, key=lambda report: trust[report.by], default=None)


def _money(report: Report) -> tuple[int | None, str]:
    return report.amount, report.currency


def _converted(minor: Fraction, of: str, to: str) -> int:
    if of == to:
        return even(minor)
    rate = Fraction(RATES[of, to])
    return even(minor / 10 ** DIGITS[of] * rate * 10 ** DIGITS[to])


def worth(minor: int, of: str, site: Site) -> int:
    """An amount in minor units of the website's currency."""
    return _converted(Fraction(minor), of, site.currency)


def even(value: Fraction) -> int:
    """Rounded to the nearest integer, halves to the even one."""
    whole, rest = divmod(value.numerator, value.denominator)
    twice = 2 * rest
    return whole + (twice > value.denominator or (twice == value.denominator and whole % 2 == 1))


def major(minor: int, currency: str) -> Fraction:
    return Fraction(minor, 10 ** DIGITS[currency])
