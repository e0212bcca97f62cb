"""The guard of a slug: one aggregate per kind and slug, so that it can never be two's. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from command_api.decision import AnotherKind, Asked, conflict, step
from schemas.base import DomainEvent
from schemas.events.partners import SlugClaimed, SlugReleased
from schemas.identity import slug_id

RESERVED: Final = frozenset(
    ("track", "postback", "go", "livez", "readyz", "metrics", "api", "admin", "robots", "favicon", "well-known", "t")
)
"""Words that are addresses of the installation itself: no slug."""


@dataclass(frozen=True, slots=True)
class Claim:
    version: int
    owner_id: UUID | None


def claim(kind: str, slug: str, owner_id: UUID, before: Claim | None, asked: Asked) -> SlugClaimed:
    """Raises `Refused` `slug_taken` when somebody has it."""
    if before is not None and before.owner_id is not None:
        raise conflict("slug_taken", f"The slug {slug} is taken.", "slug")
    version = before.version if before else 0
    return SlugClaimed(**step(slug_id(kind, slug), version, asked), kind=kind, slug=slug, owner_id=owner_id)


def evolve(_: Claim | None, event: DomainEvent) -> Claim:
    match event:
        case SlugClaimed(owner_id=owner_id):
            return Claim(event.originator_version, owner_id)
        case SlugReleased():
            return Claim(event.originator_version, None)
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to slugs")
