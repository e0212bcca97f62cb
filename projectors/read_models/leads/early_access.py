"""`read.early_access`: who has which place, and who waits, in the order of confirming the address.

`joined_at` is when the address was confirmed, and until then when it was sent.
"""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import PUBLIC
from schemas.events import leads

EARLY_ACCESS: Final = ReadModel(
    name="early_access",
    version=4,
    columns=(
        "id uuid",
        "place int",
        "joined_at timestamptz not null",
        "invited_at timestamptz",
        "invite_id uuid",
        "left_at timestamptz",
        "held_until timestamptz",
    ),
    key=("id",),
    readers=PUBLIC,  # ids, places and times: how many places are left is public
    indexes=("joined_at, id", "place"),
)


@EARLY_ACCESS.on(leads.EarlyAccessJoined)
def joined(rows: Rows, event: leads.EarlyAccessJoined) -> None:
    rows.put(
        id=event.originator_id,
        place=event.place,
        joined_at=event.timestamp,
        invited_at=None,
        invite_id=None,
        left_at=None,
        held_until=event.held_until,
    )


EARLY_ACCESS.sets(leads.EarlyAccessConfirmed, lambda event: {"joined_at": event.timestamp}, held_until=None)
EARLY_ACCESS.sets(leads.EarlyAccessPromoted, lambda event: {"place": event.place, "held_until": event.held_until})
EARLY_ACCESS.sets(leads.EarlyAccessInvited, lambda event: {"invited_at": event.timestamp, "invite_id": event.invite_id})
EARLY_ACCESS.sets(leads.EarlyAccessLeft, lambda event: {"left_at": event.timestamp}, place=None)
