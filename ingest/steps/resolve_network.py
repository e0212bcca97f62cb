"""Step resolve_network: the partner of an event on an affiliate link that the script found in a page.

The script knows the network of the link, not the partner: it is the only partner of that network of which the website
has tracked links. With several, or none, the event has no partner, unless the page names one.
"""

from __future__ import annotations

from typing import Final

import msgspec

from ingest.directory.directory import Directory
from ingest.errors import invalid
from ingest.event import SiteEvent
from schemas.tracking import IMPRESSION, MAX_IMPRESSIONS_EVERY, NO_ID_TEXT

CLICK: Final = "click"


def resolve_network(event: SiteEvent, *, directory: Directory) -> None:
    """Sets the partner, and bounds the number that an impression counts for. Raises `EventRejected` (bad_value)."""
    row = event.row
    if row.type == IMPRESSION:
        if not 1 <= row.value <= MAX_IMPRESSIONS_EVERY:
            raise invalid("bad_value", f"value of {IMPRESSION} is from 1 to {MAX_IMPRESSIONS_EVERY:,}")
        if event.request.kind == "site":  # anybody knows the key: one view stands for no more than the script samples
            row.value = min(row.value, max(1, event.request.website.link_impressions_every))
    elif row.type != CLICK:
        return
    if row.partner_id == NO_ID_TEXT and '"network"' in row.props:
        name = event.request.website.id, _network_in(row.props)
        row.partner_id = directory.network_partners.get(name) or NO_ID_TEXT


class _ClickIdProps(msgspec.Struct):
    network: str = ""


def _network_in(props: str) -> str:
    try:
        return _decode(props).network
    except msgspec.ValidationError:
        return ""


_decode: Final = msgspec.json.Decoder(_ClickIdProps).decode
