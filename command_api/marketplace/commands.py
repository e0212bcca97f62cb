"""Commands of the marketplace."""

from __future__ import annotations

from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.marketplace import schemas
from command_api.marketplace.questions import FlagReason
from command_api.marketplace.schemas import (
    DirectDealsState,
    EscrowState,
    OfferState,
    QuestionState,
    SavedSearchState,
    TransferState,
)


class OfferCommand(Command[OfferState]):
    """About one offer."""

    offer_id: UUID


class DealCommand(Command[EscrowState]):
    """About the deal of an accepted offer."""

    offer_id: UUID


class TransferCommand(Command[TransferState]):
    """About the transfer of a sold website."""

    offer_id: UUID


class QuestionCommand(Command[QuestionState]):
    """About one question."""

    question_id: UUID


class SearchCommand(Command[None]):
    """About one saved search."""

    search_id: UUID


# Listings


# Offers


class SendOffer(OfferCommand):
    """Offers a price; a buyer has one open offer for a listing."""

    listing_id: UUID
    fields: schemas.MakeOffer


class CounterOffer(OfferCommand):
    """Offers another price to the other side."""

    fields: schemas.MakeOffer


class AcceptOffer(OfferCommand):
    """Agrees on the price, reserves the listing and begins the escrow, or the direct deal where there is none."""

    fields: schemas.AcceptOffer


class DeclineOffer(OfferCommand):
    """Declines the other side's price; the negotiation ends."""


class WithdrawOffer(OfferCommand):
    """Withdraws the buyer's offer."""


class WriteMessage(OfferCommand):
    """Writes into an offer's thread; admins only once the deal is disputed."""

    text: str


class ExpireOffer(Command[None]):
    """Expires an offer that no one responded in time, or whose website was sold to another buyer."""

    offer_id: UUID


# Escrows


# Direct deals


class SwitchDirectDeals(Command[DirectDealsState]):
    """Allows or ends deals without escrow."""

    allow: bool


class ConfirmDirectDeal(DealCommand):
    """One side states that money and website were handed over."""


class ProposeTransfer(TransferCommand):
    """The seller agrees that the sold website moves to the buyer."""


class WithdrawTransfer(TransferCommand):
    """The seller no longer agrees."""


class DeclineTransfer(TransferCommand):
    """The buyer does not want it."""


class AcceptTransfer(TransferCommand):
    """The buyer agrees: the website moves. This is final."""


class DisputeDirectDeal(DealCommand):
    """One side disputes a direct deal; an admin records its end."""

    text: str


class CancelDirectDeal(DealCommand):
    """One side cancels a direct deal before the first confirmation."""


class CloseDirectDeal(DealCommand):
    """Records how a disputed direct deal ended."""

    fields: schemas.CloseDeal


class ExpireDirectDeal(Command[None]):
    """Ends a direct deal that nobody confirmed in time."""

    deal_id: UUID


# Questions, watched listings and saved searches


class AskQuestion(QuestionCommand):
    """Asks the seller of a listing a public question."""

    listing_id: UUID
    text: str


class AnswerQuestion(QuestionCommand):
    """The seller's answer; a later one replaces it."""

    text: str


class FlagQuestion(QuestionCommand):
    """Reports a question to the admins; once per member."""

    reason: FlagReason


class HideQuestion(QuestionCommand):
    """Hides a question."""

    reason: str


class RestoreQuestion(QuestionCommand):
    """Shows a question again and clears its flags."""


class WatchListing(Command[None]):
    """Adds a listing to the sender's watchlist; idempotent."""

    listing_id: UUID


class UnwatchListing(Command[None]):
    """Removes a listing from the sender's watchlist; idempotent."""

    listing_id: UUID


class SaveSearch(Command[SavedSearchState]):
    """Saves a search; a daily mail lists new matches."""

    search_id: UUID
    fields: schemas.SaveSearch


class EndSavedSearch(SearchCommand):
    """Ends a saved search of the sender; idempotent."""


class StopSavedSearch(SearchCommand):
    """Ends a saved search by the link in its mails; idempotent."""


class SendSearchDigest(SearchCommand):
    """Mails the new listings that fit a saved search, if it is due and there are any."""
