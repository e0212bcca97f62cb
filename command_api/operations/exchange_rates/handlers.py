"""Command handlers of exchange rates."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Final
from uuid import UUID

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import event_metadata
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.operations.exchange_rates import commands, model
from command_api.operations.exchange_rates.files import RateLine
from command_api.operations.exchange_rates.reference import PROCESS, SOURCE_ID
from command_api.operations.exchange_rates.schemas import ImportedRates, LineOutcome, Outcome
from infra.domain.exchange_rates import PIVOT
from schemas.base import DomainEvent
from schemas.events.operations import RateSource, ReferenceRatesMissed
from schemas.http.operations import ExchangeRate
from schemas.identity import exchange_rate_id
from schemas.uuid7 import uuid7

HANDLERS: Final = CommandHandlers()
FAILURES_TO_TELL: Final = 6
"""In a row: four hours after the first one, by the growing intervals of `source`."""


@HANDLERS.on(commands.RecordExchangeRate, senders="admins")
def record_exchange_rate(command: commands.RecordExchangeRate, uow: UnitOfWork) -> ExchangeRate:
    base, quote, on, typed = command.fields.base, command.fields.quote, command.fields.on, command.fields.rate
    rate = typed if isinstance(typed, str) else format(Decimal(str(typed)), "f")
    rates = uow.load(exchange_rate_id(base, quote), model.evolve)
    uow.append(*model.record_rate(rates, base=base, quote=quote, rate=rate, on=on, context=uow.context))
    return ExchangeRate(base=base, quote=quote, rate=rate, on=on)


@HANDLERS.on(commands.ImportExchangeRates, senders="admins")
def import_exchange_rates(command: commands.ImportExchangeRates, uow: UnitOfWork) -> ImportedRates:
    recorder = _Known(uow)
    events: list[DomainEvent] = []
    lines = [LineOutcome(line=one.line, outcome="rejected", message=one.message) for one in command.rates.faults]
    for line in command.rates.lines:
        outcome, recorded = recorder.record(line, RateSource.IMPORT)
        events += recorded
        lines.append(
            LineOutcome(line=line.line, base=line.base, quote=line.quote, on=line.on, rate=line.rate, outcome=outcome)
        )
    if not command.dry_run:
        uow.append(*events)
    counts = Counter(line.outcome for line in lines)
    return ImportedRates(
        lines=sorted(lines, key=lambda line: line.line),
        new=counts["new"],
        changed=counts["changed"],
        unchanged=counts["unchanged"],
        rejected=counts["rejected"],
        applied=not command.dry_run,
    )


@HANDLERS.on(commands.RecordReferenceRates, senders="system")
def record_reference_rates(command: commands.RecordReferenceRates, uow: UnitOfWork) -> None:
    recorder = _Known(uow)
    events: list[DomainEvent] = []
    for one in command.rates:
        line = RateLine(0, PIVOT, one.currency, one.rate, one.on)
        events += recorder.record(line, RateSource.ECB)[1]
    uow.append(*events)


@HANDLERS.on(commands.RecordRateCheck, senders="system")
def record_rate_check(command: commands.RecordRateCheck, uow: UnitOfWork) -> None:
    check = command.check
    [row] = uow.cursor.execute(
        _CHECKED,
        {
            "at": uow.context.at,
            "ok": check.problem is None,
            "problem": check.problem,
            "day": check.newest_day,
            "skipped": list(check.skipped),
            "next": command.next_at,
        },
    ).fetchall()
    if check.problem is not None and row["failures"] == FAILURES_TO_TELL:
        base = event_metadata(uuid7(), 0, uow.context)
        uow.append(ReferenceRatesMissed(**base, problem=check.problem, **row))
    uow.set_timeout(PROCESS, SOURCE_ID, command.next_at)


class _Known:
    """The rates of each pair, with those that this command records; each pair is loaded once."""

    def __init__(self, uow: UnitOfWork) -> None:
        self._uow = uow
        self._pairs: dict[UUID, model.ExchangeRates | None] = {}

    def record(self, line: RateLine, source: RateSource) -> tuple[Outcome, list[DomainEvent]]:
        """The events of one rate, and what it does. Raises `CommandRejected`."""
        id_ = exchange_rate_id(line.base, line.quote)
        if id_ not in self._pairs:
            self._pairs[id_] = self._uow.load(id_, model.evolve)
        current = self._pairs[id_]
        events = model.record_rate(
            current,
            base=line.base,
            quote=line.quote,
            rate=line.rate,
            on=line.on,
            context=self._uow.context,
            source=source,
        )
        for event in events:
            self._pairs[id_] = model.evolve(self._pairs[id_], event)
        is_known = current is not None and line.on in current.by_day
        return ("changed" if is_known else "new") if events else "unchanged", events


_CHECKED: Final = (
    "INSERT INTO operations.rate_source AS s"
    " (name, checked_at, succeeded_at, newest_day, failures, problem, skipped, next_at)"
    " VALUES ('ecb', %(at)s, CASE WHEN %(ok)s THEN %(at)s::timestamptz END, %(day)s, (NOT %(ok)s)::int, %(problem)s,"
    " %(skipped)s, %(next)s)"
    " ON CONFLICT (name) DO UPDATE SET checked_at = excluded.checked_at, problem = excluded.problem,"
    " succeeded_at = coalesce(excluded.succeeded_at, s.succeeded_at),"
    " newest_day = coalesce(excluded.newest_day, s.newest_day),"
    " failures = CASE WHEN %(ok)s THEN 0 ELSE s.failures + 1 END,"
    " skipped = CASE WHEN %(ok)s THEN excluded.skipped ELSE s.skipped END, next_at = excluded.next_at"
    " RETURNING failures, newest_day"
)
