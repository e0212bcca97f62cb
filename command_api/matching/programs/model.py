"""Program directory: the terms of affiliate programs and when they were last checked. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event, require_found
from command_api.kernel.decision import CommandContext, conflict, invalid
from command_api.kernel.hostnames import web_address
from infra.domain.program_matching.taxonomy import taxonomy
from schemas.base import DomainEvent
from schemas.currencies import MINOR_DIGITS
from schemas.events import matching
from schemas.events.matching import Origin, Program
from schemas.evolution import Evolution
from schemas.identity import program_id

REVIEW_EVERY: Final = timedelta(days=180)
MAX_REVIEW_INTERVAL: Final = timedelta(days=2 * 366)


@dataclass(frozen=True, slots=True)
class ListedProgram:
    """One program of the directory. `checked_on`: when its facts were compared with the source; none: never."""

    id: UUID
    version: int
    program: Program
    recorded_on: date
    checked_on: date | None
    review_on: date
    retired: bool = False


def add(
    listing: ListedProgram | None, program: Program, *, origin: Origin, recorded_on: date, context: CommandContext
) -> list[DomainEvent]:
    """Adds a program. One that an admin adds is checked; one from a file or the starter set is not."""
    if listing is not None:
        raise conflict("program_exists", f"{program.company_name} is already in the directory.", "companyName")
    program = validated(program)
    by_hand = origin == "admin"
    today = context.at.date()
    return [
        matching.ProgramListed(
            **first_event(program_id(program.company_name), context),
            program=program,
            origin=origin,
            recorded_on=recorded_on,
            checked_on=today if by_hand else None,
            review_on=today + REVIEW_EVERY if by_hand else today,
        )
    ]


def change(
    listing: ListedProgram | None, program: Program, origin: Origin, context: CommandContext
) -> list[DomainEvent]:
    """Changes the facts; nothing when they are the same. The company name is fixed, because it identifies the
    program."""
    listing = require_found(listing, "program")
    program = validated(program)
    if program_id(program.company_name) != listing.id:
        raise invalid("name_fixed", "The company name cannot change. Please add a new program.", "companyName")
    if program == listing.program:
        return []
    return [matching.ProgramChanged(**next_event(listing, context), program=program, origin=origin)]


def review(listing: ListedProgram | None, review_on: date | None, context: CommandContext) -> list[DomainEvent]:
    """Records that the facts were compared with the program's page today, and will be again on `review_on`."""
    listing = require_found(listing, "program")
    today = context.at.date()
    due = review_on or today + REVIEW_EVERY
    if not today < due <= today + MAX_REVIEW_INTERVAL:
        raise invalid("bad_review_date", "The next review must be after today and within two years.", "reviewOn")
    return [matching.ProgramReviewed(**next_event(listing, context), checked_on=today, review_on=due)]


def retire(listing: ListedProgram | None, context: CommandContext) -> list[DomainEvent]:
    listing = require_found(listing, "program")
    return [] if listing.retired else [matching.ProgramRetired(**next_event(listing, context))]


def restore(listing: ListedProgram | None, context: CommandContext) -> list[DomainEvent]:
    listing = require_found(listing, "program")
    return [matching.ProgramRestored(**next_event(listing, context))] if listing.retired else []


def validated(program: Program) -> Program:
    """The normalized program. Raises `CommandRejected` for inconsistent facts."""
    name = " ".join(program.company_name.split())
    if not name:
        raise invalid("bad_name", "A company name has 1 to 100 characters.", "companyName")
    if program.category not in taxonomy():
        raise invalid("bad_category", f"{program.category[:40]!r} is not a category of the directory.", "category")
    if not program.description.strip():
        raise invalid("bad_description", "Please describe what the company sells.", "description")
    if not program.source.strip():
        raise invalid("bad_source", "Please enter the source of these details.", "source")
    pays_share, amount = program.commission_type != "flat", program.commission_amount
    if pays_share is (program.commission_bp == 0):
        fault = "Please give the percentage." if pays_share else "A flat commission has no percentage."
        raise invalid("bad_commission", fault, "commissionRate")
    if (program.commission_type != "percentage") is (amount is None):
        fault = "A percentage has no amount." if amount is not None else "Please give the amount and its currency."
        raise invalid("bad_commission", fault, "commissionAmount")
    if amount is not None and (amount.amount <= 0 or amount.currency not in MINOR_DIGITS):
        raise invalid("bad_commission", "The amount must be above 0, in an ISO 4217 currency.", "commissionAmount")
    url = web_address(program.url.strip(), "url").geturl()
    texts = {key: getattr(program, key).strip() for key in ("audience", "description", "source")}
    return program.model_copy(update={"company_name": name, "url": url, **texts})


evolve: Final = (
    Evolution(ListedProgram)
    .begins(matching.ProgramListed)
    .follows(matching.ProgramChanged)
    .follows(matching.ProgramReviewed)
    .follows(matching.ProgramRetired, retired=True)
    .follows(matching.ProgramRestored, retired=False)
)
