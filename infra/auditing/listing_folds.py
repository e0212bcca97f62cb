"""What the read models of listings, of what goes with them and of the marketplace's history must hold after an event
(see `folding`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import uuid5

from infra.auditing.forum_folds import BLANKED, kept
from schemas.base import ERASED, DomainEvent, Money
from schemas.currencies import amount_text
from schemas.events import accounts, deals, marketplace

Key = tuple[Any, ...]
Row = dict[str, Any]
Rows = dict[Key, Row]

_STATUS: Final[Mapping[type[DomainEvent], str]] = {
    marketplace.ListingSubmitted: "in_review",
    marketplace.ListingApproved: "active",
    marketplace.ListingRejected: "rejected",
    marketplace.ListingSuspended: "suspended",
    marketplace.ListingResumed: "active",
    marketplace.ListingWithdrawn: "withdrawn",
    marketplace.ListingExpired: "expired",
    marketplace.ListingReserved: "under_offer",
    marketplace.ListingFreed: "active",
    marketplace.ListingInEscrow: "in_escrow",
    marketplace.ListingSold: "sold",
}
_BY_SELLER: Final = (
    *("listing.drafted", "listing.edited", "listing.images_changed", "listing.submitted", "listing.withdrawn"),
    *("listing.verification_asked", "escrow.delivered"),
)
_BY_BUYER: Final = ("offer.sent", "offer.withdrawn", "escrow.inspection_began", "escrow.accepted")
_BY_ADMIN: Final = (
    *("listing.approved", "listing.rejected", "listing.suspended", "listing.resumed", "escrow.decided"),
)
_BY_PROVIDER: Final = ("escrow.opened", "escrow.funded", "escrow.released", "escrow.refunded")


def listings(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    row = rows.get(key)
    match event:
        case marketplace.ListingDrafted():
            rows[key] = {
                "id": event.originator_id,
                "seller_id": event.seller_id,
                "buyer_id": None,
                "status": "draft",
                "edition": 1,
                **_said(event),
                "currency": "USD",
                "images": [],
                "reason": "",
                "verified_website": None,
                "verification": None,
                "verification_note": None,
                "created_at": event.timestamp,
                "published_at": None,
                "expires_at": None,
            }
        case accounts.AccountErased():
            for one in rows.values():
                if one["seller_id"] == event.originator_id:
                    one.update(title=BLANKED, title_lower=BLANKED, website_url=BLANKED, description=BLANKED)
                    one.update(images=[], reason="")
        case _ if row is not None:
            _of_one(row, event)


def _of_one(row: Row, event: DomainEvent) -> None:
    row["status"] = _STATUS.get(type(event), row["status"])
    match event:
        case marketplace.ListingEdited():
            row.update(_said(event), edition=row["edition"] + 1)
        case marketplace.ListingImagesChanged():
            row.update(images=list(event.images), edition=row["edition"] + 1)
        case marketplace.ListingApproved():
            row.update(published_at=event.timestamp, expires_at=event.expires_at, reason="")
        case marketplace.ListingRejected() | marketplace.ListingSuspended():
            row["reason"] = event.reason
        case marketplace.ListingSubmitted() | marketplace.ListingResumed():
            row["reason"] = ""
        case marketplace.ListingReserved():
            row["buyer_id"] = event.buyer_id
        case marketplace.ListingFreed():
            row["buyer_id"] = None
        case marketplace.ListingVerificationAsked():
            row["verification_note"] = "asked"
        case marketplace.ListingVerified(domain_proven=False):
            row.update(verified_website=None, verification=None, verification_note="domain_not_proven")
        case marketplace.ListingVerified():
            told = event.model_dump(mode="json")
            shown = {name: told[name] for name in ("as_of", "months", "monthly_traffic", "monthly_revenue", "share")}
            row.update(verified_website=event.website_id, verification=shown, verification_note=None)
        case marketplace.ListingNotVerified():
            row.update(verified_website=None, verification=None, verification_note=event.reason)


def _said(event: marketplace.ListingDrafted | marketplace.ListingEdited) -> Row:
    figures = event.figures
    return {
        "title": event.title,
        "title_lower": event.title.lower(),
        "website_url": event.website_url,
        "description": kept(event.description),
        "niche": figures.niche,
        "asking_price": _minor(figures.asking_price),
        "monthly_revenue": _minor(figures.monthly_revenue),
        "monthly_profit": _minor(figures.monthly_profit),
        "monthly_traffic": figures.monthly_traffic,
        "years_established": figures.years_established,
        "website_id": figures.website_id,
    }


def _minor(money: Money | None) -> int | None:
    return None if money is None else money.amount


def questions(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    row = rows.get(key)
    match event:
        case marketplace.QuestionAsked():
            rows[key] = {
                "id": event.originator_id,
                "listing_id": event.listing_id,
                "seller_id": event.seller_id,
                "author_id": event.author_id,
                "text": kept(event.text),
                "asked_at": event.timestamp,
                "answer": None,
                "answered_at": None,
                "flags": 0,
                "hidden_at": None,
            }
        case accounts.AccountErased():
            for one in rows.values():
                if one["author_id"] == event.originator_id:
                    one["text"] = BLANKED
                if one["seller_id"] == event.originator_id:
                    one["answer"] = BLANKED
        case marketplace.QuestionAnswered() if row is not None:
            row.update(answer=kept(event.text), answered_at=event.timestamp)
        case marketplace.QuestionFlagged() if row is not None:
            row["flags"] += 1
        case marketplace.QuestionHidden() if row is not None:
            row.update(hidden_at=event.timestamp, flags=row["flags"] if event.actor_id is None else 0)
        case marketplace.QuestionRestored() if row is not None:
            row.update(hidden_at=None, flags=0)


def watches(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    if isinstance(event, marketplace.WatchBegan):
        rows[key] = {
            "id": event.originator_id,
            "account_id": event.account_id,
            "listing_id": event.listing_id,
            "began_at": event.timestamp,
            "ended_at": None,
        }
    elif isinstance(event, marketplace.WatchEnded) and key in rows:
        rows[key]["ended_at"] = event.timestamp


def searches(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    match event:
        case marketplace.SearchSaved():
            wanted = event.criteria
            rows[key] = {
                "id": event.originator_id,
                "account_id": event.account_id,
                "search": event.search,
                "niche": wanted.niche,
                "min_price": wanted.min_price,
                "max_price": wanted.max_price,
                "verified": wanted.verified,
                "created_at": event.timestamp,
                "ended_at": None,
            }
        case marketplace.SavedSearchEnded() if key in rows:
            rows[key].update(search="", ended_at=event.timestamp)
        case accounts.AccountErased():
            for row in rows.values():
                if row["account_id"] == event.originator_id:
                    row["search"] = BLANKED


def sellers(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    match event:
        case accounts.AccountRegistered():
            rows[key] = {
                "account_id": event.originator_id,
                "name": event.name,
                "member_since": event.timestamp,
                "sold": 0,
                "took_part": False,
            }
        case accounts.AccountRenamed() if key in rows:
            rows[key]["name"] = event.name
        case accounts.AccountErased() if key in rows:
            rows[key]["name"] = BLANKED
        case marketplace.ListingSold() if (row := rows.get((event.seller_id,))) is not None:
            row["sold"] += 1
    took_part = {
        marketplace.ListingApproved: "seller_id",
        deals.OfferSent: "buyer_id",
        marketplace.QuestionAsked: "author_id",
    }.get(type(event))
    if took_part is not None and (row := rows.get((getattr(event, took_part),))) is not None:
        row["took_part"] = True


_ABOUT_SELLER: Final = (marketplace.ListingRejected, marketplace.ListingSuspended)


def steps(rows: Rows, event: DomainEvent, _: int) -> None:
    if isinstance(event, accounts.AccountErased):
        for one in rows.values():
            if one["about_id"] == event.originator_id:
                one["detail"] = ERASED
    if event.NAME.partition(".")[0] not in ("listing", "offer", "escrow"):
        return
    key = uuid5(event.originator_id, str(event.originator_version))
    rows[(key,)] = {
        "id": key,
        "aggregate_id": event.originator_id,
        "number": event.originator_version,
        "kind": event.NAME,
        "by": _by(event),
        "at": event.timestamp,
        "detail": _detail(event),
        "about_id": event.seller_id if isinstance(event, _ABOUT_SELLER) else None,
    }


def _by(event: DomainEvent) -> str:
    if event.NAME in _BY_PROVIDER:
        return "provider"
    if (side := getattr(event, "side", None)) is not None:
        return str(side)
    for by, names in (("seller", _BY_SELLER), ("buyer", _BY_BUYER), ("admin", _BY_ADMIN)):
        if event.NAME in names and event.actor_id is not None:
            return by
    return "system"


def _detail(event: DomainEvent) -> str:
    match event:
        case deals.OfferSent() | deals.OfferCountered() | deals.EscrowAgreed():
            return amount_text(event.price.amount, event.price.currency)
        case deals.EscrowDecided() | deals.EscrowReleased():
            return amount_text(event.to_seller.amount, event.to_seller.currency)
        case marketplace.ListingRejected() | marketplace.ListingSuspended() | marketplace.ListingNotVerified():
            return event.reason
        case _:
            return ""


FOLDS: Final[Mapping[str, Callable[[Rows, DomainEvent, int], None]]] = {
    "listings": listings,
    "listing_questions": questions,
    "listing_watches": watches,
    "saved_searches": searches,
    "sellers": sellers,
    "market_steps": steps,
}
KEYS: Final[Mapping[str, tuple[str, ...]]] = {"sellers": ("account_id",)}
PERSONAL: Final[Mapping[str, tuple[str, ...]]] = {
    "listings": ("title", "title_lower", "website_url", "description", "reason"),
    "market_steps": ("detail",),
    "listing_questions": ("text", "answer"),
    "saved_searches": ("search",),
    "sellers": ("name",),
}
LONG: Final[Mapping[str, tuple[str, ...]]] = {"listings": ("description",), "listing_questions": ("text", "answer")}
"""Columns of texts that are compared as `kept` has them."""
