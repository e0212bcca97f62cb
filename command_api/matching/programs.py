"""The program directory: what an affiliate program pays, as its own page says, and when somebody last looked. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final
from uuid import UUID

from command_api.decision import AnotherKind, Asked, begun, conflict, invalid, missing, step
from command_api.hosts import web_address
from infra.matching.taxonomy import taxonomy
from schemas.base import DomainEvent
from schemas.currencies import MINOR_DIGITS
from schemas.events.matching import (
    Origin,
    Program,
    ProgramChanged,
    ProgramListed,
    ProgramRestored,
    ProgramRetired,
    ProgramReviewed,
)
from schemas.identity import program_id

REVIEW_EVERY: Final = timedelta(days=180)
FURTHEST_REVIEW: Final = timedelta(days=2 * 366)


@dataclass(frozen=True, slots=True)
class Listing:
    """One program of the directory. `checked_on`: when its facts were compared with the source; none: never."""

    id: UUID
    version: int
    program: Program
    recorded_on: date
    checked_on: date | None
    review_on: date
    retired: bool = False


def add(
    listing: Listing | None, program: Program, *, origin: Origin, recorded_on: date, asked: Asked
) -> list[DomainEvent]:
    """A new program; an admin who adds it has read its page, a file or the starter set is still to be checked."""
    if listing is not None:
        raise conflict("program_exists", f"{program.company_name} is in the directory already.", "companyName")
    program = checked(program)
    by_hand = origin == "admin"
    today = asked.at.date()
    return [
        ProgramListed(
            **step(program_id(program.company_name), 0, asked),
            program=program,
            origin=origin,
            recorded_on=recorded_on,
            checked_on=today if by_hand else None,
            review_on=today + REVIEW_EVERY if by_hand else today,
        )
    ]


def change(listing: Listing | None, program: Program, origin: Origin, asked: Asked) -> list[DomainEvent]:
    """Other facts; nothing when they are the same. The company keeps its name: it is what tells programs apart."""
    listing = there(listing)
    program = checked(program)
    if program_id(program.company_name) != listing.id:
        raise invalid("name_fixed", "A program's company cannot become another: add that one.", "companyName")
    if program == listing.program:
        return []
    return [ProgramChanged(**step(listing.id, listing.version, asked), program=program, origin=origin)]


def review(listing: Listing | None, review_on: date | None, asked: Asked) -> list[DomainEvent]:
    """The facts were compared with the program's page today, and will be again on `review_on`."""
    listing = there(listing)
    today = asked.at.date()
    due = review_on or today + REVIEW_EVERY
    if not today < due <= today + FURTHEST_REVIEW:
        raise invalid("bad_review_date", "The next review is after today, within two years.", "reviewOn")
    return [ProgramReviewed(**step(listing.id, listing.version, asked), checked_on=today, review_on=due)]


def retire(listing: Listing | None, asked: Asked) -> list[DomainEvent]:
    listing = there(listing)
    return [] if listing.retired else [ProgramRetired(**step(listing.id, listing.version, asked))]


def restore(listing: Listing | None, asked: Asked) -> list[DomainEvent]:
    listing = there(listing)
    return [ProgramRestored(**step(listing.id, listing.version, asked))] if listing.retired else []


def there(listing: Listing | None) -> Listing:
    if listing is None:
        raise missing("program")
    return listing


def checked(program: Program) -> Program:
    """The program, in one form, if its facts can be true together. Raises `Refused`."""
    name = " ".join(program.company_name.split())
    if not name:
        raise invalid("bad_name", "A company name has 1 to 100 characters.", "companyName")
    if program.category not in taxonomy():
        raise invalid("bad_category", f"{program.category[:40]!r} is no category of the directory.", "category")
    if not program.description.strip():
        raise invalid("bad_description", "Please describe what the company sells.", "description")
    if not program.source.strip():
        raise invalid("bad_source", "Please say where these facts are from.", "source")
    pays_share, amount = program.commission_type != "flat", program.commission_amount
    if pays_share is (program.commission_bp == 0):
        fault = "Please give the percentage." if pays_share else "A flat commission names no percentage."
        raise invalid("bad_commission", fault, "commissionRate")
    if (program.commission_type != "percentage") is (amount is None):
        fault = "A percentage names no amount." if amount is not None else "Please give the amount and its currency."
        raise invalid("bad_commission", fault, "commissionAmount")
    if amount is not None and (amount.amount <= 0 or amount.currency not in MINOR_DIGITS):
        raise invalid("bad_commission", "The amount is above 0, in an ISO 4217 currency.", "commissionAmount")
    url = web_address(program.url.strip(), "url").geturl()
    texts = {key: getattr(program, key).strip() for key in ("audience", "description", "source")}
    return program.model_copy(update={"company_name": name, "url": url, **texts})


def evolve(listing: Listing | None, event: DomainEvent) -> Listing:
    if isinstance(event, ProgramListed):
        return Listing(
            event.originator_id,
            event.originator_version,
            event.program,
            event.recorded_on,
            event.checked_on,
            event.review_on,
        )
    listing = replace(begun(listing, event), version=event.originator_version)
    match event:
        case ProgramChanged():
            return replace(listing, program=event.program)
        case ProgramReviewed():
            return replace(listing, checked_on=event.checked_on, review_on=event.review_on)
        case ProgramRetired():
            return replace(listing, retired=True)
        case ProgramRestored():
            return replace(listing, retired=False)
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to programs")
