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
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from command_api.networks.reading.rows import ReportLayoutChanges
from infra.domain.report_files import content
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


def test_a_sheet_is_read_as_spreadsheets_write_it() -> None:
    """Rows and cells are left out, a tenth has seventeen digits, texts stand in their cells, in parts."""
    header = "".join(
        f'<c t="inlineStr"><is><r><t>{name[:3]}</t></r><r><t>{name[3:]}</t></r></is></c>' for name in HEADER
    )
    cells = (
        '<c r="A1000000" t="str"><v>T&amp;1</v></c><c r="B1000000" t="d"><v>2026-06-03T10:00:00</v></c>'
        '<c r="C1000000"><v>4.0999999999999996</v></c><c r="E1000000" t="str"><v>EUR</v></c>'
        '<c r="F1000000" t="str"><v>pending</v></c>'
    )
    xml = f'<worksheet><sheetData><row r="5">{header}</row><row r="1000000">{cells}</row></sheetData></worksheet>'
    [row] = rows(rewritten("xl/worksheets/sheet1.xml", xml.encode()))
    assert (row.line, row.txid, str(row.commission), row.occurred_at) == (1_000_000, "T&1", "4.1", at(6, 3, 10))


def test_a_cell_without_a_readable_value_costs_its_row_only() -> None:
    header = "".join(f'<c t="str"><v>{name}</v></c>' for name in HEADER)
    rest = '<c t="str"><v>EUR</v></c><c t="str"><v>pending</v></c>'
    lines = "".join(
        f'<row><c t="str"><v>T{number}</v></c><c t="d"><v>{day}</v></c><c><v>{value}</v></c><c/>{rest}</row>'
        for number, (day, value) in enumerate([("2026-06-03", "1e999"), ("2026-06-03", "#N/A"), ("2026-06-03", "5")])
    )
    xml = f"<worksheet><sheetData><row>{header}</row>{lines}</sheetData></worksheet>"
    report = rewritten("xl/worksheets/sheet1.xml", xml.encode())
    assert rejected_lines(report) == [(2, "bad_amount"), (3, "bad_amount")]


def test_a_date_before_1904_counts_from_the_workbooks_own_first_day() -> None:
    made = openpyxl.Workbook()
    made.epoch = CALENDAR_MAC_1904
    sheet = made.active
    sheet.append(HEADER)
    sheet.append(["T1", date(2026, 6, 3), 1, 1, "EUR", "pending"])
    file = io.BytesIO()
    made.save(file)
    assert rows(file.getvalue())[0].occurred_at == date(2026, 6, 3)


def test_shared_texts_come_in_parts_and_without_their_phonetic_readings() -> None:
    texts = [*HEADER, "T1", "2026-06-03", "5", "7", "EUR", "pending"]
    items = [f"<si><r><t>{text[:2]}</t></r><r><t>{text[2:]}</t></r><rPh><t>x</t></rPh></si>" for text in texts]
    [row] = rows(with_shared_texts(f"<sst>{''.join(items)}</sst>".encode()))
    assert (row.txid, row.currency, row.status, str(row.commission)) == ("T1", "EUR", "pending", "5")


def test_a_cell_that_refers_to_no_text_is_a_damaged_workbook() -> None:
    assert refusal(with_shared_texts(b"<sst><si><t>Transaction ID</t></si></sst>")).code == "broken_archive"


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
    assert refusal(with_shared_texts(laughs)).code == "unsafe_workbook"
    assert refusal(rewritten("xl/styles.xml", laughs)).code == "unsafe_workbook"


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
    return with_parts({name: data})


def with_shared_texts(texts: bytes) -> bytes:
    """A workbook of two rows whose cells refer to the table of texts."""
    width = len(HEADER)
    cells = [f'<c t="s"><v>{at}</v></c>' for at in range(2 * width)]
    lines = "".join(f"<row>{''.join(row)}</row>" for row in (cells[:width], cells[width:]))
    sheet = f"<worksheet><sheetData>{lines}</sheetData></worksheet>"
    return with_parts({"xl/worksheets/sheet1.xml": sheet.encode(), "xl/sharedStrings.xml": texts})


def with_parts(parts: dict[str, bytes]) -> bytes:
    """A workbook with other contents of some parts."""
    source = io.BytesIO(workbook({"A": [HEADER, ["T1", date(2026, 6, 3), 1, 1, "EUR", "pending"]]}))
    target = io.BytesIO()
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    shared = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>'
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        contents = {name: old.read(name) for name in old.namelist()} | parts
        if "xl/sharedStrings.xml" in parts:
            types = contents["[Content_Types].xml"]
            contents["[Content_Types].xml"] = types.replace(b"</Types>", shared.encode())
        for name, data in contents.items():
            new.writestr(name, data)
    return target.getvalue()
