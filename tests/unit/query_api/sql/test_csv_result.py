"""Given a typed CSV of ClickHouse, then the page's file, and the types of its columns."""

from __future__ import annotations

from query_api.sql.statements import csv_result


def test_the_types_are_taken_out_of_the_file() -> None:
    made = csv_result(b'"a\nb","n"\n"Enum8(\'x,\' = 1)","UInt64"\n"x\n",1\n', 1, is_whole=True)
    assert (made.content, list(made.types)) == (b'"a\nb","n"\n"x\n",1\n', ["Enum8('x,' = 1)", "UInt64"])


def test_a_file_that_was_cut_before_its_types_has_none() -> None:
    made = csv_result(b'"a"\n', 0, is_whole=False)
    assert (made.content, list(made.types), made.is_whole) == (b'"a"\n', [], False)
