"""Workbooks: real cells, hidden traps, and files that would harm."""

from __future__ import annotations

import gzip
import io
import zipfile
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import openpyxl
import pytest

from command_api.networks.reading import content
from command_api.networks.reading.rows import ReportLayoutChanges
from tests.unit.command_api.networks.reading.support import at, look, refusal, rejected_lines, rows, workbook

HEADER: Final = ["Transaction ID", "Date", "Commission", "Sale Amount", "Currency", "Status"]


def test_cells_are_read_as_what_they_are() -> None:
    report = workbook(
        {
            "Report": [
                ["Report of June"],
                [],
                HEADER,
                [123456789012345, datetime.fromisoformat("2026-06-03 10:30"), 12.4, "1.234,56", "EUR", "pending"],
                ["T2", date(2026, 6, 4), 1, 0.1, "EUR", "approved"],
                ["T3", 46176.5, -0.3, None, "EUR", "approved"],
                ["Total", None, 13.4, None, None, None],
            ]
        }
    )
    inspection = look(report)
    assert (inspection.layout.sheet, inspection.layout.header_line) == ("Report", 3)
    first, second, third = rows(report)
    assert (first.line, first.txid, first.occurred_at) == (4, "123456789012345", at(6, 3, 10, 30))
    assert (first.commission, first.sale) == (Decimal("12.4"), Decimal("1234.56"))
    assert (second.sale, second.commission) == (Decimal("0.1"), Decimal(1))
    assert (third.occurred_at, third.commission, third.is_correction) == (at(6, 3, 12), Decimal("-0.3"), True)


def test_the_sheet_with_the_report_is_found_and_can_be_chosen() -> None:
    rows_of_one: list[list[Any]] = [HEADER, ["T1", date(2026, 6, 3), 1, 1, "EUR", "pending"]]
    rows_of_other: list[list[Any]] = [HEADER, ["T2", date(2026, 6, 3), 1, 1, "EUR", "pending"]]
    report = workbook({"Cover": [["Hello", "there"]], "June": rows_of_one, "July": rows_of_other})
    assert rows(report)[0].txid == "T1"
    assert rows(report, given=ReportLayoutChanges(sheet="July"))[0].txid == "T2"


def test_a_formula_is_rejected_and_never_evaluated() -> None:
    report = workbook({"A": [HEADER, ["T1", date(2026, 6, 3), "=1+1", 1, "EUR", "pending"]]})
    assert rejected_lines(report) == [(2, "formula")]


def test_an_id_that_a_spreadsheet_has_rounded_is_rejected() -> None:
    report = workbook({"A": [HEADER, [9007199254740993, date(2026, 6, 3), 1, 1, "EUR", "pending"]]})
    assert rejected_lines(report) == [(2, "lost_digits")]


def test_a_compressed_workbook_is_read() -> None:
    report = workbook({"A": [HEADER, ["T1", date(2026, 6, 3), 1, 1, "EUR", "pending"]]})
    assert rows(gzip.compress(report))[0].txid == "T1"


def test_a_workbook_whose_parts_expand_without_measure_is_refused_before_it_is_opened() -> None:
    bomb = rewritten("xl/worksheets/sheet1.xml", b"<worksheet>" + b" " * 40_000_000 + b"</worksheet>")
    assert refusal(bomb).code == "file_too_large"


def test_a_part_beyond_its_bound_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    report = workbook({"A": [HEADER, ["T1", date(2026, 6, 3), 1, 1, "EUR", "pending"]]})
    monkeypatch.setattr(content, "MAX_SHEET", 100)
    assert refusal(report).code == "file_too_large"


def test_a_workbook_with_entities_is_refused() -> None:
    laughs = (
        b'<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]><worksheet>&b;</worksheet>'
    )
    assert refusal(rewritten("xl/worksheets/sheet1.xml", laughs)).code == "unsafe_workbook"
    assert refusal(rewritten("xl/workbook.xml", laughs)).code == "unsafe_workbook"


def test_a_damaged_workbook_is_refused() -> None:
    report = workbook({"A": [HEADER]})
    assert refusal(report[: len(report) // 2]).code == "broken_archive"
    assert refusal(rewritten("xl/workbook.xml", b"<nothing/>")).code == "not_a_report"
    assert refusal(rewritten("xl/worksheets/sheet1.xml", b"<worksheet><sheetData><row>")).code == "broken_archive"


def test_a_workbook_without_rows_and_one_with_too_many_columns_are_refused() -> None:
    assert refusal(workbook({"A": []})).code == "empty_file"
    wide = workbook({"A": [HEADER + [f"C{number}" for number in range(5_000)]]})
    assert refusal(wide).code == "too_many_columns"


def test_a_hidden_sheet_is_not_taken_for_the_report() -> None:
    made = openpyxl.load_workbook(
        io.BytesIO(workbook({"Old": [HEADER, ["T0", date(2026, 6, 3), 1, 1, "EUR", "pending"]], "New": [["x", "y"]]}))
    )
    made["Old"].sheet_state = "hidden"
    file = io.BytesIO()
    made.save(file)
    assert look(file.getvalue()).layout.sheet == "New"


def rewritten(name: str, data: bytes) -> bytes:
    """A workbook with another content of one part."""
    source = io.BytesIO(workbook({"A": [HEADER, ["T1", date(2026, 6, 3), 1, 1, "EUR", "pending"]]}))
    target = io.BytesIO()
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            new.writestr(part, data if part == name else old.read(part))
    return target.getvalue()
