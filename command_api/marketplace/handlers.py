"""The command handlers of the marketplace."""

from __future__ import annotations

from typing import Final

from command_api.kernel.command_handlers import CommandHandlers
from command_api.marketplace import (
    consequences,
    direct_deal_handlers,
    erasure,
    offer_handlers,
    question_handlers,
    saved_search_handlers,
    transfer_handlers,
)
from command_api.marketplace.escrow import consequences as escrow_consequences
from command_api.marketplace.escrow import handlers as escrow_handlers
from command_api.marketplace.listings import consequences as listing_consequences
from command_api.marketplace.listings import handlers as listing_handlers
from command_api.marketplace.listings import verification_handlers

HANDLERS: Final = CommandHandlers.merged(
    (
        erasure.HANDLERS,
        consequences.HANDLERS,
        listing_consequences.HANDLERS,
        escrow_consequences.HANDLERS,
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
