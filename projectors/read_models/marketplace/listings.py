"""`read.listings`: websites for sale: public while online, and all of a seller's for the seller."""

from __future__ import annotations

from typing import Any, Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import PUBLIC_LISTINGS
from schemas.base import ERASED, Money
from schemas.events import marketplace
from schemas.events.accounts import AccountErased

LISTINGS: Final = ReadModel(
    name="listings",
    version=3,
    columns=(
        "id uuid",
        "seller_id uuid not null",
        "buyer_id uuid",
        "reviewer_id uuid",
        "status text not null",
        "edition int not null default 1",
        "title text not null",
        "title_lower text not null",
        "website_url text not null",
        "description text not null",
        "niche text",
        "currency text not null default 'USD'",
        "asking_price bigint",
        "monthly_revenue bigint",
        "monthly_profit bigint",
        "monthly_traffic bigint",
        "years_established double precision",
        "website_id uuid",
        "images text[] not null default '{}'",
        "reason text not null default ''",
        "verified_website uuid",
        "verification jsonb",
        "verification_note text",
        "created_at timestamptz not null",
        "published_at timestamptz",
        "expires_at timestamptz",
    ),
    key=("id",),
    fixed=("seller_id",),
    readers=PUBLIC_LISTINGS,
    indexes=(
        "published_at desc, id",
        "asking_price, id",
        "monthly_revenue desc, id",
        "niche, published_at desc, id",
        "seller_id, created_at",
        "buyer_id",
        "reviewer_id",
        "status, created_at, id",
    ),
    personal=("title", "title_lower", "website_url", "description", "reason"),
)
"""Amounts in minor units of `currency`."""


@LISTINGS.on(marketplace.ListingDrafted)
def drafted(rows: Rows, event: marketplace.ListingDrafted) -> None:
    rows.put(
        id=event.originator_id,
        seller_id=event.seller_id,
        status="draft",
        created_at=event.timestamp,
        **_said(event),
    )


@LISTINGS.on(marketplace.ListingEdited)
def edited(rows: Rows, event: marketplace.ListingEdited) -> None:
    rows.update({"id": event.originator_id}, **_said(event))
    rows.add({"id": event.originator_id}, edition=1)


@LISTINGS.on(marketplace.ListingImagesChanged)
def images_changed(rows: Rows, event: marketplace.ListingImagesChanged) -> None:
    rows.update({"id": event.originator_id}, images=event.images)
    rows.add({"id": event.originator_id}, edition=1)


LISTINGS.follows(marketplace.ListingSubmitted, status="in_review", reason="")
LISTINGS.follows(marketplace.ListingApproved, at="published_at", status="active", reason="", reviewer_id=None)
LISTINGS.follows(marketplace.ListingReviewerInvited, but="expires_at", reviewer_id=None)
LISTINGS.follows(marketplace.ListingReviewerJoined)
LISTINGS.follows(marketplace.ListingRejected, status="rejected", reviewer_id=None)
LISTINGS.follows(marketplace.ListingSuspended, status="suspended")
LISTINGS.follows(marketplace.ListingResumed, status="active", reason="")
LISTINGS.follows(marketplace.ListingWithdrawn, status="withdrawn", reviewer_id=None)
LISTINGS.follows(marketplace.ListingExpired, status="expired")
LISTINGS.follows(marketplace.ListingReserved, status="under_offer")
LISTINGS.follows(marketplace.ListingFreed, status="active", buyer_id=None)
LISTINGS.follows(marketplace.ListingInEscrow, status="in_escrow")
LISTINGS.follows(marketplace.ListingSold, status="sold")
LISTINGS.follows(marketplace.ListingVerificationAsked, verification_note="asked")


@LISTINGS.on(marketplace.ListingVerified)
def verified(rows: Rows, event: marketplace.ListingVerified) -> None:
    if not event.domain_proven:  # older events have no proof of the domain: they give no badge
        note = "domain_not_proven"
        rows.update({"id": event.originator_id}, verified_website=None, verification=None, verification_note=note)
        return
    verification = event.model_dump(
        mode="json", include={"as_of", "months", "monthly_traffic", "monthly_revenue", "share"}
    )
    rows.update(
        {"id": event.originator_id},
        verified_website=event.website_id,
        verification=verification,
        verification_note=None,
    )


LISTINGS.follows(
    marketplace.ListingNotVerified,
    but="reason",
    takes={"verification_note": "reason"},
    verified_website=None,
    verification=None,
)


@LISTINGS.on(AccountErased)
def seller_erased(rows: Rows, event: AccountErased) -> None:
    texts = dict.fromkeys(("title", "title_lower", "website_url", "description"), ERASED)
    rows.update({"seller_id": event.originator_id}, **texts, images=[], reason="")


def _said(event: marketplace.ListingDrafted | marketplace.ListingEdited) -> dict[str, Any]:
    figures: marketplace.ListingFigures = event.figures
    return {
        "title": event.title,
        "title_lower": event.title.lower(),
        "website_url": event.website_url,
        "description": event.description,
        "niche": figures.niche,
        "asking_price": _minor(figures.asking_price),
        "monthly_revenue": _minor(figures.monthly_revenue),
        "monthly_profit": _minor(figures.monthly_profit),
        "monthly_traffic": figures.monthly_traffic,
        "years_established": figures.years_established,
        "website_id": figures.website_id,
    }


def _minor(money: Money | None) -> int | None:
    return money.amount if money is not None else None
