"""The description of the tracking API says what ingest reads and answers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import msgspec

from infra.services.gateway import tracking_api
from ingest.app import _PREFIXES, _ROUTES
from ingest.endpoints.report import SentConversion
from ingest.reports.conversion_outcomes import to_response
from ingest.reports.presets import FIELDS
from ingest.rows import SentEvent


def properties(name: str) -> set[str]:
    return set(tracking_api.SCHEMAS[name]["properties"])


def fields(struct: Any) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(struct)}


def test_a_sent_event_has_the_fields_that_ingest_reads() -> None:
    assert properties("TrackEvent") == fields(SentEvent)


def test_a_sent_conversion_has_the_fields_that_ingest_reads() -> None:
    assert properties("ReportConversion") == fields(SentConversion)


def test_a_postback_has_althings_names() -> None:
    assert properties("PostbackForm") == FIELDS
    query = tracking_api.paths("")["/postback"]["get"]["parameters"]
    assert {parameter["name"] for parameter in query} == FIELDS - {"token"} | {"dry_run"}


def test_a_conversion_has_what_ingest_answers() -> None:
    at, id_ = datetime(2026, 11, 1, tzinfo=UTC), uuid4()
    row = (
        id_,
        "approved",
        "",
        "sale",
        "sale",
        "t",
        1,
        "USD",
        1,
        "USD",
        "",
        "click",
        at,
        at,
        at,
        id_,
        "a",
        "A",
        id_,
        "l",
        id_,
    )
    shown = to_response(row)
    assert properties("ReportedConversion") == {*shown, "message"}
    for part, name in (
        ("partner", "TrackedPartner"),
        ("link", "TrackedConversionLink"),
        ("commission", "TrackedAmount"),
    ):
        assert properties(name) == set(shown[part])


def test_every_endpoint_for_the_public_is_described() -> None:
    described = {path.partition("{")[0]: {method.upper() for method in item} for path, item in _paths().items()}
    served = {path: methods for path, (_, methods) in _ROUTES.items() if path.startswith(("/track", "/post", "/t."))}
    served |= {prefix: methods for prefix, _, methods in _PREFIXES if prefix in ("/go/", "/track/conversions/")}
    assert described == {path: methods - {"HEAD"} for path, methods in served.items()}


def _paths() -> dict[str, Any]:
    found = tracking_api.paths("https://track.example.com")
    return {path: {name: part for name, part in item.items() if name != "servers"} for path, item in found.items()}
