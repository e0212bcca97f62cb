"""The rate of a pair of currencies on a day, from recorded rates of that pair or of others. Pure.

A pair has up to three sources: its own rate; the rate of the pair the other way round (inverse); and, because a source
such as the European Central Bank records all rates against the euro, the rates of both currencies against it (cross).
The newest one holds; of one day the pair's own rate, then the inverse, then the cross rate, whose day is the older one
of its two. An inverse or cross rate is one exact division, rounded once, half to even, to twelve significant digits.

Reports in one currency convert by a `RateBook`. Their one rule of rounding: what is added up for one day is converted
exactly at that day's rate and rounded once, half to even, to minor units (`converted`); longer periods and totals add
such amounts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_EVEN, Context, Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Final

from schemas.currencies import digits

PIVOT: Final = "EUR"
SIGNIFICANT_DIGITS: Final = 12

Pair = tuple[str, str]
"""Base and quote: one base is worth the rate in quotes."""


class Derivation(StrEnum):
    """How a rate follows from recorded ones."""

    OWN = "own"
    INVERSE = "inverse"
    CROSS = "cross"


@dataclass(frozen=True, slots=True)
class RecordedRate:
    """The newest recorded rate of a pair on or before the day."""

    rate: str
    on: date


@dataclass(frozen=True, slots=True)
class DatedRate:
    """The worth of one major unit of a currency in another: a decimal as text, and the day since when."""

    rate: str
    on: date
    derivation: Derivation = Derivation.OWN

    @property
    def worth(self) -> Fraction:
        """The rate as a number."""
        return Fraction(self.rate)


@dataclass(frozen=True, slots=True)
class _Leg:
    worth: Fraction
    on: date
    own: str | None
    """The recorded text; `None`: it is of the pair the other way round."""


def rate_of(base: str, quote: str, recorded: Mapping[Pair, RecordedRate]) -> DatedRate | None:
    """The rate of the pair; `None` if it follows from none of the recorded rates."""
    rates = [DatedRate(one.own, one.on) for one in _own(base, quote, recorded) if one.own is not None]
    rates += [
        DatedRate(_decimal(one.worth), one.on, Derivation.INVERSE)
        for one in _own(base, quote, recorded)
        if one.own is None
    ]
    if PIVOT not in (base, quote):
        first, second = _newest(base, PIVOT, recorded), _newest(PIVOT, quote, recorded)
        if first is not None and second is not None:
            on = min(first.on, second.on)
            rates.append(DatedRate(_decimal(first.worth * second.worth), on, Derivation.CROSS))
    # max takes the first of equal days.
    return max(rates, key=lambda one: one.on, default=None)


def convert(minor: int | Fraction, currency: str, quote: str, worth: Fraction | Decimal) -> int:
    """Minor units of `currency` in minor units of `quote`, rounded half to even."""
    return round(minor * Fraction(worth) * Fraction(10) ** (digits(quote) - digits(currency)))


@dataclass(slots=True)
class RateBook:
    """The worth of currencies in `quote`, day by day: on each day the rate that decisions of that day would use."""

    quote: str
    _days: dict[Pair, list[date]] = field(default_factory=lambda: defaultdict(list))
    _rates: dict[Pair, list[str]] = field(default_factory=lambda: defaultdict(list))
    _found: dict[tuple[str, date], DatedRate | None] = field(default_factory=dict)

    @classmethod
    def of(cls, quote: str, recorded: Iterable[tuple[Pair, RecordedRate]]) -> RateBook:
        """`recorded`: oldest first within a pair."""
        book = cls(quote)
        for pair, rate in recorded:
            book._days[pair].append(rate.on)
            book._rates[pair].append(rate.rate)
        return book

    def on(self, currency: str, day: date) -> DatedRate | None:
        """The worth of one major unit of `currency` on `day`; `None` if no rate of that day or an earlier one states
        it."""
        if currency == self.quote:
            return DatedRate("1", day)
        if (currency, day) not in self._found:
            recorded = {pair: one for pair in self._days if (one := self._newest(pair, day)) is not None}
            self._found[currency, day] = rate_of(currency, self.quote, recorded)
        return self._found[currency, day]

    def converted(self, minor: int, currency: str, day: date) -> int | None:
        """An amount of `day` in minor units of `quote`; nothing needs no rate. `None`: the day has no rate."""
        if minor == 0:
            return 0
        rate = self.on(currency, day)
        return None if rate is None else convert(minor, currency, self.quote, rate.worth)

    def _newest(self, pair: Pair, day: date) -> RecordedRate | None:
        number = bisect_right(self._days[pair], day)
        return RecordedRate(self._rates[pair][number - 1], self._days[pair][number - 1]) if number else None


def _own(base: str, quote: str, recorded: Mapping[Pair, RecordedRate]) -> list[_Leg]:
    """The pair's own rate and the inverse, as far as there are any."""
    legs = []
    if (own := recorded.get((base, quote))) is not None:
        legs.append(_Leg(Fraction(own.rate), own.on, own.rate))
    if (other := recorded.get((quote, base))) is not None:
        legs.append(_Leg(1 / Fraction(other.rate), other.on, None))
    return legs


def _newest(base: str, quote: str, recorded: Mapping[Pair, RecordedRate]) -> _Leg | None:
    return max(_own(base, quote, recorded), key=lambda leg: leg.on, default=None)


def _decimal(value: Fraction) -> str:
    """Twelve significant digits, without an exponent and without zeros at the end."""
    context = Context(prec=SIGNIFICANT_DIGITS, rounding=ROUND_HALF_EVEN)
    text = format(context.divide(Decimal(value.numerator), Decimal(value.denominator)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
