"""The recipients of the marketplace's mails, and the pages that its mails lead to."""

from __future__ import annotations

from uuid import UUID

from command_api.accounts import model as accounts
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.marketplace import mails


def recipient(uow: UnitOfWork, account_id: UUID) -> mails.Recipient | None:
    """Returns the address of an account; `None` if it was erased. Called before the append where possible: the store's
    lock is then held for less time."""
    account = uow.load(account_id, accounts.evolve)
    return mails.Recipient(account.email, account.id) if account is not None and not account.erased else None


def listing_url(uow: UnitOfWork, listing_id: UUID) -> str:
    return f"{uow.settings.app_url}/marketplace/listing/{listing_id}"


def offer_url(uow: UnitOfWork, offer_id: UUID) -> str:
    return f"{uow.settings.app_url}/marketplace/deals/{offer_id}"
