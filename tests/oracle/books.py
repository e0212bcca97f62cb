"""The oracle's own books: what every public number has to be.

Plain arithmetic over the history, in words of its own: no module of the product is imported here.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo, reset_tzpath  # noqa: TID251 - the oracle imports nothing of the product

from tests.oracle.history import RATES, Click, Decision, History, Report, Site

reset_tzpath(())  # the pinned tzdata, as everywhere
DIGITS = {"USD": 2, "JPY": 0, "KWD": 3, "EUR": 2}


@dataclass
class Sale:
    """One transaction as it ends."""

    txid: str
    amount: int
    currency: str
    at: Any
    program: int | None
    commission: int
    status: str = "pending"
    back_amount: int = 0
    back: int = 0

    @property
    def net(self) -> int:
        return 0 if self.status == "rejected" else self.commission - self.back


class Books:
    """The transactions of one website after all that was sent; `decide` follows what persons decide."""

    def __init__(self, history: History, site: Site) -> None:
        self.history, self.site, self.zone = history, site, ZoneInfo(site.zone)
        received: dict[str, list[Report]] = {}
        for call in site.calls:
            if isinstance(call, Report):
                received.setdefault(call.txid, []).append(call)
        self.sales = {txid: self._sale(txid, reports) for txid, reports in received.items()}

    def decide(self, decision: Decision) -> bool:
        """Whether the decision is possible; then it is made."""
        sale = self.sales[decision.txid]
        if sale.status in ("rejected", "reversed"):
            return False
        if decision.action == "approve":
            sale.status = "approved"
        elif decision.action == "reject":
            sale.status = "rejected"
        else:
            part = self.part(decision)
            whole = part == 0 or sale.back_amount + part >= sale.amount
            sale.back_amount = sale.amount if whole else sale.back_amount + part
            sale.back = sale.commission if whole else _even(Fraction(sale.commission * sale.back_amount, sale.amount))
            sale.status = "reversed" if whole else sale.status
        return True

    def part(self, decision: Decision) -> int:
        """Minor units that a reversal takes back; 0: all that is left."""
        sale = self.sales[decision.txid]
        part = sale.amount * decision.part // 100
        return part if 1 <= part < sale.amount - sale.back_amount else 0

    def overview(self, first: date, last: date) -> dict[str, Any]:
        """The figures of a range of local days."""
        found = [sale for sale in self.sales.values() if sale.program is not None and self._is_in(sale.at, first, last)]
        counts = Counter(sale.status for sale in found)
        counted = [sale for sale in found if sale.status in ("pending", "approved")]
        return {
            "clicks": sum(self._is_in(click.at, first, last) for click in self.site.clicks),
            "pending": counts["pending"],
            "approved": counts["approved"],
            "rejected": counts["rejected"],
            "reversed": counts["reversed"],
            "revenue": sum(sale.net for sale in counted),
            "back": sum(sale.back for sale in found),
        }

    def by_program(self, first: date, last: date) -> dict[int, tuple[int, int, int]]:
        """Clicks, conversions and revenue of each partner."""
        found: dict[int, list[int]] = {}
        for click in self.site.clicks:
            if self._is_in(click.at, first, last):
                found.setdefault(click.program, [0, 0, 0])[0] += 1
        for sale in self.sales.values():
            if sale.program is not None and self._is_in(sale.at, first, last):
                row = found.setdefault(sale.program, [0, 0, 0])
                row[1] += sale.status in ("pending", "approved")
                row[2] += sale.net if sale.status in ("pending", "approved") else 0
        return {program: (row[0], row[1], row[2]) for program, row in found.items()}

    def _is_in(self, at: Any, first: date, last: date) -> bool:
        return bool(first <= at.astimezone(self.zone).date() <= last)

    def _sale(self, txid: str, reports: list[Report]) -> Sale:
        shop = [report for report in reports if report.by == "secret"]
        network = [report for report in reports if report.by == "postback"]
        stands = shop[0]
        payout = next((report for report in network if report.payout is not None), None)
        visitor = next((report.visitor for report in reports if report.visitor), "")
        click = self._click(visitor, stands)
        decided = [report.status for report in reports if report.status in ("approved", "rejected")]
        commission = 0
        if click is not None:
            commission = self._commission(stands, payout, click)
        sale = Sale(txid, stands.amount or 0, stands.currency, stands.at, click.program if click else None, commission)
        sale.status = decided[-1] if decided else "pending"
        return sale

    def _click(self, visitor: str, sale: Report) -> Click | None:
        possible = [
            click
            for click in self.site.clicks
            if click.visitor == visitor
            and click.at <= sale.at + timedelta(seconds=60)
            and sale.at - click.at <= timedelta(days=self.history.programs[click.program].cookie_days)
        ]
        order = sorted(possible, key=lambda click: click.at)
        return (order[0] if self.site.first_click else order[-1]) if order else None

    def _commission(self, sale: Report, payout: Report | None, click: Click) -> int:
        program, currency = self.history.programs[click.program], self.site.currency
        if payout is not None and payout.payout is not None:
            return _converted(Fraction(payout.payout), payout.currency, currency)
        if program.rate_bp:
            return _converted(Fraction((sale.amount or 0) * program.rate_bp, 10_000), sale.currency, currency)
        return _converted(Fraction(program.flat), "EUR", currency)


def _converted(minor: Fraction, of: str, to: str) -> int:
    if of == to:
        return _even(minor)
    rate = Fraction(RATES[of, to])
    return _even(minor / 10 ** DIGITS[of] * rate * 10 ** DIGITS[to])


def _even(value: Fraction) -> int:
    """Rounded to the nearest integer, halves to the even one."""
    whole, rest = divmod(value.numerator, value.denominator)
    twice = 2 * rest
    return whole + (twice > value.denominator or (twice == value.denominator and whole % 2 == 1))


def major(minor: int, currency: str) -> Fraction:
    return Fraction(minor, 10 ** DIGITS[currency])
