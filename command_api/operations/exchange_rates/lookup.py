"""The exchange rate that a decision uses: the newest one on or before a day."""

from __future__ import annotations

from datetime import date
from typing import Final, LiteralString

from command_api.kernel.reader import AggregateReader
from infra.domain.exchange_rates import PIVOT, DatedRate, RecordedRate, rate_of


def rate_on(reader: AggregateReader, base: str, quote: str, day: date) -> DatedRate | None:
    """Returns the value of one `base` in `quote` on `day`; `None` if it does not follow from recorded rates."""
    codes = sorted({base, quote, PIVOT})
    recorded = {(of, to): RecordedRate(rate, on) for of, to, on, rate in reader.select(_NEWEST, day, codes, codes)}
    return rate_of(base, quote, recorded)


_NEWEST: Final[LiteralString] = (
    "SELECT DISTINCT ON (base, quote) base, quote, on_day, rate FROM lookup.exchange_rate"
    " WHERE on_day <= %s AND base = ANY(%s) AND quote = ANY(%s) ORDER BY base, quote, on_day DESC"
)
