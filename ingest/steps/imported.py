"""The steps of a page view in an access log. Lines without a page view were left out before: no step drops."""

from __future__ import annotations

from hashlib import blake2b

from ingest.directory.directory import WebsiteRow
from ingest.errors import EventRejected
from ingest.event import ImportedPage
from ingest.origins.referrers import MAX_URL, ReferrerPage, host_of, read_page
from ingest.steps.enrich import set_source


def enrich(event: ImportedPage) -> None:
    """Sets page and source."""
    request = event.request
    set_source(event.row, _page(request.website, event.page.target), host_of(event.page.referrer), request)


def pseudonymise(event: ImportedPage) -> None:
    """Sets the visitor: address and user agent of that day, hashed with a key that does not change, so that the same
    file always gives the same visitors."""
    request = event.request
    message = f"{event.page.address}\n{request.client.agent_text}\n{event.row.occurred_at[:10]}".encode()
    digest = blake2b(
        request.website.id_bytes + message, digest_size=8, key=event.visitor_key, person=b"import"
    ).digest()
    event.row.visitor = int.from_bytes(digest, "big")


def _page(website: WebsiteRow, target: str) -> ReferrerPage:
    try:
        return read_page(f"https://{website.domain}{target if target.startswith('/') else '/' + target}"[:MAX_URL])
    except EventRejected:
        return ReferrerPage(website.domain, target.partition("?")[0][:1024])
