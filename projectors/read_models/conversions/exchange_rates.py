"""`read.exchange_rates`: the dated rates of each pair of currencies. A rate recorded again for a day replaces it."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import PUBLIC
from schemas.events.operations import ExchangeRateRecorded

EXCHANGE_RATES: Final = ReadModel(
    name="exchange_rates",
    version=2,
    columns=(
        "base text",
        "quote text",
        "on_day date",
        "rate text not null",
        "recorded_at timestamptz not null",
        "source text not null default 'hand'",
    ),
    key=("base", "quote", "on_day"),
    readers=PUBLIC,
)


EXCHANGE_RATES.begins(ExchangeRateRecorded, at="recorded_at", takes={"on_day": "on"})
