"""`/api/admin/programs/*`: admins maintain the program directory, one by one or by a file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import Field

from command_api.commands import Decided
from command_api.decision import Asked, Refused, invalid
from command_api.http import Admin, Answer, Body, Id, Nothing, Run, Runs
from command_api.matching import program_files, programs
from command_api.matching.program_files import MOST_CHARACTERS
from command_api.partners import model as partners
from schemas.base import DomainEvent, Money
from schemas.events.matching import Approval, CommissionType, Payment, Program
from schemas.identity import program_id

router = APIRouter(prefix="/api/admin/programs", tags=["matching"])
SEEN_BY = ("programs",)

Share = Annotated[float, Field(ge=0, le=100, description="Percent of the sale, in steps of 0.01")]
Currency = Annotated[str, Field(pattern="^[A-Z]{3}$")]


class Sum(Body):
    amount: Annotated[int, Field(ge=1, le=10**12, description="Minor units")]
    currency: Currency


class ProgramGiven(Body):
    """The facts of a program, as its own page says."""

    company_name: Annotated[str, Field(min_length=1, max_length=100)]
    category: Annotated[str, Field(max_length=40, description="Key of the taxonomy")]
    description: Annotated[str, Field(max_length=2_000)]
    audience: Annotated[str, Field(max_length=500)] = ""
    url: Annotated[str, Field(max_length=2_048, description="Where one applies")]
    commission_type: CommissionType
    commission_rate: Share = 0
    commission_amount: Sum | None = None
    recurring: bool = False
    cookie_days: Annotated[int, Field(ge=0, le=3_650, description="0: until the visit ends")]
    approval: Approval
    payment: Payment
    source: Annotated[str, Field(max_length=500, description="Where these facts are from")]
    partner_id: Annotated[UUID | None, Field(strict=False, description="Partner that measures it here")] = None

    def program(self) -> Program:
        """Raises `Refused`."""
        fields = self.model_dump(exclude={"commission_rate", "commission_amount"})
        amount = self.commission_amount
        basis_points = partners.percent_terms(self.commission_rate).rate_bp
        money = Money(amount=amount.amount, currency=amount.currency) if amount is not None else None
        return Program(**fields, commission_bp=basis_points, commission_amount=money)


class Review(Body):
    review_on: Annotated[date | None, Field(strict=False, description="Left out: in 180 days")] = None


class ImportPrograms(Body):
    csv: Annotated[str, Field(max_length=MOST_CHARACTERS)]
    dry_run: bool = True


class Added(Answer):
    id: UUID


class LineFault(Answer):
    line: int
    column: str | None
    message: str


class Imported(Answer):
    """What a file comes to. With a single fault nothing is imported."""

    added: int
    changed: int
    unchanged: int
    faults: list[LineFault]
    applied: bool


@router.post("", status_code=201, response_model=Added)
def add_program(body: ProgramGiven, _: Admin, run: Runs) -> Response:
    """Adds a program whose page the admin has just read: it counts as checked today."""

    def decide() -> Decided[Added]:
        program = body.program()
        _check_partner(run, program)
        before = run.core.store.load(program_id(program.company_name), programs.evolve)
        events = programs.add(before, program, origin="admin", recorded_on=run.asked.at.date(), asked=run.asked)
        return Decided(events, Added(id=program_id(program.company_name)))

    return run(decide, body, status=201, seen_by=SEEN_BY)


@router.put("/{id}", status_code=204)
def change_program(program: Id, body: ProgramGiven, _: Admin, run: Runs) -> Response:
    """Other facts for a program. That they were compared with its page says a review."""

    def decide() -> Decided[Nothing]:
        given = body.program()
        _check_partner(run, given)
        listing = run.core.store.load(program, programs.evolve)
        return Decided(programs.change(listing, given, "admin", run.asked), Nothing())

    return run(decide, body, status=204, seen_by=SEEN_BY)


@router.post("/{id}/review", status_code=204)
def review_program(program: Id, body: Review, _: Admin, run: Runs) -> Response:
    """The facts were compared with the program's page today."""

    def decide() -> Decided[Nothing]:
        listing = run.core.store.load(program, programs.evolve)
        return Decided(programs.review(listing, body.review_on, run.asked), Nothing())

    return run(decide, body, status=204, seen_by=SEEN_BY)


@router.post("/{id}/retire", status_code=204)
def retire_program(program: Id, _: Admin, run: Runs) -> Response:
    """Recommended no more; applications stay."""

    def decide() -> Decided[Nothing]:
        return Decided(programs.retire(run.core.store.load(program, programs.evolve), run.asked), Nothing())

    return run(decide, status=204, seen_by=SEEN_BY)


@router.post("/{id}/restore", status_code=204)
def restore_program(program: Id, _: Admin, run: Runs) -> Response:
    def decide() -> Decided[Nothing]:
        return Decided(programs.restore(run.core.store.load(program, programs.evolve), run.asked), Nothing())

    return run(decide, status=204, seen_by=SEEN_BY)


@router.post("/import", response_model=Imported)
def import_programs(body: ImportPrograms, _: Admin, run: Runs) -> Response:
    """Adds and changes programs by a CSV file, by company name; nothing is retired. First line: the names of columns
    (see `docs/matching.md`). A dry run says what would come of it. With faults nothing is imported."""

    def decide() -> Decided[Imported]:
        read = program_files.read(body.csv)
        faults = [LineFault(line=fault.line, column=fault.column, message=fault.message) for fault in read.faults]
        events: list[DomainEvent] = []
        added = changed = 0
        for entry in read.entries:
            try:
                _check_partner(run, entry.program)
                before = run.core.store.load(program_id(entry.program.company_name), programs.evolve)
                came = _imported(before, entry, run.asked)
            except Refused as refused:
                faults.append(LineFault(line=entry.line, column=refused.field, message=refused.message))
                continue
            events += came
            added, changed = added + (bool(came) and before is None), changed + (bool(came) and before is not None)
        applies = not body.dry_run and not faults
        answer = Imported(
            added=added,
            changed=changed,
            unchanged=len(read.entries) - added - changed,
            faults=sorted(faults, key=lambda fault: fault.line),
            applied=applies,
        )
        return Decided(events if applies else [], answer)

    return run(decide, body, seen_by=SEEN_BY)


def _imported(before: programs.Listing | None, entry: program_files.Entry, asked: Asked) -> Sequence[DomainEvent]:
    if before is None:
        return programs.add(None, entry.program, origin="csv", recorded_on=asked.at.date(), asked=asked)
    program = entry.program
    if not entry.partner_given:
        program = program.model_copy(update={"partner_id": before.program.partner_id})
    return programs.change(before, program, "csv", asked)


def _check_partner(run: Run, program: Program) -> None:
    if program.partner_id is None:
        return
    try:
        partners.listed(run.core.store.load(program.partner_id, partners.evolve))
    except Refused as refused:
        raise invalid("unknown_partner", "There is no such partner.", "partnerId") from refused
