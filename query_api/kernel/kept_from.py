"""`X-Events-Kept-From`: the first UTC day whose single events are there, on lists of single events of a website whose
owner limited how long they are kept. What the list has is whole from that day on; earlier events are not in it."""

from __future__ import annotations

from typing import Final

from fastapi import Response

from query_api.kernel.authorization import Website

KEPT_FROM: Final = "X-Events-Kept-From"


def note_kept_from(response: Response, website: Website) -> None:
    """Sets the header where events have expired."""
    if website.expired_before is not None:
        response.headers[KEPT_FROM] = website.expired_before.isoformat()
