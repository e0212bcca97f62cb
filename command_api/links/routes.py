"""`/api/platform/links`: make (one or many), change and remove tracked links. Rows of `policy.link` and `policy.coupon`
go with them: attribution finds a click's link and a coupon's link there, whatever the read models' state is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from fastapi import APIRouter, Response
from psycopg import Cursor

from command_api import slugs
from command_api.commands import Decided
from command_api.decision import Evolve, Refused
from command_api.domains.desk import before_slug
from command_api.http import Id, Nothing, Run, Runs
from command_api.links import model
from command_api.links.shapes import BulkLinks, CreateLink, Link, Links, UpdateLink, routing_after, shown
from command_api.partners import model as partners
from command_api.websites import model as websites
from command_api.websites import owners
from infra.problems import FieldError, Problem
from schemas.base import DomainEvent
from schemas.events.links import Routing
from schemas.identity import slug_id
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/links", tags=["links"])
SEEN_BY = ("links",)
"""The edge reads these: what is answered works there."""


@router.post("", status_code=201, response_model=Link)
def create_link(body: CreateLink, run: Runs) -> Response:
    """Makes a link. Without a destination it leads to the partner's base URL, without a slug it gets a random one."""
    link_id = uuid7()

    def decide() -> Decided[Link]:
        made = _Making(run).one(link_id, body)

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            _keep(cursor, made.link, run.asked.at)

        return Decided(made.events, shown(made.link, made.partner, before_slug(run.core, made.link.website_id)), also)

    return run(decide, body, status=201, seen_by=SEEN_BY)


@router.post("/bulk", status_code=201, response_model=Links)
def create_links(body: BulkLinks, run: Runs) -> Response:
    """Makes all of them, or, when one cannot be made, none: the answer then names every culprit (`links.3.slug`)."""
    ids = [uuid7() for _ in body.links]

    def decide() -> Decided[Links]:
        making, made, errors = _Making(run), [], []
        for place, (link_id, wanted) in enumerate(zip(ids, body.links, strict=True)):
            try:
                made.append(making.one(link_id, wanted))
            except Refused as error:
                field = f"links.{place}.{error.field}" if error.field else f"links.{place}"
                errors.append(FieldError(field, error.message))
        if errors:
            message = f"{len(errors)} of {len(ids)} links cannot be made; none was."
            raise Problem(400, "bad_links", message, errors=errors)

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            for one in made:
                _keep(cursor, one.link, run.asked.at)

        bases = {website: before_slug(run.core, website) for website in {one.link.website_id for one in made}}
        answer = Links(links=[shown(one.link, one.partner, bases[one.link.website_id]) for one in made])
        return Decided([event for one in made for event in one.events], answer, also)

    return run(decide, body, status=201, seen_by=SEEN_BY)


@router.patch("/{id}", response_model=Link)
def update_link(link_id: Id, body: UpdateLink, run: Runs) -> Response:
    """Changes what is given. An empty sub or coupon takes it away."""

    def decide() -> Decided[Link]:
        store = run.core.store
        link = store.load(link_id, model.evolve)
        website = store.load(link.website_id, websites.evolve) if link else None
        partner = store.load(link.partner_id, partners.evolve) if link else None
        events = model.update(
            link,
            website,
            partner,
            destination=body.destination,
            subs=body.subs(),
            coupon=body.coupon,
            coupon_owner=_coupon_owner(run, link.website_id, body.coupon) if link else None,
            is_active=body.is_active,
            routing=routing_after(link.routing, body) if link else None,
            asked=run.asked,
        )
        for event in events:
            link = model.evolve(link, event)
        assert link is not None  # noqa: S101 - update refuses without one
        after = link

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            if events and events[0].coupon is not None:
                cursor.execute("DELETE FROM policy.coupon WHERE link_id = %s", (after.id,))
                _keep_coupon(cursor, after, run.asked.at)

        return Decided(events, shown(after, partner, before_slug(run.core, after.website_id)), also)

    return run(decide, body, seen_by=SEEN_BY)


@router.delete("/{id}", status_code=204)
def delete_link(link_id: Id, run: Runs) -> Response:
    """Removes a link for good: it stops redirecting, its slug is not given out again, its old clicks still count."""

    def decide() -> Decided[Nothing]:
        link = run.core.store.load(link_id, model.evolve)
        website = run.core.store.load(link.website_id, websites.evolve) if link else None

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            cursor.execute("DELETE FROM policy.coupon WHERE link_id = %s", (link_id,))
            if link is not None:
                owners.count_link(cursor, link.website_id, -1)

        return Decided(model.delete(link, website, run.asked), Nothing(), also)

    return run(decide, status=204, seen_by=SEEN_BY)


@dataclass(frozen=True, slots=True)
class _Made:
    link: model.Link
    partner: partners.Partner | None
    events: tuple[DomainEvent, DomainEvent]


class _Making:
    """Makes links one after the other, each knowing of the ones before: websites and partners are loaded once, and no
    two links of one command get the same slug or coupon."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._loaded: dict[tuple[UUID, Evolve[Any]], Any] = {}
        self._claims: dict[str, slugs.Claim] = {}
        self._coupons: dict[tuple[UUID, str], UUID] = {}

    def one(self, link_id: UUID, wanted: CreateLink) -> _Made:
        """Raises `Refused`."""
        slug = wanted.slug if wanted.slug is not None else model.random_slug()
        partner: partners.Partner | None = self._load(wanted.partner_id, partners.evolve)
        claim = self._claims.get(slug) or self._run.core.store.load(slug_id("link", slug), slugs.evolve)
        created, claimed = model.create(
            link_id,
            self._load(wanted.website_id, websites.evolve),
            partner,
            claim,
            slug=slug,
            code=model.random_code(),
            destination=wanted.destination,
            subs=wanted.subs(),
            coupon=wanted.coupon,
            coupon_owner=self._coupon_owner(wanted),
            routing=routing_after(Routing(), wanted) or Routing(),
            asked=self._run.asked,
        )
        self._claims[slug] = slugs.evolve(claim, claimed)
        if created.coupon is not None:
            self._coupons[created.website_id, created.coupon] = link_id
        return _Made(model.evolve(None, created), partner, (created, claimed))

    def _load(self, id: UUID, evolve: Evolve[Any]) -> Any:
        if (id, evolve) not in self._loaded:
            self._loaded[id, evolve] = self._run.core.store.load(id, evolve)
        return self._loaded[id, evolve]

    def _coupon_owner(self, wanted: CreateLink) -> UUID | None:
        if not wanted.coupon:
            return None
        here = self._coupons.get((wanted.website_id, model.normal_coupon(wanted.coupon)))
        return here or _coupon_owner(self._run, wanted.website_id, wanted.coupon)


def _coupon_owner(run: Run, website_id: UUID, coupon: str | None) -> UUID | None:
    if not coupon:
        return None
    with run.core.pool.connection() as connection:
        row = connection.execute(
            "SELECT link_id FROM policy.coupon WHERE website_id = %s AND coupon = %s",
            (website_id, model.normal_coupon(coupon)),
        ).fetchone()
    return row[0] if row else None


def _keep(cursor: Cursor[dict[str, Any]], link: model.Link, since: datetime) -> None:
    cursor.execute(
        "INSERT INTO policy.link (link_id, code, website_id, partner_id) VALUES (%s, %s, %s, %s)",
        (link.id, link.code, link.website_id, link.partner_id),
    )
    owners.count_link(cursor, link.website_id, 1)
    _keep_coupon(cursor, link, since)


def _keep_coupon(cursor: Cursor[dict[str, Any]], link: model.Link, since: datetime) -> None:
    if link.coupon is not None:
        cursor.execute(
            "INSERT INTO policy.coupon (website_id, coupon, link_id, since) VALUES (%s, %s, %s, %s)",
            (link.website_id, link.coupon, link.id, since),
        )
