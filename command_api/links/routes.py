"""`/api/platform/links`: make, change and remove tracked links. Rows of `policy.link` and `policy.coupon` go with them:
attribution finds a click's link and a coupon's link there, whatever the read models' state is."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Response
from psycopg import Cursor
from pydantic import Field

from command_api import slugs
from command_api.commands import Decided
from command_api.http import Answer, Body, Id, Nothing, Run, Runs
from command_api.links import model
from command_api.partners import model as partners
from command_api.websites import model as websites
from schemas.identity import slug_id
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/links", tags=["links"])
SEEN_BY = ("links",)
"""The edge reads these: what is answered works there."""

Text = Annotated[str, Field(max_length=2048)]


class Subs(Body):
    sub1: Text | None = None
    sub2: Text | None = None
    sub3: Text | None = None
    sub4: Text | None = None
    sub5: Text | None = None
    sub6: Text | None = None
    sub7: Text | None = None
    sub8: Text | None = None
    sub9: Text | None = None
    sub10: Text | None = None

    def subs(self) -> dict[str, str]:
        return {name: value for name in model.SUBS if (value := getattr(self, name)) is not None}


class CreateLink(Subs):
    website_id: Annotated[UUID, Field(strict=False)]
    partner_id: Annotated[UUID, Field(strict=False)]
    destination: Text | None = None
    slug: Text | None = None
    coupon: Text | None = None


class UpdateLink(Subs):
    destination: Text | None = None
    coupon: Text | None = None
    is_active: bool | None = None


class Link(Answer):
    id: UUID
    website_id: UUID
    partner_id: UUID
    partner_name: str
    slug: str
    url: str
    destination: str
    coupon: str | None
    is_active: bool
    created_at: datetime
    sub1: str | None = None
    sub2: str | None = None
    sub3: str | None = None
    sub4: str | None = None
    sub5: str | None = None
    sub6: str | None = None
    sub7: str | None = None
    sub8: str | None = None
    sub9: str | None = None
    sub10: str | None = None


@router.post("", status_code=201, response_model=Link)
def create_link(body: CreateLink, run: Runs) -> Response:
    """Makes a link. Without a destination it leads to the partner's base URL, without a slug it gets a random one."""
    link_id = uuid7()

    def decide() -> Decided[Link]:
        store = run.core.store
        slug = body.slug if body.slug is not None else model.random_slug()
        partner = store.load(body.partner_id, partners.evolve)
        created, claimed = model.create(
            link_id,
            store.load(body.website_id, websites.evolve),
            partner,
            store.load(slug_id("link", slug), slugs.evolve),
            slug=slug,
            code=model.random_code(),
            destination=body.destination,
            subs=body.subs(),
            coupon=body.coupon,
            coupon_owner=_coupon_owner(run, body.website_id, body.coupon),
            asked=run.asked,
        )
        link = model.evolve(None, created)

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            cursor.execute(
                "INSERT INTO policy.link (link_id, code, website_id, partner_id) VALUES (%s, %s, %s, %s)",
                (link.id, link.code, link.website_id, link.partner_id),
            )
            _keep_coupon(cursor, link, run.asked.at)

        return Decided([created, claimed], _shown(link, partner, run), also)

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

        return Decided(events, _shown(after, partner, run), also)

    return run(decide, body, seen_by=SEEN_BY)


@router.delete("/{id}", status_code=204)
def delete_link(link_id: Id, run: Runs) -> Response:
    """Removes a link for good: it stops redirecting, its slug is not given out again, its old clicks still count."""

    def decide() -> Decided[Nothing]:
        link = run.core.store.load(link_id, model.evolve)
        website = run.core.store.load(link.website_id, websites.evolve) if link else None

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            cursor.execute("DELETE FROM policy.coupon WHERE link_id = %s", (link_id,))

        return Decided(model.delete(link, website, run.asked), Nothing(), also)

    return run(decide, status=204, seen_by=SEEN_BY)


def _coupon_owner(run: Run, website_id: UUID, coupon: str | None) -> UUID | None:
    if not coupon:
        return None
    with run.core.pool.connection() as connection:
        row = connection.execute(
            "SELECT link_id FROM policy.coupon WHERE website_id = %s AND coupon = %s",
            (website_id, model.normal_coupon(coupon)),
        ).fetchone()
    return row[0] if row else None


def _keep_coupon(cursor: Cursor[dict[str, Any]], link: model.Link, since: datetime) -> None:
    if link.coupon is not None:
        cursor.execute(
            "INSERT INTO policy.coupon (website_id, coupon, link_id, since) VALUES (%s, %s, %s, %s)",
            (link.website_id, link.coupon, link.id, since),
        )


def _shown(link: model.Link, partner: partners.Partner | None, run: Run) -> Link:
    return Link(
        id=link.id,
        website_id=link.website_id,
        partner_id=link.partner_id,
        partner_name=partner.name if partner else "",
        slug=link.slug,
        url=f"{run.core.settings.tracking_base_url}/go/{link.slug}",
        destination=link.destination,
        coupon=link.coupon,
        is_active=link.is_active,
        created_at=link.created_at,
        **link.subs,
    )
