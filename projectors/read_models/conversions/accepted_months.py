"""`read.accepted_months`: months of partners whose open differences the website's owner accepted."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.conversions import ReconciliationAccepted, ReconciliationReopened
from schemas.events.websites import WebsiteDisconnected

ACCEPTED_MONTHS: Final = ReadModel(
    name="accepted_months",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "partner_id uuid not null",
        "month text not null",
        # Of the figures that were accepted: with others the month is open.
        "fingerprint text not null",
        "accepted_at timestamptz not null",
    ),
    key=("id",),
    readers=OWN_WEBSITES,
    indexes=("website_id, partner_id",),
)

ACCEPTED_MONTHS.begins(ReconciliationAccepted, at="accepted_at")
ACCEPTED_MONTHS.ends(ReconciliationReopened)
ACCEPTED_MONTHS.ends(WebsiteDisconnected, by="website_id")
