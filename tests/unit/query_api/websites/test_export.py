"""The zip of a website's export: a stream that any program can open, and no whole archive if a part failed."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from query_api.websites.export.archive import zipped
from query_api.websites.export.files import NOT_EXPORTED, SETTINGS, TABLES

NOW = datetime(2026, 11, 30, 6, 50, tzinfo=UTC)


@given(st.lists(st.lists(st.binary(max_size=2_000), max_size=5), min_size=1, max_size=4))
def test_every_file_comes_out_as_it_went_in(contents: list[list[bytes]]) -> None:
    files = [(f"{number}.csv", chunks) for number, chunks in enumerate(contents)]
    archive = zipfile.ZipFile(io.BytesIO(b"".join(zipped(files, NOW))))
    assert archive.testzip() is None
    assert {name: archive.read(name) for name in archive.namelist()} == {
        name: b"".join(chunks) for name, chunks in files
    }


def test_files_are_read_while_the_stream_is_taken_and_nothing_is_kept() -> None:
    read = 0

    def chunks() -> Iterator[bytes]:
        nonlocal read
        for number in range(1_000):
            read = number
            yield random.Random(number).randbytes(10_000)

    stream = zipped([("a", chunks())], NOW)
    longest = max(len(part) for part in (next(stream) for _ in range(50)))
    assert read < 900, "it reads on only as far as the stream is taken"
    assert longest < 100_000


def test_an_archive_that_failed_is_none() -> None:
    def failing() -> Iterator[bytes]:
        yield b"some rows"
        raise OSError("the database has gone")

    written: list[bytes] = []
    with pytest.raises(OSError, match="gone"):
        written.extend(zipped([("a", [b"whole"]), ("b", failing())], NOW))
    assert written
    with pytest.raises(zipfile.BadZipFile):
        zipfile.ZipFile(io.BytesIO(b"".join(written)))


def test_no_column_with_a_secret_is_in_a_file() -> None:
    columns = {column for table in (*TABLES, *SETTINGS) for column in table.columns}
    assert not columns & {"key_hash", "token", "salt", "secret", "account_id", "file"}
    assert all(NOT_EXPORTED.values())
