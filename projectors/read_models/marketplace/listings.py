"""`read.listings`: websites for sale, as everybody sees those that are online, and their sellers all of theirs."""

from __future__ import annotations

from typing import Any, Final

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import PUBLIC_LISTINGS
from schemas.base import ERASED, Money
from schemas.events.accounts import AccountErased
from schemas.events.marketplace import (
    ListingApproved,
    ListingDrafted,
    ListingEdited,
    ListingExpired,
    ListingFigures,
    ListingFreed,
    ListingImagesChanged,
    ListingInEscrow,
    ListingNotVerified,
    ListingRejected,
    ListingReserved,
    ListingResumed,
    ListingSold,
    ListingSubmitted,
    ListingSuspended,
    ListingVerificationAsked,
    ListingVerified,
    ListingWithdrawn,
)

LISTINGS: Final = ReadModel(
    name="listings",
    version=2,
    columns=(
        "id uuid",
        "seller_id uuid not null",
        "buyer_id uuid",
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
    readers=PUBLIC_LISTINGS,
    indexes=(
        "published_at desc, id",
        "asking_price, id",
        "monthly_revenue desc, id",
        "niche, published_at desc, id",
        "seller_id, created_at",
        "buyer_id",
        "status, created_at, id",
    ),
)
"""Amounts in minor units of `currency`."""


@LISTINGS.on(ListingDrafted)
def drafted(rows: Rows, event: ListingDrafted) -> None:
    rows.put(
        id=event.originator_id,
        seller_id=event.seller_id,
        status="draft",
        created_at=event.timestamp,
        **_said(event),
    )


@LISTINGS.on(ListingEdited)
def edited(rows: Rows, event: ListingEdited) -> None:
    rows.update({"id": event.originator_id}, **_said(event))
    rows.add({"id": event.originator_id}, edition=1)


@LISTINGS.on(ListingImagesChanged)
def images_changed(rows: Rows, event: ListingImagesChanged) -> None:
    rows.update({"id": event.originator_id}, images=event.images)
    rows.add({"id": event.originator_id}, edition=1)


@LISTINGS.on(ListingSubmitted)
def submitted(rows: Rows, event: ListingSubmitted) -> None:
    rows.update({"id": event.originator_id}, status="in_review", reason="")


@LISTINGS.on(ListingApproved)
def approved(rows: Rows, event: ListingApproved) -> None:
    rows.update(
        {"id": event.originator_id},
        status="active",
        published_at=event.timestamp,
        expires_at=event.expires_at,
        reason="",
    )


@LISTINGS.on(ListingRejected)
def rejected(rows: Rows, event: ListingRejected) -> None:
    rows.update({"id": event.originator_id}, status="rejected", reason=event.reason)


@LISTINGS.on(ListingSuspended)
def suspended(rows: Rows, event: ListingSuspended) -> None:
    rows.update({"id": event.originator_id}, status="suspended", reason=event.reason)


@LISTINGS.on(ListingResumed)
def resumed(rows: Rows, event: ListingResumed) -> None:
    rows.update({"id": event.originator_id}, status="active", reason="")


@LISTINGS.on(ListingWithdrawn)
def withdrawn(rows: Rows, event: ListingWithdrawn) -> None:
    rows.update({"id": event.originator_id}, status="withdrawn")


@LISTINGS.on(ListingExpired)
def expired(rows: Rows, event: ListingExpired) -> None:
    rows.update({"id": event.originator_id}, status="expired")


@LISTINGS.on(ListingReserved)
def reserved(rows: Rows, event: ListingReserved) -> None:
    rows.update({"id": event.originator_id}, status="under_offer", buyer_id=event.buyer_id)


@LISTINGS.on(ListingFreed)
def freed(rows: Rows, event: ListingFreed) -> None:
    rows.update({"id": event.originator_id}, status="active", buyer_id=None)


@LISTINGS.on(ListingInEscrow)
def in_escrow(rows: Rows, event: ListingInEscrow) -> None:
    rows.update({"id": event.originator_id}, status="in_escrow")


@LISTINGS.on(ListingSold)
def sold(rows: Rows, event: ListingSold) -> None:
    rows.update({"id": event.originator_id}, status="sold")


@LISTINGS.on(ListingVerificationAsked)
def verification_asked(rows: Rows, event: ListingVerificationAsked) -> None:
    rows.update({"id": event.originator_id}, verification_note="asked")


@LISTINGS.on(ListingVerified)
def verified(rows: Rows, event: ListingVerified) -> None:
    if not event.domain_proven:  # from before the proof was asked for: a badge without it says too much
        note = "domain_not_proven"
        rows.update({"id": event.originator_id}, verified_website=None, verification=None, verification_note=note)
        return
    shown = event.model_dump(mode="json", include={"as_of", "months", "monthly_traffic", "monthly_revenue", "share"})
    rows.update(
        {"id": event.originator_id}, verified_website=event.website_id, verification=shown, verification_note=None
    )


@LISTINGS.on(ListingNotVerified)
def not_verified(rows: Rows, event: ListingNotVerified) -> None:
    rows.update({"id": event.originator_id}, verified_website=None, verification=None, verification_note=event.reason)


@LISTINGS.on(AccountErased)
def seller_erased(rows: Rows, event: AccountErased) -> None:
    texts = dict.fromkeys(("title", "title_lower", "website_url", "description"), ERASED)
    rows.update({"seller_id": event.originator_id}, **texts, images=[], reason="")


def _said(event: ListingDrafted | ListingEdited) -> dict[str, Any]:
    figures: ListingFigures = event.figures
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
