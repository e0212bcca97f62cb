"""`GET /api/admin/exchange-rates`: the dated rates that admins recorded; and converting sums with the newest ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction

from fastapi import APIRouter, Depends
from pydantic import Field

from query_api.kernel.dependencies import AdminScope, Reads
from query_api.kernel.postgres_reader import Reader
from query_api.kernel.responses import RowModel
from schemas.currencies import digits

router = APIRouter(tags=["admin"])


class ExchangeRate(RowModel):
    """From `on` on, one major unit of `base` is worth `rate` major units of `quote`."""

    base: str
    quote: str
    on: date
    rate: str = Field(description="Decimal number")
    recordedAt: datetime


@router.get("/api/admin/exchange-rates", dependencies=[Depends(Reads("exchange_rates"))])
def get_exchange_rates(admin: AdminScope) -> list[ExchangeRate]:
    """By pair, newest day first."""
    rows = admin.reader.rows(
        "SELECT base, quote, on_day AS on, rate, recorded_at FROM read.exchange_rates ORDER BY base, quote, on_day DESC"
    )
    return [ExchangeRate.of_row(row) for row in rows]


@dataclass(frozen=True, slots=True)
class DatedRate:
    """What one major unit of a currency is worth in another, since `on`."""

    worth: Fraction
    on: date

    @property
    def text(self) -> str:
        """As a decimal number of at most twelve digits; a rate of the other way round rarely has an end."""
        return f"{float(self.worth):.12g}"


def newest_rates(reader: Reader, quote: str) -> Mapping[str, Fraction]:
    """Currency to what one major unit of it is worth in `quote`, from the newest rate of the pair either way round."""
    return {currency: rate.worth for currency, rate in dated_rates(reader, quote).items()}


def dated_rates(reader: Reader, quote: str) -> Mapping[str, DatedRate]:
    """The same with the day of each rate; `quote` itself is worth one today."""
    rows = reader.rows(
        "SELECT DISTINCT ON (base, quote) base, quote, rate, on_day FROM read.exchange_rates"
        " WHERE on_day <= (now() AT TIME ZONE 'UTC')::date AND (base = %(to)s OR quote = %(to)s)"
        " ORDER BY base, quote, on_day DESC",
        {"to": quote},
    )
    found: dict[str, DatedRate] = {}
    for row in rows:
        rate, day = Fraction(row["rate"]), row["on_day"]
        other, worth = (row["base"], rate) if row["quote"] == quote else (row["quote"], 1 / rate if rate else None)
        if worth is not None and (other not in found or day > found[other].on):
            found[other] = DatedRate(worth, day)
    return found | {quote: DatedRate(Fraction(1), datetime.now(UTC).date())}


def convert(minor: int, currency: str, quote: str, worth: Fraction | Decimal) -> int:
    """Minor units of `currency` in minor units of `quote`, rounded half to even."""
    return round(minor * Fraction(worth) * Fraction(10) ** (digits(quote) - digits(currency)))
