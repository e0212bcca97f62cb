"""The recipients of the marketplace's mails, what its mails name, and the pages that they lead to."""

from __future__ import annotations

from uuid import UUID

from command_api.accounts import model as accounts
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.marketplace import mails
from infra.domain.deal_words import Begin, deal_line, listing_line
from schemas.base import DomainEvent
from schemas.events.marketplace import DirectDealAgreed, EscrowAgreed, OfferSent
from schemas.evolution import UnexpectedEvent
from schemas.notifications import Names


def recipient(uow: UnitOfWork, account_id: UUID) -> mails.Recipient | None:
    """Returns the address of an account; `None` if it was erased. Called before the append where possible: the store's
    lock is then held for less time."""
    account = uow.load(account_id, accounts.evolve)
    return mails.Recipient(account.email, account.id) if account is not None and not account.erased else None


def listing_url(uow: UnitOfWork, listing_id: UUID) -> str:
    return f"{uow.settings.app_url}/marketplace/listing/{listing_id}"


def offer_url(uow: UnitOfWork, offer_id: UUID) -> str:
    return f"{uow.settings.app_url}/marketplace/deals/{offer_id}"


def deal_news(uow: UnitOfWork, event: DomainEvent, to: UUID, title: str | None) -> mails.News:
    """Returns what an email says of an event of an offer or a deal to one of its sides. `title`: of the listing."""
    begin = _begin(uow, event)
    offer_id = begin.originator_id if isinstance(begin, OfferSent) else begin.offer_id
    line = deal_line(event, begin, to_buyer=to == begin.buyer_id)
    names, actor_id = _names(uow, title, event.actor_id), event.actor_id
    return mails.News(line, names, offer_id, actor_id, offer_url(uow, offer_id))


def listing_news(
    uow: UnitOfWork, event: DomainEvent, listing_id: UUID, title: str | None, actor_id: UUID | None = None
) -> mails.News:
    """Returns what an email says of an event of a listing. No actor: admins decide in the name of the installation."""
    url = listing_url(uow, listing_id)
    return mails.News(listing_line(event), _names(uow, title, actor_id), listing_id, actor_id, url)


def _begin(uow: UnitOfWork, event: DomainEvent) -> Begin:
    begin = event if event.originator_version == 1 else uow.event(event.originator_id, 1)
    if not isinstance(begin, OfferSent | EscrowAgreed | DirectDealAgreed):
        raise UnexpectedEvent(f"{event.NAME} is about no offer and no deal")
    return begin


def _names(uow: UnitOfWork, title: str | None, actor_id: UUID | None) -> Names:
    actor = uow.load(actor_id, accounts.evolve) if actor_id is not None else None
    return Names(
        actor=actor.public_name if actor is not None and not actor.erased else None,
        listing=title,
    )
