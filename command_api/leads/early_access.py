"""Early access: ten places and a line of those who wait (spec §9: 10 beta testers, free). Pure.

The places are one aggregate: two who want the last one write to the same history, and one of them is told by the store
to decide again. Each address has an aggregate of its own beside it, so it never has two places.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

from command_api.decision import AnotherKind, Asked, begun, conflict, missing, step
from schemas.base import DomainEvent
from schemas.events.leads import (
    EarlyAccessInvited,
    EarlyAccessJoined,
    EarlyAccessLeft,
    EarlyAccessPlaceFreed,
    EarlyAccessPlaceTaken,
    EarlyAccessPromoted,
)
from schemas.identity import early_access_places_id

PLACES: Final = 10


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
    joined = EarlyAccessJoined(**step(signup_id, version, asked), place=place)
    return [joined] if place is None else [_take(places, place, signup_id, asked), joined]


def promote(places: Places, signup: Signup | None, asked: Asked) -> list[DomainEvent]:
    """Gives a free place to somebody who waits. Raises `Refused` when all are taken."""
    signup = there(signup)
    if signup.place is not None:
        raise conflict("has_place", "This address has a place already.")
    if places.free is None:
        raise conflict("no_place_left", f"All {PLACES} places are taken.")
    promoted = EarlyAccessPromoted(**step(signup.id, signup.version, asked), place=places.free)
    return [_take(places, places.free, signup.id, asked), promoted]


def invite(signup: Signup | None, invite_id: UUID, asked: Asked, *, is_used: bool, is_open: bool) -> list[DomainEvent]:
    """Whoever has a place may register, once. `is_used`, `is_open`: what became of the invite before, if there was one;
    one that ran out or was withdrawn can be followed by another."""
    signup = there(signup)
    if signup.place is None:
        raise conflict("no_place", "Only who has a place can be invited: give them one first.")
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
        return Signup(event.originator_id, event.originator_version, event.place)
    signup = replace(begun(signup, event), version=event.originator_version)
    match event:
        case EarlyAccessPromoted():
            return replace(signup, place=event.place)
        case EarlyAccessInvited():
            return replace(signup, invite_id=event.invite_id)
        case EarlyAccessLeft():
            return replace(signup, left=True, place=None)
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to early-access signups")


def _take(places: Places, place: int, signup_id: UUID, asked: Asked) -> EarlyAccessPlaceTaken:
    taken = step(early_access_places_id(), places.version, asked)
    return EarlyAccessPlaceTaken(**taken, place=place, signup_id=signup_id)
