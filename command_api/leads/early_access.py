"""Early access: ten places and a line of those who wait (spec §9: 10 beta testers, free). Pure.

The places are one aggregate: two who want the last one write to the same stream, and one of them gets a concurrency
conflict and decides again. Each address has an aggregate of its own beside it, so it never has two places.

Who signs up has nothing yet: an address that nobody confirmed holds no place and no position in line, so that invented
ones keep nobody out. The mailed link gives the next free place, or the end of the line. (Before that rule a place was
held for an hour; what was held then is kept when it is confirmed in time.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from math import ceil
from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import next_event
from command_api.kernel.decision import CommandContext, CommandRejected, conflict, event_metadata, invalid, not_found
from schemas.base import DomainEvent
from schemas.events import leads
from schemas.evolution import Evolution, UnexpectedEvent
from schemas.identity import early_access_places_id

PLACES: Final = 10
CONFIRM_WITHIN: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class EarlyAccessState:
    """`taken`: owner of each place."""

    version: int = 0
    taken: Mapping[int, UUID] = field(default_factory=dict)

    @property
    def free(self) -> int | None:
        """Returns the lowest free place."""
        return next((place for place in range(1, PLACES + 1) if place not in self.taken), None)


@dataclass(frozen=True, slots=True)
class Signup:
    """State of one signup. `place`: 1 to 10; null: on the waiting list, or not confirmed."""

    id: UUID
    version: int
    place: int | None
    invite_id: UUID | None = None
    left: bool = False
    held_until: datetime | None = None
    """None: the address is confirmed, or joined before confirmation was required."""

    @property
    def is_confirmed(self) -> bool:
        return self.held_until is None

    def is_over(self, at: datetime) -> bool:
        """Returns whether the confirmation deadline has passed."""
        return self.held_until is not None and at >= self.held_until

    def hours_left(self, at: datetime) -> int:
        """Returns the hours until the confirmation deadline, begun ones included; 0: there is none."""
        if self.left or self.held_until is None or self.is_over(at):
            return 0
        return ceil((self.held_until - at) / timedelta(hours=1))


def join(signup: Signup | None, *, signup_id: UUID, context: CommandContext) -> list[DomainEvent]:
    """Signs an address up; no events for one that has joined."""
    if signup is not None and not signup.left:
        return []
    version = signup.version if signup is not None else 0
    until = context.at + CONFIRM_WITHIN
    return [leads.EarlyAccessJoined(**event_metadata(signup_id, version, context), place=None, held_until=until)]


def promote(places: EarlyAccessState, signup: Signup | None, context: CommandContext) -> list[DomainEvent]:
    """Assigns a free place to a person in line. Raises `CommandRejected` if none is free."""
    signup = require_active(signup)
    if signup.place is not None:
        raise conflict("has_place", "This address has a place already.")
    _require_confirmed(signup)
    if places.free is None:
        raise conflict("no_place_left", f"All {PLACES} places are taken.")
    return _promoted(places, places.free, signup, context)


def confirm(
    places: EarlyAccessState, signup: Signup | None, *, somebody_waits: bool, context: CommandContext
) -> list[DomainEvent]:
    """Confirms the address, which gets a free place or the end of the line. Raises `CommandRejected` for an expired
    link.

    A released place belongs to the line: who confirms later cannot overtake it.
    """
    if signup is None or signup.left or signup.is_over(context.at):
        raise link_invalid()
    if signup.is_confirmed:
        return []
    confirmed = leads.EarlyAccessConfirmed(**next_event(signup, context))
    if signup.place is not None or places.free is None or somebody_waits:
        return [confirmed]
    return [confirmed, *_promoted(places, places.free, evolve(signup, confirmed), context)]


def link_invalid() -> CommandRejected:
    return invalid("link_invalid", "This link is no longer valid. Please sign up again.")


def invite(
    signup: Signup | None, invite_id: UUID, context: CommandContext, *, is_used: bool, is_open: bool
) -> list[DomainEvent]:
    """Invites a person with a place. `is_used`, `is_open`: state of the previous invite, if any; an expired or revoked
    one can be replaced."""
    signup = require_active(signup)
    if signup.place is None:
        raise conflict("no_place", "Only people with a place can be invited.")
    _require_confirmed(signup)
    if is_used:
        raise conflict("registered", "This person has an account already.")
    if is_open:
        raise conflict("invited", "An invite was already sent to this address.")
    return [leads.EarlyAccessInvited(**next_event(signup, context), invite_id=invite_id)]


def leave(
    places: EarlyAccessState, signup: Signup | None, context: CommandContext, heir: Signup | None = None
) -> list[DomainEvent]:
    """Releases the place or entry. A place goes to `heir`, the first in line."""
    signup = require_active(signup)
    left = leads.EarlyAccessLeft(**next_event(signup, context))
    if signup.place is None:
        return [left]
    freed = leads.EarlyAccessPlaceFreed(
        **event_metadata(early_access_places_id(), places.version, context), place=signup.place
    )
    inherited = promote(evolve_places(places, freed), heir, context) if heir is not None else []
    return [freed, left, *inherited]


def require_active(signup: Signup | None) -> Signup:
    if signup is None or signup.left:
        raise not_found("early-access signup")
    return signup


def evolve_places(places: EarlyAccessState | None, event: DomainEvent) -> EarlyAccessState:
    places = replace(places or EarlyAccessState(), version=event.originator_version)
    match event:
        case leads.EarlyAccessPlaceTaken():
            return replace(places, taken={**places.taken, event.place: event.signup_id})
        case leads.EarlyAccessPlaceFreed():
            return replace(places, taken={place: who for place, who in places.taken.items() if place != event.place})
        case _:
            raise UnexpectedEvent(f"{event.NAME} does not happen to the places of early access")


evolve: Final = (
    Evolution(Signup)
    .begins(leads.EarlyAccessJoined)
    .follows(leads.EarlyAccessPromoted)
    .follows(leads.EarlyAccessConfirmed, held_until=None)
    .follows(leads.EarlyAccessInvited)
    .follows(leads.EarlyAccessLeft, left=True, place=None)
)


def _require_confirmed(signup: Signup) -> None:
    if not signup.is_confirmed:
        raise conflict("not_confirmed", "This address has not been confirmed yet.")


def _promoted(places: EarlyAccessState, place: int, signup: Signup, context: CommandContext) -> list[DomainEvent]:
    taken = event_metadata(early_access_places_id(), places.version, context)
    return [
        leads.EarlyAccessPlaceTaken(**taken, place=place, signup_id=signup.id),
        leads.EarlyAccessPromoted(**next_event(signup, context), place=place),
    ]
