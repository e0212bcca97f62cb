"""The forum's categories (spec §3): made by events at the first start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from command_api.core import Core
from command_api.decision import by_system, step
from command_api.forum.threads import evolve_category
from command_api.store import Conflict
from schemas.events.forum import ForumCategoryCreated
from schemas.identity import forum_category_id


@dataclass(frozen=True, slots=True)
class Category:
    slug: str
    name: str
    description: str


CATEGORIES: Final = (
    Category("getting-started", "Getting Started", "First steps and first questions; nobody was born knowing this."),
    Category("case-studies", "Case Studies", "What you tried, what it cost, what came of it, with figures."),
    Category("tools-resources", "Tools & Resources", "Software, services and reading worth knowing."),
    Category("marketplace-talk", "Marketplace Talk", "Buying and selling websites: prices, due diligence, handover."),
    Category("niche-strategies", "Niche Strategies", "What works in one niche and why it might not in another."),
    Category("cybsectools-updates", "CybSecTools Updates", "What is new in this product, and what you miss in it."),
)


def seed(core: Core) -> int:
    """Makes those that are missing; how many. Harmless when another process does it at the same moment."""
    made = 0
    for place, category in enumerate(CATEGORIES, start=1):
        id_ = forum_category_id(category.slug)
        if core.store.load(id_, evolve_category) is not None:
            continue
        created = ForumCategoryCreated(
            **step(id_, 0, by_system()),
            name=category.name,
            slug=category.slug,
            description=category.description,
            place=place,
        )
        try:
            core.store.write([created])
        except Conflict:
            continue
        made += 1
    return made
