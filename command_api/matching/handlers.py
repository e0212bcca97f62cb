"""Command handlers of matching."""

from __future__ import annotations

from typing import Final

from command_api.kernel.command_handlers import CommandHandlers
from command_api.matching import idea_handlers, member_handlers, program_handlers

HANDLERS: Final = CommandHandlers.merged((member_handlers.HANDLERS, idea_handlers.HANDLERS, program_handlers.HANDLERS))
