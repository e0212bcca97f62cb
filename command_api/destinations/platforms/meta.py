"""Meta Conversions API: `POST /v26.0/{pixel}/events`.

An event is known by its name and `event_id`: sent again, it counts once. The browser of the buyer is not known, so the
source of an event is `other`, which needs neither its user agent nor an address. One event that Meta does not take
rejects the whole request: then halves of it are sent, until what is wrong is alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

import orjson

from command_api.destinations.platforms.ad_api import (
    AdAnswer,
    AdRequest,
    Call,
    ConversionAccepted,
    Outcome,
    OutgoingConversion,
    SendFailed,
    SendingLimited,
    SendingRefused,
    halved,
    number_of,
    text_of,
)
from command_api.destinations.platforms.client import LIMITED_WAIT
from schemas.currencies import decimal_text
from schemas.events.destinations import AdPlatform

VERSION: Final = "v26.0"
_TOKEN_CODES: Final = frozenset({10, 102, 190, 200})
_LIMIT_CODES: Final = frozenset({4, 17, 32, 613, 80004})
_TEMPORARY_CODES: Final = frozenset({1, 2})


class MetaConversions:
    """Implements `AdApi`."""

    platform: Final = AdPlatform.META
    max_batch: Final = 100

    def send(
        self, call: Call, credentials: Mapping[str, str], conversions: Sequence[OutgoingConversion]
    ) -> Sequence[Outcome]:
        answer = call(_request(credentials, conversions))
        if answer.status == 200:
            return [ConversionAccepted(f"Trace {text_of(answer.body, 'fbtrace_id')}")] * len(conversions)
        return halved(self, call, credentials, conversions, _problem(answer))


def _request(credentials: Mapping[str, str], conversions: Sequence[OutgoingConversion]) -> AdRequest:
    query = urlencode({"access_token": credentials["accessToken"]})
    return AdRequest(
        "https://graph.facebook.com",
        f"/{VERSION}/{credentials['pixelId']}/events?{query}",
        orjson.dumps({"data": [_event(each) for each in conversions]}),
        {"Content-Type": "application/json"},
    )


def _event(conversion: OutgoingConversion) -> Mapping[str, Any]:
    if conversion.click_id is None or conversion.clicked_at is None:
        raise ValueError("a conversion for Meta has a click id")
    value = conversion.value
    return {
        "event_name": conversion.event_name,
        "event_time": int(conversion.occurred_at.timestamp()),
        "event_id": conversion.conversion_id.hex,
        "action_source": "other",
        "user_data": {"fbc": _fbc(conversion.clicked_at, conversion.click_id[1])},
        "custom_data": {
            "value": orjson.Fragment(decimal_text(value.amount, value.currency)),
            "currency": value.currency,
        },
    }


def _fbc(clicked_at: datetime, fbclid: str) -> str:
    """The click as Meta's own script would store it."""
    return f"fb.1.{int(clicked_at.timestamp() * 1000)}.{fbclid}"


def _problem(answer: AdAnswer) -> str:
    """Returns what Meta says against the content. Raises `SendFailed` where it is not about the content."""
    code, text = number_of(answer.body, "error", "code"), text_of(answer.body, "error", "message")
    if code in _TOKEN_CODES:
        raise SendingRefused("Meta does not accept these credentials. Enter new ones.", answer.status)
    if code in _LIMIT_CODES:
        raise SendingLimited("Meta limits the number of calls.", answer.status, LIMITED_WAIT)
    if code is None or code in _TEMPORARY_CODES:
        raise SendFailed(f"Meta answers with {answer.status}.", answer.status, timedelta(0))
    return text_of(answer.body, "error", "error_user_msg") or text or f"Meta rejects it with code {code}."
