"""Slug reservation: one aggregate per kind and slug makes slugs unique. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from command_api.kernel.decision import CommandContext, conflict, event_metadata
from schemas.events.partners import SlugClaimed, SlugReleased
from schemas.evolution import Evolution
from schemas.identity import slug_id

RESERVED: Final = frozenset(
    ("track", "postback", "go", "livez", "readyz", "metrics", "api", "admin", "robots", "favicon", "well-known", "t")
)
"""Paths of the installation itself, which cannot be slugs."""


@dataclass(frozen=True, slots=True)
class SlugReservation:
    """State of one slug. `owner_id` is null while it is free."""

    version: int
    owner_id: UUID | None


def reserve(kind: str, slug: str, owner_id: UUID, held: SlugReservation | None, context: CommandContext) -> SlugClaimed:
    """Reserves the slug. Raises `CommandRejected` `slug_taken` if it has an owner."""
    if held is not None and held.owner_id is not None:
        raise conflict("slug_taken", f"The slug {slug} is taken.", "slug")
    version = held.version if held else 0
    return SlugClaimed(**event_metadata(slug_id(kind, slug), version, context), kind=kind, slug=slug, owner_id=owner_id)


evolve: Final = Evolution(SlugReservation).begins(SlugClaimed).begins(SlugReleased, owner_id=None)
"""A released slug keeps its stream and has no owner."""
