"""One of every decided event of listings, questions, watched listings and saved searches, as a small history."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID, uuid5

from schemas.base import DomainEvent, Money
from schemas.events import marketplace
from tests.support.rows_beside_events import PICTURE_HASHES

Event = type[DomainEvent]
Encrypt = Callable[[UUID, str, str], str]
AT = datetime(2026, 8, 17, tzinfo=UTC)
DESCRIPTION = "Twelve years of honest reviews of mountain huts, all of them written by ourselves, with photographs."


def listing_history(
    encrypt: Encrypt, in_order: Callable[..., list[DomainEvent]], root: UUID, member: UUID, leaver: UUID
) -> list[DomainEvent]:
    """A listing of `member` that is sold, one of `leaver`; each asks the other. `in_order` makes the events of one
    aggregate."""

    def key(name: str) -> UUID:
        return uuid5(root, f"marketplace {name}")

    def said(who: UUID, title: str, **figures: Any) -> dict[str, Any]:
        texts = {"title": title, "website_url": "https://huts.example", "description": DESCRIPTION}
        written = {name: encrypt(who, name, text) for name, text in texts.items()}
        return {"seller_id": who, **written, "figures": marketplace.ListingFigures(**figures)}

    figures = {
        "niche": "health",
        "asking_price": Money(amount=45_000_00, currency="USD"),
        "monthly_revenue": Money(amount=1_500_00, currency="USD"),
        "monthly_profit": Money(amount=-20_00, currency="USD"),
        "monthly_traffic": 12_500,
        "years_established": 4.5,
        "website_id": root,
    }
    month = marketplace.MeasuredMonth(
        month=date(2026, 4, 1), visitors=900, pageviews=2_000, revenue=Money(amount=90_00, currency="USD")
    )
    of_deal = {"offer_id": key("offer")}
    of_month: dict[str, Any] = {
        "website_id": root,
        "as_of": AT,
        "months": [month],
        "monthly_traffic": 900,
        "monthly_revenue": None,
        "traffic_difference": 1288.9,
        "revenue_difference": None,
        "domain_proven": True,
        "share": marketplace.MeasuredShare(months=1, months_in_log=2, traffic=40.0, revenue=None),
    }
    reserved = (marketplace.ListingReserved, {**of_deal, "buyer_id": leaver})
    approved = (marketplace.ListingApproved, {"seller_id": member, "expires_at": AT})
    answered = {"author_id": member, "text": encrypt(member, "text", DESCRIPTION)}
    flagged: tuple[Event, dict[str, Any]] = (marketplace.QuestionFlagged, {"reason": "spam"})
    of_search = {"criteria": marketplace.SearchCriteria(niche="vpn", min_price=1, max_price=2, verified=True)}

    watched = (marketplace.WatchBegan, {"account_id": member, "listing_id": key("left")})

    def search(who: UUID) -> tuple[Event, dict[str, Any]]:
        return marketplace.SearchSaved, {"account_id": who, "search": encrypt(who, "search", "Huts"), **of_search}

    def context(by: UUID, of: UUID) -> tuple[Event, dict[str, Any]]:
        text = encrypt(by, "text", "Are the huts warm?")
        return marketplace.QuestionAsked, {"listing_id": key("sold"), "seller_id": of, "author_id": by, "text": text}

    return [
        *in_order(
            key("sold"),
            (marketplace.ListingDrafted, said(member, "Huts")),
            (marketplace.ListingEdited, said(member, "Mountain HUTS", **figures)),
            (marketplace.ListingImagesChanged, {"images": list(PICTURE_HASHES[:2])}),
            (marketplace.ListingSubmitted, {}),
            (marketplace.ListingRejected, {"reason": "No source."}),
            (marketplace.ListingSubmitted, {}),
            (marketplace.ListingReviewerInvited, {"key_hash": "ab" * 32, "expires_at": AT}),
            (marketplace.ListingReviewerJoined, {"seller_id": member, "reviewer_id": leaver}),
            approved,
            (marketplace.ListingSuspended, {"reason": "Stolen?"}),
            (marketplace.ListingResumed, {}),
            (marketplace.ListingVerificationAsked, {}),
            (marketplace.ListingNotVerified, {"reason": "no_whole_month"}),
            (marketplace.ListingVerified, of_month),
            (marketplace.ListingExpired, {}),
            (marketplace.ListingSubmitted, {}),
            approved,
            reserved,
            (marketplace.ListingFreed, of_deal),
            reserved,
            (marketplace.ListingInEscrow, of_deal),
            (marketplace.ListingSold, {**of_deal, "seller_id": member}),
        ),
        *in_order(
            key("left"),
            (marketplace.ListingDrafted, said(leaver, "My cave", **figures)),
            (marketplace.ListingImagesChanged, {"images": list(PICTURE_HASHES[2:])}),
            (marketplace.ListingWithdrawn, {}),
        ),
        *in_order(
            key("question"),
            context(leaver, member),
            (marketplace.QuestionAnswered, answered),
            flagged,
            flagged,
            (marketplace.QuestionRestored, {}),
            flagged,
            flagged,
            (marketplace.QuestionHidden, {"reason": "Members flagged it."}),
        ),
        *in_order(
            key("other question"),
            context(member, leaver),
            flagged,
            (marketplace.QuestionHidden, {"reason": "Off topic."}),
        ),
        *in_order(key("search"), search(member)),
        *in_order(key("ended search"), search(member), (marketplace.SavedSearchEnded, {"way": "page"})),
        *in_order(key("search of who left"), search(leaver)),
        *in_order(
            key("watch"),
            watched,
            (marketplace.WatchEnded, {}),
            watched,
        ),
    ]
