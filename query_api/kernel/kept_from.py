"""`X-Events-Kept-From`: the first UTC day whose single events are there, on lists of single events of websites whose
owners limited how long they are kept. What the list has is whole from that day on; earlier events of at least one of
these websites are not in it."""

from __future__ import annotations

from datetime import date
from typing import Final

from fastapi import Response

from query_api.kernel.authorization import Website

KEPT_FROM: Final = "X-Events-Kept-From"


def note_kept_from(response: Response, website: Website) -> None:
    """Sets the header where events have expired."""
    response.headers.update(kept_from_header(website.expired_before))


def kept_from_header(first_day: date | None) -> dict[str, str]:
    """The header, if events of days before this one have expired."""
    return {KEPT_FROM: first_day.isoformat()} if first_day is not None else {}
