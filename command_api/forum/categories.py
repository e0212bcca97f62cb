"""The forum's categories (spec §3): made by events at the first start."""

from __future__ import annotations

from typing import Final

from command_api.forum.commands import CreateCategory
from command_api.kernel.container import Container
from command_api.kernel.decision import system_context

_CATEGORIES: Final = (
    ("getting-started", "Getting Started", "New here? Ask your first questions."),
    ("case-studies", "Case Studies", "What you tried, what it cost and what it earned, with numbers."),
    ("tools-resources", "Tools & Resources", "Software, services and reading worth knowing."),
    ("marketplace-talk", "Marketplace Talk", "Buying and selling websites: prices, due diligence, handover."),
    ("niche-strategies", "Niche Strategies", "What works in one niche and why it might not in another."),
    ("cybsectools-updates", "Althing Updates", "What is new in Althing, and what you would like to see."),
)
CATEGORIES: Final = tuple(CreateCategory(*texts, place) for place, texts in enumerate(_CATEGORIES, start=1))


def seed(container: Container) -> int:
    """Creates the missing categories; returns their number. Harmless when another process does it at the same
    moment."""
    return sum(container.commands.dispatch(command, system_context()).answer for command in CATEGORIES)
