"""Rows of the marketplace's read models as its answers show them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

import idna

from query_api.kernel.money import major
from query_api.kernel.postgres_reader import PostgresReader
from query_api.marketplace.schemas import (
    Image,
    Listing,
    MeasuredMonth,
    MeasuredShare,
    Seller,
    Verification,
    VerifiedFigures,
)
from schemas.base import ERASED
from schemas.http.money import Amount
from schemas.listing_verification import (
    IS_MEASURED,
    IS_OVERSTATED,
    IS_VERIFIED,
    TOLERANCE_PERCENT,
    difference,
    is_overstated,
)

DELETED_MEMBER: Final = "Deleted member"
DELETED_LISTING: Final = "Deleted listing"
LISTING: Final = (
    "id, seller_id, status, title, website_url, description, niche, currency, asking_price, monthly_revenue,"
    " monthly_profit, monthly_traffic, years_established, website_id, images, verified_website, created_at,"
    f" published_at, {IS_MEASURED} AS is_measured, {IS_OVERSTATED} AS is_overstated"
)
MAX_DESCRIBED: Final = 500
LISTED: Final = LISTING.replace("description", f"left(description, {MAX_DESCRIBED}) AS description", 1)
"""In a list, which may be of hundreds of listings: the description of each is shown with the listing."""
_SELLERS: Final = "SELECT account_id, name FROM read.sellers WHERE account_id = ANY(%s)"
_SELLER: Final = f"""
SELECT s.account_id AS id, s.name, s.member_since, s.sold AS sold_listings, l.active AS active_listings,
  l.verified AS verified_listings
FROM read.sellers AS s CROSS JOIN LATERAL (
  SELECT count(*) AS active, count(*) FILTER (WHERE {IS_VERIFIED}) AS verified
  FROM read.listings WHERE seller_id = s.account_id AND status IN ('active', 'under_offer')
) AS l
WHERE s.account_id = %s"""  # noqa: S608 - own text


def listing(row: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of `Listing`, and all others of the row."""
    currency = row["currency"]

    def money(minor: int | None) -> float | None:
        # Of a listing: at most 10^14, which a float holds exactly.
        return float(major(minor, currency)) if minor is not None else None

    return {
        **row,
        "title": DELETED_LISTING if row["title"] == ERASED else row["title"],
        "website_url": "" if row["website_url"] == ERASED else row["website_url"],
        "description": "" if row["description"] == ERASED else row["description"],
        "asking_price": money(row["asking_price"]),
        "monthly_revenue": money(row["monthly_revenue"]),
        "monthly_profit": money(row["monthly_profit"]),
        "verification_status": _status(row),
        "image": image_url(row["images"][0]) if row["images"] else None,
    }


def listings(rows: list[dict[str, Any]]) -> list[Listing]:
    return [Listing.of_row(listing(row)) for row in rows]


def _status(row: Mapping[str, Any]) -> Verification:
    if not row["is_measured"]:
        return "pending"
    return "overstated" if row["is_overstated"] else "verified"


def images(row: Mapping[str, Any]) -> list[Image]:
    return [Image(hash=one, url=image_url(one)) for one in row["images"]]


def image_url(name: str) -> str:
    return f"/api/marketplace/images/{name}"


def verification(row: Mapping[str, Any]) -> VerifiedFigures | None:
    """Returns the measured figures, against the stated ones of now."""
    measured = row["verification"]
    if measured is None or not row["is_measured"]:
        return None
    revenue = Amount(**measured["monthly_revenue"]) if measured["monthly_revenue"] is not None else None
    return VerifiedFigures(
        as_of=datetime.fromisoformat(measured["as_of"]),
        proven_domain=_host(row["website_url"]),
        share=MeasuredShare.of_row(measured["share"]),
        months=[MeasuredMonth.of_row(month) for month in measured["months"]],
        monthly_traffic=measured["monthly_traffic"],
        monthly_revenue=revenue,
        tolerance_percent=TOLERANCE_PERCENT,
        traffic_overstated=is_overstated(row["monthly_traffic"], measured["monthly_traffic"]),
        revenue_overstated=is_overstated(row["monthly_revenue"], revenue.amount if revenue is not None else None),
        traffic_difference=difference(row["monthly_traffic"], measured["monthly_traffic"]),
        revenue_difference=difference(row["monthly_revenue"], revenue.amount) if revenue is not None else None,
    )


def _host(url: str) -> str:
    """The host of a listing's address as the DNS knows it, without www: no letters that only look like others."""
    host = urlsplit(url).hostname or ""
    try:
        return idna.encode(host, uts46=True).decode().removeprefix("www.")
    except (idna.IDNAError, UnicodeError):
        return host.removeprefix("www.")


def seller(reader: PostgresReader, account_id: UUID) -> Seller | None:
    row = reader.row(_SELLER, (account_id,))
    return Seller.of_row(row, name=shown_name(row["name"])) if row is not None else None


def names(reader: PostgresReader, *account_ids: UUID) -> dict[UUID, str]:
    rows = reader.rows(_SELLERS, (list(set(account_ids)),)) if account_ids else []
    names_by_id = {row["account_id"]: shown_name(row["name"]) for row in rows}
    return {one: names_by_id.get(one, DELETED_MEMBER) for one in account_ids}


def shown_name(name: str) -> str:
    return DELETED_MEMBER if name == ERASED else name


def amount(row: Mapping[str, Any], field: str) -> Amount | None:
    return Amount(amount=row[field], currency=row["currency"]) if row[field] is not None else None
