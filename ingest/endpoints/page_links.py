"""Reads the data that the script in a page needs for the affiliate links there; the answer to its events contains
it."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Any, Final

from ingest.context import IngestContext
from ingest.visitors.request_context import RequestContext
from schemas import click_id

CLICK_IDS: Final = 3
"""Ids in one answer. Each click gets another answer: more are needed only by who opens links faster than that."""


def page_links(context: IngestContext, request: RequestContext) -> dict[str, Any] | None:
    """The website's settings, and click ids for the next clicks if it has them switched on; none: everything is off."""
    website = request.website
    if not (website.link_click_ids or website.link_impressions_every):
        return None
    ids = [_mint(context, request) for _ in range(CLICK_IDS)] if website.link_click_ids else []
    return {"click_ids": ids, "impressions_every": website.link_impressions_every}


def _mint(context: IngestContext, request: RequestContext) -> str:
    client = request.client
    return click_id.mint(
        context.click_key,
        at=datetime.fromtimestamp(request.now / 1000, UTC),
        link_code=click_id.IN_PAGE,
        website_id=request.website.id,
        country=client.country,
        device=client.agent.device,
        nonce=int.from_bytes(os.urandom(4), "big"),
    )
