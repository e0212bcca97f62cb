"""`read.early_access`: who has which place, and who waits, in the order of confirming the address.

`joined_at` is when the address was confirmed, and until then when it was sent.
"""

from __future__ import annotations

from typing import Final

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


EARLY_ACCESS.begins(leads.EarlyAccessJoined, at="joined_at", invited_at=None, invite_id=None, left_at=None)
EARLY_ACCESS.follows(leads.EarlyAccessConfirmed, at="joined_at", held_until=None)
EARLY_ACCESS.follows(leads.EarlyAccessPromoted)
EARLY_ACCESS.follows(leads.EarlyAccessInvited, at="invited_at")
EARLY_ACCESS.follows(leads.EarlyAccessLeft, at="left_at", place=None)
