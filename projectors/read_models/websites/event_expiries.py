"""`read.event_expiries`: when events of which days of a website expired: those before the UTC day `before`."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.websites import WebsiteEventsExpired

EVENT_EXPIRIES: Final = ReadModel(
    name="event_expiries",
    version=1,
    columns=("website_id uuid", "before date not null", "expired_at timestamptz not null"),
    key=("website_id", "before"),
    readers=OWN_WEBSITES,
)


EVENT_EXPIRIES.begins(WebsiteEventsExpired, at="expired_at")
