"""`read.partner_requests`: the programs that members requested for the directory, and their outcome."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account
from schemas.base import ERASED
from schemas.events import partners
from schemas.events.accounts import AccountErased

PARTNER_REQUESTS: Final = ReadModel(
    name="partner_requests",
    version=1,
    columns=(
        "id uuid",
        "account_id uuid not null",
        "name text not null",
        "website text not null",
        "note text not null",
        # The private partner that is proposed.
        "proposed_id uuid",
        "state text not null",
        "requested_at timestamptz not null",
        "decided_at timestamptz",
        # Of the directory, once it is accepted.
        "partner_id uuid",
        "reason text not null default ''",
    ),
    key=("id",),
    readers=own_account("account_id"),
    indexes=("account_id, requested_at", "state, requested_at"),
    personal=("name", "website", "note"),
)

PARTNER_REQUESTS.puts(
    partners.PartnerRequested,
    ("account_id", "name", "website", "note"),
    lambda event: {"requested_at": event.timestamp, "proposed_id": event.partner_id},
    state="open",
)
PARTNER_REQUESTS.sets(
    partners.PartnerRequestAccepted,
    lambda event: {"decided_at": event.timestamp, "partner_id": event.partner_id},
    state="accepted",
)
PARTNER_REQUESTS.sets(
    partners.PartnerRequestDeclined,
    lambda event: {"decided_at": event.timestamp, "reason": event.reason},
    state="declined",
)
PARTNER_REQUESTS.sets(
    partners.PartnerRequestWithdrawn, lambda event: {"decided_at": event.timestamp}, state="withdrawn"
)
PARTNER_REQUESTS.sets(AccountErased, by="account_id", name=ERASED, website=ERASED, note=ERASED)
