"""The exchange rates from one currency to another: a rate for each day. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final
from uuid import UUID

from command_api.kernel.decision import CommandContext, event_metadata, invalid
from schemas.base import DomainEvent
from schemas.currencies import MINOR_DIGITS
from schemas.events.operations import ExchangeRateRecorded, RateSource
from schemas.evolution import UnexpectedEvent
from schemas.identity import exchange_rate_id

RATE: Final = re.compile(r"[0-9]{1,12}(\.[0-9]{1,12})?")


@dataclass(frozen=True, slots=True)
class KnownRate:
    """A recorded rate."""

    rate: str
    source: RateSource


@dataclass(frozen=True, slots=True)
class ExchangeRates:
    """The rates of one pair by the day from which on they hold."""

    id: UUID
    version: int
    by_day: Mapping[date, KnownRate]


def record_rate(
    rates: ExchangeRates | None,
    *,
    base: str,
    quote: str,
    rate: str,
    on: date,
    context: CommandContext,
    source: RateSource = RateSource.HAND,
) -> list[DomainEvent]:
    """Records that from `on` on one `base` is worth `rate` `quote`. A rate for the same day replaces the one before;
    that of a person is not replaced by one of the European Central Bank, also if it is the same and the bank revises
    its own."""
    for field, code in (("base", base), ("quote", quote)):
        if code not in MINOR_DIGITS:
            raise invalid("unknown_currency", f"{code[:10]} is not an ISO 4217 currency.", field)
    if base == quote:
        raise invalid("same_currency", "A rate is between two different currencies.", "quote")
    if not RATE.fullmatch(rate) or Decimal(rate) == 0:
        message = "A rate is a decimal number above 0 with at most 12 digits on either side of the point."
        raise invalid("bad_rate", message, "rate")
    current = rates.by_day.get(on) if rates is not None else None
    is_kept = current is not None and source is RateSource.ECB and current.source is not RateSource.ECB
    is_confirmed = current is not None and source is RateSource.HAND and current.source is RateSource.ECB
    if current is not None and (is_kept or (current.rate == rate and not is_confirmed)):
        return []
    head = event_metadata(exchange_rate_id(base, quote), rates.version if rates else 0, context)
    return [ExchangeRateRecorded(**head, base=base, quote=quote, rate=rate, on=on, source=source)]


def evolve(rates: ExchangeRates | None, event: DomainEvent) -> ExchangeRates:
    if not isinstance(event, ExchangeRateRecorded):
        raise UnexpectedEvent(f"{event.NAME} does not happen to exchange rates")
    by_day = rates.by_day if rates else {}
    recorded = KnownRate(event.rate, event.source)
    return ExchangeRates(event.originator_id, event.originator_version, {**by_day, event.on: recorded})
