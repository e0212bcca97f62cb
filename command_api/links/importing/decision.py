"""Decides one line of a file of links: a new link, a change of an own one, or a refusal that names the column. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from command_api.kernel.decision import CommandContext, CommandRejected, conflict, invalid
from command_api.links import model, splits
from command_api.links.importing.files import LinkLine
from command_api.links.importing.schemas import ImportOutcome
from command_api.links.model import LinkAggregate
from command_api.partners.model import Partner
from command_api.partners.slug_reservation import SlugReservation
from command_api.websites.model import Website
from schemas.base import DomainEvent
from schemas.events.links import LinkUpdated, Routing, Variant

Named = Mapping[str, tuple[UUID, ...]]
"""Partners by slug and by name, in lower case; several may have one name."""


@dataclass(frozen=True, slots=True)
class ImportCase:
    """A line with what its decision needs. `website`: the one that it names, none if the account has no such website;
    `reservation`: of its slug; `link`: the one that has the slug; `elsewhere`: the domain of another website of the
    account that has it; `named` and `partners`: those that the file names."""

    website: Website | None
    reservation: SlugReservation | None = None
    link: LinkAggregate | None = None
    elsewhere: str = ""
    named: Named = field(default_factory=dict)
    partners: Mapping[UUID, Partner | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DecidedLine:
    """The outcome of a line. `columns`: those that change an existing link."""

    outcome: ImportOutcome
    destination: str
    events: tuple[DomainEvent, ...] = ()
    columns: tuple[str, ...] = ()


def decide(
    line: LinkLine, case: ImportCase, *, link_id: UUID, code: int, updates_existing: bool, context: CommandContext
) -> DecidedLine:
    """Raises `CommandRejected`, whose field is a column of the file. `link_id`, `code`: of a new link."""
    try:
        if case.website is None:
            raise invalid("unknown_website", "You have no such website.", "website")
        link = case.link
        is_own = link is not None and not link.deleted and link.website_id == case.website.id
        if case.reservation is None or case.reservation.owner_id is None:
            return _created(line, case, case.website, link_id, code, context)
        if case.elsewhere:
            raise conflict("slug_taken", f"Your link {line.slug} is on {case.elsewhere}.", "slug")
        if not is_own or link is None:
            raise conflict("slug_taken", f"The slug {line.slug} is taken.", "slug")
        if not updates_existing:
            raise conflict("slug_taken", f"You already have a link {line.slug}.", "slug")
        return _changed(line, case, link, case.website, context)
    except CommandRejected as rejected:
        raise CommandRejected(rejected.kind, rejected.code, rejected.message, column_of(rejected.field)) from rejected


def column_of(field: str | None) -> str | None:
    """The column of the file that a field of a link comes from. Rules and the fallback are in no column: they are wrong
    where the line names another partner."""
    name = (field or "").partition(".")[0]
    return _COLUMNS.get(name, name) or None


def _created(
    line: LinkLine, case: ImportCase, website: Website, link_id: UUID, code: int, context: CommandContext
) -> DecidedLine:
    if not line.partner:
        raise invalid("no_partner", "Enter the partner, by slug or name.", "partner")
    partner = _partner(line.partner, case, "partner")
    created, reserved = model.create(
        link_id,
        website,
        partner,
        case.reservation,
        slug=line.slug,
        code=code,
        destination=line.destination,
        subs={},
        coupon=None,
        coupon_owner=None,
        routing=Routing(variants=splits.numbered(_variants(line, case, partner), (), 0)),
        tags=line.tags or (),
        folder=line.folder,
        of_variants=case.partners,
        context=context,
    )
    link = model.evolve(None, created)
    kept = model.update(link, website, partner, is_active=line.is_active, is_archived=line.is_archived, context=context)
    return DecidedLine("new", created.destination, (created, reserved, *kept))


def _changed(
    line: LinkLine, case: ImportCase, link: LinkAggregate, website: Website, context: CommandContext
) -> DecidedLine:
    partner = _partner(line.partner, case, "partner") if line.partner else case.partners.get(link.partner_id)
    routing = None
    if line.variants is not None and partner is not None:
        wanted = _variants(line, case, partner, link)
        held = link.routing.variants
        routing = link.routing.model_copy(update={"variants": splits.numbered(wanted, held, link.last_variant)})
    events = model.update(
        link,
        website,
        partner,
        destination=line.destination,
        routing=routing,
        is_active=line.is_active,
        tags=line.tags,
        folder=line.folder,
        is_archived=line.is_archived,
        of_variants=case.partners,
        context=context,
    )
    changes = events[0] if events else None
    destination = changes.destination if changes is not None and changes.destination is not None else link.destination
    return DecidedLine("changed" if events else "unchanged", destination, tuple(events), _names(changes))


def _partner(text: str, case: ImportCase, column: str) -> Partner:
    ids = case.named.get(text.lower(), ())
    found = [partner for id in ids if (partner := case.partners.get(id)) is not None and not partner.removed]
    if len(found) > 1:
        message = f"{len(found)} partners have the name {text[:_SHOWN]}. Enter the slug of one."
        raise conflict("ambiguous_partner", message, column)
    if not found:
        raise invalid("unknown_partner", f"There is no partner “{text[:_SHOWN]}”.", column)
    return found[0]


def _variants(
    line: LinkLine, case: ImportCase, partner: Partner, link: LinkAggregate | None = None
) -> tuple[Variant, ...]:
    """The variants of the line. Those that the link has already keep their names: the file has none."""
    held = {(one.destination, one.partner_id): one.name for one in link.routing.variants} if link is not None else {}
    found = []
    for text in line.variants or ():
        own = _partner(text.partner, case, "variants").id if text.partner else partner.id
        partner_id = None if own == partner.id else own
        name = held.get((text.destination, partner_id), "")
        variant = Variant.model_construct(
            destination=text.destination, weight=text.weight, number=0, name=name, partner_id=partner_id
        )
        found.append(variant)
    return tuple(found)


def _names(event: LinkUpdated | None) -> tuple[str, ...]:
    if event is None:
        return ()
    given: dict[str, Any] = event.model_dump(include=set(_CHANGED), exclude_none=True)
    return tuple(column for name, column in _CHANGED.items() if name in given)


_SHOWN: Final = 60
_COLUMNS: Final = {
    "websiteId": "website",
    "partnerId": "partner",
    "rules": "partner",
    "fallback": "partner",
    "isActive": "state",
}
_CHANGED: Final = {
    "partner_id": "partner",
    "destination": "destination",
    "routing": "variants",
    "tags": "tags",
    "folder": "folder",
    "is_active": "state",
    "is_archived": "archived",
}
"""Field of a link to its column."""
