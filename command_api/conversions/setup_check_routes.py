"""`POST /api/platform/links/{id}/test`: sends a test conversion through a link."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from fastapi import APIRouter, Request

from command_api.conversions import schemas
from command_api.conversions.setup_check import Walk
from command_api.kernel.bulkhead import Bulkhead
from command_api.kernel.decision import not_found
from command_api.kernel.http import Id, SignedIn, container_of, context_for
from command_api.kernel.rate_limits import Limit, consume
from command_api.links import model as links
from command_api.partners import model as partners
from command_api.websites import model as websites

router = APIRouter(prefix="/api/platform/links", tags=["links"])

TESTS: Final = Limit("test-conversions", timedelta(seconds=10), 6)
BULKHEAD: Final = Bulkhead(limit=4, limit_per_account=1, subject="Test conversions are")
"""Each may wait for its click to be recorded."""
MAX_WAIT_S: Final = 2.0


@router.post("/{id}/test")
def send_test_conversion(link_id: Id, request: Request, person: SignedIn) -> schemas.TestConversion:
    """Follows the link, waits for the click, checks the postback of the partner's network, and attributes a sale of
    100. Nothing is counted. Takes no body.
    """
    container, context = container_of(request), context_for(person)
    link = container.load(link_id, links.evolve)
    website = container.load(link.website_id, websites.evolve) if link is not None else None
    if link is None or link.deleted or website is None or not context.may_act_for(website.account_id):
        raise not_found("link")
    partner = container.load(link.partner_id, partners.evolve)
    if partner is None:
        raise not_found("partner")
    consume(container.pool, TESTS, str(person.account_id))
    with BULKHEAD.acquire(person.account_id, MAX_WAIT_S):
        return Walk(container, request.app.state.clicks, website, partner, link).run()
