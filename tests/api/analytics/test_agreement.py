"""For random data, ranges, zones and filters: every total is the sum of its series, every card agrees with every other,
rollups and raw table give the same numbers, and all of it is what a plain count over the rows gives."""

from __future__ import annotations

import json
import random
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest

from schemas.zones import ZoneInfo
from tests.support.query import Person, QueryService, conversion, event
from tests.support.rounds import first_of

ZONES = ("UTC", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns", "Pacific/Chatham")
CALLS = ("overview", "clicks", "conversions", "partners", "geographic")
FIRST, LAST = date(2026, 3, 20), date(2026, 4, 12)  # daylight saving begins or ends in most of the zones

Row = dict[str, Any]


class Measured:
    """A website with random events, and the rows themselves to count by hand."""

    def __init__(self, service: QueryService, seed: int) -> None:
        chance = random.Random(seed)
        self.zone = ZoneInfo(ZONES[seed % len(ZONES)])
        self.currency = chance.choice(["USD", "JPY", "KWD"])
        self.owner: Person = service.person()
        self.website: UUID = service.website(self.owner, self.zone.key, self.currency)
        self.partners = [service.partner(f"Partner {number}") for number in range(4)]
        self.rows = [self._row(chance) for _ in range(600)]
        service.events(self.rows)

    def _row(self, chance: random.Random) -> Row:
        start = datetime(2026, 3, 10, tzinfo=UTC)
        at = start + timedelta(seconds=chance.randrange(40 * 86400))
        dims = {
            "country": chance.choice(["DE", "FR", "US", "ZZ"]),
            "device": chance.choice(["desktop", "mobile"]),
            "source": chance.choice(["google", "newsletter", ""]),
            "sub1": chance.choice(["a", "b,c", ""]),
        }
        if chance.random() < 0.8 or not self.partners:
            dims["partner_id"] = str(chance.choice(self.partners))
        if chance.random() < 0.3:
            status = chance.choice(["pending", "approved", "rejected", "reversed"])
            earned = {f"d_{status}": chance.choice([1, 1, 1, -1])}
            if status != "rejected":
                earned[f"c_{status}"] = chance.randrange(-500, 5000)
            return conversion(self.website, at, **dims, **earned)
        kind = chance.choice(["click", "click", "pageview", "signup"])
        bot = {"is_bot": True, "bot_reason": "crawler"} if chance.random() < 0.1 else {}
        return event(self.website, at, kind, visitor=chance.randrange(0, 60), **dims, **bot)

    def inside(self, first: date, last: date, keep: Any = lambda _row: True, bots: str = "exclude") -> list[Row]:
        """The rows of the local days from `first` to `last`, counted by hand."""
        found = []
        for row in self.rows:
            moment = datetime.fromisoformat(row["occurred_at"] + "+00:00").astimezone(self.zone)
            is_bot = bool(row.get("is_bot"))
            fits = bots == "include" or is_bot == (bots == "only")
            if first <= moment.date() <= last and fits and keep(row):
                found.append(row)
        return found


@pytest.mark.parametrize("seed", first_of(1, 3, 0, 2))
def test_every_number_agrees(query_service: QueryService, seed: int) -> None:
    measured = Measured(query_service, seed)
    chance = random.Random(seed)
    for _ in range(2):
        first = FIRST + timedelta(days=chance.randrange(10))
        last = first + timedelta(days=chance.choice([0, 1, 5, 12]))
        bots = chance.choice(["exclude", "include", "only"])
        usual = _ask(query_service, measured, first, last, bots=bots)
        raw = _ask(query_service, measured, first, last, bots=bots, device="-none such")
        assert usual == raw
        _check_sums(usual)
        _check_by_hand(usual, measured.inside(first, last, bots=bots), measured)


@pytest.mark.parametrize("seed", first_of(1, 0, 2))
def test_filters_keep_all_cards_together(query_service: QueryService, seed: int) -> None:
    measured = Measured(query_service, 100 + seed)
    partner, other = str(measured.partners[0]), str(measured.partners[1])
    filters: list[tuple[dict[str, str], Any]] = [
        ({"country": "DE"}, lambda row: row["country"] == "DE"),
        ({"country": "DE,FR,-US"}, lambda row: row["country"] in ("DE", "FR")),
        ({"country": "-DE"}, lambda row: row["country"] != "DE"),
        ({"partner": partner}, lambda row: row.get("partner_id") == partner),
        ({"partner": f"-{partner}"}, lambda row: row.get("partner_id") != partner),
        ({"partner": f"{partner},{other}"}, lambda row: row.get("partner_id") in (partner, other)),
        ({"partner": "(none)"}, lambda row: "partner_id" not in row),
        (
            {"device": "mobile", "source": "-google"},
            lambda row: row["device"] == "mobile" and row["source"] != "google",
        ),
        ({"source": "(none)"}, lambda row: row["source"] == ""),
        ({"sub1": "a", "country": "FR,ZZ"}, lambda row: row["sub1"] == "a" and row["country"] in ("FR", "ZZ")),
    ]
    for asked, keep in filters:
        usual = _ask(query_service, measured, FIRST, LAST, **asked)
        raw = _ask(query_service, measured, FIRST, LAST, **{**asked, "sub2": "-none such"})
        assert usual == raw, asked
        _check_sums(usual)
        _check_by_hand(usual, measured.inside(FIRST, LAST, keep), measured)


def test_previous_is_what_the_range_before_says(query_service: QueryService) -> None:
    measured = Measured(query_service, 7)
    for days in (1, 2, 7):
        last = date(2026, 4, 5)
        first = last - timedelta(days=days - 1)
        this = _get(query_service, measured, "overview", first, last)
        before = _get(query_service, measured, "overview", first - timedelta(days=days), first - timedelta(days=1))
        assert this["previous"] == {name: before[name] for name in this["previous"]}
        assert this["previousRange"] == before["range"]
        assert _get(query_service, measured, "overview", first, last, compare="none")["previous"] is None


def _ask(service: QueryService, measured: Measured, first: date, last: date, **more: str) -> dict[str, Any]:
    return {call: _get(service, measured, call, first, last, **more) for call in CALLS}


def _get(service: QueryService, measured: Measured, call: str, first: date, last: date, **more: str) -> Any:
    asked = {"websiteId": measured.website, "timeRange": "custom", "from": first, "to": last, **more}
    answer = service.get(f"/api/platform/analytics/{call}?{urlencode(asked)}", measured.owner)
    assert answer.status_code == 200, answer.text
    return json.loads(answer.text, parse_float=Decimal)


def _check_sums(cards: dict[str, Any]) -> None:
    overview, clicks, conversions = cards["overview"], cards["clicks"], cards["conversions"]
    assert [point["date"] for point in clicks] == [point["date"] for point in conversions]
    assert sum(point["clicks"] for point in clicks) == overview["clicks"]["total"]
    assert sum(point["pageviews"] for point in clicks) == overview["pageviews"]
    assert sum(point["conversions"] for point in clicks) == overview["conversions"]["total"]
    for status in ("total", "pending", "approved", "rejected", "reversed"):
        assert sum(point[status] for point in conversions) == overview["conversions"][status]
    revenue = overview["revenue"]
    for series in (clicks, conversions):
        assert sum(point["revenue"] for point in series) == revenue["total"]
    assert revenue["pending"] + revenue["approved"] == revenue["total"]
    assert sum(row["clicks"] for row in cards["geographic"]) == overview["clicks"]["total"]
    assert sum(row["revenue"] for row in cards["geographic"]) == revenue["total"]


def _check_by_hand(cards: dict[str, Any], rows: list[Row], measured: Measured) -> None:
    clicks = [row for row in rows if row["type"] == "click"]
    overview = cards["overview"]
    assert overview["clicks"]["total"] == len(clicks)
    assert overview["clicks"]["unique"] == len({row["visitor"] for row in clicks} - {0})
    assert overview["visitors"] == len({row["visitor"] for row in rows if row["type"] != "conversion"} - {0})
    assert overview["conversions"]["pending"] == sum(row.get("d_pending", 0) for row in rows)
    assert overview["conversions"]["reversed"] == sum(row.get("d_reversed", 0) for row in rows)
    minor = sum(row.get("c_pending", 0) + row.get("c_approved", 0) for row in rows)
    scale = {"USD": 100, "JPY": 1, "KWD": 1000}[measured.currency]
    assert overview["revenue"]["total"] * scale == minor
    by_country = Counter(row["country"] for row in clicks)
    assert {row["country"]: row["clicks"] for row in cards["geographic"] if row["clicks"]} == dict(by_country)
    by_partner = Counter(row["partner_id"] for row in clicks if "partner_id" in row)
    assert {row["partnerId"]: row["clicks"] for row in cards["partners"] if row["clicks"]} == dict(by_partner)
    sold: Counter[str] = Counter()
    for row in rows:
        if "partner_id" in row:
            sold[row["partner_id"]] += row.get("d_pending", 0) + row.get("d_approved", 0)
    active = {partner for partner in by_partner.keys() | sold.keys() if by_partner[partner] or sold[partner] > 0}
    assert overview["revenue"]["active_partners"] == len(active)
    by_day: Counter[str] = Counter()
    for row in clicks:
        moment = datetime.fromisoformat(row["occurred_at"] + "+00:00").astimezone(measured.zone)
        by_day[moment.date().isoformat()] += 1
    shown: Counter[str] = Counter()
    for point in cards["clicks"]:
        shown[point["date"][:10]] += point["clicks"]
    assert +shown == by_day
