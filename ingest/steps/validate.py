"""Step validate: is this an event that can be kept? Starts the record with what the site itself says of it."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec
from msgspec.structs import astuple, replace

from infra.kernel.net.geoip import GeoIpDatabase
from ingest.errors import invalid, not_allowed
from ingest.event import SiteEvent
from ingest.origins.referrers import MAX_TEXT, clean
from ingest.reports.money import MAX_AMOUNT, exponent_of
from ingest.rows import NO_PROPS, PROPERTIES, SentEvent, Text
from ingest.steps.decode import finite
from ingest.visitors.request_context import set_client, with_overrides
from schemas.tracking import TrackedEvent

MAX_PROPS: Final = 4096
MAX_TITLE: Final = 512
RESERVED: Final = frozenset({"conversion"})
"""Types that only decided events have; a site that sent one would change money."""


def validate(event: SiteEvent, *, places: GeoIpDatabase) -> None:
    """Sets type, title, properties, value, props, and the client that the website's server names. Raises
    `EventRejected`."""
    sent, kind = event.sent, event.sent.type
    if kind not in _USUAL:
        _check_type(kind)
    row = event.row = event.row if event.is_alone else replace(event.row)
    row.type = kind
    if sent.title:
        row.title = clean(sent.title)[:MAX_TITLE]
    if sent.value is not None:
        if not -MAX_AMOUNT <= sent.value <= MAX_AMOUNT:
            raise invalid("bad_value", "value is an integer (minor units, if it is money) within 10^15")
        row.value = sent.value
    if sent.currency is not None:
        exponent_of(sent.currency)
        row.currency = sent.currency
    if sent.props:
        row.props = _props_of(sent)
    properties = astuple(sent)[_PROPERTIES]
    if properties != _NONE:
        _set_properties(row, properties)
    if sent.ip is not None or sent.user_agent is not None:
        if event.request.kind != "secret":
            raise not_allowed("override_not_allowed", "ip and user_agent need a secret key.")
        event.request = with_overrides(event.request, sent.ip, sent.user_agent, places)
        set_client(row, event.request.client)


def _props_of(sent: SentEvent) -> str:
    """The properties as they are kept; `sent` gets them in one order, for its hash. Raises `EventRejected`."""
    try:
        props = _decode(sent.props)
    except msgspec.ValidationError as error:
        raise invalid("bad_props", f"props: {str(error).partition(' - at ')[0]}") from None
    except (ValueError, RecursionError):
        raise invalid("bad_json", "props is not JSON in UTF-8, or nested too deeply.") from None
    if props is None:
        sent.props = NO_PROPS
        return ""
    text = props_text(props) if props else ""
    if sent.id is not None:
        sent.props = msgspec.Raw(_encode_in_order(props))
    return text


def props_text(props: dict[str, Any]) -> str:
    """The properties as they are kept. Raises `EventRejected` (bad_props, props_too_large)."""
    try:
        text = _encode(props)
    except (ValueError, OverflowError, RecursionError, msgspec.MsgspecError):
        raise invalid("bad_props", "props cannot be written as JSON again") from None
    if len(text) > MAX_PROPS:
        raise invalid("props_too_large", f"props may have {MAX_PROPS} bytes as JSON")
    return text.decode()


def _set_properties(row: TrackedEvent, values: tuple[Text, ...]) -> None:
    for name, value in zip(PROPERTIES, values, strict=True):
        if value is not None:
            setattr(row, name, clean(str(value))[:MAX_TEXT])


def _check_type(kind: str) -> None:
    if kind in RESERVED:
        raise invalid("reserved_type", "Report conversions with POST /track/sale, /track/lead or /postback.")
    if _TYPE.fullmatch(kind) is None:
        raise invalid("bad_type", "type is pageview, click or a name of your own: 1 to 64 of a-z, 0-9, _ . -")


_FIRST: Final = SentEvent.__struct_fields__.index(PROPERTIES[0])
_PROPERTIES: Final = slice(_FIRST, _FIRST + len(PROPERTIES))
"""The positions of the properties among the fields of `SentEvent`: one cut is a tenth of the cost of a loop over their
names."""
_NONE: Final = (None,) * len(PROPERTIES)
_USUAL: Final = frozenset({"pageview", "click"})
_TYPE: Final = re.compile(r"[a-z0-9_.-]{1,64}", re.A)
_encode: Final = msgspec.json.Encoder().encode
_encode_in_order: Final = msgspec.json.Encoder(order="deterministic").encode
_decode: Final = msgspec.json.Decoder(dict[str, Any] | None, float_hook=finite).decode
