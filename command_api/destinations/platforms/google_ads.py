"""Google Ads API: `uploadClickConversions` and `uploadConversionAdjustments` with partial failures.

A conversion is known by its action and order id: sent again, it counts once. A correction names the same order id.
Google finds a click only some hours after it, and a conversion only some hours after that: what is too recent is sent
again later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import orjson

from command_api.destinations.platforms.access_tokens import access_token
from command_api.destinations.platforms.ad_api import (
    AdAnswer,
    AdRequest,
    Call,
    ConversionAccepted,
    ConversionNotAccepted,
    Outcome,
    OutgoingConversion,
    SendFailed,
    SendingLimited,
    SendingRefused,
    text_of,
)
from command_api.destinations.platforms.client import LIMITED_WAIT
from infra.domain.ad_platforms.files import order_id
from schemas.currencies import decimal_text
from schemas.events.destinations import AdPlatform
from schemas.http.destinations import DeliveryKind

VERSION: Final = "v26"
LATER: Final = timedelta(hours=6)
_KNOWN: Final = frozenset(
    {
        "CLICK_CONVERSION_ALREADY_EXISTS",
        "ORDER_ID_ALREADY_IN_USE",
        "DUPLICATE_ORDER_ID",
        "CONVERSION_ALREADY_RETRACTED",
    }
)
"""Errors of what Google has already."""
_TOO_RECENT: Final = frozenset(
    {
        *("TOO_RECENT_EVENT", "TOO_RECENT_CONVERSION_ACTION", "TOO_RECENT_CALL", "CLICK_NOT_FOUND"),
        *("TOO_RECENT_CONVERSION", "CONVERSION_NOT_FOUND"),
    }
)


class GoogleAdsConversions:
    """Implements `AdApi`."""

    platform: Final = AdPlatform.GOOGLE_ADS
    max_batch: Final = 200

    def send(
        self, call: Call, credentials: Mapping[str, str], conversions: Sequence[OutgoingConversion]
    ) -> Sequence[Outcome]:
        token = access_token(call, "https://oauth2.googleapis.com", "/token", credentials, "Google Ads")
        is_correction = conversions[0].kind is not DeliveryKind.CONVERSION
        method = "uploadConversionAdjustments" if is_correction else "uploadClickConversions"
        name = "conversionAdjustments" if is_correction else "conversions"
        customer = credentials["customerId"]
        content = [(_adjustment if is_correction else _conversion)(customer, each) for each in conversions]
        answer = call(
            AdRequest(
                "https://googleads.googleapis.com",
                f"/{VERSION}/customers/{customer}:{method}",
                orjson.dumps({name: content, "partialFailure": True}),
                {
                    "Content-Type": "application/json",
                    "Authorization": f"Bearer {token}",
                    "developer-token": credentials["developerToken"],
                },
            )
        )
        if answer.status != 200:
            raise _failure(answer)
        return _outcomes(answer, len(conversions))


def _conversion(customer: str, conversion: OutgoingConversion) -> Mapping[str, Any]:
    if conversion.click_id is None:
        raise ValueError("a conversion for Google Ads has a click id")
    name, value = conversion.click_id
    return {
        name: value,
        "conversionAction": _action(customer, conversion),
        "conversionDateTime": _time(conversion.occurred_at),
        "conversionValue": orjson.Fragment(decimal_text(conversion.value.amount, conversion.value.currency)),
        "currencyCode": conversion.value.currency,
        "orderId": order_id(conversion.conversion_id),
    }


def _adjustment(customer: str, conversion: OutgoingConversion) -> Mapping[str, Any]:
    value = conversion.value
    restated = {
        "restatementValue": {
            "adjustedValue": orjson.Fragment(decimal_text(value.amount, value.currency)),
            "currencyCode": value.currency,
        }
    }
    return {
        "adjustmentType": "RETRACTION" if conversion.kind is DeliveryKind.RETRACTION else "RESTATEMENT",
        "conversionAction": _action(customer, conversion),
        "adjustmentDateTime": _time(conversion.prepared_at),
        "orderId": order_id(conversion.conversion_id),
        **({} if conversion.kind is DeliveryKind.RETRACTION else restated),
    }


def _action(customer: str, conversion: OutgoingConversion) -> str:
    return f"customers/{customer}/conversionActions/{conversion.event_name}"


def _time(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S+00:00")


def _outcomes(answer: AdAnswer, count: int) -> list[Outcome]:
    outcomes: list[Outcome] = [ConversionAccepted() for _ in range(count)]
    failure = answer.body.get("partialFailureError")
    if failure is None:
        return outcomes
    errors = [error for detail in _list(failure, "details") for error in _list(detail, "errors")]
    placed = [(place, error) for error in errors if (place := _place(error)) is not None and place < count]
    if len(placed) != len(errors) or not errors:
        raise SendFailed("Google Ads does not say which conversions it rejects.", answer.status)
    for place, error in placed:
        outcomes[place] = _outcome(error)
    return outcomes


def _outcome(error: Mapping[str, Any]) -> Outcome:
    codes = {str(code) for code in dict(error.get("errorCode") or {}).values()}
    text = text_of(error, "message") or "Google Ads rejects it."
    if codes & _KNOWN:
        return ConversionAccepted(text)
    return ConversionNotAccepted(text, LATER if codes & _TOO_RECENT else None)


def _place(error: Mapping[str, Any]) -> int | None:
    """The place of the conversion that the error is about."""
    location = error.get("location")
    elements = _list(location, "fieldPathElements") if isinstance(location, Mapping) else []
    if not elements:
        return None
    index = elements[0].get("index", 0)  # protobuf leaves out a zero
    return int(index) if str(index).isdecimal() else None


def _list(value: object, name: str) -> list[Mapping[str, Any]]:
    found = value.get(name) if isinstance(value, Mapping) else None
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


def _failure(answer: AdAnswer) -> SendFailed:
    status = text_of(answer.body, "error", "status")
    if answer.status == 403 or status in ("UNAUTHENTICATED", "PERMISSION_DENIED"):
        return SendingRefused("Google Ads does not accept these credentials. Enter new ones.", answer.status)
    if status == "RESOURCE_EXHAUSTED":
        return SendingLimited("Google Ads limits the number of calls.", answer.status, LIMITED_WAIT)
    return SendFailed(f"Google Ads answers with {answer.status}.", answer.status)
