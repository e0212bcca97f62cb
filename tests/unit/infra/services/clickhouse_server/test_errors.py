"""Given an error of the engine, then an analyst at the port reads about the own text, in ClickHouse's form."""

from __future__ import annotations

from infra.services.clickhouse_server.errors import ClickHouseError, explained

SQL = "SELECT\n  clickz FROM events"


def test_an_error_is_about_what_the_analyst_wrote() -> None:
    text = (
        "Code: 47. DB::Exception: Unknown expression identifier `clickz` in scope SELECT clickz FROM (SELECT * FROM"
        " althing.events WHERE website_id IN (1)). Maybe you meant: ['clicks']. (UNKNOWN_IDENTIFIER)"
    )
    shown = explained(ClickHouseError(47, text), SQL)
    assert shown.text == (
        "Code: 47. DB::Exception: Line 2, column 3: There is no column clickz. Did you mean clicks?"
        " (UNKNOWN_IDENTIFIER)"
    )
    assert (shown.code, shown.status) == (47, ClickHouseError(47, text).status)


def test_an_error_without_a_quotation_stays_as_it_is() -> None:
    for text in (
        "Code: 159. DB::Exception: Timeout exceeded: elapsed 30 seconds. (TIMEOUT_EXCEEDED)",
        "The engine does not answer.",
    ):
        assert explained(ClickHouseError(159, text), SQL).text == text
