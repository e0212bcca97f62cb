"""Command handlers of exchange rates, and those of projections and dead letters."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.operations import commands, dead_letter_handlers, model, projection_handlers, rebuild_handlers
from command_api.operations.schemas import ExchangeRate
from schemas.identity import exchange_rate_id

HANDLERS: Final = CommandHandlers.merged(
    (projection_handlers.HANDLERS, rebuild_handlers.HANDLERS, dead_letter_handlers.HANDLERS)
)


@HANDLERS.on(commands.RecordExchangeRate, senders="admins")
def record_exchange_rate(command: commands.RecordExchangeRate, uow: UnitOfWork) -> ExchangeRate:
    base, quote, on, given = command.fields.base, command.fields.quote, command.fields.on, command.fields.rate
    rate = given if isinstance(given, str) else format(Decimal(str(given)), "f")
    rates = uow.load(exchange_rate_id(base, quote), model.evolve)
    uow.append(*model.record_rate(rates, base=base, quote=quote, rate=rate, on=on, context=uow.context))
    return ExchangeRate(base=base, quote=quote, rate=rate, on=on)
