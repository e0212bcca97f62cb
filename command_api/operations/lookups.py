"""Inline projection `exchange_rates`: the dated rates of each pair, for decisions."""

from __future__ import annotations

from typing import Final

from command_api.kernel.inline_projection import InlineProjection, Table, Tables
from schemas.events.operations import ExchangeRateRecorded

EXCHANGE_RATES: Final = InlineProjection(
    "exchange_rates",
    version=1,
    tables=(
        Table(
            "exchange_rate",
            columns=(
                "base text not null",
                "quote text not null",
                "on_day date not null",
                "rate text not null",
                "source text not null",
            ),
            key=("base", "quote", "on_day"),
        ),
    ),
)


@EXCHANGE_RATES.on(ExchangeRateRecorded)
def _recorded(tables: Tables, event: ExchangeRateRecorded) -> None:
    tables["exchange_rate"].put(
        base=event.base, quote=event.quote, on_day=event.on, rate=event.rate, source=event.source.value
    )
