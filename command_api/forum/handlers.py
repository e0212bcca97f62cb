"""Command handlers of the forum."""

from __future__ import annotations

from typing import Final

from command_api.forum import member_handlers, post_handlers, thread_handlers
from command_api.kernel.command_handlers import CommandHandlers

HANDLERS: Final = CommandHandlers.merged((thread_handlers.HANDLERS, post_handlers.HANDLERS, member_handlers.HANDLERS))
