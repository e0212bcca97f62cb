"""The tracking API in the OpenAPI document: ingest has no framework, so its endpoints are described here.

Fields of an event follow from `schemas.tracking`; a unit test compares the others with what ingest reads and answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from infra.kernel.http.openapi import REFUSALS, file_content
from schemas.tracking import EVENT_COLUMNS, SUBS

Schema = dict[str, Any]

SECURITY_SCHEMES: Final[Mapping[str, Schema]] = {
    "websiteKey": {
        "type": "http",
        "scheme": "bearer",
        "description": "Site key (`pk_`), secret key (`sk_`) or postback token (`pb_`) of a website.",
    },
    "siteKey": {"type": "apiKey", "in": "query", "name": "site", "description": "A site key in the address."},
    "postbackToken": {"type": "apiKey", "in": "query", "name": "token", "description": "In partners' postback URLs."},
}


def paths(tracking_url: str) -> dict[str, Any]:
    """The paths of the tracking API, served under `tracking_url`."""
    servers = [{"url": tracking_url, "description": "Tracking API"}]
    return {path: {"servers": servers, **item} for path, item in _PATHS.items()}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(properties: Mapping[str, Schema], required: Iterable[str] = (), description: str = "") -> Schema:
    return {"type": "object", "description": description, "required": list(required), "properties": dict(properties)}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


_STRING: Final[Schema] = {"type": "string"}
_ID: Final[Schema] = {"type": "string", "format": "uuid"}
_MINOR_UNITS: Final[Schema] = {"type": "integer", "minimum": -(10**15), "maximum": 10**15}
_PROPERTIES: Final[Schema] = {"type": "object", "description": "Properties of your own, up to 4 KB"}
_TIME: Final[Schema] = {
    "anyOf": [{"type": "string"}, {"type": "integer"}],
    "description": "ISO 8601 (UTC unless it has a zone) or Unix milliseconds",
}
_CONVERSION_STATUS: Final[Schema] = {
    "type": "string",
    "description": "pending, approved, rejected, reversed, hold; or a network's digit",
}
_SENT_TEXT: Final[Mapping[str, str]] = {
    "type": "pageview, click, or a name of your own: 1 to 64 of a-z 0-9 _ . -",
    "id": "Any UUID: the same id counts once",
    "site": "The site key, unless the header or the address has a key",
    "url": "Of the page",
    "referrer": "Of the page",
    "title": "Of the page",
    "visitor_id": "Your id of the visitor; stored as a keyed hash",
    "session_id": "Your id of the session; stored as a keyed hash",
    "click_id": "A click id from Althing",
    "link": "A link's slug or id",
    "partner": "A partner's slug",
}
_EVENT: Final = {
    **{name: {**_STRING, "description": text} for name, text in _SENT_TEXT.items()},
    "occurred_at": _TIME,
    "sent_at": {**_TIME, "description": "What the sender's clock reads while it sends, in the forms of `occurred_at`"},
    "hash": {"type": "boolean", "description": "The fragment of `url` is part of the page"},
    "view": {**_STRING, "description": "Of a link impression: its page view, in which the link counts once"},
    "ad_params": {**_STRING, "description": "Ad click ids that are not in `url`: name=value&..."},
    "consent": _object(
        {
            "ads": {"type": "boolean", "description": "false: no ad click ids are kept"},
            "analytics": {"type": "boolean", "description": "false: the browser stores nothing"},
        },
        [],
        "What the visitor agreed to or refused, as far as you know",
    ),
    "gpc": {"type": "boolean", "description": "The visitor's browser sends Global Privacy Control"},
    **{column.name: {**_STRING, "description": column.meaning} for column in EVENT_COLUMNS if column.is_sent},
    "value": {**_MINOR_UNITS, "description": "Minor units, if `currency` is given"},
    "currency": {**_STRING, "description": "ISO 4217"},
    "props": _PROPERTIES,
    "ip": {**_STRING, "description": "The visitor's, when your server sends the event (secret key)"},
    "user_agent": {**_STRING, "description": "The visitor's, when your server sends the event (secret key)"},
}
_REPORT: Final = {
    "site": {**_STRING, "description": _SENT_TEXT["site"]},
    "click_id": {**_STRING, "description": _SENT_TEXT["click_id"]},
    "visitor_id": {**_STRING, "description": _SENT_TEXT["visitor_id"]},
    "coupon": _STRING,
    "txid": {**_STRING, "description": "Your id of the transaction"},
    "amount": {**_MINOR_UNITS, "description": "Minor units: 4990 = 49.90 USD"},
    "currency": {**_STRING, "description": "ISO 4217"},
    "payout": {**_MINOR_UNITS, "description": "What the partner pays, in minor units, if it differs from the terms"},
    "status": _CONVERSION_STATUS,
    "event": {**_STRING, "description": "Name of the kind of conversion; default sale, lead"},
    "occurred_at": _TIME,
    "customer_id": {**_STRING, "description": "Stored as a keyed hash"},
    "props": _PROPERTIES,
}
_POSTBACK: Final = {
    "click_id": _SENT_TEXT["click_id"],
    "txid": "Id of the transaction",
    "event": "Name of the kind of conversion",
    "status": str(_CONVERSION_STATUS["description"]),
    "payout": "A decimal amount",
    "amount": "A decimal amount",
    "currency": "ISO 4217",
    "coupon": "",
    "customer_id": "Stored as a keyed hash",
    "occurred_at": str(_TIME["description"]),
    "partner": "A partner's slug: its network names the parameters",
    "preset": "A network's slug: it names the parameters",
    **dict.fromkeys(SUBS, ""),
}
_DECIDED: Final = {
    "id": _ID,
    "status": _STRING,
    "reason": _or_null(_STRING),
    "message": {**_STRING, "description": "Of a report that was rejected"},
    "kind": {**_STRING, "description": "lead or sale"},
    "event": _STRING,
    "txid": _STRING,
    "amount": _or_null({"type": "integer"}),
    "currency": _or_null(_STRING),
    "commission": _or_null(_ref("TrackedAmount")),
    "click_id": _or_null(_STRING),
    "attributed_by": _or_null(_STRING),
    "partner": _or_null(_ref("TrackedPartner")),
    "link": _or_null(_ref("TrackedConversionLink")),
    "occurred_at": _or_null({"type": "string", "format": "date-time"}),
    "recorded_at": _or_null({"type": "string", "format": "date-time"}),
    "decided_at": _or_null({"type": "string", "format": "date-time"}),
}

SCHEMAS: Final[Mapping[str, Schema]] = {
    "TrackEvent": _object(_EVENT, ["type"], "One event; unknown fields are ignored."),
    "TrackResult": _object(
        {
            "accepted": {"type": "integer"},
            "rejected": {"type": "array", "items": _ref("TrackRejection")},
            "links": {"type": "object", "description": "For the browser script: its settings"},
            "debug": {"type": "array", "items": {"type": "object"}, "description": "With X-Debug-Request"},
        },
        ["accepted", "rejected"],
        "What the log has now.",
    ),
    "TrackRejection": _object(
        {"index": {"type": "integer"}, "code": _STRING, "message": _STRING},
        ["index", "code", "message"],
        "An event of the batch that is not stored.",
    ),
    "ReportConversion": _object(_REPORT, description="A reported conversion; unknown fields are ignored."),
    "PostbackForm": _object(
        {name: {**_STRING, "description": text} for name, text in {**_POSTBACK, "token": "Postback token"}.items()},
        description="As the query of a GET; a network's own names are accepted as well.",
    ),
    "ReportedConversion": _object(_DECIDED, ["id", "status"], "Id and status; the rest once it is decided."),
    "TrackedAmount": _object(
        {"amount": {"type": "integer", "description": "Minor units"}, "currency": _STRING}, ["amount", "currency"]
    ),
    "TrackedPartner": _object({"id": _ID, "slug": _STRING, "name": _STRING}, ["id", "slug", "name"]),
    "TrackedConversionLink": _object({"id": _ID, "slug": _STRING}, ["id", "slug"]),
}


def _query(fields: Mapping[str, str], required: Iterable[str] = ()) -> list[Schema]:
    needed = set(required)
    return [
        {"name": name, "in": "query", "required": name in needed, "schema": _STRING, "description": text}
        for name, text in fields.items()
    ]


def _operation(operation_id: str, summary: str, security: list[Schema], **more: Any) -> Schema:
    return {
        "tags": ["tracking"],
        "operationId": operation_id,
        "summary": summary,
        "security": security,
        **more,
        "responses": {**REFUSALS, **more["responses"]},
    }


def _json(name: str, description: str) -> Schema:
    return {"description": description, "content": {"application/json": {"schema": _ref(name)}}}


def _sent(schema: Schema) -> Schema:
    return {"required": True, "content": {"application/json": {"schema": schema}}}


_BY_KEY: Final[list[Schema]] = [{"websiteKey": []}, {"siteKey": []}]
_BY_TOKEN: Final[list[Schema]] = [{"websiteKey": []}, {"postbackToken": []}]
_REPORTED: Final[dict[str, Any]] = {
    "200": _json("ReportedConversion", "A repeat, or with `wait` the decision"),
    "202": _json("ReportedConversion", "Stored"),
}
_WAIT: Final[Schema] = {
    "name": "wait",
    "in": "query",
    "required": False,
    "schema": {"type": "boolean", "default": False},
    "description": "Wait up to two seconds for the decision",
}
_DRY_RUN: Final[Schema] = {
    "name": "dry_run",
    "in": "query",
    "required": False,
    "schema": _STRING,
    "description": "1: check only, record nothing",
}
_POSTBACK_TEXT: Final = "A partner or network reports a conversion; amounts are decimals."

_PATHS: Final[Mapping[str, Schema]] = {
    "/track": {
        "post": _operation(
            "track",
            "Send events",
            _BY_KEY,
            description="One event or an array of them: at most 1 MiB and 10,000 events of 32 KB each. Also one a line"
            " (`application/x-ndjson`), gzipped if you like.",
            requestBody=_sent({"oneOf": [_ref("TrackEvent"), {"type": "array", "items": _ref("TrackEvent")}]}),
            responses={"202": _json("TrackResult", "Stored")},
        )
    },
    "/track/sale": {
        "post": _operation(
            "trackSale",
            "Report a sale",
            _BY_KEY,
            parameters=[_WAIT],
            requestBody=_sent(_ref("ReportConversion")),
            responses=_REPORTED,
        )
    },
    "/track/lead": {
        "post": _operation(
            "trackLead",
            "Report a lead",
            _BY_KEY,
            parameters=[_WAIT],
            requestBody=_sent(_ref("ReportConversion")),
            responses=_REPORTED,
        )
    },
    "/track/conversions/{id}": {
        "get": _operation(
            "getTrackedConversion",
            "The status of a conversion (secret key)",
            [{"websiteKey": []}],
            parameters=[{"name": "id", "in": "path", "required": True, "schema": _ID}],
            responses={"200": _json("ReportedConversion", "The conversion")},
        )
    },
    "/postback": {
        "get": _operation(
            "getPostback",
            "Postback",
            _BY_TOKEN,
            description=_POSTBACK_TEXT,
            parameters=[*_query(_POSTBACK), _DRY_RUN],
            responses=_REPORTED,
        ),
        "post": _operation(
            "postPostback",
            "Postback",
            _BY_TOKEN,
            description=f"{_POSTBACK_TEXT} The query may have all of it, or a part; JSON is accepted as well.",
            parameters=[_DRY_RUN],
            requestBody={"content": {"application/x-www-form-urlencoded": {"schema": _ref("PostbackForm")}}},
            responses=_REPORTED,
        ),
    },
    "/go/{slug}": {
        "get": _operation(
            "followLink",
            "Follow a tracked link",
            [],
            description="Records the click and redirects the visitor; 404 unknown, 410 switched off, as pages.",
            parameters=[
                {"name": "slug", "in": "path", "required": True, "schema": _STRING},
                *_query({**dict.fromkeys(SUBS, "Overrides the link's own"), "page": "Where the link stood: its path"}),
                *_query({"placement": "Where on that page it stood"}),
            ],
            responses={
                "302": {"description": "On to the destination"},
                "default": {"description": "A page that says why", "content": file_content("text/html")},
            },
        )
    },
    "/t.js": {
        "get": _operation(
            "getScript",
            "The browser script",
            [],
            responses={"200": {"description": "The script", "content": file_content("text/javascript")}},
        )
    },
    "/t.gif": {
        "get": _operation(
            "getPixel",
            "One event by an image",
            [],
            parameters=_query(
                {
                    name: str(schema.get("description", ""))
                    for name, schema in {**_EVENT, "site": {"description": "The site key"}}.items()
                    if name not in ("props", "ip", "user_agent", "consent")
                },
                required=["site"],
            ),
            responses={
                "200": {"description": "An image of one pixel", "content": file_content("image/gif")},
                "default": {"description": "The image; X-Refused says why", "content": file_content("image/gif")},
            },
        )
    },
}
