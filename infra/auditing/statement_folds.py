"""What statements go by, folded once more: the zones of websites over time, and what was booked in each month."""

from __future__ import annotations

from datetime import UTC, date
from typing import Any
from uuid import uuid5

from schemas.base import DomainEvent
from schemas.events import websites

Rows = dict[tuple[Any, ...], dict[str, Any]]


def website_zones(rows: Rows, event: DomainEvent, position: int) -> None:
    if isinstance(event, websites.WebsiteConnected | websites.WebsiteUpdated) and event.timezone is not None:
        key = (event.originator_id, event.timestamp)
        rows[key] = {"website_id": key[0], "since": key[1], "timezone": event.timezone, "position": position}


def traffic_rules(rows: Rows, event: DomainEvent, position: int) -> None:
    if isinstance(event, websites.WebsiteTrafficRemarked):
        rows[(event.rule_id,)] = {
            "id": event.rule_id,
            "website_id": event.originator_id,
            "since": event.since,
            "until": event.until,
            "mark": event.mark.value,
            "conditions": {
                name: str(value) for name, value in event.conditions.model_dump().items() if value is not None
            },
            "note": event.note,
            "position": position,
            "created_at": event.timestamp,
            "undone_at": None,
        }
    elif isinstance(event, websites.WebsiteTrafficRemarkUndone) and (event.rule_id,) in rows:
        rows[(event.rule_id,)]["undone_at"] = event.timestamp


def statement_months(rows: Rows, event: DomainEvent, _: int) -> None:
    facts, change = getattr(event, "facts", None), getattr(event, "change", None)
    if facts is None or change is None or facts.attribution is None or not change.commission_approved:
        return
    at = event.timestamp.astimezone(UTC)
    told = {
        "website_id": facts.website_id,
        "partner_id": facts.attribution.partner_id,
        "currency": change.currency,
        "month": date(at.year, at.month, 1),
    }
    website_id, *others = told.values()
    key = uuid5(website_id, "\n".join(map(str, others)))
    row = rows.setdefault((key,), {"id": key, **told, "earned": 0})
    row["earned"] += change.commission_approved
