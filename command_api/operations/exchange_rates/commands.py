"""Commands of exchange rates."""

from __future__ import annotations

from datetime import datetime

from command_api.kernel.command_handlers import Command
from command_api.operations.exchange_rates import schemas
from command_api.operations.exchange_rates.files import ParsedRates
from command_api.operations.exchange_rates.reference import RateCheckResult, ReferenceRate
from schemas.http.operations import ExchangeRate


class RecordExchangeRate(Command[ExchangeRate]):
    """Records a rate. Conversions that wait for one are decided now; those that are decided keep theirs."""

    fields: schemas.RecordRate


class ImportExchangeRates(Command[schemas.ImportedRates]):
    """Records the rates of a CSV file; lines with errors are left out. `dry_run`: only tells what would be recorded."""

    rates: ParsedRates
    dry_run: bool


class RecordReferenceRates(Command[None]):
    """Records rates against the euro as the European Central Bank published them. Those of a person stay."""

    rates: tuple[ReferenceRate, ...]


class RecordRateCheck(Command[None]):
    """Records how a check for new reference rates ended, and when the next one is due."""

    check: RateCheckResult
    next_at: datetime
