"""Exchange rates: dated, recorded by an admin, one history per pair of currencies. Of a projection or a dead letter
deciding needs only the version. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from uuid import UUID

from command_api.kernel.decision import CommandContext, UnexpectedEvent, event_metadata, invalid
from schemas.base import DomainEvent
from schemas.currencies import MINOR_DIGITS
from schemas.events.operations import ExchangeRateRecorded
from schemas.identity import exchange_rate_id


@dataclass(frozen=True, slots=True)
class ExchangeRates:
    """The rates of one pair by the day from which on they hold."""

    id: UUID
    version: int
    by_day: Mapping[date, str]

    def on(self, day: date) -> str | None:
        """The latest rate on or before `day`."""
        known = [known for known in self.by_day if known <= day]
        return self.by_day[max(known)] if known else None


def record_rate(
    rates: ExchangeRates | None, *, base: str, quote: str, rate: str, on: date, context: CommandContext
) -> list[DomainEvent]:
    """From `on` on one `base` is worth `rate` `quote`. A rate for the same day replaces the one before."""
    for field, code in (("base", base), ("quote", quote)):
        if code not in MINOR_DIGITS:
            raise invalid("unknown_currency", f"{code[:10]} is not an ISO 4217 currency.", field)
    if base == quote:
        raise invalid("same_currency", "A rate is between two different currencies.", "quote")
    if not re.fullmatch(r"\d{1,12}(\.\d{1,12})?", rate) or Decimal(rate) == 0:
        message = "A rate is a decimal number above 0 with at most 12 digits on either side of the point."
        raise invalid("bad_rate", message, "rate")
    if rates is not None and rates.by_day.get(on) == rate:
        return []
    head = event_metadata(exchange_rate_id(base, quote), rates.version if rates else 0, context)
    return [ExchangeRateRecorded(**head, base=base, quote=quote, rate=rate, on=on)]


def evolve(rates: ExchangeRates | None, event: DomainEvent) -> ExchangeRates:
    if not isinstance(event, ExchangeRateRecorded):
        raise UnexpectedEvent(f"{event.NAME} does not happen to exchange rates")
    before = rates.by_day if rates else {}
    return ExchangeRates(event.originator_id, event.originator_version, {**before, event.on: event.rate})


def evolve_version(_: int | None, event: DomainEvent) -> int:
    return event.originator_version
