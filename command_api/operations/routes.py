"""`/api/admin/exchange-rates`: dated rates that commissions are converted at. Admins only."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from fastapi import APIRouter, Response
from psycopg import Cursor
from pydantic import Field

from command_api.commands import Decided
from command_api.http import Admin, Answer, Body, Runs
from command_api.operations import model
from command_api.policies import without_rate
from schemas.identity import exchange_rate_id

router = APIRouter(prefix="/api/admin/exchange-rates", tags=["operations"])

Text = Annotated[str, Field(max_length=40)]


class RecordRate(Body):
    """From day `on` (UTC) on, one `base` is worth `rate` `quote`."""

    base: Text
    quote: Text
    rate: Annotated[Text | float | int, Field(description="A decimal as text (exact), or a number")]
    on: Annotated[date, Field(strict=False)]


class ExchangeRate(Answer):
    base: str
    quote: str
    rate: str
    on: date


@router.post("", status_code=201, response_model=ExchangeRate)
def record_exchange_rate(body: RecordRate, _: Admin, run: Runs) -> Response:
    """Records a rate. Conversions that are decided already keep the rate of their decision; those that wait for one are
    decided now."""
    rate = body.rate if isinstance(body.rate, str) else format(Decimal(str(body.rate)), "f")

    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        without_rate.make_due(cursor, body.base)

    def decide() -> Decided[ExchangeRate]:
        rates = run.core.store.load(exchange_rate_id(body.base, body.quote), model.evolve)
        events = model.record_rate(rates, base=body.base, quote=body.quote, rate=rate, on=body.on, asked=run.asked)
        return Decided(events, ExchangeRate(base=body.base, quote=body.quote, rate=rate, on=body.on), also)

    return run(decide, body, status=201)
