"""What the read models of matching and of the learning hub must hold after an event (see `folding`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import uuid5

from infra.auditing.forum_folds import BLANKED, kept
from schemas.base import DomainEvent
from schemas.events import accounts, matching

Key = tuple[Any, ...]
Rows = dict[Key, dict[str, Any]]


def programs(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    if isinstance(event, matching.ProgramListed):
        rows[key] = {
            "id": event.originator_id,
            **event.program.model_dump(),
            "origin": event.origin,
            "recorded_on": event.recorded_on,
            "checked_on": event.checked_on,
            "review_on": event.review_on,
            "retired": False,
            "updated_at": event.timestamp,
        }
    row = rows.get(key)
    if row is None:
        return
    match event:
        case matching.ProgramChanged():
            row.update(event.program.model_dump(), updated_at=event.timestamp)
        case matching.ProgramReviewed():
            row.update(checked_on=event.checked_on, review_on=event.review_on, updated_at=event.timestamp)
        case matching.ProgramRetired() | matching.ProgramRestored():
            row.update(retired=isinstance(event, matching.ProgramRetired), updated_at=event.timestamp)


def profiles(rows: Rows, event: DomainEvent, _: int) -> None:
    match event:
        case matching.BusinessAnalyzed():
            rows[(event.account_id,)] = {
                "account_id": event.account_id,
                "business_idea": kept(event.business_idea),
                "industry": event.industry,
                "difficulty": event.difficulty,
                "monetization": event.monetization,
                "wording": kept(event.wording),
                "method": event.method,
                "silent": event.silent,
                "words": "",
                "words_silent": "",
                "analyzed_at": event.timestamp,
            }
        case matching.RecommendationsWorded() if row := rows.get((event.account_id,)):
            row.update(words=kept(event.words), words_silent=event.silent)
        case accounts.AccountErased() if row := rows.get((event.originator_id,)):
            row.update(business_idea=BLANKED, wording=BLANKED, words=BLANKED)


def applications(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    if isinstance(event, matching.ApplicationMade):
        rows[key] = {
            "id": event.originator_id,
            "account_id": event.account_id,
            "program_id": event.program_id,
            "status": "applied",
            "visits": 0,
            "applied_at": event.timestamp,
            "updated_at": event.timestamp,
        }
    row = rows.get(key)
    if row is None:
        return
    match event:
        case matching.ApplicationPageOpened():
            row["visits"] += 1
        case matching.ApplicationMoved():
            row.update(status=event.status, updated_at=event.timestamp)


def application_steps(rows: Rows, event: DomainEvent, _: int) -> None:
    match event:
        case matching.ApplicationMade() | matching.ApplicationMoved():
            status, note = "applied", ""
            if isinstance(event, matching.ApplicationMoved):
                status, note = event.status, kept(event.note)
            key = uuid5(event.originator_id, str(event.originator_version))
            rows[(key,)] = {
                "id": key,
                "application_id": event.originator_id,
                "account_id": event.account_id,
                "number": event.originator_version,
                "status": status,
                "note": note,
                "at": event.timestamp,
            }
        case accounts.AccountErased():
            for row in rows.values():
                if row["account_id"] == event.originator_id:
                    row["note"] = BLANKED


def lessons_done(rows: Rows, event: DomainEvent, _: int) -> None:
    if not isinstance(event, matching.LessonCompleted | matching.LessonReopened):
        return
    key = uuid5(event.originator_id, f"{event.course}/{event.lesson}")
    done = isinstance(event, matching.LessonCompleted)
    if done:
        rows[(key,)] = {"id": key, "account_id": event.account_id, "course": event.course, "lesson": event.lesson}
    if row := rows.get((key,)):
        row.update(done=done, at=event.timestamp)


FOLDS: Final[Mapping[str, Callable[[Rows, DomainEvent, int], None]]] = {
    "programs": programs,
    "matching_profiles": profiles,
    "applications": applications,
    "application_steps": application_steps,
    "lessons_done": lessons_done,
}
KEYS: Final = {"matching_profiles": ("account_id",)}
PERSONAL: Final = {
    "matching_profiles": ("business_idea", "wording", "words"),
    "application_steps": ("note",),
}
LONG: Final = PERSONAL
"""Columns of texts that are compared as `forum_folds.kept` has them."""
