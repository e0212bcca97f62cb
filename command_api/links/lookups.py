"""Inline projection `link_lookup`: links by their code, coupons, those whose weights follow their results, and how many
links each website has.

`link_bulks`: changes of many links that have not ended.

Attribution finds the link of a click and of a coupon here, whatever the state of the read models, and the partner to
which the link led at the time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, LiteralString
from uuid import UUID

from command_api.kernel.decision import conflict
from command_api.kernel.inline_projection import InlineProjection, Table, Tables
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.links.model import normal_coupon
from schemas.events.links import (
    LinkBulkAdvanced,
    LinkBulkCancelled,
    LinkBulkStarted,
    LinkCreated,
    LinkDeleted,
    LinkUpdated,
)
from schemas.events.websites import WebsiteDisconnected

MAX_LINKS: Final = 200_000
"""Links of an account that are not deleted, over all its websites."""
MAX_LOADED: Final = 1_000
"""Links that one decision loads to see which of them are deleted."""

LINK_LOOKUP: Final = InlineProjection(
    "link_lookup",
    version=3,
    tables=(
        Table(
            "link",
            columns=(
                "link_id uuid not null",
                "code bigint not null unique",
                "website_id uuid not null",
                "partner_id uuid not null",
                "variant_partners uuid[] not null default '{}'",
            ),
            key=("link_id",),
        ),
        Table(
            "link_former_partner",
            columns=(
                "link_id uuid not null",
                "version int not null",
                "website_id uuid not null",
                "partner_id uuid not null",
                "until timestamptz not null",
            ),
            key=("link_id", "version"),
            indexes=("website_id",),
        ),
        Table(
            "coupon",
            columns=(
                "website_id uuid not null",
                "coupon text not null",
                "link_id uuid not null unique",
                "since timestamptz not null",
            ),
            key=("website_id", "coupon"),
        ),
        Table(
            "variant_partner",
            columns=("link_id uuid not null", "partner_id uuid not null", "website_id uuid not null"),
            key=("link_id", "partner_id"),
            indexes=("website_id", "partner_id"),
        ),
        Table(
            "shifting_link",
            columns=("link_id uuid not null", "website_id uuid not null"),
            key=("link_id",),
            indexes=("website_id",),
        ),
        Table("link_count", columns=("website_id uuid not null", "links bigint not null"), key=("website_id",)),
    ),
)


@LINK_LOOKUP.on(LinkCreated)
def _created(tables: Tables, event: LinkCreated) -> None:
    tables["link"].insert(
        link_id=event.originator_id,
        code=event.code,
        website_id=event.website_id,
        partner_id=event.partner_id,
        variant_partners=event.routing.partners_after(()),
    )
    tables["link_count"].increment({"website_id": event.website_id}, links=1)
    _put_partners(tables, event, event.website_id, ())
    if event.coupon is not None:
        _insert_coupon(tables, event.website_id, event.coupon, event)


@LINK_LOOKUP.on(LinkUpdated)
def _updated(tables: Tables, event: LinkUpdated) -> None:
    if event.coupon is None and event.partner_id is None and event.routing is None and event.shifting is None:
        return
    link = tables["link"].get(link_id=event.originator_id)
    if event.shifting is not None and link is not None:
        tables["shifting_link"].delete(link_id=event.originator_id)
        if event.shifting.is_on:
            tables["shifting_link"].insert(link_id=event.originator_id, website_id=link["website_id"])
    if event.routing is not None and link is not None:
        _put_partners(tables, event, link["website_id"], link["variant_partners"])
    if event.coupon is not None:
        tables["coupon"].delete(link_id=event.originator_id)
    if event.coupon and link is not None:
        _insert_coupon(tables, link["website_id"], event.coupon, event)
    if event.partner_id is not None and link is not None:
        tables["link_former_partner"].insert(
            link_id=event.originator_id,
            version=event.originator_version,
            website_id=link["website_id"],
            partner_id=link["partner_id"],
            until=event.timestamp,
        )
        tables["link"].update({"link_id": event.originator_id}, partner_id=event.partner_id)


@LINK_LOOKUP.on(LinkDeleted)
def _deleted(tables: Tables, event: LinkDeleted) -> None:
    tables["coupon"].delete(link_id=event.originator_id)
    tables["shifting_link"].delete(link_id=event.originator_id)
    link = tables["link"].get(link_id=event.originator_id)
    if link is not None:
        tables["link_count"].increment({"website_id": link["website_id"]}, links=-1)


@LINK_LOOKUP.on(WebsiteDisconnected)
def _disconnected(tables: Tables, event: WebsiteDisconnected) -> None:
    tables["shifting_link"].delete(website_id=event.originator_id)
    if event.owner_erased:
        tables["coupon"].delete(website_id=event.originator_id)


def _put_partners(tables: Tables, event: LinkCreated | LinkUpdated, website_id: UUID, known: Collection[UUID]) -> None:
    """Partners of variants stay, each at its place: clicks of the past lead there."""
    partners = event.routing.partners_after(known) if event.routing is not None else list(known)
    for partner_id in partners[len(known) :]:
        tables["variant_partner"].put(link_id=event.originator_id, partner_id=partner_id, website_id=website_id)
    if len(partners) > len(known):
        tables["link"].update({"link_id": event.originator_id}, variant_partners=partners)


LINK_BULK_TABLE: Final = Table("link_bulk", columns=("bulk_id uuid not null",), key=("bulk_id",))
LINK_BULKS: Final = InlineProjection("link_bulk_lookup", version=1, tables=(LINK_BULK_TABLE,))


@LINK_BULKS.on(LinkBulkStarted)
def _bulk_started(tables: Tables, event: LinkBulkStarted) -> None:
    tables["link_bulk"].put(bulk_id=event.originator_id)


@LINK_BULKS.on(LinkBulkAdvanced)
def _bulk_advanced(tables: Tables, event: LinkBulkAdvanced) -> None:
    if event.is_finished:
        tables["link_bulk"].delete(bulk_id=event.originator_id)


LINK_BULK_TABLE.ends(LinkBulkCancelled)


def _insert_coupon(tables: Tables, website_id: UUID, coupon: str, event: LinkCreated | LinkUpdated) -> None:
    tables["coupon"].insert(website_id=website_id, coupon=coupon, link_id=event.originator_id, since=event.timestamp)


def coupon_owner(uow: UnitOfWork, website_id: UUID, coupon: str | None) -> UUID | None:
    """Returns the link of the website that has the coupon."""
    if not coupon:
        return None
    query: LiteralString = "SELECT link_id FROM lookup.coupon WHERE website_id = %s AND coupon = %s"
    rows = uow.select(query, website_id, normal_coupon(coupon))
    return rows[0][0] if rows else None


def partners_of(uow: UnitOfWork, website_id: UUID) -> list[tuple[UUID, bool]]:
    """Partners to which links of the website lead or led, but for those of the directory, and whether a link, perhaps a
    deleted one, led there to the last."""
    return [(partner_id, leads) for partner_id, leads in uow.select(_PARTNERS, website_id, website_id)]


def links_elsewhere(uow: UnitOfWork, partner_id: UUID, website_id: UUID) -> list[UUID]:
    """Links of other websites to the partner, also deleted ones; of more than `MAX_LOADED` one more than that."""
    return [link_id for (link_id,) in uow.select(_ELSEWHERE, partner_id, website_id, MAX_LOADED + 1)]


def existing_streams(uow: UnitOfWork, ids: Sequence[UUID]) -> set[UUID]:
    """Returns those of the ids under which there are events."""
    return {id for (id,) in uow.select(_STREAMS, list(ids))}


def websites_of(uow: UnitOfWork, account_id: UUID) -> dict[str, UUID]:
    """The account's websites by domain."""
    return dict(uow.select(_WEBSITES, account_id))


def partners_named(uow: UnitOfWork, account_id: UUID, texts: Collection[str]) -> dict[str, tuple[UUID, ...]]:
    """Partners of the account and of everybody whose slug or name is one of the texts, in lower case, by the text. A
    partner with that slug goes before those with that name."""
    by_slug, by_name = dict[str, tuple[UUID, ...]](), dict[str, tuple[UUID, ...]]()
    wanted = list(texts)
    for id, slug, name in uow.select(_NAMED_PARTNERS, account_id, wanted, wanted):
        by_slug[slug] = (id,)
        by_name[name.lower()] = (*by_name.get(name.lower(), ()), id)
    return {text: found for text in texts if (found := by_slug.get(text) or by_name.get(text))}


def require_link_limit(uow: Appended, website_ids: set[UUID]) -> None:
    """Raises `CommandRejected` when an owner of the websites has too many links."""
    if uow.select(_OVER, list(website_ids), MAX_LINKS):
        raise conflict("too_many_links", f"An account has at most {MAX_LINKS:,} links. Delete some first.")


def require_room_for_links(uow: UnitOfWork, website_id: UUID, account_id: UUID) -> None:
    """Raises `CommandRejected` when the account would have too many links with those of the website."""
    if uow.select(_TOO_MANY_WITH, website_id, account_id, MAX_LINKS):
        raise conflict("too_many_links", f"An account has at most {MAX_LINKS:,} links. Delete some first.")


_STREAMS: Final[LiteralString] = (
    "SELECT originator_id FROM events.stored_events WHERE originator_id = ANY(%s) AND originator_version = 1"
)
_WEBSITES: Final[LiteralString] = "SELECT domain, id FROM read.websites WHERE account_id = %s AND deleted_at IS NULL"
_NAMED_PARTNERS: Final[LiteralString] = (
    "SELECT id, slug, name FROM read.partners WHERE removed_at IS NULL AND (account_id IS NULL OR account_id = %s)"
    " AND (slug = ANY(%s) OR lower(name) = ANY(%s)) ORDER BY created_at, id"
)
_LED_TO: Final[LiteralString] = (
    "(SELECT link_id, website_id, partner_id FROM lookup.link"
    " UNION SELECT link_id, website_id, partner_id FROM lookup.variant_partner)"
)
_PARTNERS: Final[LiteralString] = (
    f"SELECT partner_id, bool_or(leads) FROM (SELECT partner_id, true AS leads FROM {_LED_TO} AS led"  # noqa: S608 - own text
    " WHERE website_id = %s"
    " UNION ALL SELECT partner_id, false FROM lookup.link_former_partner WHERE website_id = %s) AS l"
    " WHERE partner_id NOT IN (SELECT partner_id FROM lookup.directory_host) GROUP BY partner_id ORDER BY partner_id"
)
_ELSEWHERE: Final[LiteralString] = (
    f"SELECT l.link_id FROM {_LED_TO} AS l JOIN lookup.website AS w USING (website_id)"  # noqa: S608 - own text
    " WHERE l.partner_id = %s AND l.website_id <> %s ORDER BY l.link_id LIMIT %s"
)
_TOO_MANY_WITH: Final[LiteralString] = (
    "SELECT sum(links) FROM lookup.link_count WHERE website_id = %s"
    " OR website_id IN (SELECT website_id FROM lookup.website WHERE account_id = %s) HAVING sum(links) > %s"
)
_OVER: Final[LiteralString] = (
    "SELECT 1 FROM lookup.website AS o JOIN lookup.website AS w USING (account_id)"
    " JOIN lookup.link_count AS c ON c.website_id = w.website_id WHERE o.website_id = ANY(%s)"
    " GROUP BY o.account_id, o.website_id HAVING sum(c.links) > %s LIMIT 1"
)
