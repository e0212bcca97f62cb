"""CSV files of programs: format of imports and of the bundled starter set. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, DecimalException
from functools import cache
from importlib.resources import files
from typing import Final
from uuid import UUID

from pydantic import ValidationError

from command_api.kernel.csv_imports import read_csv, require_line_limit
from command_api.kernel.decision import CommandRejected, invalid
from command_api.matching.programs import model
from schemas.base import Money
from schemas.currencies import MAX_AMOUNT, digits
from schemas.events.matching import Program
from schemas.identity import program_id

MAX_LINES: Final = 1_000
MAX_CHARACTERS: Final = 900_000
"""Fits into the request limit of 1 MiB."""
REQUIRED_COLUMNS: Final = (
    "company_name", "category", "description", "url", "commission_type", "cookie_days", "approval", "payment", "source",
)  # fmt: skip
COLUMNS: Final = (
    *REQUIRED_COLUMNS,
    "audience",
    "commission_percent",
    "commission_amount",
    "currency",
    "recurring",
    "partner_id",
)
_NAMES: Final = {
    "commission_bp": "commission_percent",
    "companyName": "company_name",
    "commissionRate": "commission_percent",
    "commissionAmount": "commission_amount",
}
_YES: Final = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False, "": False}


@dataclass(frozen=True, slots=True)
class FileFault:
    """A fault of a line (from 1, the header) and its column; none: the fault of the line as a whole."""

    line: int
    column: str | None
    message: str


@dataclass(frozen=True, slots=True)
class ProgramLine:
    """A line that can be listed. `partner_given`: whether the file says anything about the partner."""

    line: int
    program: Program
    partner_given: bool


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """A parsed file: lines that can be imported, and what is wrong with the others."""

    entries: tuple[ProgramLine, ...]
    faults: tuple[FileFault, ...]


def parse(text: str) -> ParsedFile:
    """Parses every line, valid or faulty. Raises `CommandRejected` when the file itself is invalid."""
    file = read_csv(text, MAX_CHARACTERS)
    _check_header(file.header)
    require_line_limit(file, MAX_LINES, "programs")
    entries: list[ProgramLine] = []
    faults: list[FileFault] = []
    seen: dict[UUID, int] = {}
    for number, line in file.lines:
        try:
            if len(line) != len(file.header):
                raise invalid("bad_line", f"This line has {len(line)} fields, the first has {len(file.header)}.")
            program = model.validated(_program(file.fields(line)))
            first = seen.setdefault(program_id(program.company_name), number)
            if first != number:
                raise invalid("twice", f"This company is already in line {first}.", "companyName")
            entries.append(ProgramLine(number, program, "partner_id" in file.header))
        except CommandRejected as refused:
            column = _NAMES.get(refused.field, refused.field) if refused.field else None
            faults.append(FileFault(number, column, refused.message))
    return ParsedFile(tuple(entries), tuple(faults))


@cache
def starter_programs() -> tuple[Program, ...]:
    """The bundled programs: public facts, none of them checked yet."""
    program_file = parse((files("command_api.matching.programs") / "starter_programs.csv").read_text("utf-8"))
    if program_file.faults:
        raise ValueError(f"the starter set is faulty: {program_file.faults[0]}")
    return tuple(entry.program for entry in program_file.entries)


def _check_header(header: list[str]) -> None:
    missing = [name for name in REQUIRED_COLUMNS if name not in header]
    unknown = [name for name in header if name not in COLUMNS]
    if missing:
        raise invalid("bad_header", f"The first line lacks: {', '.join(missing)}.", "csv")
    if unknown or len(set(header)) != len(header):
        named = ", ".join(unknown)[:200] or "a column twice"
        raise invalid("bad_header", f"The first line names {named}, which a program does not have.", "csv")


def _program(fields: Mapping[str, str]) -> Program:
    currency = fields.get("currency", "").upper()
    amount = fields.get("commission_amount", "")
    recurring = _YES.get(fields.get("recurring", "").lower())
    if recurring is None:
        raise invalid("bad_line", "Enter yes or no.", "recurring")
    try:
        return Program.model_validate(
            {
                **{name: fields[name] for name in REQUIRED_COLUMNS},
                "category": fields["category"].lower(),
                "audience": fields.get("audience", ""),
                "commission_bp": _share(fields.get("commission_percent", "")),
                "commission_amount": _money(amount, currency) if amount else None,
                "recurring": recurring,
                "cookie_days": _scaled(fields["cookie_days"], 0, "cookie_days"),
                "partner_id": fields.get("partner_id") or None,
            }
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise invalid("bad_line", f"{first['msg']}.", str(first["loc"][0]) if first["loc"] else None) from error


def _share(text: str) -> int:
    """Returns a percentage as basis points."""
    basis_points = _scaled(text.rstrip("% "), 2, "commission_percent")
    if basis_points > 10_000:
        raise invalid("bad_line", "A percentage is at most 100.", "commission_percent")
    return basis_points


def _money(amount: str, currency: str) -> Money:
    try:
        return Money(amount=_scaled(amount, digits(currency), "commission_amount"), currency=currency)
    except (KeyError, ValidationError) as error:
        raise invalid("bad_line", "This is not an ISO 4217 currency.", "currency") from error


def _scaled(text: str, places: int, column: str) -> int:
    """A decimal number as whole units of its last place; nothing is 0."""
    try:
        scaled = Decimal(text or "0").scaleb(places)
        if scaled.is_finite() and 0 <= scaled <= MAX_AMOUNT and scaled == scaled.to_integral_value():
            return int(scaled)
    except DecimalException:
        pass  # not a number, or too many digits
    most = f" with at most {places} decimals" if places else ""
    raise invalid("bad_line", f"This is not a number of 0 or more{most}.", column)
