"""Ad platforms in process: they check what is sent to them by the documented rules, and count what they took.

A server forgets nothing: `counted` has each conversion once, by the platform's own dedupe rule, however often it came.
`faults` answers a call, by its number from 0, with a status or a cut connection.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.support.network_servers import CUT, ServedAnswer

Fault = int | str


@dataclass
class AdServer:
    """`token`: what it accepts. `retry_after`: seconds in the header of a 429; none: it has none."""

    now: Callable[[], datetime]
    token: str = "an-access-token"
    faults: dict[int, Fault] = field(default_factory=dict)
    retry_after: int | None = None
    calls: list[datetime] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    counted: dict[tuple[str, ...], Decimal] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)

    def respond(self, method: str, target: str, headers: Mapping[str, str], content: bytes) -> ServedAnswer:
        number = len(self.calls)
        self.calls.append(self.now())
        fault = self.faults.get(number)
        lowered = {name.lower(): value for name, value in headers.items()}
        if isinstance(fault, int):
            more = {} if fault != 429 or self.retry_after is None else {"Retry-After": str(self.retry_after)}
            return ServedAnswer(fault, {}, more)
        is_form = lowered.get("content-type") == "application/x-www-form-urlencoded"
        body = parse_qs(content.decode()) if is_form else json.loads(content or b"{}", parse_float=Decimal)
        self.bodies.append(body)
        status, answer = self.answer(method, urlsplit(target).path, parse_qs(urlsplit(target).query), lowered, body)
        return ServedAnswer(status, answer, is_cut=fault == CUT)

    def answer(
        self, method: str, path: str, query: Mapping[str, list[str]], headers: Mapping[str, str], body: Any
    ) -> tuple[int, Any]:
        raise NotImplementedError  # each platform answers in its own way


@dataclass
class MetaServer(AdServer):
    """Conversions API: one event that is wrong rejects the whole request. `reject`: such an event's id."""

    pixel: str = "123456789"
    reject: str = ""

    def answer(
        self, method: str, path: str, query: Mapping[str, list[str]], _headers: Mapping[str, str], body: Any
    ) -> tuple[int, Any]:
        if not re.fullmatch(rf"/v\d+\.0/{self.pixel}/events", path) or method != "POST":
            return 404, _meta_error(803, "Unknown path")
        if query.get("access_token") != [self.token]:
            return 400, _meta_error(190, "Invalid OAuth access token.")
        events = body.get("data")
        if not isinstance(events, list) or not 1 <= len(events) <= 1_000:
            return 400, _meta_error(100, "Param data is required")
        problems = [problem for event in events if (problem := self._problem(event))]
        if problems:
            self.refused += problems
            return 400, _meta_error(100, problems[0])
        for event in events:
            self.counted.setdefault((event["event_name"], event["event_id"]), Decimal(event["custom_data"]["value"]))
        return 200, {"events_received": len(events), "messages": [], "fbtrace_id": "Abc"}

    def _problem(self, event: Any) -> str:
        at, user, custom = event.get("event_time"), event.get("user_data"), event.get("custom_data", {})
        if not isinstance(at, int) or not 10**9 < at < 10**10:
            return "event_time is in seconds"
        if self.reject and event.get("event_id") == self.reject:
            return f"The event is not valid: {user}"
        now = self.now().timestamp()
        if at < now - timedelta(days=7).total_seconds() or at > now:
            return "event_time is older than 7 days or in the future"
        if not event.get("event_name") or not event.get("event_id"):
            return "event_name and event_id are required"
        if event.get("action_source") == "website" and not (
            event.get("event_source_url") and user.get("client_user_agent")
        ):
            return "a website's event needs event_source_url and client_user_agent"
        if event.get("action_source") not in ("website", "app", "email", "phone_call", "chat", "other"):
            return "action_source"
        if not isinstance(user, dict) or not user or user.keys() - {"fbc", "fbp", "client_user_agent"}:
            return "user_data: only what needs no hashing is known here"
        if not re.fullmatch(r"fb\.1\.\d{13}\.[A-Za-z0-9_.-]+", user.get("fbc", "")):
            return "fbc"
        if event["event_name"] == "Purchase" and not (
            isinstance(custom.get("value"), Decimal | int) and re.fullmatch("[A-Z]{3}", custom.get("currency", ""))
        ):
            return "a purchase has value and currency"
        return ""


def _meta_error(code: int, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "OAuthException", "code": code, "fbtrace_id": "Abc"}}


@dataclass
class TikTokServer(AdServer):
    """Events API 2.0: errors have status 200 and a code. `reject`: the id of an event that it does not take."""

    pixel: str = "C4A1B2C3D4E5"
    reject: str = ""

    def answer(
        self, method: str, path: str, query: Mapping[str, list[str]], headers: Mapping[str, str], body: Any
    ) -> tuple[int, Any]:
        if (method, path, query) != ("POST", "/open_api/v1.3/event/track/", {}):
            return 404, {}
        if headers.get("access-token") != self.token:
            return 200, {"code": 40105, "message": "Access token is incorrect or has been revoked."}
        if (body.get("event_source"), body.get("event_source_id")) != ("web", self.pixel):
            return 200, {"code": 40002, "message": "event_source_id"}
        events = body.get("data")
        if not isinstance(events, list) or not 1 <= len(events) <= 50:
            return 200, {"code": 40002, "message": "data"}
        problems = [problem for event in events if (problem := self._problem(event))]
        if problems:
            self.refused += problems
            return 200, {"code": 40002, "message": problems[0]}
        for event in events:
            value = Decimal(event["properties"]["value"])
            self.counted.setdefault((event["event"], event["event_id"]), value)
        return 200, {"code": 0, "message": "OK", "request_id": "2026"}

    def _problem(self, event: Any) -> str:
        if self.reject and event.get("event_id") == self.reject:
            return f"The event is not valid: {event.get('user')}"
        if not isinstance(event.get("event_time"), int) or not 10**9 < event["event_time"] < 10**10:
            return "event_time is in seconds"
        if not event.get("event") or not event.get("event_id") or event.get("user", {}).keys() != {"ttclid"}:
            return "event, event_id or user"
        if not event.get("page", {}).get("url", "").startswith("https://"):
            return "page.url is required for web"
        return "" if re.fullmatch("[A-Z]{3}", event.get("properties", {}).get("currency", "")) else "currency"


@dataclass
class CorrectingServer(AdServer):
    """What takes conversions and corrections by place. `credentials`: of the token exchange; `later`: click ids that it
    finds only in the second call that has them."""

    developer_token: str = "developer-token"
    token_calls: int = 0
    retracted: set[tuple[str, ...]] = field(default_factory=set)
    later: set[str] = field(default_factory=set)

    def exchanged(self, body: Mapping[str, list[str]]) -> tuple[int, Any]:
        self.token_calls += 1
        wanted = {"grant_type": ["refresh_token"], "client_id": ["client-id"], "client_secret": ["client-secret"]}
        if {name: body.get(name) for name in wanted} != wanted or body.get("refresh_token") != [self.token]:
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": f"short-lived-{self.token_calls}", "expires_in": 3600}

    def is_authorized(self, headers: Mapping[str, str]) -> bool:
        return (
            headers.get("authorization") == f"Bearer short-lived-{self.token_calls}"
            and headers.get("developer-token", headers.get("developertoken")) == self.developer_token
        )

    def correct(self, key: tuple[str, ...], at: datetime | None, value: Decimal | None) -> str:
        """Applies a correction; why not, if it cannot be."""
        if key not in self.counted:
            return "CONVERSION_NOT_FOUND"
        if key in self.retracted or at is None:
            return "CONVERSION_ALREADY_RETRACTED" if value is None else "CANNOT_RESTATE"
        if value is None:
            self.retracted.add(key)
        self.counted[key] = value or Decimal(0)
        return ""


@dataclass
class GoogleAdsServer(CorrectingServer):
    """`uploadClickConversions` and `uploadConversionAdjustments`."""

    customer: str = "1234567890"

    def answer(
        self, method: str, path: str, query: Mapping[str, list[str]], headers: Mapping[str, str], body: Any
    ) -> tuple[int, Any]:
        if path == "/token":
            return self.exchanged(body)
        action = re.fullmatch(rf"/v\d+/customers/{self.customer}:(\w+)", path)
        if method != "POST" or action is None or query:
            return 404, {}
        if not self.is_authorized(headers):
            return 401, {"error": {"status": "UNAUTHENTICATED"}}
        if body.get("partialFailure") is not True:
            return 400, {"error": {"status": "INVALID_ARGUMENT"}}
        handle, name = {
            "uploadClickConversions": (self._conversion, "conversions"),
            "uploadConversionAdjustments": (self._adjustment, "conversionAdjustments"),
        }[action[1]]
        errors = [(place, code) for place, each in enumerate(body[name]) if (code := handle(each))]
        self.refused += [code for _, code in errors]
        listed = [_google_error(name, place, code) for place, code in errors]
        failure = {"partialFailureError": {"code": 3, "details": [{"errors": listed}]}} if listed else {}
        return 200, {"results": [{} for _ in body[name]], **failure}

    def _conversion(self, sent: Any) -> str:
        ids = [sent[name] for name in ("gclid", "gbraid", "wbraid") if name in sent]
        at = _google_time(sent.get("conversionDateTime", ""))
        if len(ids) != 1 or at is None or at > self.now() or not sent.get("orderId"):
            return "INVALID_ARGUMENT"
        if not re.fullmatch(rf"customers/{self.customer}/conversionActions/\d+", sent.get("conversionAction", "")):
            return "INVALID_CONVERSION_ACTION"
        if ids[0] in self.later:
            self.later.discard(ids[0])
            return "TOO_RECENT_EVENT"
        key = (sent["conversionAction"], sent["orderId"])
        if key in self.counted:
            return "ORDER_ID_ALREADY_IN_USE"
        self.counted[key] = Decimal(sent["conversionValue"])
        return ""

    def _adjustment(self, sent: Any) -> str:
        value = sent.get("restatementValue", {}).get("adjustedValue")
        if (sent["adjustmentType"], value is None) not in (("RETRACTION", True), ("RESTATEMENT", False)):
            return "INVALID_ARGUMENT"
        key = (sent["conversionAction"], sent["orderId"])
        return self.correct(key, _google_time(sent["adjustmentDateTime"]), None if value is None else Decimal(value))


@dataclass
class MicrosoftServer(CorrectingServer):
    """`OfflineConversions/Apply` and `OfflineConversionAdjustments/Apply`."""

    def answer(
        self, method: str, path: str, query: Mapping[str, list[str]], headers: Mapping[str, str], body: Any
    ) -> tuple[int, Any]:
        if path == "/common/oauth2/v2.0/token":
            return self.exchanged(body)
        name = re.fullmatch(r"/CampaignManagement/v13/(OfflineConversions|OfflineConversionAdjustments)/Apply", path)
        if method != "POST" or name is None or query:
            return 404, {}
        if not self.is_authorized(headers) or not headers.get("customerid") or not headers.get("customeraccountid"):
            return 401, {}
        rows = body[name[1]]
        handle = self._conversion if name[1] == "OfflineConversions" else self._adjustment
        errors = [(place, code) for place, each in enumerate(rows) if (code := handle(each))]
        self.refused += [code for _, code in errors]
        return 200, {"PartialErrors": [{"Index": place, "ErrorCode": code, "Message": code} for place, code in errors]}

    def _conversion(self, sent: Any) -> str:
        at = _microsoft_time(sent.get("ConversionTime", ""))
        if not re.fullmatch(r"[A-Za-z0-9_-]{4,128}", sent.get("MicrosoftClickId", "")) or at is None or at > self.now():
            return "OfflineConversionInvalid"
        self.counted.setdefault(_microsoft_key(sent), Decimal(sent["ConversionValue"]))
        return ""

    def _adjustment(self, sent: Any) -> str:
        value = sent.get("AdjustmentValue")
        if (sent["AdjustmentType"], value is None) not in (("Retract", True), ("Restate", False)):
            return "OfflineConversionAdjustmentInvalid"
        at = _microsoft_time(sent["AdjustmentTime"])
        problem = self.correct(_microsoft_key(sent), at, None if value is None else Decimal(value))
        return "OfflineConversionAlreadyRetracted" if problem == "CONVERSION_ALREADY_RETRACTED" else problem


def _google_error(name: str, place: int, code: str) -> dict[str, Any]:
    index = {"index": place} if place else {}
    path = {"fieldPathElements": [{"fieldName": name, **index}]}
    return {"errorCode": {"conversionUploadError": code}, "message": code, "location": path}


def _google_time(text: str) -> datetime | None:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d", text):
        return None
    return datetime.fromisoformat(text)


def _microsoft_time(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text) else None


def _microsoft_key(sent: Any) -> tuple[str, ...]:
    return (sent["ConversionName"], sent["MicrosoftClickId"], sent["ConversionTime"])
