"""A sale in a currency without a rate waits, visibly for its owner and for admins, and counts as soon as a rate comes:
one that was recorded while no process ran, too, and one that only follows from rates against the euro.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from command_api.kernel.leader_election import running
from command_api.service import leaders_of
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.config.settings import Settings
from tests.support.accounting import Accounting
from tests.support.command import Person
from tests.support.policies import Policies, Shop, policies
from tests.support.query import serving
from tests.support.stack import wait_for

MINE = "/api/platform/conversions/awaiting-rate"
STATUS = "/api/admin/exchange-rates/status"


@pytest.fixture(scope="module")
def books(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Accounting]:
    """Without leaders: each test starts and stops them."""
    with policies(embedded_postgres, embedded_clickhouse, leading=False) as made, serving(made.world.settings) as query:
        yield Accounting(made, query)


@contextmanager
def at_work(made: Policies) -> Iterator[None]:
    """The process that decides runs."""
    world, pool = made.world, ClientPool(made.world.settings, 4)
    with closing(pool) as clients, running(leaders_of(world.core, world.log, clients)):
        yield


def kept(made: Policies, shop: Shop) -> int:
    sql = "SELECT count(*) FROM conversions.awaiting_exchange_rate WHERE website_id = %s"
    return made.world.count(sql, shop.website_id)


def waiting(books: Accounting, person: Person, shop: Shop) -> Any:
    answer = books.get(MINE, person, websiteId=shop.site["id"])
    return answer.json() if answer.status_code == 200 else answer.status_code


def test_a_waiting_sale_is_shown_to_its_owner_and_counts_after_a_restart(books: Accounting) -> None:
    made, world = books.made, books.world
    with at_work(made):
        shop = made.shop(currency="THB")
        click = made.click(shop)
        sale = {"amount": 10_000, "currency": "ZAR"}
        first = made.report(shop, txid="Z-1", click_id=click, amount=sale)
        made.report(shop, txid="Z-2", click_id=click, amount=None, payout={"amount": 500, "currency": "ZAR"})
        # A further report of a waiting sale is no further sale.
        made.report(shop, txid="Z-1", click_id=click, amount=None, status="approved", reported_by="postback")
        wait_for(lambda: kept(made, shop) == 3, "the reports to be kept")
        books.project()
    [group] = waiting(books, world.owner, shop)
    assert (group["currency"], group["quote"], group["sales"], group["websites"]) == ("ZAR", "THB", 2, 1)
    assert group["amount"] == {"amount": 10_000, "currency": "ZAR"}
    assert sorted(group["transactions"]) == ["Z-1", "Z-2"], "two partitions: either may be kept first"
    assert datetime.fromisoformat(group["since"]) <= datetime.now(UTC)
    stranger = world.person()
    assert waiting(books, stranger, shop) == 404, "ids of others cannot be probed"
    assert books.get(STATUS, world.owner).status_code == 403
    status = books.get(STATUS, world.admin).json()
    assert (status["source"], status["check"]) == ("hand", None)
    assert [(one["currency"], one["quote"], one["sales"]) for one in status["waiting"]] == [("ZAR", "THB", 2)]
    # Recorded while no process runs.
    body = {"base": "ZAR", "quote": "THB", "rate": "1.9", "on": "2020-01-01"}
    assert world.call("POST", "/api/admin/exchange-rates", world.admin, json=body).status_code == 201
    assert made.state(first) is None
    with at_work(made):
        state = made.decided(first, version=2)
        wait_for(lambda: kept(made, shop) == 0, "none to wait")
        books.project()
    assert (state.status.value, state.net_commission, state.currency) == ("approved", 1_900, "THB")
    assert waiting(books, world.owner, shop) == []
    listed = books.get("/api/admin/exchange-rates", world.admin).json()
    assert [(one["base"], one["quote"], one["rate"], one["source"]) for one in listed] == [
        ("ZAR", "THB", "1.9", "hand")
    ]


def test_a_sale_counts_once_both_currencies_have_a_reference_rate(books: Accounting) -> None:
    made, world = books.made, books.world
    day = "2020-01-01"
    with at_work(made):
        shop = made.shop(currency="NOK")
        sale = {"amount": 10_000, "currency": "SEK"}
        conversion = made.report(shop, click_id=made.click(shop), amount=sale)
        wait_for(lambda: kept(made, shop) == 1, "the report to be kept")
        for quote, rate in (("SEK", "11.25"), ("NOK", "11.7")):
            body = {"base": "EUR", "quote": quote, "rate": rate, "on": day}
            assert world.call("POST", "/api/admin/exchange-rates", world.admin, json=body).status_code == 201
        state = made.decided(conversion)
        books.project()
    assert (state.commission, state.currency) == (1_040, "NOK")
    explained = books.get(f"/api/platform/conversions/{conversion}/explain", world.owner).json()
    assert explained["rate"] == {"rate": "1.04", "of": "SEK", "to": "NOK", "on": day, "derivation": "cross"}
    assert explained["working"]["agrees"] is True


def test_the_history_of_a_pair_is_for_admins(books: Accounting) -> None:
    world = books.world
    with at_work(books.made):
        for day, rate in (("2026-01-01", "0.80"), ("2026-01-02", "0.81"), ("2026-01-02", "0.82")):
            body = {"base": "EUR", "quote": "GBP", "rate": rate, "on": day}
            assert world.call("POST", "/api/admin/exchange-rates", world.admin, json=body).status_code == 201
        books.project()
    path, pair = "/api/admin/exchange-rates/history", {"base": "EUR", "quote": "GBP"}
    found = books.get(path, world.admin, **pair).json()
    assert [(one["on"], one["rate"]) for one in found] == [("2026-01-02", "0.82"), ("2026-01-01", "0.80")]
    assert len(books.get(path, world.admin, **pair, limit="1").json()) == 1
    assert books.get(path, world.owner, **pair).status_code == 403
    assert books.get(path, world.admin, base="EUR", quote="zzz").status_code == 400
