"""`read.programs`: the directory of affiliate programs."""

from __future__ import annotations

from typing import Any, Final

from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import PUBLIC
from schemas.events import matching

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
    readers=PUBLIC,
    indexes=("company_name, id", "review_on"),
)


PROGRAMS.begins(matching.ProgramListed, lambda event: _facts(event.program), at="updated_at")
PROGRAMS.follows(matching.ProgramChanged, lambda event: _facts(event.program), but="origin", at="updated_at")
PROGRAMS.follows(matching.ProgramReviewed, at="updated_at")
PROGRAMS.follows(matching.ProgramRetired, at="updated_at", retired=True)
PROGRAMS.follows(matching.ProgramRestored, at="updated_at", retired=False)


def _facts(program: matching.Program) -> dict[str, Any]:
    return {
        **program.model_dump(exclude={"commission_amount"}),
        "commission_amount": program.commission_amount.model_dump() if program.commission_amount is not None else None,
    }
