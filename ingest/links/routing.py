"""Chooses the destination of a link for one visitor: fallback, targeting rules, split, plain destination, in this
order. Pure.

A split is weighted rendezvous hashing: each variant draws a number for the visitor, the lowest number by weight wins.
So a visitor keeps the variant, and where a weight changes, or a variant comes or goes, only those visitors change that
have to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from math import log
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from schemas.click_id_links import with_click_id


@dataclass(frozen=True, slots=True)
class LinkRule:
    """Fits a visitor from one of `countries` (none: any) with one of `devices` (none: any)."""

    countries: tuple[str, ...]
    devices: tuple[str, ...]
    destination: str


@dataclass(frozen=True, slots=True)
class LinkVariant:
    """One side of a split. Its share is its weight among all weights. `partner_id`: empty = the link's."""

    destination: str
    weight: int
    number: int
    partner_id: str = ""


class LinkedPartner(Protocol):
    """The partner of a destination. `click_id_parameter`: in which it takes the click id, empty: none."""

    @property
    def click_id_parameter(self) -> str: ...

    @property
    def is_active(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class LinkRouting:
    """`expires_at`: Unix time in ms, 0 = never. `fallback`: empty = none. `winner`: the number of the variant that gets
    all visitors, 0 = the test goes on."""

    rules: tuple[LinkRule, ...] = ()
    variants: tuple[LinkVariant, ...] = ()
    expires_at: int = 0
    fallback: str = ""
    winner: int = 0

    @property
    def partner_ids(self) -> tuple[str, ...]:
        """The partners of variants that have one of their own."""
        return tuple(variant.partner_id for variant in self.variants if variant.partner_id)


NO_ROUTING: Final = LinkRouting()


@dataclass(frozen=True, slots=True)
class Route:
    """A destination and the name of what led there, as the click keeps it; empty for the plain one. `partner_id`: of a
    variant with a partner of its own, else empty."""

    destination: str
    name: str = ""
    partner_id: str = ""


def choose(
    destination: str, routing: LinkRouting, is_gone: bool, country: str, device: str, visitor: int, now: int
) -> Route | None:
    """The visitor's way, or none when the link leads nowhere any more.

    `destination`: empty = none. `visitor`: 64 evenly spread bits that are always the same for this visitor and this
    link. `now`: Unix time in ms.
    """
    if is_gone or 0 < routing.expires_at <= now:
        return _fallback(routing)
    for number, rule in enumerate(routing.rules, 1):
        if (not rule.countries or country in rule.countries) and (not rule.devices or device in rule.devices):
            return Route(rule.destination, f"rule {number}")
    if routing.variants:
        winner = next((variant for variant in routing.variants if variant.number == routing.winner), None)
        chosen = winner or min(routing.variants, key=lambda each: _draw(visitor, each.number) / each.weight)
        return Route(chosen.destination, f"variant {chosen.number}", chosen.partner_id)
    return Route(destination) if destination else _fallback(routing)


def _fallback(routing: LinkRouting) -> Route | None:
    return Route(routing.fallback, "fallback") if routing.fallback else None


def _draw(visitor: int, number: int) -> float:
    """Returns a number above 0, exponentially distributed over the visitors."""
    digest = blake2b(b"%d %d" % (visitor, number), digest_size=8).digest()
    return -log((int.from_bytes(digest, "big") + 1) / (2**64 + 1))


def live_routing(
    routing: LinkRouting,
    own: LinkedPartner | None,
    website_domain: str,
    partner_of: Callable[[str], LinkedPartner | None],
) -> LinkRouting:
    """The routing without what leads to partners that take no traffic, whose destinations pass the click id in the
    parameter of their partner; the website's own pages need none. `own`: the link's partner. A partner that is not
    known (yet) takes traffic, without a parameter."""
    if routing is NO_ROUTING:
        return routing
    host = urlsplit(routing.fallback).hostname or ""
    is_own = host == website_domain or host.endswith(f".{website_domain}")
    variants = ((each, partner_of(each.partner_id) if each.partner_id else own) for each in routing.variants)
    return replace(
        routing,
        rules=tuple(replace(one, destination=_passing(one.destination, own)) for one in routing.rules)
        if is_live(own)
        else (),
        variants=tuple(
            replace(each, destination=_passing(each.destination, partner))
            for each, partner in variants
            if is_live(partner)
        ),
        fallback=routing.fallback if is_own or not routing.fallback else _passing(routing.fallback, own),
    )


def is_live(partner: LinkedPartner | None) -> bool:
    """Returns whether links lead to the partner."""
    return partner is None or partner.is_active


def _passing(destination: str, partner: LinkedPartner | None) -> str:
    parameter = partner.click_id_parameter if partner is not None else ""
    return with_click_id(destination, parameter) if parameter else destination


def routing_of(stored: Mapping[str, Any] | None) -> LinkRouting:
    """Returns the routing from the read model's JSON; none and empty: nothing special."""
    if not stored:
        return NO_ROUTING
    expires = stored.get("expires_at")
    return LinkRouting(
        rules=tuple(
            LinkRule(tuple(rule["countries"]), tuple(rule["devices"]), rule["destination"])
            for rule in stored.get("rules", ())
        ),
        variants=tuple(
            _variant(one, one.get("number") or place) for place, one in enumerate(stored.get("variants", ()), 1)
        ),
        expires_at=int(datetime.fromisoformat(expires).timestamp() * 1000) if expires else 0,
        fallback=stored.get("fallback") or "",
        winner=stored.get("winner") or 0,
    )


def routing_from(kept: Mapping[str, Any]) -> LinkRouting:
    """Returns the routing from the copy on disk, which holds this module's own shapes."""
    return LinkRouting(
        rules=tuple(
            LinkRule(tuple(rule["countries"]), tuple(rule["devices"]), rule["destination"]) for rule in kept["rules"]
        ),
        variants=tuple(_variant(one, one.get("number", place)) for place, one in enumerate(kept["variants"], 1)),
        expires_at=kept["expires_at"],
        fallback=kept["fallback"],
        winner=kept.get("winner", 0),
    )


def _variant(kept: Mapping[str, Any], number: int) -> LinkVariant:
    """Variants that were stored before they had numbers are named by their places."""
    return LinkVariant(kept["destination"], kept["weight"], number, kept.get("partner_id") or "")
