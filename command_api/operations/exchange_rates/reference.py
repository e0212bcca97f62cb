"""Euro reference rates as the European Central Bank publishes them: `eurofxref-daily.xml` and `eurofxref-hist-90d.xml`.

Both files have the same form: a cube for each day, newest first, and in it one for each currency, with what one euro is
worth:

    <Cube><Cube time="2026-11-26"><Cube currency="USD" rate="1.0825"/>…</Cube>…</Cube>

Pure. The parser (expat) reads nothing but the file: a document type, and with it every entity, is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Final
from xml.parsers import expat

from command_api.operations.exchange_rates.model import RATE
from infra.domain.exchange_rates import PIVOT
from schemas.currencies import MINOR_DIGITS
from schemas.identity import REFERENCE_RATES

PROCESS: Final = "reference-rates"
SOURCE_ID: Final = REFERENCE_RATES
"""The one timeout of the process."""
MAX_DAYS: Final = 100
MAX_SKIPPED: Final = 20
_NAMESPACE: Final = "http://www.ecb.int/vocabulary/2002-08-01/eurofxref"
_CUBE: Final = f"{_NAMESPACE} Cube"
_SHOWN: Final = 20


class BadRateFile(Exception):
    """The answer is not a file of reference rates; the message says why."""


@dataclass(frozen=True, slots=True)
class ReferenceRate:
    """One euro is worth `rate` units of `currency` from `on` on."""

    on: date
    currency: str
    rate: str


@dataclass(frozen=True, slots=True)
class RateCheckResult:
    """The result of a check. `problem`: why it failed; `skipped`: currencies of the file that were left out."""

    problem: str | None = None
    newest_day: date | None = None
    skipped: Sequence[str] = ()


@dataclass(slots=True)
class RateFile:
    """The rates of a file, and the currencies that it names but that are left out: unknown codes and bad rates."""

    rates: list[ReferenceRate] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    @property
    def newest_day(self) -> date:
        """The last day that the file has rates for."""
        return max(one.on for one in self.rates)


def parse(body: bytes, today: date) -> RateFile:
    """The rates of a file. Raises `BadRateFile`: no XML, another kind of file, or days that cannot be."""
    file, day = RateFile(), _Day()

    def start(name: str, attributes: Mapping[str, str]) -> None:
        if name != _CUBE:
            return
        if "time" in attributes:
            day.begin(attributes["time"], today)
        elif "currency" in attributes:
            _add(file, day, attributes["currency"], attributes.get("rate", ""))

    def refuse(*_: object) -> None:
        raise BadRateFile("The file declares a document type, which is refused.")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(body, True)
    except expat.ExpatError as error:
        raise BadRateFile(f"The file is not complete XML: {error}.") from error
    except LookupError as error:  # an encoding that nobody knows
        raise BadRateFile("The file is in an unknown encoding.") from error
    if not file.rates:
        raise BadRateFile("The file has no reference rates.")
    return file


@dataclass(slots=True)
class _Day:
    """The day whose rates follow."""

    on: date | None = None
    count: int = 0

    def begin(self, text: str, today: date) -> None:
        try:
            self.on = date.fromisoformat(text)
        except ValueError as error:
            raise BadRateFile(f"The file has a day that is none: {text[:_SHOWN]}.") from error
        self.count += 1
        if self.on > today + timedelta(days=1):
            raise BadRateFile(f"The file has rates of a future day, {self.on}.")
        if self.count > MAX_DAYS:
            raise BadRateFile(f"The file has more than {MAX_DAYS} days.")


def _add(found: RateFile, day: _Day, currency: str, rate: str) -> None:
    if day.on is None:
        raise BadRateFile("The file has a rate without a day.")
    is_rate = RATE.fullmatch(rate) is not None and Decimal(rate) > 0
    if is_rate and currency in MINOR_DIGITS and currency != PIVOT:
        found.rates.append(ReferenceRate(day.on, currency, rate))
    elif (code := currency[:_SHOWN]) not in found.skipped and len(found.skipped) < MAX_SKIPPED:
        found.skipped.append(code)
