"""Links: tracked links of a website to a partner. Pure."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, given_fields, next_event
from command_api.kernel.decision import CommandContext, conflict, invalid, not_found
from command_api.links import splits
from command_api.links.destinations import checked_destination, checked_routing, is_of_partner
from command_api.partners import slug_reservation
from command_api.partners.model import Partner
from command_api.websites.model import Website, require_owned
from infra.kernel.text.hidden_characters import HIDDEN
from schemas import click_id_links
from schemas.base import DomainEvent
from schemas.events.links import LinkCreated, LinkDeleted, LinkUpdated, Routing, Shifting, WeightShift
from schemas.evolution import Evolution

MAX_SUB_LENGTH: Final = 256
MAX_TAGS: Final = 20
MAX_LABEL: Final = 40
"""Characters of a tag or of the name of a folder."""
SUBS: Final = tuple(f"sub{number}" for number in range(1, 11))
_SLUG: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
_COUPON: Final = re.compile(r"[A-Z0-9][A-Z0-9_.-]{0,63}")
_SLUG_DIGITS: Final = "23456789abcdefghjkmnpqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class LinkAggregate:
    """State of one link. `code`: its random number in click ids; `subs`: fixed sub ids by name; `former_variant`: the
    highest number of a variant that it had before; `shift`: the last decision about its weights by results."""

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
    former_variant: int = 0
    is_active: bool = True
    deleted: bool = False
    tags: tuple[str, ...] = ()
    folder: str | None = None
    is_archived: bool = False
    utm: Mapping[str, str] = field(default_factory=dict)
    channel_id: UUID | None = None
    shifting: Shifting = Shifting()
    shift: WeightShift | None = None

    @property
    def last_variant(self) -> int:
        """Returns the highest number that a variant of the link has or had."""
        return max(self.former_variant, *(variant.number for variant in self.routing.variants), 0)


def create(
    link_id: UUID,
    website: Website | None,
    partner: Partner | None,
    reservation: slug_reservation.SlugReservation | None,
    *,
    slug: str,
    code: int,
    destination: str | None,
    subs: Mapping[str, str],
    coupon: str | None,
    coupon_owner: UUID | None,
    routing: Routing = Routing(),  # noqa: B008 - frozen
    tags: Sequence[str] = (),
    folder: str | None = None,
    utm: Mapping[str, str] = MappingProxyType({}),
    channel_id: UUID | None = None,
    of_variants: Mapping[UUID, Partner | None] = MappingProxyType({}),
    context: CommandContext,
) -> tuple[LinkCreated, DomainEvent]:
    website = require_owned(website, context)
    partner = require_open(partner, website)
    created = LinkCreated(
        **first_event(link_id, context),
        website_id=website.id,
        partner_id=partner.id,
        slug=checked_slug(slug),
        code=code,
        destination=checked_destination(partner.base_url if destination is None else destination, partner),
        subs=checked_subs(subs),
        coupon=free_coupon(coupon, coupon_owner, link_id),
        routing=checked_routing(routing, partner, website, context.at, of_variants=of_variants),
        tags=checked_tags(tags),
        folder=_folder(folder) or None,
        utm=dict(utm),
        channel_id=channel_id,
    )
    return created, slug_reservation.reserve("link", created.slug, link_id, reservation, context)


def update(
    link: LinkAggregate | None,
    website: Website | None,
    partner: Partner | None,
    *,
    destination: str | None = None,
    subs: Mapping[str, str] | None = None,
    coupon: str | None = None,
    coupon_owner: UUID | None = None,
    is_active: bool | None = None,
    routing: Routing | None = None,
    tags: Sequence[str] | None = None,
    folder: str | None = None,
    is_archived: bool | None = None,
    of_variants: Mapping[UUID, Partner | None] = MappingProxyType({}),
    context: CommandContext,
) -> list[LinkUpdated]:
    """Updates a link. `partner`: the one to which it leads from now on; another one than before needs destinations on
    its own domain, and without `destination` the link leads to its base URL. `routing` and `tags` are replaced. `subs`
    are merged; an empty text removes a sub, the coupon or the folder. Weights that are set by hand end their shifting
    by results."""
    link = require_active(link, website, context)
    if partner is None or website is None:
        raise not_found("partner")
    if partner.id != link.partner_id:
        partner = require_open(partner, website)
        routing = link.routing if routing is None else routing
        if destination is None:
            destination = link.destination if is_of_partner(link.destination, partner) else partner.base_url
    merged = None
    if subs:
        merged = {name: value for name, value in {**link.subs, **checked_subs(subs)}.items() if value}
    held = link.routing
    requested = {
        "partner_id": partner.id,
        "destination": checked_destination(destination, partner) if destination is not None else None,
        "subs": merged,
        "coupon": free_coupon(coupon, coupon_owner, link.id) if coupon else coupon,
        "is_active": is_active,
        "routing": checked_routing(routing, partner, website, context.at, held, of_variants)
        if routing is not None
        else None,
        "tags": checked_tags(tags) if tags is not None else None,
        "folder": _folder(folder),
        "is_archived": is_archived,
    }
    now = {
        "partner_id": link.partner_id,
        "destination": link.destination,
        "subs": dict(link.subs),
        "coupon": link.coupon or "",
        "is_active": link.is_active,
        "routing": link.routing,
        "tags": link.tags,
        "folder": link.folder or "",
        "is_archived": link.is_archived,
    }
    changed: dict[str, Any] = {
        name: value for name, value in requested.items() if value is not None and value != now[name]
    }
    if not changed:
        return []
    if routing is not None and link.shifting.is_on and splits.has_other_weights(routing.variants, held.variants):
        changed["shifting"] = link.shifting.model_copy(update={"is_on": False})
    return [LinkUpdated.model_validate({**next_event(link, context), **changed})]


def choose_winner(
    link: LinkAggregate | None, website: Website | None, number: int | None, context: CommandContext
) -> list[LinkUpdated]:
    """Ends the test of the split: the variant with that number gets all visitors; none: the test goes on."""
    link = require_active(link, website, context)
    routing = splits.with_winner(link.routing, number)
    return [] if routing == link.routing else [LinkUpdated(**next_event(link, context), routing=routing)]


def organize(
    link: LinkAggregate | None,
    website: Website | None,
    *,
    add_tags: Sequence[str] = (),
    remove_tags: Sequence[str] = (),
    folder: str | None = None,
    is_archived: bool | None = None,
    context: CommandContext,
) -> list[LinkUpdated]:
    """Changes how the owner keeps a link: adds and removes tags, moves it to a folder (empty: none), archives it."""
    link = require_active(link, website, context)
    removed = {tag.strip().casefold() for tag in remove_tags}
    kept = [tag for tag in link.tags if tag.casefold() not in removed]
    requested = {"tags": checked_tags([*kept, *add_tags]), "folder": _folder(folder), "is_archived": is_archived}
    now = {"tags": link.tags, "folder": link.folder or "", "is_archived": link.is_archived}
    changed = {name: value for name, value in requested.items() if value is not None and value != now[name]}
    return [LinkUpdated.model_validate({**next_event(link, context), **changed})] if changed else []


def passes_click_id(
    link: LinkAggregate, partner: Partner | None, of_variants: Mapping[UUID, Partner | None] = MappingProxyType({})
) -> bool:
    """Returns whether every destination of the link gets the click id, so that sales can be attributed to it."""
    leads_to = [(rule.destination, partner) for rule in link.routing.rules]
    leads_to += [
        (each.destination, of_variants.get(each.partner_id) if each.partner_id else partner)
        for each in link.routing.variants
    ]
    if not link.routing.variants:
        leads_to.append((link.destination, partner))
    return all(
        click_id_links.passes_click_id(destination, program.passed_parameter if program is not None else "")
        for destination, program in leads_to
    )


def delete(link: LinkAggregate | None, website: Website | None, context: CommandContext) -> list[DomainEvent]:
    link = require_active(link, website, context)
    return [LinkDeleted(**next_event(link, context))]


def require_active(link: LinkAggregate | None, website: Website | None, context: CommandContext) -> LinkAggregate:
    """Returns the link. Raises `CommandRejected` (missing) unless the actor may act for the website's owner."""
    if link is None or link.deleted or website is None or not context.may_act_for(website.account_id):
        raise not_found("link")
    return link


def require_open(partner: Partner | None, website: Website) -> Partner:
    """Returns the partner. Raises `CommandRejected` unless links of the website may lead to it from now on."""
    if partner is None or partner.removed or not partner.is_for(website.account_id):
        raise not_found("partner")
    if not partner.is_active:
        raise conflict("partner_inactive", f"{partner.name} does not accept new links.", "partnerId")
    return partner


def checked_slug(slug: str) -> str:
    if not _SLUG.fullmatch(slug):
        raise invalid("bad_slug", "A slug has 1 to 64 lower-case letters, digits and inner hyphens.", "slug")
    if slug in slug_reservation.RESERVED:
        raise invalid("bad_slug", f"{slug} is reserved.", "slug")
    return slug


def checked_subs(subs: Mapping[str, str]) -> dict[str, str]:
    for name, value in subs.items():
        if len(value) > MAX_SUB_LENGTH or not (value.isprintable() or not value):
            raise invalid("bad_sub", f"{name} has at most {MAX_SUB_LENGTH} printable characters.", name)
    return dict(subs)


def checked_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """The tags without repetition, whatever their case, sorted. Raises `CommandRejected`."""
    named = {tag.casefold(): tag for tag in reversed([_label(tag, "tags") for tag in tags]) if tag}
    if len(named) > MAX_TAGS:
        raise invalid("bad_tags", f"A link has at most {MAX_TAGS} tags.", "tags")
    return tuple(named[name] for name in sorted(named))


def _folder(name: str | None) -> str | None:
    return _label(name, "folder") if name is not None else None


def _label(text: str, field: str) -> str:
    text = text.strip()
    if len(text) > MAX_LABEL or not (text.isprintable() or not text) or HIDDEN.search(text) or "," in text:
        what = "A tag" if field == "tags" else "A folder"
        raise invalid("bad_label", f"{what} has at most {MAX_LABEL} printable characters and no comma.", field)
    return text


def free_coupon(coupon: str | None, owner: UUID | None, link_id: UUID) -> str | None:
    """Returns the normalized coupon. Raises `CommandRejected` if another link of the website has it."""
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
    """Returns the code of the link in click ids: 48 bits, never 0."""
    return 1 + secrets.randbelow(2**48 - 1)


evolve: Final = Evolution(LinkAggregate).begins(LinkCreated, at="created_at").follows(LinkDeleted, deleted=True)


@evolve.on(LinkUpdated)
def _updated(link: LinkAggregate, event: LinkUpdated) -> dict[str, Any]:
    changes = given_fields(event, LinkAggregate) | {
        name: None for name in ("coupon", "folder") if getattr(event, name) == ""
    }
    return changes | ({"former_variant": link.last_variant} if event.routing is not None else {})
