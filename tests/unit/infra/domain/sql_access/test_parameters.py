"""Given a statement with parameters, then a value that does not fit its type is rejected before it is bound."""

from __future__ import annotations

import pytest

from infra.domain.sql_access.parameters import MAX_VALUE_BYTES, BadParameter, bind, declared


def test_parameters_are_those_outside_of_literals_and_comments() -> None:
    sql = "SELECT '{a:String}' -- {b:UInt8}\nFROM clicks WHERE x = {site : UUID} AND y IN {list:Array(String)}"
    assert declared(sql) == {"site": "UUID", "list": "Array(String)"}


@pytest.mark.parametrize(
    ("type_", "value", "bound"),
    [
        ("UInt8", " 255 ", "255"),
        ("Nullable(Int32)", "-7", "-7"),
        ("Nullable(Int32)", "\\N", "\\N"),
        ("UUID", "0192F3A0-0000-7000-8000-000000000002", "0192f3a0-0000-7000-8000-000000000002"),
        ("Date", "2026-11-20", "2026-11-20"),
        ("DateTime", "2026-11-20T14:30", "2026-11-20 14:30:00"),
        ("DateTime('UTC')", "2026-11-20 14:30:05", "2026-11-20 14:30:05"),
        ("DateTime64(3)", "2026-11-20 14:30:05.250", "2026-11-20 14:30:05.250000"),
        ("Float64", "1.5", "1.5"),
        ("Bool", "True", "true"),
        ("LowCardinality(String)", "a\tb\\n'; DROP", "a\\tb\\\\n'; DROP"),
        ("Array(String)", "['a','b']", "['a','b']"),
    ],
)
def test_a_value_is_bound_as_its_type(type_: str, value: str, bound: str) -> None:
    assert bind(f"SELECT {{p:{type_}}}", {"p": value}) == {"p": bound}


@pytest.mark.parametrize(
    ("type_", "value", "wanted"),
    [
        ("UInt8", "300", "a whole number from 0 on, in its range"),
        ("UInt8", "-1", "a whole number from 0 on, in its range"),
        ("Int32", "99999999999", "a whole number in its range"),
        ("Int64", "٣", "a whole number in its range"),
        ("UUID", "x'; DROP", "an id (UUID)"),
        ("Date", "2026-13-01", "a date such as 2026-11-20"),
        ("Date", "", "a date such as 2026-11-20"),
        ("DateTime", "2026-11-20T10:00:00+02:00", "a time such as 2026-11-20 14:30:00"),
        ("Float64", "1,5", "a number"),
        ("Bool", "maybe", "true or false"),
    ],
)
def test_a_value_that_does_not_fit_is_named(type_: str, value: str, wanted: str) -> None:
    with pytest.raises(BadParameter, match="is not valid for the parameter p") as rejected:
        bind(f"SELECT {{p:{type_}}}", {"p": value})
    assert str(rejected.value).endswith(f"enter {wanted}.") and rejected.value.name == "p"


def test_a_value_longer_than_a_form_takes_is_named() -> None:
    assert bind("SELECT {a:String}", {"a": "x" * MAX_VALUE_BYTES, "no name": "1"}) == {"a": "x" * MAX_VALUE_BYTES}
    with pytest.raises(BadParameter, match="parameter a may have at most 50,000 bytes") as told:
        bind("SELECT {a:String}", {"a": "ü" * (MAX_VALUE_BYTES // 2 + 1)})
    assert told.value.name == "a"
