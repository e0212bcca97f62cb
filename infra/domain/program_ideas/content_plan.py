"""The first ten articles of an idea, by what readers search for. Pure.

Six are the catalogue's own: three answer questions, three help to choose. Four are about the best programs of the idea.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

from infra.domain.program_ideas.niches import Niche
from infra.domain.program_matching.scoring import Listed

Intent = Literal["informational", "commercial", "transactional"]
Kind = Literal["guide", "comparison", "review", "price", "start"]

ARTICLES: Final = 10
OUTLINES: Final[Mapping[Kind, tuple[str, ...]]] = {
    "guide": (
        "The answer in two sentences",
        "The steps, with an example or pictures of your own",
        "Frequent mistakes",
        "Where to read on: a link to the comparison",
    ),
    "comparison": (
        "Disclosure above the first link",
        "Who this is for, and what they need",
        "How you compared: criteria and date",
        "Table: price, terms, limits",
        "The choice by need, with one that you would not take",
    ),
    "review": (
        "Disclosure above the first link",
        "What you used, and for how long",
        "What works and what does not",
        "For whom it is not",
        "Your verdict, with the date",
    ),
    "price": (
        "Disclosure above the first link",
        "The price today, with the date",
        "Shipping, renewals and extra fees",
        "How to cancel or return",
        "What a cheaper choice lacks",
    ),
    "start": (
        "Disclosure above the first link",
        "What to decide before you order",
        "Each step with a picture",
        "What to check in the first week",
    ),
}


@dataclass(frozen=True, slots=True)
class ArticleIdea:
    """`programs`: ids of those that it is about."""

    title: str
    intent: Intent
    kind: Kind
    programs: tuple[UUID, ...] = ()

    @property
    def outline(self) -> tuple[str, ...]:
        return OUTLINES[self.kind]


def content_plan(niche: Niche, programs: Sequence[Listed]) -> tuple[ArticleIdea, ...]:
    """Ten articles in the order in which they are best written. `programs`: those of the idea, best first, at least
    one."""
    guides = [ArticleIdea(title, "informational", "guide") for title in niche.informational]
    choices = [ArticleIdea(title, "commercial", "comparison") for title in niche.commercial]
    first, *others = programs
    about = first.program.company_name
    review = _review(first, niche)
    price = ArticleIdea(
        f"What {about} costs in total, and how to cancel or return", "transactional", "price", (first.id,)
    )
    if others:
        name = others[0].program.company_name
        title = f"{about} or {name}? How to choose"
        choice = ArticleIdea(title, "commercial", "comparison", (first.id, others[0].id))
        fourth = _review(others[0], niche)
    else:
        choice = ArticleIdea(
            f"Alternatives to {about} and when they fit better", "commercial", "comparison", (first.id,)
        )
        fourth = ArticleIdea(f"The first order at {about}, step by step", "transactional", "start", (first.id,))
    return (guides[0], choices[0], guides[1], choice, choices[1], review, guides[2], choices[2], price, fourth)


def _review(listed: Listed, niche: Niche) -> ArticleIdea:
    title = f"{listed.program.company_name} reviewed for {niche.readers}"
    return ArticleIdea(title, "transactional", "review", (listed.id,))
