"""Links: tracked links of a website to a partner. Pure."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from command_api import slugs
from command_api.decision import AnotherKind, Asked, begun, conflict, invalid, missing, step
from command_api.links.destinations import checked_destination, checked_routing
from command_api.partners.model import Partner
from command_api.websites.model import Website, owned
from schemas.base import DomainEvent
from schemas.events.links import LinkCreated, LinkDeleted, LinkUpdated, Routing

MOST_SUB_LENGTH: Final = 256
SUBS: Final = tuple(f"sub{number}" for number in range(1, 11))
_SLUG: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
_COUPON: Final = re.compile(r"[A-Z0-9][A-Z0-9_.-]{0,63}")
_SLUG_DIGITS: Final = "23456789abcdefghjkmnpqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Link:
    id: UUID
    version: int
    website_id: UUID
    partner_id: UUID
    slug: str
    code: int
    destination: str
    created_at: datetime
    subs: Mapping[str, str] = field(default_factory=dict)
    coupon: str | None = None
    routing: Routing = Routing()
    is_active: bool = True
    deleted: bool = False


def create(
    link_id: UUID,
    website: Website | None,
    partner: Partner | None,
    claim: slugs.Claim | None,
    *,
    slug: str,
    code: int,
    destination: str | None,
    subs: Mapping[str, str],
    coupon: str | None,
    coupon_owner: UUID | None,
    routing: Routing = Routing(),  # noqa: B008 - frozen
    asked: Asked,
) -> tuple[LinkCreated, DomainEvent]:
    website = owned(website, asked)
    if partner is None or partner.removed:
        raise missing("partner")
    if not partner.is_active:
        raise conflict("partner_inactive", f"{partner.name} takes no new links at present.", "partnerId")
    created = LinkCreated(
        **step(link_id, 0, asked),
        website_id=website.id,
        partner_id=partner.id,
        slug=checked_slug(slug),
        code=code,
        destination=checked_destination(partner.base_url if destination is None else destination, partner),
        subs=checked_subs(subs),
        coupon=free_coupon(coupon, coupon_owner, link_id),
        routing=checked_routing(routing, partner, website.domain, asked.at),
    )
    return created, slugs.claim("link", created.slug, link_id, claim, asked)


def update(
    link: Link | None,
    website: Website | None,
    partner: Partner | None,
    *,
    destination: str | None = None,
    subs: Mapping[str, str] | None = None,
    coupon: str | None = None,
    coupon_owner: UUID | None = None,
    is_active: bool | None = None,
    routing: Routing | None = None,
    asked: Asked,
) -> list[LinkUpdated]:
    """`routing` replaces the one before. `subs` are merged into the ones before; an empty text takes one away. An empty
    `coupon` takes the coupon away."""
    link = alive(link, website, asked)
    if partner is None or website is None:
        raise missing("partner")
    merged = None
    if subs:
        merged = {name: value for name, value in {**link.subs, **checked_subs(subs)}.items() if value}
    held = link.routing
    wanted = {
        "destination": checked_destination(destination, partner) if destination is not None else None,
        "subs": merged,
        "coupon": free_coupon(coupon, coupon_owner, link.id) if coupon else coupon,
        "is_active": is_active,
        "routing": checked_routing(routing, partner, website.domain, asked.at, held) if routing is not None else None,
    }
    now = {
        "destination": link.destination,
        "subs": dict(link.subs),
        "coupon": link.coupon or "",
        "is_active": link.is_active,
        "routing": link.routing,
    }
    changed = {name: value for name, value in wanted.items() if value is not None and value != now[name]}
    if not changed:
        return []
    return [LinkUpdated.model_validate({**step(link.id, link.version, asked), **changed})]


def delete(link: Link | None, website: Website | None, asked: Asked) -> list[DomainEvent]:
    link = alive(link, website, asked)
    return [LinkDeleted(**step(link.id, link.version, asked))]


def alive(link: Link | None, website: Website | None, asked: Asked) -> Link:
    """The link, if it is there and its website's owner asks. Raises `Refused` (missing)."""
    if link is None or link.deleted or website is None or not asked.may_act_for(website.account_id):
        raise missing("link")
    return link


def checked_slug(slug: str) -> str:
    if not _SLUG.fullmatch(slug):
        raise invalid("bad_slug", "A slug has 1 to 64 lower-case letters, digits and inner hyphens.", "slug")
    if slug in slugs.RESERVED:
        raise invalid("bad_slug", f"{slug} is reserved.", "slug")
    return slug


def checked_subs(subs: Mapping[str, str]) -> dict[str, str]:
    for name, value in subs.items():
        if len(value) > MOST_SUB_LENGTH or not (value.isprintable() or not value):
            raise invalid("bad_sub", f"{name} has at most {MOST_SUB_LENGTH} printable characters.", name)
    return dict(subs)


def free_coupon(coupon: str | None, owner: UUID | None, link_id: UUID) -> str | None:
    """The coupon in the form in which sales are matched. Raises `Refused` when another link of the website has it."""
    if coupon is None:
        return None
    coupon = normal_coupon(coupon)
    if not _COUPON.fullmatch(coupon):
        raise invalid("bad_coupon", "A coupon has 1 to 64 letters, digits, hyphens, dots or underscores.", "coupon")
    if owner is not None and owner != link_id:
        raise conflict("coupon_taken", f"Another link of this website has the coupon {coupon}.", "coupon")
    return coupon


def normal_coupon(text: str) -> str:
    return text.strip().upper()


def random_slug() -> str:
    return "".join(secrets.choice(_SLUG_DIGITS) for _ in range(8))


def random_code() -> int:
    """What stands for the link in click ids: 48 bits, never 0."""
    return 1 + secrets.randbelow(2**48 - 1)


def evolve(link: Link | None, event: DomainEvent) -> Link:
    if isinstance(event, LinkCreated):
        return Link(
            id=event.originator_id,
            version=1,
            website_id=event.website_id,
            partner_id=event.partner_id,
            slug=event.slug,
            code=event.code,
            destination=event.destination,
            created_at=event.timestamp,
            subs=event.subs,
            coupon=event.coupon,
            routing=event.routing,
        )
    link = replace(begun(link, event), version=event.originator_version)
    match event:
        case LinkUpdated():
            return replace(
                link,
                destination=event.destination or link.destination,
                subs=link.subs if event.subs is None else event.subs,
                coupon=link.coupon if event.coupon is None else event.coupon or None,
                is_active=link.is_active if event.is_active is None else event.is_active,
                routing=link.routing if event.routing is None else event.routing,
            )
        case LinkDeleted():
            return replace(link, deleted=True)
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to links")
