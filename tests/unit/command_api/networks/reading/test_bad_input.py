"""Files as they really come: each fault costs its own line, or the file is refused with a clear reason."""

from __future__ import annotations

import gzip
import io
import random
import tracemalloc
import zipfile
from contextlib import suppress
from typing import Final

import pytest

from command_api.networks.reading.reports import inspect, read
from command_api.networks.reading.rows import ReportLayoutChanges
from infra.domain.report_files import content
from infra.domain.report_files.layouts import MAX_QUOTED, RejectedLine, UnreadableReport
from schemas.networks import NETWORKS
from tests.oracle import network_files
from tests.unit.command_api.networks.reading.support import (
    TODAY,
    entries,
    look,
    refusal,
    rejected_lines,
    rows,
    sales,
    table,
)

OLD_WORKBOOK: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
GOOD: Final = "T9,2026-03-04,5.00,EUR,pending"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1"])
def test_a_german_report_is_read_in_its_encoding(encoding: str) -> None:
    report = table(
        "Bestell-ID;Datum;Händler;Provision;Währung;Status",
        "A1;03.06.2026;Müller & Söhne;1.234,50;EUR;offen",
        "A2;23.06.2026;Größe;0,05;EUR;bestätigt",
    )
    first, second = rows(report.encode(encoding), "digistore24")
    assert (first.partner_name, str(first.commission), first.status) == ("Müller & Söhne", "1234.50", "pending")
    assert (second.partner_name, second.status) == ("Größe", "approved")


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("cp1252", "Champs-Élysées crème brûlée"),
        ("cp1252", "Ærø Østerbro Å"),
        ("cp1252", "£12 bei Müller"),
        ("cp1252", "L’Oréal – Größe™"),
        ("cp1252", "ß12"),
        ("cp1250", "Łódź"),
        ("shift_jis", "楽天市場"),
        ("cp1250", "Sklep Żółty łąka"),
        ("cp1250", "Příliš žluťoučký kůň"),
        ("cp1251", "Магазин один"),
        ("shift_jis", "楽天市場の店舗"),
        ("gb18030", "京东商城旗舰店"),
        ("euc_kr", "온라인 상점 쇼핑"),
    ],
)
def test_an_encoding_of_another_script_is_detected(encoding: str, name: str) -> None:
    report = sales(
        *(f"T{number},2026-03-04,5.00,EUR,pending,{name}" for number in range(20)),
        header="Transaction ID,Date,Commission,Currency,Status,Merchant",
    )
    assert rows(report.encode(encoding))[0].partner_name == name


def test_an_encoding_can_be_chosen_but_only_one_of_text() -> None:
    report = "Transaction ID,Date,Commission,Currency,Status,Merchant\nT1,2026-03-04,5,EUR,pending,Łódź\n".encode(
        "cp1250"
    )
    assert rows(report, given=ReportLayoutChanges(encoding="windows-1250"))[0].partner_name == "Łódź"
    with pytest.raises(UnreadableReport) as raised:
        look(report, given=ReportLayoutChanges(encoding="zlib_codec"))
    assert raised.value.code == "unknown_encoding"


def test_a_byte_that_is_no_utf_8_costs_its_line_only() -> None:
    report = sales("Ä1,2026-03-04,5.00,EUR,pending", "T2,2026-03-04,5.00,EUR,pending", GOOD).encode()
    many = report + b"".join(f"Ü{number},2026-03-04,1,EUR,pending\n".encode() for number in range(20))
    broken = many.replace(b"T2", b"T\xff")
    assert rejected_lines(broken) == [(3, "bad_encoding")]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_every_separator_is_detected(separator: str) -> None:
    report = sales("T1,2026-03-04,5.00,EUR,pending", GOOD).replace(",", separator)
    assert look(report).layout.separator == separator
    assert [row.txid for row in rows(report)] == ["T1", "T9"]


def test_a_spreadsheets_line_that_names_the_separator_is_no_header() -> None:
    report = "sep=;\r\n" + sales(GOOD).replace(",", ";").replace("\n", "\r\n")
    assert rows(report)[0].txid == "T9"


def test_single_quotes_and_lone_carriage_returns_are_read() -> None:
    assert rows("'Transaction ID','Date','Commission','Status'\n'T,1','2026-03-04','5','pending'\n")[0].txid == "T,1"
    assert [row.txid for row in rows(sales("T1,2026-03-04,5,EUR,pending", GOOD).replace("\n", "\r"))] == ["T1", "T9"]


def test_a_separator_and_a_line_break_within_quotes_belong_to_the_field() -> None:
    report = sales(
        '"T1",2026-03-04,5.00,EUR,pending,"Shop, ""the""\nsecond line"',
        GOOD + ",x",
        header="Transaction ID,Date,Commission,Currency,Status,Merchant",
    )
    first, second = rows(report)
    assert first.partner_name == 'Shop, "the" second line'
    assert (first.line, second.line) == (2, 4)


def test_an_unclosed_quote_costs_its_line_and_not_the_rest() -> None:
    report = sales('T1,2026-03-04,5.00,EUR,"pending', "T2,2026-03-04,5.00,EUR,pending", GOOD)
    assert rejected_lines(report) == [(2, "unclosed_quote")]
    assert [entry.line for entry in entries(report)] == [2, 3, 4]


def test_an_unclosed_quote_before_quoted_lines_costs_its_line_only() -> None:
    quoted_lines = [f'"T{number}","2026-03-04","5.00","EUR","pending"' for number in range(200)]
    report = sales('"T,2026-03-04,5.00,EUR,pending', *quoted_lines)
    assert rejected_lines(report) == [(2, "unclosed_quote")]
    assert len(entries(report)) == 201


def test_a_quote_within_a_field_is_a_character() -> None:
    assert rows(sales('T1 12",2026-03-04,5.00,EUR,pending'))[0].txid == 'T1 12"'


def test_half_a_row_at_the_end_is_rejected() -> None:
    report = sales(GOOD) + "T2,2026-03"
    assert rejected_lines(report) == [(3, "incomplete_line")]
    assert rejected_lines(sales(GOOD) + '"T2","2026-03') == [(3, "incomplete_line")]


def test_a_whole_last_row_without_a_line_break_is_a_row() -> None:
    assert rows(sales(GOOD).removesuffix("\n"))[0].txid == "T9"


def test_a_line_with_nul_bytes_is_rejected() -> None:
    assert rejected_lines(sales("T\0,2026-03-04,5.00,EUR,pending", GOOD)) == [(2, "nul_byte")]


def test_a_line_with_more_fields_than_the_header_is_rejected_and_one_with_less_is_read() -> None:
    assert rejected_lines(sales("T1,2026-03-04,5.00,EUR,pending,extra", GOOD + ",,")) == [(2, "too_many_fields")]
    assert rows(sales("T1,2026-03-04,5.00", GOOD))[0].currency == "EUR"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (",2026-03-04,5.00,EUR,pending", "missing_txid"),
        ("T1,,5.00,EUR,pending", "missing_date"),
        ("T1,2026-02-30,5.00,EUR,pending", "bad_date"),
        ("T1,2097-03-04,5.00,EUR,pending", "future_date"),
        ("T1,1999-12-31,5.00,EUR,pending", "old_date"),
        ("T1,2026-03-04,,EUR,pending", "missing_commission"),
        ("T1,2026-03-04,five,EUR,pending", "bad_amount"),
        ("T1,2026-03-04,5.00,XXQ,pending", "unknown_currency"),
        ("T1,2026-03-04,$5.00,EUR,pending", "other_currency"),
        ("T1,2026-03-04,1000000000000001,EUR,pending", "amount_too_large"),
        ("T1,2026-03-04,5.00,EUR,perhaps", "unknown_status"),
        ("T1,2026-03-04,=SUM(A1:A9),EUR,pending", "formula"),
        ("=HYPERLINK(1),2026-03-04,5.00,EUR,pending", "formula"),
        ("1.23457E+12,2026-03-04,5.00,EUR,pending", "lost_digits"),
        (f"{'T' * 129},2026-03-04,5.00,EUR,pending", "bad_txid"),
    ],
)
def test_a_value_that_cannot_be_read_costs_its_line_with_its_reason(line: str, code: str) -> None:
    found = entries(sales(line, GOOD))
    assert [(entry.line, getattr(entry, "code", "")) for entry in found] == [(2, code), (3, "")]
    first = found[0]
    assert isinstance(first, RejectedLine)
    assert first.message.endswith(".")
    assert first.text


def test_a_constant_that_a_spreadsheet_wrote_as_a_formula_is_its_text() -> None:
    assert rows(sales('"=""00123""",2026-03-04,5.00,EUR,pending'))[0].txid == "00123"


def test_a_line_of_ten_megabytes_is_rejected_with_bounded_memory() -> None:
    report = sales("x" * 10_000_000, GOOD).encode()
    file = io.BytesIO(report)
    tracemalloc.start()
    layout = inspect(file, "default", today=TODAY).layout
    found = list(read(file, "default", layout, timezone="UTC", currency="EUR", today=TODAY))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [(entry.line, getattr(entry, "code", "")) for entry in found] == [(2, "line_too_long"), (3, "")]
    assert isinstance(found[0], RejectedLine)
    assert len(found[0].text) == MAX_QUOTED
    assert peak < 9_000_000


def test_memory_does_not_grow_with_the_file() -> None:
    peaks = []
    for count in (4_000, 12_000):
        file = io.BytesIO(sales(*(f"T{number},2026-03-04,5.00,EUR,pending" for number in range(count))).encode())
        layout = inspect(file, "default", today=TODAY).layout
        tracemalloc.start()
        assert sum(1 for _ in read(file, "default", layout, timezone="UTC", currency="EUR", today=TODAY)) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 150_000


def test_five_thousand_columns_are_refused() -> None:
    header = "Transaction ID,Date,Commission," + ",".join(f"C{number}" for number in range(5_000))
    assert refusal(table(header, "T1,2026-03-04,5")).code == "too_many_columns"
    assert refusal("[{" + ",".join(f'"k{number}": 1' for number in range(5_000)) + "}]").code == "too_many_columns"


def test_lines_of_separators_alone_are_no_header() -> None:
    assert refusal(table(*["," * 100_000] * 60)).code == "not_a_report"


@pytest.mark.parametrize("network", sorted(NETWORKS))
def test_a_header_alone_is_a_report_without_rows_at_every_network(network: str) -> None:
    header = "Transaction ID,ASIN,Date Shipped,Date,Commission,Status\n"
    inspection = look(header, network)
    assert inspection.notes[-1] == "The report has no rows."
    assert rows(header, network) == []


@pytest.mark.parametrize(
    ("report", "code", "says"),
    [
        (b"", "empty_file", "empty"),
        (b" \n\r\n ", "empty_file", "empty"),
        (b"<html><title>Sign in</title><p>Session expired", "not_a_report", "Session expired"),
        (b'<?xml version="1.0"?><error>Invalid token</error>', "not_a_report", "Invalid token"),
        (b'{"error": {"code": "429", "message": "Rate limit exceeded"}}', "not_a_report", "Rate limit exceeded"),
        (b'{"errors": [{"message": "Invalid token"}], "data": null}', "not_a_report", "Invalid token"),
        (b'{"Status": "ERROR", "Message": "Access denied"}', "not_a_report", "Access denied"),
        (b'"just a text"', "not_a_report", "just a text"),
        (b"{broken", "not_a_report", "broken"),
        (b"Invalid API key", "not_a_report", "Invalid API key"),
        (b"%PDF-1.7 ...", "not_a_report", "PDF"),
        (OLD_WORKBOOK, "old_workbook", ".xls"),
        (OLD_WORKBOOK + "EncryptedPackage".encode("utf-16-le"), "encrypted_workbook", "password"),
        (b"\x1f\x8b\x08\x00broken", "broken_archive", "damaged"),
        (gzip.compress(gzip.compress(b"a,b\n", mtime=0), mtime=0), "nested_archive", "twice"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_report_is_refused_and_quoted(report: bytes, code: str, says: str) -> None:
    error = refusal(report)
    assert error.code == code
    assert says in error.message


def test_a_compressed_report_is_read() -> None:
    assert rows(gzip.compress(sales(GOOD).encode()))[0].txid == "T9"


def test_a_compressed_file_that_is_cut_off_is_refused() -> None:
    assert refusal(gzip.compress(sales(GOOD).encode())[:-12]).code == "broken_archive"


def test_a_compressed_file_beyond_its_bound_is_refused_while_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress(sales(GOOD).encode() * 1_000)
    monkeypatch.setattr(content, "MAX_UNPACKED", 10_000)
    assert refusal(packed).code == "file_too_large"


def test_a_zip_that_is_no_workbook_and_one_with_a_password_are_refused() -> None:
    archive = zipped({"report.csv": b"a,b\n"})
    assert refusal(archive).code == "zip_archive"
    locked = bytearray(archive)
    locked[archive.index(b"PK\x01\x02") + 8] |= 1
    assert refusal(bytes(locked)).code == "encrypted_workbook"


def test_json_that_is_damaged_in_the_middle_is_refused_and_one_cut_off_keeps_its_whole_records() -> None:
    record = '{"id": "T%d", "date": "2026-03-04", "commission": 5, "status": "pending"}'
    whole = "[" + ",".join(record % number for number in range(3)) + "]"
    assert refusal(whole.replace('"T1", "date"', '"T1" "date"')).code == "broken_json"
    assert rejected_lines(whole[:-20]) == [(3, "incomplete_line")]
    assert [getattr(entry, "txid", "") for entry in entries(whole[:-20])] == ["T0", "T1", ""]


def test_json_nested_without_end_and_entries_that_are_no_records_are_refused() -> None:
    assert refusal("[" * 100_000).code == "broken_json"
    record = '{"id": "T1", "date": "2026-03-04", "commission": 5, "status": "pending"}'
    assert rejected_lines(f"[{record}, null, 7, []]") == [(2, "not_a_row"), (3, "not_a_row"), (4, "not_a_row")]


def test_records_of_json_are_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "CHUNK", 7)
    record = '{"id": "T%d", "date": "2026-03-04", "commission": %d.50, "status": "pend\\u0069ng", "merchant": "Ü"}'
    found = rows('{"total": 12, "list": [' + ",\n ".join(record % (one, one) for one in range(40)) + '], "next": null}')
    assert [(row.txid, str(row.commission), row.partner_name) for row in found] == [
        (f"T{one}", f"{one}.50", "Ü") for one in range(40)
    ]


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_file_is_read_or_refused_but_never_fails(seed: int) -> None:
    rng = random.Random(seed)
    network = rng.choice(network_files.NETWORKS)
    writing = network_files.random_writing(rng, network)
    lines = network_files.lines_of(network_files.random_ledger(seed, TODAY, 8), network, TODAY)
    data = bytearray(network_files.write(network, lines, writing))
    for _ in range(rng.randrange(1, 12)):
        at = rng.randrange(len(data))
        data[at : at + rng.randrange(20)] = rng.choice([b"", b'"', b"'", b"\0", b"\n", b"\xff", b"{", b"]", b"=", b"|"])
    with suppress(UnreadableReport):
        assert all(entry.line > 0 for entry in entries(bytes(data), network))


def zipped(parts: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return file.getvalue()
