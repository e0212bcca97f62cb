"""The caller's websites, their keys and the tracking snippet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from html import escape
from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import Field

from infra.kernel.http.problems import Problem
from query_api.kernel.authorization import AccountScope
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context
from query_api.kernel.own_writes import STALE
from schemas.claim_limits import DEFAULT_MAX_CLAIMS_PER_CLICK, default_max_claim
from schemas.events.websites import DEFAULT_AD_CLICK_ID_DAYS, AttributionModel
from schemas.http.responses import ResponseModel
from schemas.http.websites import TrafficRule, Website, WebsiteKey
from schemas.networks import TxidScope

router = APIRouter(prefix="/api/platform/websites", tags=["websites"])


class ListedWebsite(Website):
    """A website, with its first event and its public key."""

    first_event_at: datetime | None = Field(description="Time of its first event; null: no event yet")
    site_key: str | None = Field(description="The newest valid public key")


class Key(WebsiteKey):
    """A valid key. Secret ones are known by their last four characters only."""

    is_readable: bool = Field(description="Whether the owner can read it again: `POST …/keys/{keyId}/reveal`")
    key: str | None = Field(description="The whole key, for kind `site`: it is public")
    hint: str
    last4: str
    last_used_at: datetime | None = Field(description="To the minute, half a minute late; null: not yet")
    revoked_at: datetime | None


class Snippet(ResponseModel):
    """What to paste into the website's pages."""

    html: str


_SITE_KEYS: Final = (
    "SELECT DISTINCT ON (website_id) website_id, public_key FROM read.website_keys"
    " WHERE website_id = ANY(%s) AND kind = 'site' AND revoked_at IS NULL ORDER BY website_id, created_at DESC, id DESC"
)
_SETTINGS: Final = (
    "SELECT id, attribution_model, max_claim_amount, max_claims_per_click, link_click_ids, link_impressions_every,"
    " txid_scope, keep_ad_click_ids, ad_click_id_days, ad_click_ids_need_consent"
    " FROM read.websites WHERE id = ANY(%s)"
)
_DEFAULTS: Final = {
    "attribution_model": AttributionModel.LAST_CLICK,
    "max_claims_per_click": DEFAULT_MAX_CLAIMS_PER_CLICK,
    "link_click_ids": False,
    "link_impressions_every": 0,
    "txid_scope": TxidScope.WEBSITE,
    "keep_ad_click_ids": False,
    "ad_click_id_days": DEFAULT_AD_CLICK_ID_DAYS,
    "ad_click_ids_need_consent": False,
}
_RULES: Final = (
    "SELECT r.id, r.since, r.until, r.mark, r.conditions, r.note, r.created_at,"
    " coalesce(b.progress -> 'parameters' @> jsonb_build_array(jsonb_build_object('id', r.id)), false)"
    " AS is_followed FROM read.traffic_rules AS r"
    " JOIN engine.projection AS p ON p.name = 'events'"
    " JOIN engine.build AS b ON b.name = p.name AND b.generation = p.live_generation"
    " WHERE r.website_id = %s AND r.undone_at IS NULL ORDER BY r.position"
)
_KEYS: Final = (
    "SELECT k.id, k.kind, k.name, k.is_readable, k.public_key, k.last4, k.allowed_origins, k.created_at, k.revoked_at,"
    " u.used_at AS last_used_at"
    " FROM read.website_keys AS k LEFT JOIN ingest.key_use AS u ON u.key_hash = k.key_hash"
    " WHERE k.website_id = %s AND k.revoked_at IS NULL ORDER BY k.created_at, k.id"
)


@router.get("", dependencies=[READS_OWN_WRITES])
def get_websites(response: Response, context: Context, scope: CallerScope) -> list[ListedWebsite]:
    """All of them, oldest first. While the analytics store is down: `X-Stale: 1`, and first events as last read."""
    websites = scope.websites()
    ids = [one.id for one in websites]
    keys = _site_keys(scope, ids)
    settings = {row["id"]: row for row in scope.reader.rows(_SETTINGS, (ids,))}
    first, is_fresh = context.first_events.of(ids)
    if not is_fresh:
        response.headers.update(STALE)
    return [
        ListedWebsite.of_row(
            {**asdict(one), **_with_defaults(one.currency, settings.get(one.id, {}))},
            first_event_at=first.get(one.id),
            site_key=keys.get(one.id),
        )
        for one in websites
    ]


@router.get("/{id}/keys", dependencies=[READS_OWN_WRITES])
def get_keys(id: UUID, scope: CallerScope) -> list[Key]:
    """The valid keys of a website, oldest first."""
    website = scope.website(id)
    return [
        Key.of_row(row, key=row["public_key"], hint=f"…{row['last4']}")
        for row in scope.reader.rows(_KEYS, (website.id,))
    ]


@router.get("/{id}/traffic-rules", dependencies=[READS_OWN_WRITES])
def get_traffic_rules(id: UUID, scope: CallerScope) -> list[TrafficRule]:
    """Active rules, oldest first."""
    website = scope.website(id)
    return [TrafficRule.of_row(row) for row in scope.reader.rows(_RULES, (website.id,))]


@router.get("/{id}/snippet", dependencies=[READS_OWN_WRITES])
def get_snippet(id: UUID, context: Context, scope: CallerScope) -> Snippet:
    """The script tag with the website's public key."""
    website = scope.website(id)
    key = _site_keys(scope, [website.id]).get(website.id)
    if key is None:
        raise Problem(404, "not_found", "Site key not found. Create one first.")
    return Snippet(html=snippet(context.settings.tracking_base_url, key))


def snippet(tracking_url: str, site_key: str) -> str:
    """The script tag."""
    return f'<script defer src="{escape(tracking_url)}/t.js" data-site="{escape(site_key)}"></script>'


def _with_defaults(currency: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    chosen = {name: value for name, value in settings.items() if value}
    return {"max_claim_amount": default_max_claim(currency), **_DEFAULTS, **chosen}


def _site_keys(scope: AccountScope, ids: list[UUID]) -> dict[UUID, str]:
    return {row["website_id"]: row["public_key"] for row in scope.reader.rows(_SITE_KEYS, (ids,))}
