"""Inline projection `exchange_rate_lookup`: the dated rates of each pair, for decisions."""

from __future__ import annotations

from typing import Final

from command_api.kernel.inline_projection import InlineProjection, Table
from schemas.events.operations import ExchangeRateRecorded

EXCHANGE_RATE_TABLE: Final = Table(
    "exchange_rate",
    columns=(
        "base text not null",
        "quote text not null",
        "on_day date not null",
        "rate text not null",
        "source text not null",
    ),
    key=("base", "quote", "on_day"),
)
EXCHANGE_RATE_LOOKUP: Final = InlineProjection("exchange_rate_lookup", version=1, tables=(EXCHANGE_RATE_TABLE,))


EXCHANGE_RATE_TABLE.begins(ExchangeRateRecorded, takes={"on_day": "on"})
