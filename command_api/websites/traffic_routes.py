"""`/api/platform/websites/{id}/traffic-rules`: what events of a period count as; make a rule, undo it.

The projection `events` is built anew with the rules in the background, and then replaces the present one.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Response
from pydantic import AwareDatetime, Field, ValidationError

from command_api.commands import Decided
from command_api.decision import invalid
from command_api.http import Answer, Body, Id, Nothing, Runs
from command_api.websites import model
from schemas.events.websites import TrafficConditions, TrafficMark
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/websites", tags=["websites"])
SEEN_BY = ("traffic_rules",)

RuleId = Annotated[UUID, Path(alias="ruleId")]
Word = Annotated[str, Field(max_length=1024)]


class CreateTrafficRule(Body):
    since: Annotated[AwareDatetime, Field(strict=False, description="Inclusive; when events occurred")]
    until: Annotated[AwareDatetime, Field(strict=False, description="Exclusive")]
    mark: Annotated[TrafficMark, Field(strict=False)]
    type: Word | None = None
    link_id: Annotated[UUID | None, Field(strict=False)] = None
    partner_id: Annotated[UUID | None, Field(strict=False)] = None
    country: Word | None = None
    device: Word | None = None
    browser: Word | None = None
    source: Word | None = None
    reason: Annotated[Word | None, Field(description="Why the edge kept them apart: crawler, rate, ...")] = None
    note: Annotated[str, Field(max_length=500)] = ""


class CreatedTrafficRule(Answer):
    id: UUID
    since: datetime
    until: datetime
    mark: TrafficMark


@router.post("/{id}/traffic-rules", status_code=201, response_model=CreatedTrafficRule)
def create_traffic_rule(website_id: Id, body: CreateTrafficRule, run: Runs) -> Response:
    """Makes a rule: events of the period that have all given values count as `mark` says. Figures follow when the
    projection `events` has been built anew."""
    rule_id = uuid7()

    def decide() -> Decided[CreatedTrafficRule]:
        website = run.core.store.load(website_id, model.evolve)
        events = model.remark_traffic(
            website,
            rule_id,
            since=body.since,
            until=body.until,
            mark=body.mark,
            conditions=_conditions(body),
            note=body.note,
            asked=run.asked,
        )
        return Decided(list(events), CreatedTrafficRule(id=rule_id, since=body.since, until=body.until, mark=body.mark))

    return run(decide, body, status=201, seen_by=SEEN_BY)


@router.delete("/{id}/traffic-rules/{ruleId}", status_code=204)
def undo_traffic_rule(website_id: Id, rule_id: RuleId, run: Runs) -> Response:
    """Undoes a rule: events count again as if it had never been."""

    def decide() -> Decided[Nothing]:
        website = run.core.store.load(website_id, model.evolve)
        return Decided(model.undo_remark(website, rule_id, run.asked), Nothing())

    return run(decide, status=204, seen_by=SEEN_BY)


def _conditions(body: CreateTrafficRule) -> TrafficConditions:
    try:
        return TrafficConditions(**{name: getattr(body, name) for name in TrafficConditions.model_fields})
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        raise invalid("bad_condition", f"No event has such a {name}.", name) from None
