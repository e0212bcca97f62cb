"""`GET /api/platform/destinations`: ad platforms that get decided conversions. `…/{id}/deliveries`: what was sent to
each, and why not. `…/{id}/file`: the same to upload.

A file has what was prepared on its days, so that each delivery is in the file of one day, and the file of a day that is
over never changes but for click ids that are erased meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from infra.domain.ad_platforms.files import UploadLine, conversion_file, correction_file, needs_click_id
from infra.domain.ad_platforms.rules import PLATFORMS, click_id_of
from infra.kernel.http.openapi import file_response
from infra.kernel.http.problems import Problem
from infra.kernel.security.visitor_keys import WRAPPED, Sealed, VisitorKeys, key_ids
from query_api.analytics.request import Day
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context
from query_api.kernel.pagination import Page50, invalid_parameter
from query_api.kernel.postgres_reader import PostgresReader, Row
from schemas.days import day_end, day_start
from schemas.events.destinations import AdPlatform, DestinationMapping
from schemas.http.destinations import DeliveryKind, DeliveryState, Destination, mapping_shape
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel

router = APIRouter(prefix="/api/platform/destinations", tags=["destinations"], dependencies=[READS_OWN_WRITES])

PAGE: Final = 2_000
"""Lines of a file that are read together."""
Id = Annotated[UUID, Path(alias="id")]
From = Annotated[Day, Query(alias="from", description="First day, in the website's time zone: YYYY-MM-DD")]
To = Annotated[Day, Query(description="Last day, inclusive")]
Kind = Annotated[
    Literal["conversions", "corrections"],
    Query(description="corrections: new amounts and retractions of conversions in earlier files"),
]


class DestinationDetails(Destination):
    """A destination, since when, and why nothing is sent."""

    added_at: datetime
    problem: str = Field(description="Why the platform refuses the credentials; empty: it does not")


class ConversionDelivery(ResponseModel):
    """What is sent of a conversion, and what came of it."""

    id: UUID
    conversion_id: UUID
    kind: DeliveryKind | None = Field(description="Null: nothing was prepared")
    state: DeliveryState
    name: str | None = Field(description="Of the conversion at the platform")
    value: Amount | None = Field(description="Of the whole conversion from then on; null: nothing was prepared")
    occurred_at: datetime | None
    decided_at: datetime
    prepared_at: datetime | None = Field(description="On this day it is in the file")
    attempts: int
    attempted_at: datetime | None
    next_attempt_at: datetime | None
    status: int | None = Field(description="Of the platform's last answer")
    reason: str = Field(description="Code of what keeps it from being sent; empty: nothing")
    answer: str = Field(description="What the platform answered, or why nothing is sent")


_LISTED: Final = (
    "SELECT id, website_id, platform, mapping, is_automatic, is_refused, problem, added_at FROM read.destinations"
    " WHERE website_id = ANY(%(websites)s)"
    " AND (%(at)s::timestamptz IS NULL OR (added_at, id) < (%(at)s, %(last)s::uuid))"
    " ORDER BY added_at DESC, id DESC LIMIT %(limit)s"
)
_ONE: Final = "SELECT website_id, platform FROM read.destinations WHERE id = %s"
_DELIVERIES: Final = (
    "SELECT id, conversion_id, kind, state, event_name, value, currency, occurred_at, created_at, prepared_at,"
    " attempts, attempted_at, CASE WHEN state IN ('new', 'ready') THEN due_at END AS next_attempt_at, status, reason,"
    " answer"
    " FROM destinations.delivery WHERE destination_id = %(destination)s AND website_id = %(website)s"
    " AND (%(state)s::text IS NULL OR state = %(state)s)"
    " AND (%(at)s::timestamptz IS NULL OR (created_at, id) < (%(at)s, %(last)s::uuid))"
    " ORDER BY created_at DESC, id DESC LIMIT %(limit)s"
)
_LINES: Final = (
    "SELECT number, conversion_id, kind, event_name, occurred_at, prepared_at, value, currency, click_event_id,"
    " click_sealed FROM destinations.delivery"
    " WHERE destination_id = %(destination)s AND website_id = %(website)s AND number > %(after)s"
    " AND (kind = 'conversion') = %(conversions)s AND state IN ('ready', 'in_file', 'sent', 'failed')"
    " AND prepared_at IS NOT NULL AND (%(start)s::timestamptz IS NULL OR prepared_at >= %(start)s)"
    " AND (%(end)s::timestamptz IS NULL OR prepared_at < %(end)s) ORDER BY number LIMIT %(limit)s"
)


@router.get("")
def get_destinations(
    scope: CallerScope, page: Page50, website_id: Annotated[UUID | None, Query(alias="websiteId")] = None
) -> list[DestinationDetails]:
    """Ad platforms that get decided conversions, the newest first. Credentials are never shown."""
    rows = page.rows(scope.reader, _LISTED, "added_at", {"websites": scope.scope(website_id)})
    return [
        DestinationDetails.of_row({**row, "mapping": mapping_shape(DestinationMapping.model_validate(row["mapping"]))})
        for row in rows
    ]


@router.get("/{id}/deliveries")
def get_deliveries(
    destination_id: Id, scope: CallerScope, page: Page50, state: Annotated[DeliveryState | None, Query()] = None
) -> list[ConversionDelivery]:
    """What was sent, and what cannot be sent and why: the last 400 days, the newest decision first."""
    website_id = scope.row(_ONE, destination_id, "destination")["website_id"]
    bound = {"destination": destination_id, "website": website_id, "state": state}
    return [_to_response(row) for row in page.rows(scope.reader, _DELIVERIES, "created_at", bound)]


@router.get("/{id}/file", response_class=Response, responses=file_response("text/csv"))
def get_file(
    destination_id: Id,
    scope: CallerScope,
    context: Context,
    from_: From = None,
    to: To = None,
    kind: Kind = "conversions",
) -> Response:
    """What is to be uploaded to Google Ads or Microsoft Advertising of the decisions of these days."""
    row = scope.row(_ONE, destination_id, "destination")
    platform, website = AdPlatform(row["platform"]), scope.website(row["website_id"])
    if not PLATFORMS[platform].has_files:
        name = PLATFORMS[platform].name
        raise Problem(409, "no_file", f"{name} accepts no files: conversions are sent by its API.")
    if from_ is not None and to is not None and from_ > to:
        raise invalid_parameter("from", "from must not be after to.")
    bound = {
        "destination": destination_id,
        "website": website.id,
        "conversions": kind == "conversions",
        "start": None if from_ is None else day_start(website.zone, from_),
        "end": None if to is None else day_end(website.zone, to),
    }
    lines = _lines(scope.reader, VisitorKeys(context.settings), platform, bound)
    parts = (conversion_file if kind == "conversions" else correction_file)(platform, lines)
    days = "-".join(str(day) for day in (from_, to) if day is not None) or "all"
    first = next(parts)  # what cannot be read at all is an error, not half a file
    return StreamingResponse(
        chain([first], parts),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{platform}-{kind}-{days}.csv"'},
    )


def _lines(
    reader: PostgresReader, keys: VisitorKeys, platform: AdPlatform, bound: dict[str, Any]
) -> Iterator[UploadLine]:
    """Yields those whose click id can still be read, in the order of the decisions."""
    is_needed, after = needs_click_id(platform, is_correction=not bound["conversions"]), 0
    while rows := reader.rows(_LINES, {**bound, "after": after, "limit": PAGE}):
        after = rows[-1]["number"]
        texts = [row["click_sealed"] for row in rows if row["click_sealed"]]
        wrapped = {one["key_id"]: one["key_wrapped"] for one in reader.rows(WRAPPED, (list(key_ids(texts)),))}
        for row in rows:
            ids = None
            if row["click_sealed"] and row["click_event_id"]:
                ids = keys.open(Sealed(bound["website"], row["click_event_id"], row["click_sealed"]), wrapped)
            click_id = click_id_of(PLATFORMS[platform], ids) if ids else None
            if click_id is not None or not is_needed:
                yield _line(row, click_id)


def _line(row: Row, click_id: tuple[str, str] | None) -> UploadLine:
    is_retraction = row["kind"] == DeliveryKind.RETRACTION
    return UploadLine(
        row["conversion_id"],
        row["event_name"],
        click_id,
        row["occurred_at"],
        None if is_retraction else row["value"],
        row["currency"],
        None if row["kind"] == DeliveryKind.CONVERSION else row["prepared_at"],
    )


def _to_response(row: Row) -> ConversionDelivery:
    is_prepared = row["value"] is not None
    return ConversionDelivery.of_row(
        {
            **{name: row[name] for name in row if name not in ("event_name", "currency", "created_at")},
            "name": row["event_name"],
            "decided_at": row["created_at"],
            "value": Amount(amount=row["value"], currency=row["currency"]) if is_prepared else None,
        }
    )
