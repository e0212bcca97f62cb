"""`GET /api/admin/exchange-rates`: the dated rates that admins recorded; and converting sums with the newest ones."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
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


def newest_rates(reader: Reader, quote: str) -> Mapping[str, Fraction]:
    """Currency to what one major unit of it is worth in `quote`, from the newest rate of the pair either way round."""
    rows = reader.rows(
        "SELECT DISTINCT ON (base, quote) base, quote, rate, on_day FROM read.exchange_rates"
        " WHERE on_day <= (now() AT TIME ZONE 'UTC')::date AND (base = %(to)s OR quote = %(to)s)"
        " ORDER BY base, quote, on_day DESC",
        {"to": quote},
    )
    found: dict[str, tuple[date, Fraction]] = {}
    for row in rows:
        rate, day = Fraction(row["rate"]), row["on_day"]
        other, worth = (row["base"], rate) if row["quote"] == quote else (row["quote"], 1 / rate if rate else None)
        if worth is not None and (other not in found or day > found[other][0]):
            found[other] = (day, worth)
    return {currency: worth for currency, (_, worth) in found.items()} | {quote: Fraction(1)}


def convert(minor: int, currency: str, quote: str, worth: Fraction | Decimal) -> int:
    """Minor units of `currency` in minor units of `quote`, rounded half to even."""
    return round(minor * Fraction(worth) * Fraction(10) ** (digits(quote) - digits(currency)))
