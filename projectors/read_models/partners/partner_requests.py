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

PARTNER_REQUESTS.begins(
    partners.PartnerRequested, but="partner_id", at="requested_at", takes={"proposed_id": "partner_id"}, state="open"
)
PARTNER_REQUESTS.follows(partners.PartnerRequestAccepted, at="decided_at", state="accepted")
PARTNER_REQUESTS.follows(partners.PartnerRequestDeclined, at="decided_at", state="declined")
PARTNER_REQUESTS.follows(partners.PartnerRequestWithdrawn, at="decided_at", state="withdrawn")
PARTNER_REQUESTS.follows(AccountErased, by="account_id", name=ERASED, website=ERASED, note=ERASED)
