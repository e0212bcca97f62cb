"""Command handlers of accounts."""

from __future__ import annotations

from typing import Final

from command_api.accounts import (
    administration_handlers,
    credential_handlers,
    erasure,
    registration_handlers,
    session_handlers,
    token_handlers,
)
from command_api.accounts.invites import handlers as invite_handlers
from command_api.kernel.command_handlers import CommandHandlers

HANDLERS: Final = CommandHandlers.merged(
    (
        registration_handlers.HANDLERS,
        invite_handlers.HANDLERS,
        session_handlers.HANDLERS,
        credential_handlers.HANDLERS,
        administration_handlers.HANDLERS,
        erasure.HANDLERS,
        token_handlers.HANDLERS,
    )
)
