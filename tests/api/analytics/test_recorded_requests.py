"""Two hundred recorded requests: the same events give the same answers, byte by byte, however a query is planned.

`recorded_requests.txt` has one request a line, a tab, and the answer that an earlier version gave over the websites
below. They cross calls, dimensions, filters, zones, sorting, search, pages and comparisons; some days are built, some
have grown since, some are not built. `RECORD=1 pytest …` writes the answers of this version in their place, and fails.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from infra.domain.visits.tables import table
from infra.kernel.config.settings import Settings
from projectors.engine.clickhouse import HttpClickHouse
from projectors.engine.ownership import Ownership
from projectors.visits import builder as visit_builder
from projectors.visits.builder import VisitBuilder
from tests.support.query import Person, QueryService, conversion, event, own_tables, serving
from tests.support.rounds import first_of

RECORDED = Path(__file__).with_name("recorded_requests.txt")
PARTS = 4
FIRST = datetime(2026, 3, 21, tzinfo=UTC)
"""A Saturday: one whole week, and days before and after it."""
WEBSITES = {UUID(int=1): ("Europe/Berlin", "EUR"), UUID(int=2): ("Asia/Kathmandu", "JPY")}
PARTNERS = tuple(UUID(int=number) for number in range(11, 15))
LINKS = tuple(UUID(int=number) for number in range(21, 25))
Row = dict[str, Any]


@pytest.fixture(scope="module")
def websites(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[tuple[QueryService, Person]]:
    """The recorded websites, and who owns them."""
    with own_tables(embedded_postgres, embedded_clickhouse) as settings, serving(settings) as service:
        owner = service.person()
        for number, partner in enumerate(PARTNERS):
            service.partner(f"Partner {number}", f"partner-{number}", partner_id=partner)
        for website, (zone, currency) in WEBSITES.items():
            _register(service, owner, website, zone, currency)
            service.events(Events(website).rows(800, days=10))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(visit_builder, "MIN_EVENTS", 1)
            assert settings.postgres_url is not None
            builder = VisitBuilder(HttpClickHouse(settings), Ownership(settings.postgres_url))
            for _ in range(visit_builder.REST_ROUNDS + 2):
                builder.build()
        for website, since in zip(WEBSITES, (9, 5), strict=True):
            service.events(Events(website, first=1_000).rows(120, days=12, since=since))
        built = f"SELECT uniqExactIf(day, days = 1), max(days) FROM {table('visit_builds')} GROUP BY website_id"
        assert service.rows(built) == [(10, 7), (10, 7)]
        service.command("TRUNCATE TABLE recent_events__g1")  # it forgets what is so old at some time
        yield service, owner


@pytest.mark.parametrize("part", first_of(*range(PARTS)))
def test_recorded_requests_have_their_answers(websites: tuple[QueryService, Person], part: int) -> None:
    service, owner = websites
    recorded = [line.split("\t") for line in RECORDED.read_text().split("\n")[:-1]]
    assert len(recorded) == 200
    answers = {path: _answer(service, owner, path) for path, *_ in recorded[part::PARTS]}
    if os.environ.get("RECORD"):
        known = {path: rest for path, *rest in recorded} | {path: [answer] for path, answer in answers.items()}
        RECORDED.write_text("".join("\t".join((path, *rest)) + "\n" for path, rest in known.items()))
        pytest.fail("recorded")
    differ = {path: (answer, answers[path]) for path, answer in recorded[part::PARTS] if answers[path] != answer}
    assert not differ


def _answer(service: QueryService, owner: Person, path: str) -> str:
    found = service.get(f"/api/platform/analytics/{path}", owner)
    text = found.text.replace("\r\n", "\\n")
    return text if found.status_code == 200 else f"{found.status_code} {text}"


def _register(service: QueryService, owner: Person, website: UUID, zone: str, currency: str) -> None:
    values = {"domain": "shop.example", "timezone": zone, "currency": currency, "attribution_model": "last_click"}
    row = {"id": website, "account_id": owner.account_id, **values, "created_at": FIRST}
    service.insert("websites", row)
    if website != UUID(int=1):
        return
    for number, (link, partner) in enumerate(zip(LINKS, PARTNERS, strict=True)):
        place = {"website_id": website, "partner_id": partner, "destination": "https://partner.example/"}
        names = {"id": link, "slug": f"link-{number}", "code": number + 1}
        service.insert("links", {**names, **place, "subs": "{}", "is_active": True, "created_at": FIRST})


class Events:
    """Random events of a website, the same in every run. `first`: the number of the first one."""

    def __init__(self, website: UUID, first: int = 0) -> None:
        self.website, self.number = website, first
        self.chance = random.Random(f"{website}{first}")

    def rows(self, count: int, days: int, since: int = 0) -> list[Row]:
        """Events of the days from number `since` until before `days`."""
        begin, span = FIRST + timedelta(days=since), (days - since) * 86_400_000
        return [self._row(begin + timedelta(milliseconds=self.chance.randrange(span))) for _ in range(count)]

    def _row(self, at: datetime) -> Row:
        chance = self.chance
        self.number += 1
        number = self.website.int * 1_000_000 + self.number
        place = {"event_id": UUID(int=number), "_offset": self.number, "_partition": number % 4}
        partner = chance.randrange(4)
        dims: Row = {
            "country": chance.choice(["DE", "FR", "US", "ZZ"]),
            "device": chance.choice(["desktop", "mobile"]),
            "browser": chance.choice(["Firefox", "Safari"]),
            "source": chance.choice(["google", "newsletter", ""]),
            "channel": chance.choice(["search", "direct"]),
            "referrer_host": chance.choice(["google.com", ""]),
            "utm_campaign": chance.choice(["spring", "a,b", "-x", "(none)", ""]),
            "sub1": chance.choice(["a", "b,c", ""]),
            "path": chance.choice(["/", "/a", "/a/b", "/b|c", "/ü", *(f"/page/{page}" for page in range(12)), ""]),
            "hostname": chance.choice(["shop.example", "blog.example", ""]),
            "city": chance.choice(["Berlin", "Paris", ""]),
            "visitor": chance.randrange(0, 40),
            "partner_id": PARTNERS[partner],
            "link_id": LINKS[partner],
        }
        if chance.random() < 0.2:
            status = chance.choice(["pending", "pending", "approved", "rejected", "reversed"])
            earned = {f"d_{status}": chance.choice([1, 1, 1, -1])}
            if status != "rejected":
                earned[f"c_{status}"] = chance.randrange(-500, 5000)
            more = {"conversion_id": UUID(int=number), "coupon": chance.choice(["SAVE", ""]), "entry_page": "/in"}
            return conversion(self.website, at, **dims, **earned, **more, **place)
        kind = chance.choice(["click", "pageview", "pageview", "pageview", "signup", "link.impression"])
        more = {"session": chance.choice([0, 0, 7]), "props": chance.choice(['{"plan":"pro"}', ""])}
        if kind != "click":
            dims |= {"partner_id": UUID(int=0), "link_id": UUID(int=0)}
        if kind == "link.impression":
            more["value"] = chance.choice([1, 10])
        bot = {"is_bot": True, "bot_reason": chance.choice(["crawler", "rate"])} if chance.random() < 0.1 else {}
        return event(self.website, at, kind, **dims, **more, **bot, **place)
