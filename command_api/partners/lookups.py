"""Inline projection `partner_lookup`: the private partners of accounts, the directory's hosts, and open requests."""

from __future__ import annotations

from typing import Final, LiteralString
from uuid import UUID

from command_api.kernel.decision import conflict
from command_api.kernel.inline_projection import InlineProjection, Table, Tables
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.partners.model import MAX_PRIVATE
from command_api.partners.requests import MAX_OPEN, host_of
from schemas.events import partners

PRIVATE_PARTNER_TABLE: Final = Table(
    "private_partner",
    columns=("partner_id uuid not null", "account_id uuid not null"),
    key=("partner_id",),
    indexes=("account_id",),
)
PARTNER_REQUEST_TABLE: Final = Table(
    "partner_request",
    columns=("request_id uuid not null", "account_id uuid not null"),
    key=("request_id",),
    indexes=("account_id",),
)
PARTNER_LOOKUP: Final = InlineProjection(
    "partner_lookup",
    version=1,
    tables=(
        Table(
            "directory_host",
            columns=("partner_id uuid not null", "host text not null"),
            key=("partner_id",),
            indexes=("host",),
        ),
        PRIVATE_PARTNER_TABLE,
        PARTNER_REQUEST_TABLE,
    ),
)


@PARTNER_LOOKUP.on(partners.PartnerRegistered)
def _registered(tables: Tables, event: partners.PartnerRegistered) -> None:
    if event.account_id is None:
        tables["directory_host"].insert(partner_id=event.originator_id, host=host_of(event.base_url))
    else:
        tables["private_partner"].insert(partner_id=event.originator_id, account_id=event.account_id)


@PARTNER_LOOKUP.on(partners.PartnerUpdated)
def _updated(tables: Tables, event: partners.PartnerUpdated) -> None:
    if event.base_url is not None:
        tables["directory_host"].update({"partner_id": event.originator_id}, host=host_of(event.base_url))


@PARTNER_LOOKUP.on(partners.PartnerRemoved)
def _removed(tables: Tables, event: partners.PartnerRemoved) -> None:
    for name in ("directory_host", "private_partner"):
        tables[name].delete(partner_id=event.originator_id)


PRIVATE_PARTNER_TABLE.follows(partners.PartnerTransferred)


PARTNER_REQUEST_TABLE.begins(partners.PartnerRequested)
PARTNER_REQUEST_TABLE.ends(partners.PartnerRequestAccepted)
PARTNER_REQUEST_TABLE.ends(partners.PartnerRequestDeclined)
PARTNER_REQUEST_TABLE.ends(partners.PartnerRequestWithdrawn)


def partner_at(uow: UnitOfWork, address: str) -> UUID | None:
    """Returns the partner of the directory whose site has the host of the address."""
    query: LiteralString = "SELECT partner_id FROM lookup.directory_host WHERE host = %s ORDER BY partner_id LIMIT 1"
    rows = uow.select(query, host_of(address))
    return rows[0][0] if rows else None


def private_partners(uow: UnitOfWork, account_id: UUID) -> list[UUID]:
    """Returns the private partners of an account."""
    query: LiteralString = "SELECT partner_id FROM lookup.private_partner WHERE account_id = %s ORDER BY partner_id"
    return [partner_id for (partner_id,) in uow.select(query, account_id)]


def open_requests(uow: UnitOfWork, account_id: UUID) -> list[UUID]:
    """Returns the open requests of an account."""
    query: LiteralString = "SELECT request_id FROM lookup.partner_request WHERE account_id = %s ORDER BY request_id"
    return [request_id for (request_id,) in uow.select(query, account_id)]


def require_partner_limit(uow: Appended, account_id: UUID) -> None:
    """Raises `CommandRejected` when the account has too many private partners."""
    if len(private_partners(uow, account_id)) > MAX_PRIVATE:
        message = f"You can have at most {MAX_PRIVATE} partners of your own. Remove one first."
        raise conflict("too_many_partners", message)


def require_request_limit(uow: Appended, account_id: UUID) -> None:
    """Raises `CommandRejected` when the account has too many open requests."""
    if len(open_requests(uow, account_id)) > MAX_OPEN:
        raise conflict("too_many_requests", f"You can have at most {MAX_OPEN} open requests.")
