"""`read.links`: the tracked links of websites; `ingest` redirects by slug, click ids name a link by its code."""

from __future__ import annotations

from typing import Any, Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.base import ERASED
from schemas.events.links import LinkCreated, LinkDeleted, LinkUpdated, Routing
from schemas.events.websites import WebsiteDisconnected

LINKS: Final = ReadModel(
    name="links",
    version=7,
    columns=(
        "id uuid",
        "slug text not null unique",
        "code bigint not null unique",
        "website_id uuid not null",
        "partner_id uuid not null",
        "destination text not null",
        "subs jsonb not null",
        "coupon text",
        """routing jsonb not null default '{"rules": [], "variants": [], "expires_at": null, "fallback": null}'""",
        "is_active boolean not null",
        "created_at timestamptz not null",
        "deleted_at timestamptz",
        "tags text[] not null default '{}'",
        "folder text",
        "is_archived boolean not null default false",
        "utm jsonb not null default '{}'",
        "channel_id uuid",
        "former_partners uuid[] not null default '{}'",
        "led_until timestamptz[] not null default '{}'",
        "variant_partners uuid[] not null default '{}'",
        "shifting jsonb",
    ),
    key=("id",),
    readers=OWN_WEBSITES,
    indexes=("website_id, created_at", "website_id, coupon", "partner_id", "channel_id"),
)
"""`former_partners`, `led_until`: those before the present one, and until when it led there; `variant_partners`: all
that variants ever named, in the order in which click ids count them."""


LINKS.begins(
    LinkCreated,
    lambda event: {
        "former_partners": [],
        "led_until": [],
        "variant_partners": event.routing.partners_after(()),
    },
    at="created_at",
    is_active=True,
)


@LINKS.on(LinkUpdated)
def updated(rows: Rows, event: LinkUpdated) -> None:
    kept = {"destination", "subs", "coupon", "is_active", "tags", "folder", "is_archived"}
    changes = event.model_dump(mode="json", include=kept, exclude_none=True)
    if event.routing is not None:
        changes["routing"] = event.routing.model_dump(mode="json")
        if event.routing.partner_ids and (link := rows.get(id=event.originator_id)) is not None:
            changes["variant_partners"] = event.routing.partners_after(link["variant_partners"])
    if event.shifting is not None:
        changes["shifting"] = event.shifting.model_dump(mode="json")
    if event.coupon == "":  # the coupon was taken away
        changes["coupon"] = None
    if event.folder == "":
        changes["folder"] = None
    if event.partner_id is not None and (link := rows.get(id=event.originator_id)) is not None:
        changes["partner_id"] = event.partner_id
        changes["former_partners"] = [*link["former_partners"], link["partner_id"]]
        changes["led_until"] = [*link["led_until"], event.timestamp]
    rows.update({"id": event.originator_id}, **changes)


LINKS.follows(LinkDeleted, at="deleted_at", is_active=False)


@LINKS.on(WebsiteDisconnected)
def owner_erased(rows: Rows, event: WebsiteDisconnected) -> None:
    """Blanks the owner's texts; the slug becomes one that cannot be chosen."""
    if not event.owner_erased:
        return
    of_website = {"website_id": event.originator_id}
    nowhere = Routing().model_dump(mode="json")
    blank: dict[str, Any] = {
        "destination": ERASED,
        "subs": {},
        "coupon": None,
        "routing": nowhere,
        "tags": [],
        "folder": None,
        "utm": {},
    }
    rows.update(of_website, **blank, is_active=False, deleted_at=event.timestamp)
    rows.name_after(of_website, "slug", "id", f"{ERASED} ")
