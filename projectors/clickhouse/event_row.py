"""One record of topic `clicks` as the projection checks it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec

Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Unsigned = Annotated[int, msgspec.Meta(ge=0)]


class Row(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """`schemas.tracking.TrackedEvent` as msgspec checks it; a unit test holds the two together."""

    event_id: UUID
    website_id: UUID
    type: str
    occurred_at: datetime
    received_at: datetime
    visitor: Unsigned = 0
    session: Unsigned = 0
    hostname: str = ""
    path: str = ""
    title: str = ""
    referrer_host: str = ""
    source: str = ""
    channel: str = ""
    utm_source: str = ""
    utm_medium: str = ""
    utm_campaign: str = ""
    utm_content: str = ""
    utm_term: str = ""
    country: str = "ZZ"
    region: str = ""
    device: str = ""
    browser: str = ""
    os: str = ""
    is_bot: bool = False
    bot_reason: str = ""
    click_id: str = ""
    link_id: UUID = UUID(int=0)
    partner_id: UUID = UUID(int=0)
    sub1: str = ""
    sub2: str = ""
    sub3: str = ""
    sub4: str = ""
    sub5: str = ""
    sub6: str = ""
    sub7: str = ""
    sub8: str = ""
    sub9: str = ""
    sub10: str = ""
    value: Int64 = 0
    currency: str = ""
    props: str = ""
    flags: str = ""
    origin: str = "server"
