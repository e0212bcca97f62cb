"""TikTok Events API 2.0: `POST /open_api/v1.3/event/track/`.

An event is known by its name and `event_id`: sent again, it counts once. TikTok answers errors with status 200 and a
code. One event that it does not take rejects the whole request: then halves of it are sent, until what is wrong is
alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

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

_TOKEN_CODES: Final = frozenset({40001, 40100, 40102, 40104, 40105})
_LIMIT_CODES: Final = frozenset({40016, 40132, 40133})
_INTERNAL_CODES: Final = 50_000
"""Codes from here on are errors of TikTok's own."""


class TikTokEvents:
    """Implements `AdApi`."""

    platform: Final = AdPlatform.TIKTOK
    max_batch: Final = 50

    def send(
        self, call: Call, credentials: Mapping[str, str], conversions: Sequence[OutgoingConversion]
    ) -> Sequence[Outcome]:
        answer = call(_request(credentials, conversions))
        if answer.status == 200 and number_of(answer.body, "code") == 0:
            return [ConversionAccepted(f"Request {text_of(answer.body, 'request_id')}")] * len(conversions)
        return halved(self, call, credentials, conversions, _problem(answer))


def _request(credentials: Mapping[str, str], conversions: Sequence[OutgoingConversion]) -> AdRequest:
    content = {
        "event_source": "web",
        "event_source_id": credentials["pixelCode"],
        "data": [_event(each) for each in conversions],
    }
    return AdRequest(
        "https://business-api.tiktok.com",
        "/open_api/v1.3/event/track/",
        orjson.dumps(content),
        {"Content-Type": "application/json", "Access-Token": credentials["accessToken"]},
    )


def _event(conversion: OutgoingConversion) -> Mapping[str, Any]:
    if conversion.click_id is None:
        raise ValueError("a conversion for TikTok has a click id")
    value = conversion.value
    return {
        "event": conversion.event_name,
        "event_time": int(conversion.occurred_at.timestamp()),
        "event_id": conversion.conversion_id.hex,
        "user": {"ttclid": conversion.click_id[1]},
        "properties": {
            "value": orjson.Fragment(decimal_text(value.amount, value.currency)),
            "currency": value.currency,
        },
        "page": {"url": conversion.page_url},
    }


def _problem(answer: AdAnswer) -> str:
    """Returns what TikTok says against the content. Raises `SendFailed` where it is not about the content."""
    code, text = number_of(answer.body, "code"), text_of(answer.body, "message")
    if code in _TOKEN_CODES:
        raise SendingRefused("TikTok does not accept these credentials. Enter new ones.", answer.status)
    if code in _LIMIT_CODES:
        raise SendingLimited("TikTok limits the number of calls.", answer.status, LIMITED_WAIT)
    if code is None or code >= _INTERNAL_CODES:
        raise SendFailed(f"TikTok answers with code {code}.", answer.status)
    return text or f"TikTok rejects it with code {code}."
