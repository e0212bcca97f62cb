"""Allowed destinations of a link: the partner's registered domain, and for the fallback also the website's own.
Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Final
from uuid import UUID

from command_api.kernel.decision import CommandRejected, conflict, invalid
from command_api.kernel.hostnames import plain_text, registered_domain, web_address
from command_api.links import splits
from command_api.links.splits import MAX_VARIANTS, checked_names
from command_api.partners.model import Partner
from command_api.websites.model import Website
from infra.kernel.net.geoip import country_names
from schemas.events.links import Routing, TargetRule, Variant

MAX_RULES: Final = 20
KOSOVO: Final = "XK"
"""Databases of addresses know it, ISO 3166-1 does not."""
_MACRO: Final = re.compile(r"\{[^{}]*\}")
_NO_ROUTING: Final = Routing()
_NO_PARTNERS: Final[Mapping[UUID, Partner | None]] = MappingProxyType({})


def checked_destination(text: str, partner: Partner, field: str = "destination") -> str:
    """An address on the partner's registered domain; macros in path and query only. Raises `CommandRejected`."""
    home = _home_of(partner)
    return _checked(text, field, {home}, f"The destination must be on {home}, the partner's domain.")


def is_of_partner(text: str, partner: Partner) -> bool:
    """Returns whether the partner's links may lead to the address."""
    try:
        checked_destination(text, partner)
    except CommandRejected:
        return False
    return True


def checked_routing(
    routing: Routing,
    partner: Partner,
    website: Website,
    at: datetime,
    current: Routing = _NO_ROUTING,
    of_variants: Mapping[UUID, Partner | None] = _NO_PARTNERS,
) -> Routing:
    """Returns the routing in its stored form. An unchanged expiry may be past. `of_variants`: the partners that its
    variants name. Raises `CommandRejected`."""
    if len(routing.rules) > MAX_RULES:
        raise invalid("bad_rules", f"A link has at most {MAX_RULES} rules.", "rules")
    if len(routing.variants) == 1 or len(routing.variants) > MAX_VARIANTS:
        raise invalid("bad_variants", f"A split has 2 to {MAX_VARIANTS} variants.", "variants")
    if routing.expires_at is not None and routing.expires_at != current.expires_at and routing.expires_at <= at:
        raise invalid("bad_expiry", "The expiry must be in the future.", "expiresAt")
    checked_names(routing.variants)
    return Routing(
        rules=tuple(_rule(rule, partner, f"rules.{place}") for place, rule in enumerate(routing.rules)),
        variants=tuple(
            _variant(variant, partner, website, current, of_variants, f"variants.{place}")
            for place, variant in enumerate(routing.variants)
        ),
        winner=splits.kept_winner(routing),
        expires_at=routing.expires_at,
        fallback=_fallback(routing.fallback, partner, website.domain) if routing.fallback else None,
    )


def _rule(rule: TargetRule, partner: Partner, field: str) -> TargetRule:
    countries = tuple(dict.fromkeys(country.strip().upper() for country in rule.countries))
    unknown = [country for country in countries if country not in country_names() and country != KOSOVO]
    if unknown:
        raise invalid("bad_country", f"{unknown[0][:10]} is not a two-letter country code.", f"{field}.countries")
    devices = tuple(dict.fromkeys(rule.devices))
    if not countries and not devices:
        raise invalid("bad_rule", "A rule needs at least one country or device.", field)
    destination = checked_destination(rule.destination, partner, f"{field}.destination")
    return TargetRule(countries=countries, devices=devices, destination=destination)


def _variant(
    variant: Variant,
    of_link: Partner,
    website: Website,
    current: Routing,
    of_variants: Mapping[UUID, Partner | None],
    field: str,
) -> Variant:
    """A partner that no variant of the link had before must take traffic."""
    own = None if variant.partner_id == of_link.id else variant.partner_id
    partner = of_variants.get(own) if own is not None else of_link
    if partner is None or partner.removed or not partner.is_for(website.account_id):
        raise invalid("unknown_partner", "Partner not found.", f"{field}.partnerId")
    if own is not None and not partner.is_active and own not in current.partner_ids:
        raise conflict("partner_inactive", f"{partner.name} does not accept new links.", f"{field}.partnerId")
    destination = checked_destination(variant.destination, partner, f"{field}.destination")
    return variant.model_copy(update={"destination": destination, "partner_id": own})


def _fallback(text: str, partner: Partner, website_domain: str) -> str:
    homes = {_home_of(partner), registered_domain(website_domain)}
    allowed = " or ".join(sorted(home for home in homes if home))
    return _checked(text, "fallback", homes, f"The fallback must be on {allowed}.")


def _checked(text: str, field: str, homes: set[str | None], otherwise: str) -> str:
    plain_text(text.strip(), field)
    plain = web_address(_MACRO.sub("0", text.strip()), field)
    scheme, _, rest = text.strip().partition("://")
    authority = re.split(r"[/?]", rest, maxsplit=1)[0]
    if "{" in scheme + authority or "}" in authority or "#" in authority:
        raise _bad_macro(field)
    if "{" in plain.fragment or _MACRO.search(text.partition("#")[2]):
        raise _bad_macro(field)
    if registered_domain(plain.hostname or "") not in homes:
        raise invalid("foreign_destination", otherwise, field)
    return f"{plain.scheme}://{plain.netloc}{rest[len(authority) :]}"


def _bad_macro(field: str) -> CommandRejected:
    return invalid("bad_destination", "Placeholders are allowed only in the path and the query.", field)


@lru_cache(maxsize=1024)
def _domain_of(base_url: str) -> str | None:
    return registered_domain(web_address(base_url, "baseUrl").hostname or "")


def _home_of(partner: Partner) -> str | None:
    return _domain_of(partner.base_url)
