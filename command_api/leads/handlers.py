"""Command handlers of leads."""

from __future__ import annotations

from typing import Final

from command_api.kernel.command_handlers import CommandHandlers
from command_api.leads import early_access_handlers, inquiry_handlers, newsletter_handlers

HANDLERS: Final = CommandHandlers.merged(
    (newsletter_handlers.HANDLERS, early_access_handlers.HANDLERS, inquiry_handlers.HANDLERS)
)
