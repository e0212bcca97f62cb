"""`read.subscriptions`: who gets the newsletter, and since when. Addresses lie sealed in `leads.contact`."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import ADMINS
from schemas.events.leads import SubscriptionConfirmed, SubscriptionEnded, SubscriptionRequested

SUBSCRIPTIONS: Final = ReadModel(
    name="subscriptions",
    version=1,
    columns=(
        "id uuid",
        "state text not null",
        "source text not null",
        "requested_at timestamptz not null",
        "confirmed_at timestamptz",
        "ended_at timestamptz",
    ),
    key=("id",),
    readers=ADMINS,
    indexes=("state, requested_at", "requested_at, id"),
)


SUBSCRIPTIONS.begins(SubscriptionRequested, at="requested_at", state="pending", confirmed_at=None, ended_at=None)
SUBSCRIPTIONS.follows(SubscriptionConfirmed, at="confirmed_at", state="confirmed")
SUBSCRIPTIONS.follows(SubscriptionEnded, at="ended_at", state="ended")
