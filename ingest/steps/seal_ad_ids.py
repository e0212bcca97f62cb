"""Step seal_ad_ids: keeps the ad click ids of an address, sealed with the visitor's key of the day, where it may.

It may where the website has it switched on, Global Privacy Control is not sent, the visitor has not refused and, where
the website wants that, has agreed. What happened long ago (a backfill) keeps none: its days would begin today.
"""

from __future__ import annotations

from typing import Final

from infra.kernel.security.visitor_keys import seal
from ingest.event import LinkClick, SiteEvent
from ingest.metrics import Counters
from ingest.visitors.ad_click_ids import ad_click_ids, has_parameters
from ingest.visitors.request_context import Headers, RequestContext
from ingest.visitors.visitor_keys import VisitorKeyBlocks
from schemas.tracking import AD_IDS_NOT_KEPT, TrackedEvent

_GPC: Final = b"sec-gpc"


def seal_ad_ids(event: SiteEvent, *, visitor_keys: VisitorKeyBlocks, counters: Counters) -> None:
    """Sets the ids of an event of a page."""
    request, sent = event.request, event.sent
    if not request.website.keeps_ad_click_ids:
        return
    url, more = sent.url or "", sent.ad_params or ""
    if not more and (("?" not in url and not sent.hash) or not has_parameters(url)):
        return
    agreed = sent.consent.ads if sent.consent is not None else None
    if sent.gpc or request.backfill or not _may_keep(request, event.headers, agreed):
        return
    ids = ad_click_ids(url, more, with_fragment=sent.hash is True)
    if ids and not _keep(visitor_keys, request, event.row, ids):
        counters.ad_ids_not_kept += 1


def seal_link_ad_ids(event: LinkClick, *, visitor_keys: VisitorKeyBlocks, counters: Counters) -> None:
    """Sets the ids of a followed link, to which an advertisement may lead at once. No visitor is asked there: without a
    consent that the website needs they are not kept."""
    request = event.request
    query: bytes = event.scope["query_string"]
    if not query or not request.website.keeps_ad_click_ids or not _may_keep(request, event.headers, None):
        return
    ids = ad_click_ids("?" + query.decode("latin-1"))
    if ids and not _keep(visitor_keys, request, event.row, ids):
        counters.ad_ids_not_kept += 1


def _may_keep(request: RequestContext, headers: Headers, agreed: bool | None) -> bool:
    needs_consent = request.website.ad_click_ids_need_consent
    return headers.get(_GPC) != b"1" and (agreed is True if needs_consent else agreed is not False)


def _keep(keys: VisitorKeyBlocks, request: RequestContext, row: TrackedEvent, ids: dict[str, str]) -> bool:
    """Seals the ids; returns whether there was a key for it."""
    key = keys.key_of(request.website.id, row.visitor, request.now)
    if key is None:
        row.flags = f"{row.flags},{AD_IDS_NOT_KEPT}" if row.flags else AD_IDS_NOT_KEPT
        return False
    row.ad_ids = seal(key, row.event_id, ids)
    return True
