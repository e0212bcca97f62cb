"""`/api/platform/conversions/approve|reject`: many at once, each decided for itself, all stored together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import AwareDatetime, Field, model_validator

from command_api.commands import Decided
from command_api.conversions import model
from command_api.conversions.tally import counted
from command_api.decision import Asked, Refused, conflict, missing
from command_api.http import Answer, Body, Run, Runs
from command_api.store import DecisionStore
from command_api.websites import model as websites
from schemas.base import DomainEvent
from schemas.days import FIRST_DAY, LAST_DAY, day_end, day_start
from schemas.zones import ZoneInfo

router = APIRouter(prefix="/api/platform/conversions", tags=["conversions"])

MOST: Final = 500
KeyKind = Literal["site", "secret", "postback", "import"]
Day = Annotated[date, Field(ge=FIRST_DAY, le=LAST_DAY)]


class Filter(Body):
    """The pending conversions of a website, as the list shows them, the oldest first."""

    website_id: Annotated[UUID, Field(strict=False)]
    partner_id: Annotated[UUID | None, Field(strict=False)] = None
    from_: Annotated[Day | None, Field(strict=False, alias="from", description="First day, the website's zone")] = None
    to: Annotated[Day | None, Field(strict=False, description="Last day, inclusive")] = None

    key_kind: Annotated[KeyKind | None, Field(description="site: claims")] = None
    click_id: Annotated[str | None, Field(max_length=64, description="The click that earned them")] = None
    address_class: Annotated[str | None, Field(max_length=40, description="Class of the reporting address")] = None
    since: Annotated[AwareDatetime | None, Field(strict=False, description="Recorded then or later")] = None
    until: Annotated[AwareDatetime | None, Field(strict=False, description="Recorded before")] = None


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
        wanted = _wanted(body, run)
        seen: dict[UUID, websites.Website | None] = {}
        events: list[DomainEvent] = []
        results: list[ItemResult] = []
        for conversion_id in dict.fromkeys(wanted.ids):
            try:
                conversion = _owned(run.core.store, conversion_id, seen, run.asked)
                wanted.check(conversion)
                steps = decide(conversion, run.asked)
            except Refused as refused:
                why = {"code": refused.code, "message": refused.message}
                results.append(ItemResult(id=conversion_id, ok=False, changed=False, **why))
            else:
                events.extend(steps)
                results.append(ItemResult(id=conversion_id, ok=True, changed=bool(steps)))
        return Decided(events, BulkResult(results=results, more=wanted.more), counted(events))

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


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The conversions to decide. What a filter found may lag: its condition is checked again on each conversion."""

    ids: Sequence[UUID]
    more: bool = False
    filter: Filter | None = None
    status: str = ""
    start: datetime | None = None
    end: datetime | None = None

    def check(self, conversion: model.Conversion) -> None:
        """Raises `Refused` (no_longer_matches) when the conversion is not what the filter names any more."""
        which = self.filter
        if which is None:
            return
        facts = conversion.facts
        click = facts.attribution
        matches = (
            conversion.status.value == self.status
            and which.partner_id in (None, click.partner_id if click else None)
            and (self.start is None or facts.occurred_at >= self.start)
            and (self.end is None or facts.occurred_at < self.end)
            and which.key_kind in (None, conversion.key_kind)
            and which.click_id in (None, click.click_id if click else None)
            and (which.since is None or conversion.recorded_at >= which.since)
            and (which.until is None or conversion.recorded_at < which.until)
        )
        if not matches:
            message = "This conversion was changed meanwhile: the filter does not name it any more."
            raise conflict("no_longer_matches", message)


def _wanted(body: Which, run: Run) -> _Wanted:
    """The ids, and whether the filter holds more. Raises `Refused` (missing) for a website that is not theirs."""
    if body.filter is None:
        return _Wanted(body.ids or ())
    which = body.filter
    website = websites.owned(run.core.store.load(which.website_id, websites.evolve), run.asked)
    zone = ZoneInfo(website.timezone)
    status = (which.status if isinstance(which, RejectFilter) else None) or "pending"
    bound: dict[str, Any] = {
        "website_id": website.id,
        "status": status,
        "partner_id": which.partner_id,
        "key_kind": which.key_kind,
        "click_id": which.click_id,
        "address_class": which.address_class,
        "start": day_start(zone, which.from_) if which.from_ is not None else None,
        "end": day_end(zone, which.to) if which.to is not None else None,
        "since": which.since,
        "until": which.until,
        "limit": MOST + 1,
    }
    terms = [term for name, term in _TERMS.items() if bound[name] is not None]
    sql = f"SELECT id FROM read.conversions WHERE {' AND '.join(terms)} ORDER BY occurred_at, id LIMIT %(limit)s"  # noqa: S608 - values are bound
    with run.core.pool.connection() as connection:
        found = [row[0] for row in connection.execute(sql.encode(), bound)]
    return _Wanted(found[:MOST], len(found) > MOST, which, status, bound["start"], bound["end"])


_TERMS: Final = {
    **{name: f"{name} = %({name})s" for name in ("website_id", "status", "partner_id", "key_kind", "click_id")},
    "address_class": "address_class = %(address_class)s",
    "start": "occurred_at >= %(start)s",
    "end": "occurred_at < %(end)s",
    "since": "recorded_at >= %(since)s",
    "until": "recorded_at < %(until)s",
}
