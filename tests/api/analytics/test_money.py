"""Sums of money that no Int64 and no float holds, over real engines: every answer has all of their digits.

And currencies of 0, 2 and 3 decimals: in every answer and file the parts add up to the total.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest

from infra.domain.sql_access.tables import DATABASE, TRAFFIC
from infra.kernel.clickhouse.client import ClickHouseError
from schemas.currencies import decimal_text, digits
from tests.support.query import Person, QueryService, this_moment

CALLS = ("clicks", "conversions", "partners", "geographic")
LARGE = 10**24


@pytest.mark.parametrize("currency", ["JPY", "USD", "KWD"])
def test_parts_add_up_to_a_total_of_any_size(query_service: QueryService, currency: str) -> None:
    """Cells of the rollups, in eight days, countries and partners, that add up to some 10^24 minor units."""
    seed = random.randrange(2**32)
    rng, ada = random.Random(seed), query_service.person()
    website = query_service.website(ada, currency=currency)
    partners = [query_service.partner(f"P{number}") for number in range(8)]
    amounts = [rng.randrange(LARGE // 4) for _ in partners]
    for number, (partner, amount) in enumerate(zip(partners, amounts, strict=True)):
        _cell(query_service, website, number, partner, amount)
    total = sum(amounts)
    found = _answers(query_service, ada, website)
    shown = Decimal(decimal_text(total, currency))
    assert found["overview"]["revenue"]["total"] == found["overview"]["revenue"]["approved"] == shown, seed
    assert -shown.as_tuple().exponent == digits(currency)  # type: ignore[operator]
    for call in CALLS:
        assert sum(row["revenue"] for row in found[call]) == shown, (call, seed)
    epc = {row["partnerName"]: row["epc"] for row in found["partners"]}
    assert epc == {
        f"P{number}": Decimal(decimal_text(amount, currency)).quantize(
            Decimal("1.000" if currency == "KWD" else "1.00")
        )
        for number, amount in enumerate(amounts)
    }
    files = _files(query_service, ada, website)
    assert {row["figure"]: row["value"] for row in files["overview"]}["revenue.total"] == str(shown)
    for call in CALLS:
        assert sum(Decimal(row["revenue"]) for row in files[call]) == shown, (call, seed)
        assert [row["revenue"] for row in files[call]] == [str(row["revenue"]) for row in found[call]]


def test_sales_are_added_up_beyond_an_int64(query_service: QueryService) -> None:
    """Through the feeds of the rollups, and from the raw table: 5,000 sales of 2^53, the most that events ever held."""
    ada, partner = query_service.person(), query_service.partner("Acme")
    website = query_service.website(ada)
    query_service.command(
        "INSERT INTO events__g1 (website_id, event_id, type, occurred_at, received_at, country, device, partner_id,"
        " conversion_id, event_name, d_pending, c_pending, c_approved, _topic)"
        f" SELECT '{website}', generateUUIDv4(), 'conversion', now() - 60, now(), 'DE', 'desktop', '{partner}',"
        f" generateUUIDv4(), 'sale', 1, {2**53}, {2**53}, 'domain' FROM numbers(5000)"
    )
    half, whole = Decimal(decimal_text(5000 * 2**53, "USD")), Decimal(decimal_text(10_000 * 2**53, "USD"))
    for filters in ("", "&device=desktop", f"&partner={partner}", "&country=DE"):
        found = _answers(query_service, ada, website, filters)
        revenue = found["overview"]["revenue"]
        assert (revenue["total"], revenue["pending"], revenue["approved"]) == (whole, half, half), filters
        for call in CALLS:
            assert sum(row["revenue"] for row in found[call]) == whole, (call, filters)


def test_a_statement_opens_with_a_sum_of_any_size(query_service: QueryService) -> None:
    ada, partner = query_service.person(), query_service.partner("Acme")
    website = query_service.website(ada, currency="KWD")
    query_service.insert("website_zones", {
        "website_id": website, "since": datetime(2020, 1, 1, tzinfo=UTC), "timezone": "UTC", "position": 0,
    })  # fmt: skip
    query_service.insert("statement_months", {
        "id": uuid4(), "website_id": website, "partner_id": partner, "currency": "KWD", "month": date(2026, 1, 1),
        "earned": LARGE + 1,
    })  # fmt: skip
    asked = f"websiteId={website}&month=2026-03"
    answer = query_service.get(f"/api/platform/statements?{asked}", ada)
    assert answer.status_code == 200, answer.text
    [statement] = json.loads(answer.text)["statements"]
    assert statement["opening"] == statement["payable"] == {"amount": LARGE + 1, "currency": "KWD"}
    file = query_service.get(f"/api/platform/statements/{partner}.csv?{asked}", ada)
    opening, closing = csv.DictReader(io.StringIO(file.text))
    assert opening["amount"] == closing["amount"] == decimal_text(LARGE + 1, "KWD") == "1000000000000000000000.001"


def test_analysts_get_an_error_instead_of_a_wrapped_sum(query_service: QueryService) -> None:
    website = query_service.website(query_service.person())
    partner = query_service.partner("Acme")
    select = TRAFFIC.source.format(own=f"website_id = '{website}'").replace(f"{DATABASE}.", "")
    _cell(query_service, website, 0, partner, 2**62)
    assert query_service.rows(f"SELECT c_approved, toTypeName(c_approved) FROM ({select})") == [(2**62, "Int64")]
    _cell(query_service, website, 0, partner, 2**62)
    with pytest.raises(ClickHouseError, match="cannot be safely converted"):
        query_service.rows(f"SELECT c_approved FROM ({select})")


def _cell(service: QueryService, website: UUID, number: int, partner: UUID, amount: int) -> None:
    """One click and one approved conversion that earned `amount`, `number` days ago."""
    at = (this_moment() - timedelta(days=number % 5)).strftime("%Y-%m-%d %H:00:00")
    country = ("DE", "FR", "US", "JP", "KW", "BR", "IN", "ZZ")[number]
    for table, name, value in (
        ("traffic_15m", "", ""),
        ("partner_15m", ", partner_id", f", '{partner}'"),
        ("country_15m", ", country", f", '{country}'"),
    ):
        service.command(
            f"INSERT INTO {table}__g1 (website_id, bucket, is_bot, clicks, approved, c_approved{name})"
            f" SELECT '{website}', '{at}', false, 1, 1, toInt128('{amount}'){value}"
        )


def _answers(service: QueryService, person: Person, website: UUID, filters: str = "") -> Mapping[str, Any]:
    found = {}
    for call in ("overview", *CALLS):
        path = f"/api/platform/analytics/{call}?websiteId={website}&timeRange=30d{filters}"
        answer = service.get(path, person)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == "application/json" and answer.headers["X-As-Of"]
        found[call] = json.loads(answer.text, parse_float=Decimal, parse_int=Decimal)
    return found


def _files(service: QueryService, person: Person, website: UUID) -> Mapping[str, Sequence[Mapping[str, str]]]:
    found = {}
    for call in ("overview", *CALLS):
        answer = service.get(f"/api/platform/analytics/{call}.csv?websiteId={website}&timeRange=30d", person)
        assert answer.status_code == 200, answer.text
        found[call] = list(csv.DictReader(io.StringIO(answer.text)))
    return found
