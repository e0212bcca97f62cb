"""Given what the validator or ClickHouse says, then the analyst reads about the own text: place, reason, suggestion."""

from __future__ import annotations

import pytest

from infra.domain.sql_access.faults import explain

INNER = " In scope SELECT domein FROM (SELECT CAST(defaultValueOfTypeName('UUID'), 'UUID') AS id WHERE 0) AS websites"
SQL = "SELECT 'domein', -- domein\n  w.domein\nFROM websites AS w"


@pytest.mark.parametrize(
    ("said", "sql", "told"),
    [
        (
            f"Unknown expression identifier `domein`.{INNER}",
            SQL,
            "Line 2, column 5: There is no column domein. Did you mean domain?",
        ),
        (
            f"Identifier 'w.domein' cannot be resolved from w. Maybe you meant: ['w.domain'].{INNER}",
            SQL,
            "Line 2, column 3: There is no column w.domein. Did you mean w.domain?",
        ),
        (
            f"Unknown expression identifier `zebra`.{INNER}",
            "SELECT zebra FROM links",
            "Line 1, column 8: There is no column zebra.",
        ),
        (
            "Column 'websites.domain' is not under aggregate function and not in GROUP BY keys. In query SELECT 1",
            "SELECT\n  domain,\n  count()\nFROM websites",
            "Line 2, column 3: The column domain is neither in GROUP BY nor in an aggregate function such as sum or"
            " any.",
        ),
        (
            f"Illegal type String of argument for aggregate function sum:{INNER}",
            "SELECT sum(domain) FROM websites",
            "Line 1, column 8: Illegal type String of argument for aggregate function sum.",
        ),
        (
            "There is no table website. Tables: clicks, websites.",
            "SELECT 1\nFROM website",
            "Line 2, column 6: There is no table website. Did you mean websites? Tables: clicks, websites.",
        ),
        (
            "The function conut is not available here.",
            "SELECT conut()",
            "Line 1, column 8: The function conut is not available here. Did you mean count?",
        ),
        (
            "This is no SELECT that can be read: Invalid expression / Unexpected token. Line 1, Col: 27",
            "SELECT domain FORM websites",
            'Line 1, column 20: This is no SELECT that can be read: unexpected "websites".',
        ),
        ("Division by zero: In scope SELECT intDiv(1, 0)", "SELECT intDiv(1, 0)", "Division by zero."),
        (
            "Syntax error: failed at position 19 ()): ) FROM (SELECT CAST(x AS UUID)",
            "SELECT substring(1)",
            "ClickHouse cannot read this statement: check the arguments of functions and the order of clauses.",
        ),
        (
            "Multiple expressions (SELECT website_id FROM althing.events) AS a and 1 AS a for alias a",
            "SELECT 1 AS a",
            "The statement failed. Simplify it step by step to find the part that fails.",
        ),
    ],
)
def test_an_error_is_about_what_the_analyst_wrote(said: str, sql: str, told: str) -> None:
    assert explain(said, sql).message == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Substitution `site` is not set", "Give the parameter site a value."),
        (
            "Cannot parse uuid abc: value abc cannot be parsed as UUID for query parameter 'site'",
            '"abc" is not valid for the parameter site: enter an id (UUID).',
        ),
        (
            "Value x cannot be parsed as Date for query parameter 'site' because it isn't parsed completely",
            '"x" is not valid for the parameter site: enter a date such as 2026-11-20.',
        ),
    ],
)
def test_a_bad_parameter_is_named(said: str, told: str) -> None:
    fault = explain(said, "SELECT {site:UUID}")
    assert (fault.message, fault.parameter) == (told, "site")
