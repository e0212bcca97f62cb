"""Request and response models of the program directory."""

from __future__ import annotations

from datetime import date
from typing import Annotated
from uuid import UUID

from pydantic import Field

from command_api.kernel.http import RequestModel
from command_api.matching.programs.files import MAX_CHARACTERS
from command_api.partners import model as partners
from schemas.base import Money
from schemas.events.matching import (
    Approval,
    CommissionType,
    Payment,
    Program,
)
from schemas.http.responses import ResponseModel

Share = Annotated[float, Field(ge=0, le=100, description="Percent of the sale, in steps of 0.01")]


Currency = Annotated[str, Field(pattern="^[A-Z]{3}$")]


class Sum(RequestModel):
    """An amount of money. `currency`: an ISO 4217 code."""

    amount: Annotated[int, Field(ge=1, le=10**12, description="Minor units")]
    currency: Currency


class ProgramGiven(RequestModel):
    """The details of a program, as stated on its page."""

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
        """Raises `CommandRejected`."""
        fields = self.model_dump(exclude={"commission_rate", "commission_amount"})
        amount = self.commission_amount
        basis_points = partners.percent_terms(self.commission_rate).rate_bp
        money = Money(amount=amount.amount, currency=amount.currency) if amount is not None else None
        return Program(**fields, commission_bp=basis_points, commission_amount=money)


class Review(RequestModel):
    """When the program's details must be checked again."""

    review_on: Annotated[date | None, Field(strict=False, description="Left out: in 180 days")] = None


class ImportPrograms(RequestModel):
    """A CSV file. With `dryRun` it is checked and nothing is stored."""

    csv: Annotated[str, Field(max_length=MAX_CHARACTERS)]
    dry_run: bool = True


class Added(ResponseModel):
    """The id of the new program."""

    id: UUID


class LineFault(ResponseModel):
    """What is wrong with one line of the file. `column`: null if it is about the whole line."""

    line: int
    column: str | None
    message: str


class Imported(ResponseModel):
    """The result of an import. With a single fault nothing is imported."""

    added: int
    changed: int
    unchanged: int
    faults: list[LineFault]
    applied: bool
