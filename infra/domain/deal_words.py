"""Says what happened to an offer, a deal or a listing, in one line for one reader, alike in notifications and emails.

A line names who did it as `{actor}` and the website for sale as `{listing}`: names and titles are personal, so they are
filled in when the line is shown or sent (`schemas.notifications.filled`). Prices and days are in the line itself; only
the two sides of a deal get those.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from infra.domain.reports.figures import money_text
from schemas.base import DomainEvent, MoneySum
from schemas.currencies import digits
from schemas.events import marketplace
from schemas.events.marketplace import DirectDealAgreed, EscrowAgreed, OfferSent

Begin = OfferSent | EscrowAgreed | DirectDealAgreed
"""The first event of an offer's, an escrow's or a direct deal's stream."""


def deal_line(event: DomainEvent, begin: Begin, *, to_buyer: bool) -> str:
    """Raises `KeyError` for an event that nobody is notified of."""
    words = _DEALS[type(event)]
    return words if isinstance(words, str) else words(event, begin, to_buyer)


def listing_line(event: DomainEvent) -> str:
    """As `deal_line`, for the seller of a listing."""
    return _LISTINGS[type(event)]


def money(amount: MoneySum) -> str:
    """`$20,500`; with decimals only where it has some."""
    places = digits(amount.currency)
    return money_text(
        Decimal(amount.amount).scaleb(-places), amount.currency, places if amount.amount % 10**places else 0
    )


def day(at: datetime) -> str:
    """`Dec 6`."""
    return f"{at:%b} {at.day}"


def _agreed(event: EscrowAgreed, _begin: Begin, to_buyer: bool) -> str:
    due = f"pay by {day(event.pay_until)}" if to_buyer else f"the buyer pays by {day(event.pay_until)}"
    return f"{{actor}} accepted {money(event.price)} for {{listing}}: {due}"


def _agreed_directly(event: DirectDealAgreed, _begin: Begin, _to_buyer: bool) -> str:
    until = day(event.confirm_until)
    return f"{{actor}} accepted {money(event.price)} for {{listing}}: confirm the handover by {until}"


def _opened(_event: Any, begin: Begin, _to_buyer: bool) -> str:
    until = f" by {day(begin.pay_until)}" if isinstance(begin, EscrowAgreed) else ""
    return f"You can pay {money(begin.price)} for {{listing}} into escrow{until}"


def _funded(event: marketplace.EscrowFunded, begin: Begin, _to_buyer: bool) -> str:
    if event.is_late:
        price = money(begin.price)
        return f"Your payment of {price} for {{listing}} came after the deal was canceled: it goes back to you"
    return f"{money(begin.price)} for {{listing}} is in escrow: please transfer the website"


def _released(event: marketplace.EscrowReleased, _begin: Begin, to_buyer: bool) -> str:
    paid = event.to_buyer if to_buyer else event.to_seller
    if paid.amount == 0:
        return "The deal for {listing} is complete: the escrow provider has paid out"
    return f"The deal for {{listing}} is complete: the escrow provider has paid you {money(paid)}"


def _completed(event: marketplace.DirectDealCompleted, begin: Begin, _to_buyer: bool) -> str:
    how = "one side confirmed it, and the other did not respond in time" if event.is_automatic else (
        "both sides have confirmed it"
    )  # fmt: skip
    return f"The deal for {{listing}} at {money(begin.price)} is complete: {how}"


def _disputed(_event: Any, _begin: Begin, _to_buyer: bool) -> str:
    return "{actor} disputes the deal for {listing}: please add your statement to its thread"


_DEALS: Final[Mapping[type[DomainEvent], str | Callable[[Any, Begin, bool], str]]] = {
    OfferSent: lambda event, _begin, _to: (
        f"{{actor}} offers {money(event.price)} for {{listing}}: answer by {day(event.expires_at)}"
    ),
    marketplace.OfferCountered: lambda event, _begin, _to: (
        f"{{actor}} proposes {money(event.price)} for {{listing}}: answer by {day(event.expires_at)}"
    ),
    marketplace.OfferMessageSent: "{actor} wrote about the offer for {listing}",
    marketplace.OfferDeclined: "{actor} declined the price for {listing}: the offer has ended",
    marketplace.OfferWithdrawn: "{actor} withdrew the offer for {listing}",
    marketplace.OfferExpired: (
        "The offer for {listing} has ended: no one responded in time, or the website was sold to another"
    ),
    EscrowAgreed: _agreed,
    DirectDealAgreed: _agreed_directly,
    marketplace.TransferProposed: "{actor} offers to move {listing} to your account: see what moves",
    marketplace.TransferWithdrawn: "{actor} no longer offers to move {listing} to your account",
    marketplace.TransferDeclined: "{actor} declined the move of {listing}",
    marketplace.TransferAccepted: "{listing} has moved to the buyer's account",
    marketplace.EscrowOpened: _opened,
    marketplace.EscrowFunded: _funded,
    marketplace.EscrowDelivered: lambda event, _begin, _to: (
        f"{{actor}} transferred {{listing}}: please confirm receipt by {day(event.inspect_from)}"
    ),
    marketplace.EscrowInspectionBegan: lambda event, _begin, _to: (
        f"The inspection of {{listing}} has begun: without a dispute it is accepted on {day(event.until)}"
    ),
    marketplace.EscrowAccepted: lambda _event, begin, _to: (
        f"{{listing}} is accepted: the escrow provider was asked to pay {money(begin.price)} to the seller"
    ),
    marketplace.EscrowDisputed: _disputed,
    marketplace.EscrowDecided: lambda event, _begin, _to: (
        f"An admin decided the dispute about {{listing}}: {money(event.to_seller)} to the seller, "
        f"{money(event.to_buyer)} to the buyer"
    ),
    marketplace.EscrowReleased: _released,
    marketplace.EscrowRefunded: lambda _event, begin, _to: (
        f"The escrow provider has paid {money(begin.price)} for {{listing}} back to the buyer"
    ),
    marketplace.EscrowCancelled: "The deal for {listing} was canceled before it was paid",
    marketplace.DirectDealConfirmed: "{actor} confirmed the handover of {listing}: please confirm it, too",
    marketplace.DirectDealReminded: lambda event, _begin, _to: (
        f"Please confirm or dispute the handover of {{listing}}: it counts as sold on {day(event.complete_at)}"
    ),
    marketplace.DirectDealCompleted: _completed,
    marketplace.DirectDealDisputed: _disputed,
    marketplace.DirectDealClosed: "An admin recorded how the disputed deal for {listing} ended",
    marketplace.DirectDealCancelled: "The deal for {listing} was canceled before it was confirmed",
}
_LISTINGS: Final[Mapping[type[DomainEvent], str]] = {
    marketplace.ListingApproved: "{listing} is online",
    marketplace.ListingRejected: "{listing} was not approved: see the reason on its page",
    marketplace.ListingSuspended: "{listing} was taken offline: see the reason on its page",
    marketplace.ListingResumed: "{listing} is online again",
    marketplace.ListingExpired: "{listing} was online for 90 days and has expired: you can submit it again",
    marketplace.QuestionAsked: "{actor} asked a question about {listing}",
    marketplace.QuestionAnswered: "{actor} answered your question about {listing}",
}
