"""`/api/platform/conversions/approve|reject`: many at once, each decided for itself, all stored together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import Field, model_validator

from command_api.commands import Decided
from command_api.conversions import model
from command_api.conversions.tally import counted
from command_api.decision import Asked, Refused, missing
from command_api.http import Answer, Body, Run, Runs
from command_api.store import DecisionStore
from command_api.websites import model as websites
from schemas.base import DomainEvent
from schemas.days import FIRST_DAY, LAST_DAY, day_end, day_start
from schemas.zones import ZoneInfo

router = APIRouter(prefix="/api/platform/conversions", tags=["conversions"])

MOST: Final = 500
Day = Annotated[date, Field(ge=FIRST_DAY, le=LAST_DAY)]


class Filter(Body):
    """The pending conversions of a website, as the list shows them, the oldest first."""

    website_id: Annotated[UUID, Field(strict=False)]
    partner_id: Annotated[UUID | None, Field(strict=False)] = None
    from_: Annotated[Day | None, Field(strict=False, alias="from", description="First day, the website's zone")] = None
    to: Annotated[Day | None, Field(strict=False, description="Last day, inclusive")] = None


class Which(Body):
    """Either `ids` or a `filter`."""

    ids: Annotated[list[Annotated[UUID, Field(strict=False)]] | None, Field(min_length=1, max_length=MOST)] = None
    filter: Filter | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Which:
        if (self.ids is None) is (self.filter is None):
            raise ValueError("Please name either ids or a filter.")
        return self


class ApproveMany(Which):
    """What to approve."""


class RejectFilter(Filter):
    """Pending conversions, or approved ones that turned out to be wrong."""

    status: Annotated[Literal["pending", "approved"] | None, Field(description="None: pending")] = None


class RejectMany(Which):
    filter: RejectFilter | None = None
    reason: Annotated[str, Field(max_length=1000)]


class ItemResult(Answer):
    """What became of one of them. One that was so already is ok, too, and not changed."""

    id: UUID
    ok: bool
    changed: bool
    code: str | None = None
    message: str | None = None


class BulkResult(Answer):
    """One result for each, in the order asked for."""

    results: list[ItemResult]
    more: Annotated[bool, Field(description="The filter holds more than can be decided at once: send it again")]


Decide = Callable[[model.Conversion, Asked], Sequence[DomainEvent]]


@router.post("/approve", response_model=BulkResult)
def approve_conversions(body: ApproveMany, run: Runs) -> Response:
    """Approves up to 500 conversions; what cannot be approved says why and holds up no other."""
    return _decide_many(body, run, lambda conversion, asked: model.approve(conversion, asked))


@router.post("/reject", response_model=BulkResult)
def reject_conversions(body: RejectMany, run: Runs) -> Response:
    """Rejects up to 500 conversions for one reason."""
    reason = model.checked_reason(body.reason)
    return _decide_many(body, run, lambda conversion, asked: model.reject(conversion, reason, asked))


def _decide_many(body: Which, run: Run, decide: Decide) -> Response:
    def decided() -> Decided[BulkResult]:
        ids, more = _wanted(body, run)
        seen: dict[UUID, websites.Website | None] = {}
        events: list[DomainEvent] = []
        results: list[ItemResult] = []
        for conversion_id in dict.fromkeys(ids):
            try:
                conversion = _owned(run.core.store, conversion_id, seen, run.asked)
                steps = decide(conversion, run.asked)
            except Refused as refused:
                why = {"code": refused.code, "message": refused.message}
                results.append(ItemResult(id=conversion_id, ok=False, changed=False, **why))
            else:
                events.extend(steps)
                results.append(ItemResult(id=conversion_id, ok=True, changed=bool(steps)))
        return Decided(events, BulkResult(results=results, more=more), counted(events))

    # A filter that is sent again for the rest must not find again what was decided just now.
    return run(decided, body, seen_by=("conversions",) if body.filter is not None else ())


def _owned(
    store: DecisionStore, conversion_id: UUID, seen: dict[UUID, websites.Website | None], asked: Asked
) -> model.Conversion:
    found = store.load(conversion_id, model.evolve)
    if found is None:
        raise missing("conversion")
    website_id = found.facts.website_id
    if website_id not in seen:
        seen[website_id] = store.load(website_id, websites.evolve)
    return model.owned(found, seen[website_id], asked)


def _wanted(body: Which, run: Run) -> tuple[Sequence[UUID], bool]:
    """The ids, and whether the filter holds more. Raises `Refused` (missing) for a website that is not theirs."""
    if body.filter is None:
        return body.ids or (), False
    which = body.filter
    website = websites.owned(run.core.store.load(which.website_id, websites.evolve), run.asked)
    terms = ["website_id = %(website)s", "status = %(status)s"]
    status = (which.status if isinstance(which, RejectFilter) else None) or "pending"
    bound: dict[str, Any] = {"website": website.id, "status": status, "limit": MOST + 1}
    zone = ZoneInfo(website.timezone)
    if which.partner_id is not None:
        terms.append("partner_id = %(partner)s")
        bound["partner"] = which.partner_id
    if which.from_ is not None:
        terms.append("occurred_at >= %(from)s")
        bound["from"] = day_start(zone, which.from_)
    if which.to is not None:
        terms.append("occurred_at < %(to)s")
        bound["to"] = day_end(zone, which.to)
    sql = f"SELECT id FROM read.conversions WHERE {' AND '.join(terms)} ORDER BY occurred_at, id LIMIT %(limit)s"  # noqa: S608 - values are bound
    with run.core.pool.connection() as connection:
        found = [row[0] for row in connection.execute(sql.encode(), bound)]
    return found[:MOST], len(found) > MOST
