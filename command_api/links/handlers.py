"""Command handlers of links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from command_api.domains.service import url_prefix
from command_api.kernel.aggregates import require_found
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import CommandRejected, Evolve, conflict
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.links import commands, model
from command_api.links.lookups import (
    MAX_LOADED,
    coupon_owner,
    links_elsewhere,
    partners_of,
    require_link_limit,
    require_room_for_links,
)
from command_api.links.schemas import Links, Organized, routing_after, to_response
from command_api.partners import model as partners
from command_api.partners import slug_reservation
from command_api.partners.lookups import require_partner_limit
from command_api.websites import model as websites
from infra.kernel.http.problems import FieldError, Problem
from schemas.base import DomainEvent
from schemas.events.links import Routing
from schemas.events.websites import WebsiteTransferred
from schemas.http.links import Link
from schemas.identity import slug_id

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.CreateLink, senders="accounts")
def create_link(command: commands.CreateLink, uow: UnitOfWork) -> Link:
    created = _LinkBatch(uow).create(command)
    require_link_limit(uow.append(*created.events), {created.link.website_id})
    return created.to_response(url_prefix(uow, created.link.website_id))


@HANDLERS.on(commands.CreateLinks, senders="accounts")
def create_links(command: commands.CreateLinks, uow: UnitOfWork) -> Links:
    """Creates all links or none; the error names every invalid field (`links.3.slug`)."""
    batch, created, errors = _LinkBatch(uow), list[_CreatedLink](), list[FieldError]()
    for place, one in enumerate(command.links):
        try:
            created.append(batch.create(one))
        except CommandRejected as error:
            field = f"links.{place}.{error.field}" if error.field else f"links.{place}"
            errors.append(FieldError(field, error.message))
    if errors:
        message = f"{len(errors)} of {len(command.links)} links are invalid; no link was created."
        raise Problem(400, "bad_links", message, errors=errors)
    appended = uow.append(*(event for each in created for event in each.events))
    prefixes = {website_id: url_prefix(uow, website_id) for website_id in {one.link.website_id for one in created}}
    require_link_limit(appended, set(prefixes))
    return Links(links=[one.to_response(prefixes[one.link.website_id]) for one in created])


@HANDLERS.on(commands.UpdateLink, senders="accounts")
def update_link(command: commands.UpdateLink, uow: UnitOfWork) -> Link:
    fields = command.fields
    link = require_found(uow.load(command.link_id, model.evolve), "link")
    website = uow.load(link.website_id, websites.evolve)
    partner = uow.load(fields.partner_id or link.partner_id, partners.evolve)
    routing = routing_after(link.routing, fields, link.last_variant)
    of_variants = _partners(uow, link.routing, routing or Routing())
    events = model.update(
        link,
        website,
        partner,
        destination=fields.destination,
        subs=fields.subs(),
        coupon=fields.coupon,
        coupon_owner=coupon_owner(uow, link.website_id, fields.coupon),
        is_active=fields.is_active,
        routing=routing,
        tags=fields.tags,
        folder=fields.folder,
        is_archived=fields.is_archived,
        of_variants=of_variants,
        context=uow.context,
    )
    link = uow.advance(model.evolve, link, events)
    return to_response(link, partner, url_prefix(uow, link.website_id), of_variants)


@HANDLERS.on(commands.ChooseWinner, senders="accounts")
def choose_winner(command: commands.ChooseWinner, uow: UnitOfWork) -> Link:
    link = require_found(uow.load(command.link_id, model.evolve), "link")
    website, partner = uow.load(link.website_id, websites.evolve), uow.load(link.partner_id, partners.evolve)
    link = uow.advance(model.evolve, link, model.choose_winner(link, website, command.variant, uow.context))
    return to_response(link, partner, url_prefix(uow, link.website_id), _partners(uow, link.routing))


@HANDLERS.on(commands.OrganizeLinks, senders="accounts")
def organize_links(command: commands.OrganizeLinks, uow: UnitOfWork) -> Organized:
    fields, events, loaded = command.fields, list[DomainEvent](), dict[UUID, Any]()
    for link_id in dict.fromkeys(fields.ids):
        link = require_found(uow.load(link_id, model.evolve), "link")
        if link.website_id not in loaded:
            loaded[link.website_id] = uow.load(link.website_id, websites.evolve)
        changes = fields.model_dump(exclude={"ids"})
        events += model.organize(link, loaded[link.website_id], **changes, context=uow.context)
    uow.append(*events)
    return Organized(changed=len(events))


@HANDLERS.on(commands.DeleteLink, senders="accounts")
def delete_link(command: commands.DeleteLink, uow: UnitOfWork) -> None:
    link = require_found(uow.load(command.link_id, model.evolve), "link")
    uow.append(*model.delete(link, uow.load(link.website_id, websites.evolve), uow.context))


@HANDLERS.before(WebsiteTransferred)
def transfer_partners(event: WebsiteTransferred, uow: UnitOfWork) -> None:
    """Moves the seller's own partners with the website, whose links follow it, if the buyer may have that many: their
    terms decide what the buyer's sales earn. Raises `CommandRejected` while another website of the seller needs one."""
    require_room_for_links(uow, event.originator_id, event.account_id)
    for partner_id, is_current in partners_of(uow, event.originator_id):
        partner = uow.load(partner_id, partners.evolve)
        if partner is None or partner.account_id != event.from_id:
            continue
        if _leads_elsewhere(uow, partner_id, event.originator_id):
            if not is_current:  # its links were moved to another partner: the seller keeps it
                continue
            message = (
                f"Links of another website of the seller lead to the seller's own partner {partner.name}, too."
                " The seller has to delete those links first."
            )
            raise conflict("partner_shared", message)
        uow.append(partners.transfer(partner, event.account_id, uow.context))


@HANDLERS.after(WebsiteTransferred)
def require_room_for_partners(event: WebsiteTransferred, uow: Appended) -> None:
    require_partner_limit(uow, event.account_id)


def _leads_elsewhere(uow: UnitOfWork, partner_id: UUID, website_id: UUID) -> bool:
    """Returns whether a link of another website leads to the partner. For more than `MAX_LOADED` links it returns true
    without a check whether all are deleted."""
    link_ids = links_elsewhere(uow, partner_id, website_id)
    links = (uow.load(link_id, model.evolve) for link_id in link_ids)
    return len(link_ids) > MAX_LOADED or any(link is not None and not link.deleted for link in links)


def _partners(uow: UnitOfWork, *routings: Routing) -> dict[UUID, partners.Partner | None]:
    """The partners that variants of the routings name."""
    named = frozenset[UUID]().union(*(routing.partner_ids for routing in routings))
    return {partner_id: uow.load(partner_id, partners.evolve) for partner_id in named}


@dataclass(frozen=True, slots=True)
class _CreatedLink:
    link: model.LinkAggregate
    partner: partners.Partner | None
    of_variants: Mapping[UUID, partners.Partner | None]
    events: tuple[DomainEvent, DomainEvent]

    def to_response(self, url_prefix: str) -> Link:
        return to_response(self.link, self.partner, url_prefix, self.of_variants)


class _LinkBatch:
    """Decides on new links in sequence. Websites and partners are loaded once, and slugs and coupons are unique within
    the batch."""

    def __init__(self, uow: UnitOfWork) -> None:
        self._uow = uow
        self._loaded: dict[tuple[UUID, Evolve[Any]], Any] = {}
        self._reservations: dict[str, slug_reservation.SlugReservation] = {}
        self._coupons: dict[tuple[UUID, str], UUID] = {}

    def create(self, command: commands.CreateLink) -> _CreatedLink:
        """Raises `CommandRejected`."""
        fields = command.fields
        slug = fields.slug if fields.slug is not None else model.random_slug()
        partner: partners.Partner | None = self._load(fields.partner_id, partners.evolve)
        routing = routing_after(Routing(), fields) or Routing()
        of_variants = {partner_id: self._load(partner_id, partners.evolve) for partner_id in routing.partner_ids}
        reservation = self._reservations.get(slug) or self._uow.load(slug_id("link", slug), slug_reservation.evolve)
        created, reserved = model.create(
            command.link_id,
            self._load(fields.website_id, websites.evolve),
            partner,
            reservation,
            slug=slug,
            code=model.random_code(),
            destination=fields.destination,
            subs=fields.subs(),
            coupon=fields.coupon,
            coupon_owner=self._coupon_owner(fields.website_id, fields.coupon),
            routing=routing,
            tags=fields.tags or (),
            folder=fields.folder,
            utm=command.utm,
            channel_id=command.channel_id,
            of_variants=of_variants,
            context=self._uow.context,
        )
        self._reservations[slug] = slug_reservation.evolve(reservation, reserved)
        if created.coupon is not None:
            self._coupons[created.website_id, created.coupon] = command.link_id
        return _CreatedLink(model.evolve(None, created), partner, of_variants, (created, reserved))

    def _load(self, id: UUID, evolve: Evolve[Any]) -> Any:
        if (id, evolve) not in self._loaded:
            self._loaded[id, evolve] = self._uow.load(id, evolve)
        return self._loaded[id, evolve]

    def _coupon_owner(self, website_id: UUID, coupon: str | None) -> UUID | None:
        if not coupon:
            return None
        in_batch = self._coupons.get((website_id, model.normal_coupon(coupon)))
        return in_batch or coupon_owner(self._uow, website_id, coupon)
