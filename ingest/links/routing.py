"""Chooses the destination of a link for one visitor: fallback, targeting rules, split, plain destination, in this
order. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
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
    """One side of a split. Its share is its weight among all weights."""

    destination: str
    weight: int


@dataclass(frozen=True, slots=True)
class LinkRouting:
    """`expires_at`: Unix time in ms, 0 = never. `fallback`: empty = none."""

    rules: tuple[LinkRule, ...] = ()
    variants: tuple[LinkVariant, ...] = ()
    expires_at: int = 0
    fallback: str = ""


NO_ROUTING: Final = LinkRouting()


@dataclass(frozen=True, slots=True)
class Route:
    """A destination and the name of what led there, as the click keeps it; empty for the plain one."""

    destination: str
    name: str = ""


def choose(
    destination: str, routing: LinkRouting, is_gone: bool, country: str, device: str, visitor: int, now: int
) -> Route | None:
    """The visitor's way, or none when the link leads nowhere any more.

    `visitor`: 64 evenly spread bits that are always the same for this visitor and this link. `now`: Unix time in ms.
    """
    if is_gone or 0 < routing.expires_at <= now:
        return Route(routing.fallback, "fallback") if routing.fallback else None
    for number, rule in enumerate(routing.rules, 1):
        if (not rule.countries or country in rule.countries) and (not rule.devices or device in rule.devices):
            return Route(rule.destination, f"rule {number}")
    if routing.variants:
        return _split(routing.variants, visitor)
    return Route(destination)


def _split(variants: tuple[LinkVariant, ...], visitor: int) -> Route:
    place = visitor % sum(variant.weight for variant in variants)
    for number, variant in enumerate(variants[:-1], 1):
        if place < variant.weight:
            return Route(variant.destination, f"variant {number}")
        place -= variant.weight
    return Route(variants[-1].destination, f"variant {len(variants)}")


def routing_with_click_id(routing: LinkRouting, parameter: str, website_domain: str) -> LinkRouting:
    """The routing whose destinations pass the click id in `parameter`; the website's own pages need none."""
    if routing is NO_ROUTING or not parameter:
        return routing
    host = urlsplit(routing.fallback).hostname or ""
    is_own = host == website_domain or host.endswith(f".{website_domain}")
    return replace(
        routing,
        rules=tuple(replace(one, destination=with_click_id(one.destination, parameter)) for one in routing.rules),
        variants=tuple(replace(one, destination=with_click_id(one.destination, parameter)) for one in routing.variants),
        fallback=routing.fallback if is_own or not routing.fallback else with_click_id(routing.fallback, parameter),
    )


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
        variants=tuple(LinkVariant(one["destination"], one["weight"]) for one in stored.get("variants", ())),
        expires_at=int(datetime.fromisoformat(expires).timestamp() * 1000) if expires else 0,
        fallback=stored.get("fallback") or "",
    )


def routing_from(kept: Mapping[str, Any]) -> LinkRouting:
    """Returns the routing from the copy on disk, which holds this module's own shapes."""
    return LinkRouting(
        rules=tuple(
            LinkRule(tuple(rule["countries"]), tuple(rule["devices"]), rule["destination"]) for rule in kept["rules"]
        ),
        variants=tuple(LinkVariant(one["destination"], one["weight"]) for one in kept["variants"]),
        expires_at=kept["expires_at"],
        fallback=kept["fallback"],
    )
