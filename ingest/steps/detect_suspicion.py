"""Step detect_suspicion: marks what is probably faked (`ingest.visitors.suspicion`)."""

from __future__ import annotations

from typing import Final

from ingest.event import NO_HEADERS, SiteEvent
from ingest.visitors.suspicion import SuspicionDetector

SITE: Final = "site"


def detect_suspicion(event: SiteEvent, *, suspicion_detector: SuspicionDetector) -> None:
    """Marks the record, if the address is the visitor's: with a secret key it is that of the website's own server,
    unless the event names another."""
    request, sent = event.request, event.sent
    if request.kind == SITE or sent.ip is not None:
        headers = event.headers if request.kind == SITE else NO_HEADERS
        suspicion_detector.judge(request, headers, event.row, is_named=bool(sent.visitor_id))
