"""`/api/marketplace/offers/{id}/transfer`: what moves to the buyer of a website, and how far that is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter

from query_api.kernel.authorization import require_existing
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from query_api.kernel.postgres_reader import PostgresReader
from query_api.marketplace.schemas import Transfer, TransferContent
from schemas.events.marketplace import Side

router = APIRouter(prefix="/api/marketplace", tags=["marketplace"])


@router.get("/offers/{id}/transfer", dependencies=[READS_OWN_WRITES])
def get_transfer(id: UUID, scope: CallerScope) -> Transfer:
    """For the two sides. The buyer sees what the seller offers from the seller's consent on; before the website is
    sold there is nothing to see."""
    me = scope.principal.account_id
    offer = require_existing(scope.reader.row(_OFFER, {"id": id, "me": me}), "offer")
    side: Side = "buyer" if offer["buyer_id"] == me else "seller"
    status = offer["transfer_status"]
    website_id = offer["transfer_website"] or offer["website_id"]
    is_accepted = status == "accepted"
    is_visible = website_id is not None and not is_accepted and (side == "seller" or status == "proposed")
    of_seller = scope.of_account(offer["seller_id"])
    website = of_seller.row(_WEBSITE, (website_id, offer["seller_id"])) if is_visible else None
    of_buyer = scope.of_account(offer["buyer_id"])
    moved = of_buyer.row(_WEBSITE, (website_id, offer["buyer_id"])) if is_accepted and side == "buyer" else None
    return Transfer(
        status=status,
        side=side,
        can_propose=side == "seller" and website is not None and status != "proposed",
        website_id=website_id if (website is not None and side == "seller") or moved is not None else None,
        domain=(website or moved or {}).get("domain"),
        at=offer["transfer_at"],
        is_moved=is_accepted and _has_moved(of_seller, of_buyer, website_id, offer),
        content=_content(of_seller, website_id) if website is not None else None,
    )


def _content(reader: PostgresReader, website_id: UUID) -> TransferContent:
    return TransferContent.of_row(require_existing(reader.row(_CONTENT, {"website": website_id}), "website"))


def _has_moved(of_seller: PostgresReader, of_buyer: PostgresReader, website_id: UUID, offer: Mapping[str, Any]) -> bool:
    """The read models follow the one decision each at their own pace: nothing of the seller's is left in any, and the
    secret keys have ended. Who gets the website next has it after that."""
    values = {"website": website_id, "seller": offer["seller_id"], "at": offer["transfer_at"]}
    if any(reader.row(_SOLD_AGAIN, values) is not None for reader in (of_seller, of_buyer)):
        return True
    return of_seller.row(_LEFT, values) is None and of_buyer.row(_OLD_KEY, values) is None


_OFFER: Final = """
SELECT o.id, o.seller_id, o.buyer_id, o.transfer_status, o.transfer_website, o.transfer_at, l.website_id
FROM read.offers AS o LEFT JOIN read.listings AS l
  ON l.id = o.listing_id AND l.status = 'sold' AND o.escrow_status IN ('released', 'completed')
WHERE o.id = %(id)s AND %(me)s IN (o.seller_id, o.buyer_id)"""
_WEBSITE: Final = "SELECT id, domain FROM read.websites WHERE id = %s AND account_id = %s AND deleted_at IS NULL"
_CONTENT: Final = """
SELECT
  (SELECT count(*) FROM read.sites WHERE website_id = %(website)s) AS sites,
  (SELECT count(*) FROM read.site_subscriptions AS s JOIN read.sites AS t ON t.id = s.site_id
   WHERE t.website_id = %(website)s AND s.state IN ('pending', 'confirmed')) AS subscribers,
  (SELECT count(*) FROM read.links WHERE website_id = %(website)s AND deleted_at IS NULL) AS links,
  (SELECT count(*) FROM read.website_keys WHERE website_id = %(website)s AND revoked_at IS NULL AND kind = 'site')
    AS site_keys,
  (SELECT count(*) FROM read.website_keys WHERE website_id = %(website)s AND revoked_at IS NULL AND kind <> 'site')
    AS secret_keys,
  (SELECT coalesce(array_agg(domain ORDER BY domain), '{}') FROM read.custom_domains
   WHERE website_id = %(website)s AND removed_at IS NULL AND is_verified) AS domains,
  (SELECT count(*) FROM read.custom_domains
   WHERE website_id = %(website)s AND removed_at IS NULL AND NOT is_verified) AS unverified_domains,
  (SELECT coalesce(array_agg(name ORDER BY name), '{}') FROM read.partners WHERE account_id IS NOT NULL
   AND id IN (SELECT partner_id FROM read.links WHERE website_id = %(website)s UNION ALL
     SELECT (v ->> 'partner_id')::uuid FROM read.links AS l, jsonb_array_elements(l.routing -> 'variants') AS v
     WHERE l.website_id = %(website)s UNION ALL
     SELECT unnest(former_partners) FROM read.links WHERE website_id = %(website)s)) AS partners,
  (SELECT count(*) FROM read.social_channels WHERE website_id = %(website)s) AS channels,
  (SELECT count(*) FROM social.connection AS c JOIN read.social_channels AS s ON s.id = c.channel_id
   WHERE s.website_id = %(website)s) AS connections,
  (SELECT count(*) FROM read.conversions WHERE website_id = %(website)s) AS conversions,
  (SELECT count(*) FROM read.payouts WHERE website_id = %(website)s) AS payouts,
  (SELECT count(*) FROM read.payouts WHERE website_id = %(website)s AND file IS NOT NULL) AS files,
  (SELECT count(*) FROM read.saved_views WHERE website_id = %(website)s AND removed_at IS NULL) AS views,
  (SELECT count(*) FROM read.reports WHERE website_id = %(website)s AND removed_at IS NULL) AS reports"""
_LEFT: Final = """
SELECT 1 FROM read.websites WHERE id = %(website)s AND account_id = %(seller)s
UNION ALL SELECT 1 FROM read.sites WHERE website_id = %(website)s AND account_id = %(seller)s
UNION ALL SELECT 1 FROM read.custom_domains
  WHERE website_id = %(website)s AND account_id = %(seller)s AND removed_at IS NULL"""
_OLD_KEY: Final = """
SELECT 1 FROM read.website_keys
WHERE website_id = %(website)s AND kind <> 'site' AND revoked_at IS NULL AND created_at < %(at)s"""
_SOLD_AGAIN: Final = """
SELECT 1 FROM read.offers
WHERE transfer_website = %(website)s AND transfer_status = 'accepted' AND transfer_at > %(at)s"""
