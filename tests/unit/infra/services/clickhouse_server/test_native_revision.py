"""Given blocks as the engine writes them, for revision 0, then each column is found by its type, and marked."""

from __future__ import annotations

import struct

import pytest

from infra.services.clickhouse_server import native_revision
from infra.services.clickhouse_server.errors import ClickHouseError

INFO = b"\x01\x00\x02\xff\xff\xff\xff\x00"


def text(value: str) -> bytes:
    data = value.encode()
    size, length = len(data), bytearray()
    while size >= 0x80:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([*length, size]) + data


def u64(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}Q", *values)


LOW = u64(1) + u64(0x200, 2) + text("") + text("low") + u64(3) + b"\x01\x00\x01"
COLUMNS = {
    "UInt8": b"\x01\x02\x03",
    "Decimal(12, 2)": u64(1, 2, 3),
    "Decimal(38, 10)": bytes(48),
    "DateTime64(3, 'Europe/Paris')": u64(1, 2, 3),
    "Enum8('a, (' = 1, 'b\\'' = 2)": b"\x01\x02\x01",
    "FixedString(2)": b"aabbcc",
    "String": text("") + text("x" * 300) + text("ü"),
    "Nullable(String)": b"\x01\x00\x00" + text("") + text("a") + text("b"),
    "Array(String)": u64(0, 2, 3) + text("a") + text("b") + text("c"),
    "Array(Array(UInt16))": u64(1, 1, 2) + u64(2, 3) + b"\x01\x00\x02\x00\x03\x00",
    "Array(UInt64)": u64(0, 0, 0),
    "Tuple(a String, `b c` Nullable(Int32))": text("a") + text("b") + text("c") + b"\x00\x00\x01" + bytes(12),
    "Map(String, UInt8)": u64(1, 1, 2) + text("a") + text("b") + b"\x01\x02",
    "LowCardinality(String)": LOW,
    "LowCardinality(Nullable(String))": LOW,
    "Array(LowCardinality(String))": u64(1) + u64(0, 0, 0),
    "Tuple(LowCardinality(String), UInt8)": u64(1) + LOW[8:] + b"\x01\x02\x03",
    "SimpleAggregateFunction(sum, Int64)": u64(1, 2, 3),
    "IntervalDay": u64(1, 2, 3),
}


def block(mark: bytes, *columns: tuple[str, bytes], rows: int = 3) -> bytes:
    head = bytes([len(columns), rows])
    return head + b"".join(text("name") + text(type_) + mark + data for type_, data in columns)


@pytest.mark.parametrize("type_", COLUMNS)
def test_each_type_is_passed_over(type_: str) -> None:
    columns = [(type_, COLUMNS[type_]), ("UInt8", b"\x07\x08\x09"), (type_, COLUMNS[type_])]
    assert native_revision.convert(block(b"", *columns)) == INFO + block(b"\x00", *columns)
    two = block(b"", *columns) + block(b"", *columns)
    assert native_revision.convert(two) == (INFO + block(b"\x00", *columns)) * 2


def test_a_block_without_rows_has_its_columns() -> None:
    columns = [("LowCardinality(String)", b""), ("AggregateFunction(uniq, UInt64)", b"")]
    assert native_revision.convert(block(b"", *columns, rows=0)) == INFO + block(b"\x00", *columns, rows=0)
    assert native_revision.convert(b"") == b""


def test_a_length_that_no_type_tells_is_refused() -> None:
    for type_ in ("AggregateFunction(uniq, UInt64)", "Variant(String, UInt8)", "Array(Dynamic)", "JSON"):
        with pytest.raises(ClickHouseError, match="Use RowBinaryWithNamesAndTypes"):
            native_revision.convert(block(b"", (type_, b"\x00")))


def test_only_newer_revisions_are_converted() -> None:
    assert [native_revision.converter(revision) is None for revision in (0, 54405, 54453, 54454, 54485)] == [
        True, True, True, False, False,
    ]  # fmt: skip
