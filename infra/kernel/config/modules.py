"""The parts of the product that an installation can do without (`ALTHING_WITHOUT`), and what belongs to each.

A part that is switched off is not there at all: neither API has its routes (`infra.kernel.http.modules`), the gateway
has none of its pages, published sites are not served, and nobody is notified of it. What was stored stays in the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Module:
    """`context`: the package of its routes in both APIs, but for the modules `apart`; empty: it has pages alone.
    `pages`: paths of its pages, each with those below it. `notifications`: their kinds."""

    pages: tuple[str, ...]
    context: str = ""
    apart: tuple[str, ...] = ()
    notifications: tuple[str, ...] = ()


MODULES: Final[Mapping[str, Module]] = {
    "builder": Module(("/builder", "/site-newsletter"), "publishing"),
    "consulting": Module(("/consulting",)),
    "forum": Module(("/forum",), "forum", notifications=("mention", "quote", "reply", "like", "moderation", "review")),
    "marketplace": Module(
        ("/marketplace", "/admin/listings"), "marketplace", notifications=("listing", "offer", "offer_message", "deal")
    ),
    "matching": Module(("/affiliate-matching", "/admin/programs"), "matching", apart=("learning", "learning_routes")),
}


def parse_without(text: str) -> tuple[str, ...]:
    """Names of modules, with commas between them."""
    names = tuple(sorted({part.strip() for part in text.split(",") if part.strip()}))
    for name in names:
        if name not in MODULES:
            raise ValueError(f"{name} is none of {', '.join(MODULES)}")
    return names


def is_off(path: str, without: Iterable[str]) -> bool:
    """Returns whether the page at `path` belongs to a module that is switched off."""
    return any(path == page or path.startswith(f"{page}/") for name in without for page in MODULES[name].pages)


def notifications_off(without: Iterable[str]) -> frozenset[str]:
    """The kinds of notifications that nobody gets."""
    return frozenset(kind for name in without for kind in MODULES[name].notifications)
