"""Command handlers of matching."""

from __future__ import annotations

from typing import Final

from command_api.kernel.command_handlers import CommandHandlers
from command_api.matching import member_handlers
from command_api.matching.ideas import handlers as idea_handlers
from command_api.matching.programs import handlers as program_handlers

HANDLERS: Final = CommandHandlers.merged((member_handlers.HANDLERS, idea_handlers.HANDLERS, program_handlers.HANDLERS))
