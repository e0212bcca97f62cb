"""The parts of the ClickHouse front that need no engine: reading statements, block frames, codings, error texts."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from infra.services.clickhouse_server import blocks, content_encodings, errors, formats, readonly
from infra.services.clickhouse_server.errors import ClickHouseError
from infra.services.clickhouse_server.sql import ParsedStatement, outer_tokens, read_statement, tokens
from infra.services.clickhouse_server.users import UsersFileError, authenticate, read_users

PIECES = [
    *(
        b"(",
        b")",
        b"[",
        b"]",
        b"{",
        b"}",
        b"'",
        b'"',
        b"`",
        b"\\",
        b"$",
        b"$a$",
        b"--",
        b"-",
        b"#",
        b"# ",
        b"/*",
        b"*/",
    ),
    *(b"/", b" ", b"\n", b"a", b"_b1", b"9", b"1.5e3", b",", b".", b"FORMAT", b" FORMAT x", b"\xc3\xa9", b"\xff", b";"),
]
# A column file of a MergeTree part, written by ClickHouse 26.9: the same frames as on the wire.
FRAME = bytes.fromhex(
    "06317fa44ad38937870c1f645338817e8217000000100000002208000100804d00000000000000a0c9aa0479a50ad763acfa4b581483e882190000001500000022020001001203070060003737616263"
)
FRAME_DATA = bytes.fromhex("08000000000000004d00000000000000020000000000000003000000000000003737616263")


class TestStatements:
    @pytest.mark.parametrize(
        ("text", "head", "input_format", "data"),
        [
            ("INSERT INTO t FORMAT CSV\n1,2", "INSERT INTO t ", "CSV", "1,2"),
            ("INSERT INTO t FORMAT CSV  \r\n 1", "INSERT INTO t ", "CSV", " 1"),
            ("insert into t format JSONEachRow {\"a\":1}", "insert into t ", "JSONEachRow", "{\"a\":1}"),
            ("INSERT INTO t (format, `values`) VALUES (1)", "INSERT INTO t (format, `values`) ", "Values", " (1)"),
            ("INSERT INTO format FORMAT TSV\n1", "INSERT INTO format ", "TSV", "1"),
            ("INSERT INTO a.values VALUES (1)", "INSERT INTO a.values ", "Values", " (1)"),
            ("/* FORMAT X */ INSERT INTO t -- A\n VALUES 1", "/* FORMAT X */ INSERT INTO t -- A\n ", "Values", " 1"),
        ],
    )  # fmt: skip
    def test_an_insert_is_cut_where_its_data_starts(self, text: str, head: str, input_format: str, data: str) -> None:
        assert read_statement(text.encode()) == ParsedStatement(
            "INSERT", head.encode(), input_format, b"", data.encode()
        )

    def test_an_insert_in_the_query_parameter_takes_its_data_from_the_body(self) -> None:
        assert read_statement(b"INSERT INTO t", data_follows=True) == ParsedStatement(
            "INSERT", b"INSERT INTO t", "Values"
        )
        with_settings = read_statement(b"INSERT INTO t FORMAT CSV SETTINGS a = 1;", data_follows=True)
        assert with_settings == ParsedStatement("INSERT", b"INSERT INTO t ", "CSV", b"SETTINGS a = 1")

    def test_an_inserts_settings_are_set_apart(self) -> None:
        found = read_statement(b"INSERT INTO t (a) SETTINGS x = 'FORMAT X' FORMAT Native\n\x00")
        assert found == ParsedStatement("INSERT", b"INSERT INTO t (a) ", "Native", b"SETTINGS x = 'FORMAT X' ", b"\x00")

    def test_an_insert_select_takes_no_data(self) -> None:
        for text in (b"INSERT INTO t SELECT 1 AS values", b"INSERT INTO t WITH 1 AS x SELECT x FORMAT Null"):
            assert read_statement(text, data_follows=True).input_format is None
        assert read_statement(b"INSERT INTO t SELECT a FROM input('a Int8') FORMAT CSV\n1").from_input

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("SELECT 1 FORMAT JSON", "JSON"),
            ("SELECT 1 format Native;", "Native"),
            ("SELECT 1 FORMAT CSV SETTINGS max_threads = 1", "CSV"),
            ("SELECT 'FORMAT JSON'", None),
            ("SELECT 1 -- FORMAT JSON", None),
            ("SELECT format FROM t", None),
            ("SELECT (SELECT 1 FORMAT JSON)", None),
            ("SELECT 1 AS `FORMAT` FORMAT TSV", "TSV"),
        ],
    )
    def test_the_explicit_output_format(self, text: str, expected: str | None) -> None:
        assert read_statement(text.encode()).output_format == expected

    def test_writing_files_is_seen(self) -> None:
        assert read_statement(b"SELECT 1 INTO /* */ outfile 'x'").writes_file
        assert not read_statement(b"SELECT 'INTO OUTFILE'").writes_file

    @given(st.lists(st.sampled_from(PIECES), max_size=30))
    def test_the_tokens_outside_of_brackets_are_those_of_depth_0(self, pieces: list[bytes]) -> None:
        text = b"".join(pieces)
        assert list(outer_tokens(text)) == [token for token in tokens(text) if token.depth == 0]

    @given(st.binary(max_size=200))
    def test_no_text_breaks_it(self, text: bytes) -> None:
        read_statement(text)
        found = read_statement(b"INSERT INTO t FORMAT RowBinary\n" + text)
        assert (found.input_format, found.data) == ("RowBinary", text)


class TestBlocks:
    @given(st.binary(max_size=5000), st.sampled_from([blocks.LZ4, blocks.ZSTD, blocks.NONE]), st.integers(1, 97))
    def test_what_is_encoded_is_decoded_however_it_is_cut(self, data: bytes, method: int, step: int) -> None:
        packed = blocks.encode(data)
        if method != blocks.LZ4:
            body = data if method == blocks.NONE else zstandard.ZstdCompressor(level=1).compress(data)
            packed = blocks.frame(method, body, len(data))
        decoder = blocks.Decoder()
        found = b"".join(decoder.decompress(packed[at : at + step]) for at in range(0, len(packed), step))
        assert found + decoder.finish() == data

    def test_large_data_becomes_several_blocks(self) -> None:
        data = bytes(range(256)) * 12_000
        packed = blocks.encode(data)
        assert blocks.Decoder().decompress(packed) == data
        assert len(packed) < len(data)

    def test_a_frame_as_a_server_wrote_it(self) -> None:
        assert blocks.Decoder().decompress(FRAME) == FRAME_DATA

    @given(st.binary(min_size=1, max_size=300), st.data())
    def test_damage_is_noticed(self, data: bytes, draw: st.DataObject) -> None:
        packed = bytearray(blocks.encode(data))
        at = draw.draw(st.integers(0, len(packed) - 1))
        packed[at] ^= draw.draw(st.integers(1, 255))
        with pytest.raises(ClickHouseError) as caught:
            decompress_whole(bytes(packed))
        assert caught.value.code in (errors.Code.CHECKSUM_DOESNT_MATCH, errors.Code.CANNOT_DECOMPRESS)


def decompress_whole(packed: bytes) -> bytes:
    decoder = blocks.Decoder()
    return decoder.decompress(packed) + decoder.finish()


class TestCodings:
    @given(st.binary(max_size=3000), st.sampled_from(["gzip", "deflate", "zstd", "lz4"]), st.booleans())
    def test_what_is_encoded_is_decoded_to_the_same(self, data: bytes, coding: str, native: bool) -> None:
        encoder = content_encodings.encoder(coding, native=native)
        half = len(data) // 2
        wire = encoder.encode(data[:half]) + encoder.encode(data[half:]) + encoder.finish()
        decoder = content_encodings.decoder(coding, native=native)
        found = b"".join(piece for at in range(0, len(wire), 7) for piece in decoder.decode(wire[at : at + 7]))
        decoder.finish()
        assert found == data

    def test_concatenated_members_are_one_body(self) -> None:
        for coding, pack in (("gzip", gzip.compress), ("zstd", zstandard.compress)):
            decoder = content_encodings.decoder(coding, native=False)
            assert b"".join(decoder.decode(pack(b"one") + pack(b"two"))) == b"onetwo"
            decoder.finish()

    def test_what_is_not_compressed_as_said_is_refused(self) -> None:
        with pytest.raises(ClickHouseError) as caught:
            list(content_encodings.decoder("gzip", native=False).decode(b"plain"))
        assert caught.value.code == errors.Code.CANNOT_DECOMPRESS
        with pytest.raises(ClickHouseError) as caught:
            content_encodings.decoder("br", native=False)
        assert caught.value.code == errors.Code.BAD_ARGUMENTS

    def test_the_best_known_coding_is_chosen(self) -> None:
        assert content_encodings.choose("gzip, deflate, br, zstd") == "zstd"
        assert content_encodings.choose("zstd;q=0, gzip;q=0.5") == "gzip"
        assert content_encodings.choose("br") is None
        assert content_encodings.choose("") is None


class TestFormats:
    def test_headers_are_measured(self) -> None:
        assert _header("CSVWithNames", b'"a\n""b"\n1\n') == len(b'"a\n""b"\n')
        assert _header("TSVWithNamesAndTypes", b"a\nInt\n1\n") == len(b"a\nInt\n")
        assert _header("RowBinaryWithNames", b"\x02\x01a\x02bc\x07") == 6
        assert _header("Native", b"\x01\x01") == 0

    def test_documents_are_not_streamed(self) -> None:
        assert all(formats.header_cutter(name) is None for name in ("JSON", "Parquet", "Pretty", "XML", "ArrowStream"))


def _header(name: str, chunk: bytes) -> int:
    cut = formats.header_cutter(name)
    assert cut is not None
    return cut(chunk)


class TestErrors:
    def test_the_innermost_of_nested_texts_counts(self) -> None:
        inner = "Code: 115. DB::Exception: Unknown setting 'x'. (UNKNOWN_SETTING)"
        found = errors.from_engine(RuntimeError(f"Code: 115. DB::Exception: {inner} (version 1). (UNKNOWN_SETTING)"))
        assert (found.code, found.status) == (115, 404)
        assert found.text == "Code: 115. DB::Exception: Unknown setting 'x'. (UNKNOWN_SETTING)"

    def test_a_text_without_a_code(self) -> None:
        assert errors.from_engine(RuntimeError("boom")).code == 1001


class TestUsers:
    def test_a_users_file(self, tmp_path: Path) -> None:
        path = tmp_path / "users.json"
        path.write_text(json.dumps({"users": [{"name": "a", "password": "p:ä", "readonly": True}]}))
        users = read_users(path)
        assert authenticate(users, {"authorization": "Basic YTpwOsOk"}, {}).readonly
        with pytest.raises(ClickHouseError) as caught:
            authenticate(users, {"authorization": "Basic YTpwOsOk"}, {"user": "a"})
        assert caught.value.code == errors.Code.BAD_ARGUMENTS
        for text in ("{}", '{"users": []}', "nonsense", '{"users": [{"name": "a"}]}'):
            path.write_text(text)
            with pytest.raises(UsersFileError):
                read_users(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_execution_time", "1e-9"),
        ("max_execution_time", "nan"),
        ("max_execution_time", "x"),
        ("max_result_rows", "-1"),
        ("format_schema", "/etc/passwd"),
        ("format_schema_source", "file"),
        ("format_template_row", "/etc/passwd"),
        ("format_template_resultset", "/etc/passwd"),
        ("additional_table_filters", "{}"),
        ("allow_introspection_functions", "1"),
    ],
)
def test_a_readonly_user_loosens_nothing_and_names_no_file(name: str, value: str) -> None:
    limits = {"max_execution_time": "60", "max_result_rows": "100"}
    with pytest.raises(ClickHouseError, match="readonly mode"):
        readonly.settings_for({name: value}, limits)
    for value, held in (("0.5", "0.5"), ("0", "60"), ("61", "60"), ("inf", "60"), ("60", "60")):
        assert readonly.settings_for({"max_execution_time": value}, limits)["max_execution_time"] == held


def test_what_changes_nothing_is_accepted_and_left_out() -> None:
    limits, current = (
        {"max_result_rows": "100", "result_overflow_mode": "throw"},
        {"allow_ddl": "1", "join_algorithm": "auto"},
    )
    asked = {"allow_ddl": "true", "join_algorithm": "auto", "async_insert": "1", "network_compression_method": "LZ4"}
    assert readonly.settings_for({**asked, "result_overflow_mode": "throw"}, limits, current) == limits
    with pytest.raises(ClickHouseError, match="allow_ddl"):
        readonly.settings_for({"allow_ddl": "0"}, limits, current)
    first = readonly.settings_for({"max_result_rows": "7", "result_overflow_mode": "break"}, limits, current)
    assert first == {**limits, "limit": "7"}
    assert readonly.settings_for({"result_overflow_mode": "break"}, limits, current) == limits
