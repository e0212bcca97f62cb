"""`read.early_access`: who has which place, and who waits, in the order of joining."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import EVERYBODY
from schemas.events.leads import (
    EarlyAccessConfirmed,
    EarlyAccessInvited,
    EarlyAccessJoined,
    EarlyAccessLeft,
    EarlyAccessPromoted,
)

EARLY_ACCESS: Final = ReadModel(
    name="early_access",
    version=3,
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
    readers=EVERYBODY,  # ids, places and times: how many places are left is public
    indexes=("joined_at, id", "place"),
)


@EARLY_ACCESS.on(EarlyAccessJoined)
def joined(rows: Rows, event: EarlyAccessJoined) -> None:
    rows.put(
        id=event.originator_id,
        place=event.place,
        joined_at=event.timestamp,
        invited_at=None,
        invite_id=None,
        left_at=None,
        held_until=event.held_until,
    )


@EARLY_ACCESS.on(EarlyAccessConfirmed)
def confirmed(rows: Rows, event: EarlyAccessConfirmed) -> None:
    rows.update({"id": event.originator_id}, held_until=None)


@EARLY_ACCESS.on(EarlyAccessPromoted)
def promoted(rows: Rows, event: EarlyAccessPromoted) -> None:
    rows.update({"id": event.originator_id}, place=event.place, held_until=event.held_until)


@EARLY_ACCESS.on(EarlyAccessInvited)
def invited(rows: Rows, event: EarlyAccessInvited) -> None:
    rows.update({"id": event.originator_id}, invited_at=event.timestamp, invite_id=event.invite_id)


@EARLY_ACCESS.on(EarlyAccessLeft)
def left(rows: Rows, event: EarlyAccessLeft) -> None:
    rows.update({"id": event.originator_id}, place=None, left_at=event.timestamp)
