"""The shapes of the hot path as msgspec structs: what a site sends, and the record that goes into the log.

`Row` mirrors `schemas.tracking.TrackedEvent` field by field (a unit test holds them together): pydantic's own
encoding would cost more than the whole rest of the way.
"""

from __future__ import annotations

from typing import Final

import msgspec

from schemas.tracking import NO_ID

NO_ID_TEXT: Final = str(NO_ID)
Text = str | int | None
NO_PROPS: Final = msgspec.Raw()


class SentEvent(msgspec.Struct, omit_defaults=True):
    """One event of `POST /track` as a site sends it; unknown fields are ignored.

    `props` stays as it was sent until step validate: decoded, a body full of lists would take fifty times its size.
    """

    type: str
    id: str | None = None
    site: str | None = None
    occurred_at: str | int | None = None
    url: str | None = None
    referrer: str | None = None
    title: str | None = None
    visitor_id: Text = None
    session_id: Text = None
    click_id: str | None = None
    link: str | None = None
    partner: str | None = None
    sub1: Text = None
    sub2: Text = None
    sub3: Text = None
    sub4: Text = None
    sub5: Text = None
    sub6: Text = None
    sub7: Text = None
    sub8: Text = None
    sub9: Text = None
    sub10: Text = None
    value: int | None = None
    currency: str | None = None
    props: msgspec.Raw = NO_PROPS
    ip: str | None = None
    user_agent: str | None = None


class Row(msgspec.Struct, omit_defaults=True):
    """One record of topic `clicks`; see `TrackedEvent` for what each field means."""

    event_id: str
    website_id: str
    type: str
    occurred_at: str
    received_at: str
    visitor: int = 0
    session: int = 0
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
    link_id: str = NO_ID_TEXT
    partner_id: str = NO_ID_TEXT
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
    value: int = 0
    currency: str = ""
    props: str = ""
    flags: str = ""
    origin: str = "server"


SUBS: Final = tuple(f"sub{number}" for number in range(1, 11))
encode_row: Final = msgspec.json.Encoder().encode
