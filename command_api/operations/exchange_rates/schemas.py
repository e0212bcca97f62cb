"""Request and response models of exchange rates."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from command_api.kernel.http import RequestModel
from command_api.operations.exchange_rates.files import MAX_CHARACTERS
from schemas.http.responses import ResponseModel

Text = Annotated[str, Field(max_length=40)]


class RecordRate(RequestModel):
    """From day `on` (UTC) on, one `base` is worth `rate` `quote`."""

    base: Text
    quote: Text
    rate: Annotated[Text | float | int, Field(description="A decimal as text (exact), or a number")]
    on: Annotated[date, Field(strict=False)]


Outcome = Literal["new", "changed", "unchanged", "rejected"]


class ImportRates(RequestModel):
    """A CSV file with the columns `base,quote,rate,on`. With `dryRun` it is checked and nothing is stored."""

    csv: Annotated[str, Field(max_length=MAX_CHARACTERS)]
    dry_run: bool = True


class LineOutcome(ResponseModel):
    """The outcome of a line (from 1, the header). `message`: why it is rejected."""

    line: int
    outcome: Outcome
    base: str | None = None
    quote: str | None = None
    rate: str | None = None
    on: date | None = None
    message: str | None = None


class ImportedRates(ResponseModel):
    """The result of an import. Rejected lines are left out, the others are stored together."""

    lines: list[LineOutcome]
    new: int
    changed: int
    unchanged: int
    rejected: int
    applied: bool
