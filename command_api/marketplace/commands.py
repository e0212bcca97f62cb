"""Commands of the marketplace."""

from __future__ import annotations

from dataclasses import field
from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.kernel.images.model import Picture
from command_api.marketplace import schemas
from command_api.marketplace.measurement import Measurement
from command_api.marketplace.questions import FlagReason
from command_api.marketplace.schemas import (
    DirectDealsState,
    EscrowState,
    ListingState,
    OfferState,
    QuestionState,
    ReviewInvite,
    SavedSearchState,
    TransferState,
)
from infra.domain.escrow_provider import OpenedTransaction, TransactionState


class ListingCommand(Command[ListingState]):
    """About one listing."""

    listing_id: UUID


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


class DraftListing(ListingCommand):
    """Creates a private draft of the sender."""

    fields: schemas.ListingFields


class EditListing(ListingCommand):
    """Changes the given claims. A published listing goes back into the review, unless only its price changes."""

    fields: schemas.EditListing


class SubmitListing(ListingCommand):
    """Submits a listing for review."""


class WithdrawListing(ListingCommand):
    """Withdraws a listing; it can be submitted again."""


class RequestVerification(ListingCommand):
    """Requests a comparison of the claims with the measurements."""


class AddImage(ListingCommand):
    """Appends an image to a listing."""

    picture: Picture = field(repr=False)


class OrderImages(ListingCommand):
    """Sets the order of the images; omitted images are removed."""

    images: tuple[str, ...]


class ApproveListing(ListingCommand):
    """Publishes the reviewed edition."""

    edition: int


class InviteReviewer(Command[ReviewInvite]):
    """An admin who sells invites one other person to review this listing; the previous link ends."""

    listing_id: UUID
    token: str = field(repr=False)


class JoinReview(ListingCommand):
    """The sender opened the link of a review."""

    token: str = field(repr=False)


class ApproveAsReviewer(ListingCommand):
    """The invited reviewer publishes the reviewed edition."""

    edition: int


class RejectAsReviewer(ListingCommand):
    """The invited reviewer sends a listing back to its seller."""

    reason: str


class RejectListing(ListingCommand):
    """Sends a listing back to its seller."""

    reason: str


class SuspendListing(ListingCommand):
    """Takes a published listing offline."""

    reason: str


class ResumeListing(ListingCommand):
    """Publishes a suspended listing again."""


class ExpireListing(Command[None]):
    """Expires a listing whose time online is over."""

    listing_id: UUID


class RecordVerification(Command[None]):
    """Compares the claims with a measurement; if the website has changed since, the listing stays due."""

    listing_id: UUID
    measurement: Measurement | None


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


class Deliver(DealCommand):
    """The seller has handed the website over."""


class ConfirmReceipt(DealCommand):
    """The buyer has the website; the inspection begins."""


class AcceptDelivery(DealCommand):
    """The buyer accepts the website; the provider is asked to pay the seller."""


class DisputeDeal(DealCommand):
    """One side disputes the deal; an admin decides."""

    text: str


class CancelDeal(DealCommand):
    """One side cancels the deal before the payment."""


class DecideDispute(DealCommand):
    """Ends a dispute: release, refund, or a split of the price."""

    fields: schemas.Decide


class AdvanceEscrow(Command[None]):
    """Takes the automatic step of an escrow that is due."""

    escrow_id: UUID


class RecordEscrowCall(Command[None]):
    """The provider has accepted a call. `opened`: its answer to the step `open`."""

    number: int
    escrow_id: UUID
    opened: OpenedTransaction | None


class RecordEscrowStatus(Command[None]):
    """The provider has answered a status check."""

    escrow_id: UUID
    state: TransactionState


class RecordEscrowMessage(Command[None]):
    """The provider has sent a message; a repeated one changes nothing."""

    message_id: str
    message: schemas.TransactionMessage


class RetryEscrowCalls(Command[None]):
    """Retries the calls of an escrow that the provider rejected."""

    escrow_id: UUID


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
