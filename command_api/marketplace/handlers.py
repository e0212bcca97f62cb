"""All command handlers of the marketplace."""

from __future__ import annotations

from typing import Final

from command_api.kernel.command_handlers import CommandHandlers
from command_api.marketplace import (
    direct_deal_handlers,
    escrow_handlers,
    listing_handlers,
    offer_handlers,
    question_handlers,
    saved_search_handlers,
    transfer_handlers,
    verification_handlers,
)

HANDLERS: Final = CommandHandlers.merged(
    (
        listing_handlers.HANDLERS,
        verification_handlers.HANDLERS,
        offer_handlers.HANDLERS,
        escrow_handlers.HANDLERS,
        direct_deal_handlers.HANDLERS,
        transfer_handlers.HANDLERS,
        question_handlers.HANDLERS,
        saved_search_handlers.HANDLERS,
    )
)
