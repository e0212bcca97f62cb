"""`GET /api/admin/exchange-rates`: the dated rates that admins recorded; and converting sums with the newest ones."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import ROUND_HALF_EVEN, Decimal

from fastapi import APIRouter, Depends
from psycopg.rows import dict_row
from pydantic import BaseModel, Field

from infra.identity import Pool
from query_api.context import AsAdmin, Context, Reads
from query_api.money import digits

router = APIRouter(tags=["admin"])


class ExchangeRate(BaseModel):
    """From `on` on, one major unit of `base` is worth `rate` major units of `quote`."""

    base: str
    quote: str
    on: date
    rate: str = Field(description="Decimal number")
    recordedAt: datetime


@router.get("/api/admin/exchange-rates", dependencies=[Depends(Reads("exchange_rates"))])
def get_exchange_rates(context: Context, _: AsAdmin) -> list[ExchangeRate]:
    """By pair, newest day first."""
    with context.pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(
            "SELECT base, quote, on_day, rate, recorded_at FROM read.exchange_rates ORDER BY base, quote, on_day DESC"
        ).fetchall()
    return [
        ExchangeRate(
            base=row["base"], quote=row["quote"], on=row["on_day"], rate=row["rate"], recordedAt=row["recorded_at"]
        )
        for row in rows
    ]


def newest_rates(pool: Pool, quote: str) -> Mapping[str, Decimal]:
    """Currency to what one major unit of it is worth in `quote`, from the newest rate of the pair either way round."""
    with pool.connection() as connection:
        rows = connection.execute(
            "SELECT DISTINCT ON (base, quote) base, quote, rate, on_day FROM read.exchange_rates"
            " WHERE on_day <= current_date AND (base = %(to)s OR quote = %(to)s) ORDER BY base, quote, on_day DESC",
            {"to": quote},
        ).fetchall()
    found: dict[str, tuple[date, Decimal]] = {}
    for base, to, rate, day in rows:
        other, worth = (base, Decimal(rate)) if to == quote else (to, 1 / Decimal(rate) if Decimal(rate) else None)
        if worth is not None and (other not in found or day > found[other][0]):
            found[other] = (day, worth)
    return {currency: worth for currency, (_, worth) in found.items()} | {quote: Decimal(1)}


def convert(minor: int, currency: str, quote: str, worth: Decimal) -> int:
    """Minor units of `currency` in minor units of `quote`, rounded half to even."""
    exact = Decimal(minor).scaleb(digits(quote) - digits(currency)) * worth
    return int(exact.quantize(Decimal(1), ROUND_HALF_EVEN))
