"""Microsoft Advertising Campaign Management API, version 13: offline conversions and their adjustments.

A conversion is known by its name, click id and time: sent again, it counts once. An adjustment names the same. Errors
come by the place of the conversion, and the others are taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
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
    number_of,
    text_of,
)
from command_api.destinations.platforms.client import LIMITED_WAIT
from schemas.currencies import decimal_text
from schemas.events.destinations import AdPlatform
from schemas.http.destinations import DeliveryKind

_SCOPE: Final = "https://ads.microsoft.com/msads.manage offline_access"
_LIMIT_CODES: Final = frozenset({117, 118})
_ALREADY_RETRACTED: Final = "AlreadyRetracted"
_TOKEN_CODES: Final = frozenset({105, 106, 109})


class MicrosoftConversions:
    """Implements `AdApi`."""

    platform: Final = AdPlatform.MICROSOFT
    max_batch: Final = 200

    def send(
        self, call: Call, credentials: Mapping[str, str], conversions: Sequence[OutgoingConversion]
    ) -> Sequence[Outcome]:
        origin, path = "https://login.microsoftonline.com", "/common/oauth2/v2.0/token"
        token = access_token(call, origin, path, credentials, "Microsoft Advertising", _SCOPE)
        is_correction = conversions[0].kind is not DeliveryKind.CONVERSION
        name = "OfflineConversionAdjustments" if is_correction else "OfflineConversions"
        content = [(_adjustment if is_correction else _conversion)(each) for each in conversions]
        answer = call(
            AdRequest(
                "https://campaign.api.bingads.microsoft.com",
                f"/CampaignManagement/v13/{name}/Apply",
                orjson.dumps({name: content}),
                {
                    "Content-Type": "application/json",
                    "Authorization": f"Bearer {token}",
                    "DeveloperToken": credentials["developerToken"],
                    "CustomerId": credentials["customerId"],
                    "CustomerAccountId": credentials["accountId"],
                },
            )
        )
        if answer.status != 200:
            raise _failure(answer)
        return _outcomes(answer, len(conversions))


def _conversion(conversion: OutgoingConversion) -> Mapping[str, Any]:
    value = conversion.value
    return {
        **_named(conversion),
        "ConversionValue": orjson.Fragment(decimal_text(value.amount, value.currency)),
        "ConversionCurrencyCode": value.currency,
    }


def _adjustment(conversion: OutgoingConversion) -> Mapping[str, Any]:
    value = conversion.value
    restated = {
        "AdjustmentValue": orjson.Fragment(decimal_text(value.amount, value.currency)),
        "AdjustmentCurrencyCode": value.currency,
    }
    is_retraction = conversion.kind is DeliveryKind.RETRACTION
    return {
        **_named(conversion),
        "AdjustmentType": "Retract" if is_retraction else "Restate",
        "AdjustmentTime": _time(conversion.prepared_at),
        **({} if is_retraction else restated),
    }


def _named(conversion: OutgoingConversion) -> Mapping[str, Any]:
    if conversion.click_id is None:
        raise ValueError("a conversion for Microsoft Advertising has a click id")
    return {
        "ConversionName": conversion.event_name,
        "ConversionTime": _time(conversion.occurred_at),
        "MicrosoftClickId": conversion.click_id[1],
    }


def _time(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _outcomes(answer: AdAnswer, count: int) -> list[Outcome]:
    outcomes: list[Outcome] = [ConversionAccepted() for _ in range(count)]
    errors = answer.body.get("PartialErrors") or []
    for error in errors if isinstance(errors, list) else []:
        place = number_of(error, "Index") if isinstance(error, Mapping) else None
        if place is None or not 0 <= place < count:
            raise SendFailed("Microsoft Advertising does not say which conversions it rejects.", answer.status)
        text = text_of(error, "Message") or text_of(error, "ErrorCode")
        is_known = _ALREADY_RETRACTED in text_of(error, "ErrorCode")
        outcomes[place] = (
            ConversionAccepted(text) if is_known else ConversionNotAccepted(text or "Microsoft Advertising rejects it.")
        )
    return outcomes


def _failure(answer: AdAnswer) -> SendFailed:
    errors = answer.body.get("Errors") or answer.body.get("OperationErrors") or []
    codes = {number_of(error, "Code") for error in errors if isinstance(error, Mapping)}
    if answer.status == 403 or codes & _TOKEN_CODES:
        text = "Microsoft Advertising does not accept these credentials. Enter new ones."
        return SendingRefused(text, answer.status)
    if codes & _LIMIT_CODES:
        return SendingLimited("Microsoft Advertising limits the number of calls.", answer.status, LIMITED_WAIT)
    return SendFailed(f"Microsoft Advertising answers with {answer.status}.", answer.status)
