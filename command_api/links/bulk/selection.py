"""The links of a change of many, from the read model: it may lag, so each link is decided by its own events."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from command_api.kernel.unit_of_work import UnitOfWork
from command_api.links.bulk.model import MAX_LINKS
from command_api.links.bulk.schemas import ChangeManyLinks
from command_api.links.model import LinkAggregate
from infra.domain.link_filter import WANTED, LinkFilter
from schemas.events.links import Routing

_FROM: Final = " FROM read.links AS l LEFT JOIN read.partners AS p ON p.id = l.partner_id"
_ORDER: Final = " ORDER BY l.created_at DESC, l.id DESC LIMIT %(limit)s"
_NAMED: Final = " AND (%(ids)s::uuid[] IS NULL OR l.id = ANY(%(ids)s))"
_COLUMNS: Final = (
    "l.id, l.website_id, l.partner_id, l.slug, l.code, l.destination, l.created_at, l.routing, l.is_active, l.tags,"
    " l.folder, l.is_archived"
)


def selected_ids(uow: UnitOfWork, body: ChangeManyLinks) -> list[UUID]:
    """The links, the newest first; of more than `MAX_LINKS` one more than that."""
    query = f"SELECT l.id{_FROM}{WANTED}{_NAMED}{_ORDER}"
    return [id for (id,) in uow.select_named(query, _values(body))]


def selected_links(uow: UnitOfWork, body: ChangeManyLinks) -> list[LinkAggregate]:
    """The same links with what a preview needs of them, as they are projected."""
    query = f"SELECT {_COLUMNS}{_FROM}{WANTED}{_NAMED}{_ORDER}"
    return [_link(row) for row in uow.select_named(query, _values(body))]


def _values(body: ChangeManyLinks) -> dict[str, Any]:
    which = body.filter
    chosen = LinkFilter(
        [body.website_id],
        partner_id=which.partner_id if which else None,
        tag=which.tag if which else None,
        folder=which.folder if which else None,
        archived=which.archived if which else "include",
        search=which.search if which else None,
    )
    return {**chosen.values(), "ids": body.ids, "limit": MAX_LINKS + 1}


def _link(row: tuple[Any, ...]) -> LinkAggregate:
    id, website_id, partner_id, slug, code, destination, created_at, routing, is_active, tags, folder, archived = row
    return LinkAggregate(
        id=id,
        version=1,
        website_id=website_id,
        partner_id=partner_id,
        slug=slug,
        code=code,
        destination=destination,
        created_at=created_at,
        routing=Routing.model_validate(routing) if any(routing.values()) else _NO_ROUTING,
        is_active=is_active,
        tags=tuple(tags),
        folder=folder,
        is_archived=archived,
    )


_NO_ROUTING: Final = Routing()
