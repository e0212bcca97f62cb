"""Websites of the person who asks, their keys and the snippet for their pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from html import escape
from typing import Any, Final, NamedTuple
from uuid import UUID

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel, Field

from query_api.context import STALE, Context, Reads, Theirs
from query_api.owned import Owned, not_found
from schemas.claim_limits import DEFAULT_MAX_CLAIMS_PER_CLICK, default_max_claim
from schemas.events.websites import TrafficMark

router = APIRouter(prefix="/api/platform/websites", tags=["websites"])


class Site(BaseModel):
    """A website."""

    id: UUID
    domain: str
    timezone: str
    currency: str
    createdAt: datetime
    firstEventAt: datetime | None = Field(description="When its first event happened; null: none came yet")
    siteKey: str | None = Field(description="The newest public key that is valid")
    maxClaimAmount: int = Field(description="Minor units that the public site key may claim as one sale")
    maxClaimsPerClick: int = Field(description="Transactions that one click may claim within an hour with the site key")


class Key(BaseModel):
    """A valid key. Secret ones are known by their last four characters only."""

    id: UUID
    kind: str
    key: str | None = Field(description="The whole key, for kind `site`: it is public")
    hint: str
    last4: str
    allowedOrigins: list[str]
    createdAt: datetime
    lastUsedAt: datetime | None = Field(description="To the minute, half a minute late; null: not yet")
    revokedAt: datetime | None


class TrafficRule(BaseModel):
    """What events of a period count as."""

    id: UUID
    since: datetime
    until: datetime
    mark: TrafficMark
    conditions: dict[str, str] = Field(description="Values that the events have; empty: all events of the period")
    note: str
    createdAt: datetime
    isFollowed: bool = Field(description="Whether the figures follow it already")


class Snippet(BaseModel):
    """What to paste into the website's pages."""

    html: str


_SITE_KEYS: Final = (
    "SELECT DISTINCT ON (website_id) website_id, public_key FROM read.website_keys"
    " WHERE website_id = ANY(%s) AND kind = 'site' AND revoked_at IS NULL ORDER BY website_id, created_at DESC, id DESC"
)
# By name out of the row: while a new version is built, the live table may be one that has no such columns.
_LIMITS: Final = (
    "SELECT id, to_jsonb(w) -> 'max_claim_amount' AS max_claim_amount,"
    " to_jsonb(w) -> 'max_claims_per_click' AS max_claims_per_click FROM read.websites AS w WHERE id = ANY(%s)"
)
_RULES: Final = (
    'SELECT r.id, r.since, r.until, r.mark, r.conditions, r.note, r.created_at AS "createdAt",'
    " coalesce(b.progress -> 'parameters' @> jsonb_build_array(jsonb_build_object('id', r.id)), false)"
    ' AS "isFollowed" FROM read.traffic_rules AS r'
    " JOIN engine.projection AS p ON p.name = 'events'"
    " JOIN engine.build AS b ON b.name = p.name AND b.generation = p.live_generation"
    " WHERE r.website_id = %s AND r.undone_at IS NULL ORDER BY r.position"
)
_KEYS: Final = (
    "SELECT k.id, k.kind, k.public_key, k.last4, k.allowed_origins, k.created_at, k.revoked_at, u.used_at"
    " FROM read.website_keys AS k LEFT JOIN ingest.key_use AS u ON u.key_hash = k.key_hash"
    " WHERE k.website_id = %s AND k.revoked_at IS NULL ORDER BY k.created_at, k.id"
)


@router.get("", dependencies=[Depends(Reads("websites", "website_keys", "events"))])
def get_websites(response: Response, context: Context, theirs: Theirs) -> list[Site]:
    """All of them, oldest first. While the analytics store is down: `X-Stale: 1`, and first events as last read."""
    websites = theirs.websites()
    ids = [one.id for one in websites]
    keys = _site_keys(theirs, ids)
    limits = _claim_limits(theirs, ids)
    first, is_fresh = context.first_events.of(ids)
    if not is_fresh:
        response.headers.update(STALE)
    return [
        Site(
            id=one.id,
            domain=one.domain,
            timezone=one.timezone,
            currency=one.currency,
            createdAt=one.created_at,
            firstEventAt=first.get(one.id),
            siteKey=keys.get(one.id),
            maxClaimAmount=limits[one.id].max_claim_amount or default_max_claim(one.currency),
            maxClaimsPerClick=limits[one.id].max_claims_per_click or DEFAULT_MAX_CLAIMS_PER_CLICK,
        )
        for one in websites
    ]


@router.get("/{id}/keys", dependencies=[Depends(Reads("websites", "website_keys"))])
def get_keys(id: UUID, theirs: Theirs) -> list[Key]:
    """The valid keys of a website, oldest first."""
    website = theirs.website(id)
    return [_key(row) for row in theirs.reader.rows(_KEYS, (website.id,))]


@router.get("/{id}/traffic-rules", dependencies=[Depends(Reads("websites", "traffic_rules"))])
def get_traffic_rules(id: UUID, theirs: Theirs) -> list[TrafficRule]:
    """The rules that hold, oldest first."""
    website = theirs.website(id)
    return [TrafficRule(**row) for row in theirs.reader.rows(_RULES, (website.id,))]


@router.get("/{id}/snippet", dependencies=[Depends(Reads("websites", "website_keys"))])
def get_snippet(id: UUID, context: Context, theirs: Theirs) -> Snippet:
    """The script tag with the website's public key."""
    website = theirs.website(id)
    key = _site_keys(theirs, [website.id]).get(website.id)
    if key is None:
        raise not_found("site key: make one first")
    return Snippet(html=snippet(context.settings.tracking_base_url, key))


def snippet(tracking_url: str, site_key: str) -> str:
    """The script tag."""
    return f'<script defer src="{escape(tracking_url)}/t.js" data-site="{escape(site_key)}"></script>'


def _site_keys(theirs: Owned, ids: list[UUID]) -> dict[UUID, str]:
    return {row["website_id"]: row["public_key"] for row in theirs.reader.rows(_SITE_KEYS, (ids,))}


class _Limits(NamedTuple):
    """What the owner has set."""

    max_claim_amount: int | None = None
    max_claims_per_click: int | None = None


def _claim_limits(theirs: Owned, ids: list[UUID]) -> Mapping[UUID, _Limits]:
    found = {row.pop("id"): _Limits(**row) for row in theirs.reader.rows(_LIMITS, (ids,))}
    return defaultdict(_Limits, found)


def _key(row: dict[str, Any]) -> Key:
    return Key(
        id=row["id"],
        kind=row["kind"],
        key=row["public_key"],
        hint=f"…{row['last4']}",
        last4=row["last4"],
        allowedOrigins=row["allowed_origins"],
        createdAt=row["created_at"],
        lastUsedAt=row["used_at"],
        revokedAt=row["revoked_at"],
    )
