"""`read.programs`: the directory of affiliate programs."""

from __future__ import annotations

from typing import Any, Final

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import EVERYBODY
from schemas.events.matching import (
    Program,
    ProgramChanged,
    ProgramListed,
    ProgramRestored,
    ProgramRetired,
    ProgramReviewed,
)

PROGRAMS: Final = ReadModel(
    name="programs",
    version=1,
    columns=(
        "id uuid",
        "company_name text not null",
        "category text not null",
        "audience text not null",
        "description text not null",
        "url text not null",
        "commission_type text not null",
        "commission_bp int not null",
        "commission_amount jsonb",
        "recurring boolean not null",
        "cookie_days int not null",
        "approval text not null",
        "payment text not null",
        "source text not null",
        "partner_id uuid",
        "origin text not null",
        "recorded_on date not null",
        "checked_on date",
        "review_on date not null",
        "retired boolean not null default false",
        "updated_at timestamptz not null",
    ),
    key=("id",),
    readers=EVERYBODY,
    indexes=("company_name, id", "review_on"),
)


@PROGRAMS.on(ProgramListed)
def listed(rows: Rows, event: ProgramListed) -> None:
    rows.put(
        id=event.originator_id,
        **_facts(event.program),
        origin=event.origin,
        recorded_on=event.recorded_on,
        checked_on=event.checked_on,
        review_on=event.review_on,
        updated_at=event.timestamp,
    )


@PROGRAMS.on(ProgramChanged)
def changed(rows: Rows, event: ProgramChanged) -> None:
    rows.update({"id": event.originator_id}, **_facts(event.program), updated_at=event.timestamp)


@PROGRAMS.on(ProgramReviewed)
def reviewed(rows: Rows, event: ProgramReviewed) -> None:
    rows.update(
        {"id": event.originator_id},
        checked_on=event.checked_on,
        review_on=event.review_on,
        updated_at=event.timestamp,
    )


@PROGRAMS.on(ProgramRetired)
def retired(rows: Rows, event: ProgramRetired) -> None:
    rows.update({"id": event.originator_id}, retired=True, updated_at=event.timestamp)


@PROGRAMS.on(ProgramRestored)
def restored(rows: Rows, event: ProgramRestored) -> None:
    rows.update({"id": event.originator_id}, retired=False, updated_at=event.timestamp)


def _facts(program: Program) -> dict[str, Any]:
    return {
        **program.model_dump(exclude={"commission_amount"}),
        "commission_amount": program.commission_amount.model_dump() if program.commission_amount is not None else None,
    }
