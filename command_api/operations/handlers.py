"""The command handlers of the context."""

from __future__ import annotations

from typing import Final

from command_api.kernel.command_handlers import CommandHandlers
from command_api.operations import dead_letter_handlers, projection_handlers, rebuild_handlers
from command_api.operations.exchange_rates import handlers as exchange_rate_handlers

HANDLERS: Final = CommandHandlers.merged(
    (
        exchange_rate_handlers.HANDLERS,
        projection_handlers.HANDLERS,
        rebuild_handlers.HANDLERS,
        dead_letter_handlers.HANDLERS,
    )
)
