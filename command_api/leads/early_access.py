"""Early access: ten places and a line of those who wait (spec §9: 10 beta testers, free). Pure.

The places are one aggregate: two who want the last one write to the same history, and one of them is told by the store
to decide again. Each address has an aggregate of its own beside it, so it never has two places.

A place, or a place in line, is held for an hour; it is kept once the mailed link confirmed the address.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from math import ceil
from typing import Final
from uuid import UUID

from command_api.decision import AnotherKind, Asked, Refused, begun, conflict, invalid, missing, step
from schemas.base import DomainEvent
from schemas.events.leads import (
    EarlyAccessConfirmed,
    EarlyAccessInvited,
    EarlyAccessJoined,
    EarlyAccessLeft,
    EarlyAccessPlaceFreed,
    EarlyAccessPlaceTaken,
    EarlyAccessPromoted,
)
from schemas.identity import early_access_places_id

PLACES: Final = 10
HELD_FOR: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Places:
    """`taken`: who has which place."""

    version: int = 0
    taken: Mapping[int, UUID] = field(default_factory=dict)

    @property
    def free(self) -> int | None:
        """The lowest place that is nobody's."""
        return next((place for place in range(1, PLACES + 1) if place not in self.taken), None)


@dataclass(frozen=True, slots=True)
class Signup:
    id: UUID
    version: int
    place: int | None
    invite_id: UUID | None = None
    left: bool = False
    held_until: datetime | None = None
    """None: the address is confirmed, or joined before that was asked for."""

    @property
    def is_confirmed(self) -> bool:
        return self.held_until is None

    def is_over(self, at: datetime) -> bool:
        """Nobody confirmed the address in time."""
        return self.held_until is not None and at >= self.held_until

    def minutes_left(self, at: datetime) -> int:
        """For how long the place, or the place in line, is still held for an address to be confirmed; 0: not at all."""
        if self.left or self.held_until is None or self.is_over(at):
            return 0
        return ceil((self.held_until - at) / timedelta(minutes=1))


def join(
    places: Places, signup: Signup | None, *, signup_id: UUID, somebody_waits: bool, asked: Asked
) -> list[DomainEvent]:
    """A place while there is one, else the end of the line. Nothing for an address that has joined already.

    A place that became free belongs to those who wait: nobody who comes later gets past them.
    """
    if signup is not None and not signup.left:
        return []
    place = None if somebody_waits else places.free
    version = signup.version if signup is not None else 0
    joined = EarlyAccessJoined(**step(signup_id, version, asked), place=place, held_until=asked.at + HELD_FOR)
    return [joined] if place is None else [_take(places, place, signup_id, asked), joined]


def promote(places: Places, signup: Signup | None, asked: Asked) -> list[DomainEvent]:
    """Gives a free place to somebody who waits. Raises `Refused` when all are taken."""
    signup = there(signup)
    if signup.place is not None:
        raise conflict("has_place", "This address has a place already.")
    if places.free is None:
        raise conflict("no_place_left", f"All {PLACES} places are taken.")
    held_until = None if signup.is_confirmed else asked.at + HELD_FOR
    promoted = EarlyAccessPromoted(**step(signup.id, signup.version, asked), place=places.free, held_until=held_until)
    return [_take(places, places.free, signup.id, asked), promoted]


def confirm(signup: Signup | None, asked: Asked) -> list[DomainEvent]:
    """The owner of the address pressed the button of the mailed link. Raises `Refused` for a link that is too late."""
    if signup is None or signup.left or signup.is_over(asked.at):
        raise link_invalid()
    return [] if signup.is_confirmed else [EarlyAccessConfirmed(**step(signup.id, signup.version, asked))]


def lapse(places: Places, signup: Signup | None, asked: Asked, heir: Signup | None = None) -> list[DomainEvent]:
    """Gives up what nobody confirmed in time. Nothing for one that was confirmed or left meanwhile."""
    if signup is None or signup.left or not signup.is_over(asked.at):
        return []
    return leave(places, signup, asked, heir)


def link_invalid() -> Refused:
    return invalid("link_invalid", "This link is no longer valid. Please sign up again.")


def invite(signup: Signup | None, invite_id: UUID, asked: Asked, *, is_used: bool, is_open: bool) -> list[DomainEvent]:
    """Whoever has a place may register, once. `is_used`, `is_open`: what became of the invite before, if there was one;
    one that ran out or was withdrawn can be followed by another."""
    signup = there(signup)
    if signup.place is None:
        raise conflict("no_place", "Only who has a place can be invited: give them one first.")
    if not signup.is_confirmed:
        raise conflict("not_confirmed", "This address has not been confirmed yet.")
    if is_used:
        raise conflict("registered", "This person has an account already.")
    if is_open:
        raise conflict("invited", "This address was sent an invite already.")
    return [EarlyAccessInvited(**step(signup.id, signup.version, asked), invite_id=invite_id)]


def leave(places: Places, signup: Signup | None, asked: Asked, heir: Signup | None = None) -> list[DomainEvent]:
    """Gives the place, or the place in line, up. A place goes to `heir` at once: who is first in line."""
    signup = there(signup)
    left = EarlyAccessLeft(**step(signup.id, signup.version, asked))
    if signup.place is None:
        return [left]
    freed = EarlyAccessPlaceFreed(**step(early_access_places_id(), places.version, asked), place=signup.place)
    inherited = promote(evolve_places(places, freed), heir, asked) if heir is not None else []
    return [freed, left, *inherited]


def there(signup: Signup | None) -> Signup:
    if signup is None or signup.left:
        raise missing("early-access signup")
    return signup


def evolve_places(places: Places | None, event: DomainEvent) -> Places:
    places = replace(places or Places(), version=event.originator_version)
    match event:
        case EarlyAccessPlaceTaken():
            return replace(places, taken={**places.taken, event.place: event.signup_id})
        case EarlyAccessPlaceFreed():
            return replace(places, taken={place: who for place, who in places.taken.items() if place != event.place})
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to the places of early access")


def evolve(signup: Signup | None, event: DomainEvent) -> Signup:
    if isinstance(event, EarlyAccessJoined):
        return Signup(event.originator_id, event.originator_version, event.place, held_until=event.held_until)
    signup = replace(begun(signup, event), version=event.originator_version)
    match event:
        case EarlyAccessPromoted():
            return replace(signup, place=event.place, held_until=event.held_until)
        case EarlyAccessConfirmed():
            return replace(signup, held_until=None)
        case EarlyAccessInvited():
            return replace(signup, invite_id=event.invite_id)
        case EarlyAccessLeft():
            return replace(signup, left=True, place=None)
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to early-access signups")


def _take(places: Places, place: int, signup_id: UUID, asked: Asked) -> EarlyAccessPlaceTaken:
    taken = step(early_access_places_id(), places.version, asked)
    return EarlyAccessPlaceTaken(**taken, place=place, signup_id=signup_id)
