"""Adds the lines of a file up by day and traffic, and converts each sum once: what is staged.

`reading.read` -> `CostLine` -> this -> `StagedCost`; a line that cannot be added is rejected.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction

from command_api.costs.imports.cost_rows import CostLine, PaidTraffic
from command_api.costs.imports.staging import StagedCost
from command_api.kernel.reader import AggregateReader
from command_api.operations.exchange_rates.lookup import rate_on
from infra.domain.exchange_rates import convert
from infra.domain.report_files.layouts import RejectedLine
from schemas.base import Money, MoneySum
from schemas.currencies import MAX_AMOUNT, MINOR_DIGITS


@dataclass(slots=True)
class _CostSum:
    line: int
    currency: str
    rate: str | None
    amount: Decimal
    lines: int = 1


class CostSums:
    """The sums of one file. `own`: the website's currency; `reader` has the exchange rates."""

    def __init__(self, own: str, reader: AggregateReader) -> None:
        self._own, self._reader = own, reader
        self._sums: dict[tuple[date, PaidTraffic], _CostSum] = {}
        self._rates: dict[tuple[str, date], str | None] = {}

    def add(self, line: CostLine) -> RejectedLine | None:
        """Adds a line, or returns why it cannot count."""
        rate = self._rate(line.currency, line.day)
        if rate is None and line.currency != self._own:
            text = f"There is no exchange rate from {line.currency} to {self._own} for {line.day.isoformat()}."
            return RejectedLine(line.line, "currency_unknown", text)
        held = self._sums.get((line.day, line.target))
        if held is None:
            first = _CostSum(line.line, line.currency, rate, line.amount)
            if self._is_too_large(first):
                return RejectedLine(line.line, "amount_too_large", "This amount is too large.")
            self._sums[line.day, line.target] = first
            return None
        if held.currency != line.currency:
            text = f"Line {held.line} has the same day and traffic in {held.currency}, this one in {line.currency}."
            return RejectedLine(line.line, "other_currency", text)
        if self._is_too_large(replace(held, amount=held.amount + line.amount)):
            return RejectedLine(line.line, "amount_too_large", "The sum of this day and traffic is too large.")
        held.amount += line.amount
        held.lines += 1
        return None

    def staged(self) -> Iterator[StagedCost]:
        """The sums, each rounded to minor units once, half to even, and converted at the rate of its day."""
        for (day, target), held in self._sums.items():
            amount, worth = self._converted(held)
            yield StagedCost(held.line, held.lines, day, target, amount, Money(**worth.model_dump()), held.rate)

    def _is_too_large(self, held: _CostSum) -> bool:
        if abs(held.amount).scaleb(MINOR_DIGITS[held.currency]) > MAX_AMOUNT:
            return True
        return abs(self._converted(held)[1].amount) > MAX_AMOUNT

    def _converted(self, held: _CostSum) -> tuple[Money, MoneySum]:
        """The amount, and what it is worth in the website's currency."""
        minor = round(Fraction(held.amount) * 10 ** MINOR_DIGITS[held.currency])
        amount = Money(amount=minor, currency=held.currency)
        if held.rate is None:
            return amount, amount
        worth = convert(minor, held.currency, self._own, Fraction(held.rate))
        return amount, MoneySum(amount=worth, currency=self._own)

    def _rate(self, currency: str, day: date) -> str | None:
        if currency == self._own:
            return None
        key = currency, day
        if key not in self._rates:
            found = rate_on(self._reader, currency, self._own, day)
            self._rates[key] = found.rate if found else None
        return self._rates[key]
