"""Step detect_bot of what a browser fetches: HEAD requests, prefetches and missing user agents are no visits either."""

from __future__ import annotations

from ingest.bots import bot_detection
from ingest.event import PageEvent


def detect_bot(event: PageEvent) -> None:
    """Sets bot flag and reason; the referrer is set before."""
    client, row = event.request.client, event.row
    reason = bot_detection.visit_reason(
        client.agent, bool(client.agent_text), event.headers, event.method, row.referrer_host
    )
    row.is_bot, row.bot_reason = bool(reason), reason
