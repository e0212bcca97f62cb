"""Whatever kills the attribution policy, every sale is decided exactly once and the log's end is reached."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any
from uuid import UUID

import orjson
import pytest

from command_api.conversions.automatic_approval import approve_due
from command_api.conversions.decision_handlers import SCHEDULED_DECISIONS
from command_api.kernel.leader_election import Leader, connect, running
from command_api.kernel.process_manager import ProcessWorker
from command_api.service import leaders_of
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.config.settings import Settings
from infra.kernel.log import Record
from infra.kernel.log.postgres_log import PostgresLog
from infra.kernel.log.signature import note_starts
from infra.kernel.postgres.pool import required_url
from schemas.envelope import decode, position_of
from schemas.identity import conversion_id
from schemas.tracking import Refusal, log_time
from tests.support.command import World
from tests.support.crashing_process import CrashingProcess
from tests.support.policies import Policies, Shop, policies, project
from tests.support.rounds import first_of
from tests.support.stack import wait_for
from tests.support.under_load import SEED

AFTER_STORE_FIRST = pytest.mark.parametrize("moment", first_of("after_store", "before_store", "inside_store"))
"""The other moments are of the same unit of work, which `test_killed_at_any_step_each_sale_is_decided_once` tries."""


@pytest.fixture
def stopped(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Policies]:
    """Policies that do not run: the test starts them."""
    with policies(embedded_postgres, embedded_clickhouse, leading=False) as made:
        yield made


def decide_all(made: Policies) -> None:
    clients = ClientPool(made.world.settings, 2)
    with closing(clients), running(leaders_of(made.world.core, made.world.log, clients)):
        made.caught_up()
        made.relayed()


def test_a_forged_report_never_becomes_money_and_a_forged_decision_blocks_nothing(stopped: Policies) -> None:
    """An attacker can write to the log, but does not have the installation's key."""
    world, shop = stopped.world, stopped.shop()
    note_starts(world.postgres, world.log)
    click = stopped.click(shop, timedelta(minutes=10))
    forged, true = (stopped.report_of(shop, txid=name, click_id=click) for name in ("FORGED", "TRUE"))
    forger = PostgresLog(world.settings)
    try:
        key = f"{forged['website_id']}{forged['txid']}".encode()
        position = (("position", b"1000000000"),)
        decision = Record("domain", b"account", b"{}", position)
        forger.publish([Record("conversions", key, orjson.dumps(forged)), decision]).result(15)
    finally:
        forger.close()
    stopped.publish([true])
    decide_all(stopped)
    found = stopped.state(UUID(true["conversion_id"]))
    assert found is not None and found.net_commission == 1000
    assert stopped.state(UUID(forged["conversion_id"])) is None
    ask = "UPDATE engine.dead_letter SET retry_requested_at = now() WHERE reason = 'unsigned' AND topic = 'conversions'"
    assert world.postgres.execute(ask).rowcount == 1
    stopped.publish([stopped.report_of(shop, txid="LATER", click_id=click)])
    decide_all(stopped)
    assert stopped.state(UUID(forged["conversion_id"])) is None, "asking again does not make it true"
    relayed = [position_of(record.headers) for record in world.records("domain") if record.is_signed]
    stored = world.postgres.execute("SELECT notification_id FROM events.stored_events ORDER BY 1").fetchall()
    assert relayed == [row[0] for row in stored]


@pytest.mark.crash
@pytest.mark.parametrize("moment", ["before_store", "inside_store", "after_store", "after_refusal"])
def test_killed_at_any_step_each_sale_is_decided_once(
    stopped: Policies, crashing_process: CrashingProcess, moment: str
) -> None:
    shop = stopped.shop()
    click = stopped.click(shop, timedelta(minutes=10))
    sales = [stopped.report_of(shop, txid=f"T-{number}", click_id=click) for number in range(20)]
    euros = {"click_id": click, "amount": {"amount": 5, "currency": "EUR"}}
    refused = [stopped.report_of(shop, txid=f"EUR-{number}", **euros) for number in range(12)]  # in both partitions
    stopped.publish([*sales, *refused])
    assert crashing_process.at(stopped.world.settings, "reports", moment) == -9
    stopped.publish(sales[:5])
    decide_all(stopped)
    for sale in sales:
        state = stopped.state(UUID(sale["conversion_id"]))
        assert state is not None
        assert (state.version, state.net_commission) == (1, 1000)
    assert not [report for report in refused if stopped.state(UUID(report["conversion_id"])) is not None]
    refusals = {Refusal.model_validate_json(record.value).id for record in stopped.world.records("rejected")}
    assert len(refusals) == len(refused)
    assert stopped.world.count("SELECT count(*) FROM conversions.rejected_report") == len(refused)
    assert stopped.world.count("SELECT count(*) FROM engine.dead_letter") == 0


@pytest.mark.crash
@AFTER_STORE_FIRST
def test_killed_while_it_approves_in_time_each_is_approved_once(
    stopped: Policies, crashing_process: CrashingProcess, moment: str
) -> None:
    world = stopped.world
    site = world.website()
    partner = world.partner(terms={"kind": "percent", "percent": 10, "autoApproveDays": 0})
    shop = Shop(site, partner, world.link(site, partner))
    click = stopped.click(shop, timedelta(minutes=10))
    sales = [stopped.report_of(shop, txid=f"T-{number}", click_id=click) for number in range(8)]
    stopped.publish(sales)
    decide_all(stopped)
    project(world, "conversions")
    assert crashing_process.at(world.settings, "approving", moment, nth="4") == -9
    with connect(required_url(world.settings), "after the crash") as connection:
        approve_due(world.core, connection, Event())
    for sale in sales:
        recorded, *approved = world.events(sale["conversion_id"])
        assert (recorded, approved) == ("conversion.recorded.v1", ["conversion.approved.v1"])
    assert world.count("SELECT sum(revenue) FROM lookup.monthly_total") == 8 * 1000


@pytest.mark.crash
@AFTER_STORE_FIRST
def test_killed_while_a_decision_becomes_final_it_counts_once(
    stopped: Policies, crashing_process: CrashingProcess, moment: str
) -> None:
    world, shop = stopped.world, stopped.shop()
    click = stopped.click(shop, timedelta(minutes=10))
    sales = [stopped.report_of(shop, txid=f"T-{number}", click_id=click) for number in range(5)]
    stopped.publish(sales)
    decide_all(stopped)
    ids = [sale["conversion_id"] for sale in sales]
    body = {"websiteId": shop.site["id"], "decision": "approve", "ids": ids}
    scheduled = world.call("POST", "/api/platform/conversions/decisions", world.owner, json=body)
    assert scheduled.status_code == 201 and scheduled.json()["count"] == 5
    assert crashing_process.at(world.settings, "deciding", moment) == -9
    later = datetime.now(UTC) + timedelta(seconds=11)
    ProcessWorker(world.core, [SCHEDULED_DECISIONS], now=lambda: later).run_once()
    for conversion in ids:
        assert world.events(conversion) == ["conversion.recorded.v1", "conversion.approved.v1"]
    assert world.events(scheduled.json()["id"]) == [
        "conversion_decision.scheduled.v1",
        "conversion_decision.applied.v1",
    ]
    assert world.count("SELECT sum(revenue) FROM lookup.monthly_total") == 5 * 1000


WAYS: list[dict[str, Any]] = [
    {"by": "click_id"},
    {"by": "click_id", "reported_by": "postback", "amount": {"amount": 5000, "currency": "EUR"}, "days_ago": 20},
    {"by": "click_id", "reported_by": "postback", "amount": {"amount": 70_000, "currency": "JPY"}},
    {"by": "coupon"},
    {"by": "visitor", "amount": {"amount": 9_000, "currency": "USD"}, "days_ago": 3},
    {"by": "visitor", "reported_by": "postback", "amount": {"amount": 8_000, "currency": "KWD"}},
    {"reported_by": "postback"},
    {"reported_by": "postback", "amount": None, "status": "approved"},
]
"""Of one and the same sale; to JPY there is a rate only later, and to KWD never."""


@pytest.mark.crash
def test_however_often_and_by_whomever_a_sale_is_reported_and_decided_it_pays_once(stopped: Policies) -> None:
    rng, world, shop = random.Random(SEED), stopped.world, stopped.shop()
    _rate(world, "EUR", "1.10")
    long_ago = timedelta(days=25)
    traces = {
        "click_id": stopped.click(shop, long_ago),
        "visitor": stopped.project_click(shop, long_ago),
        "coupon": world.link(shop.site, shop.partner, coupon="ONCE")["coupon"],
    }
    sales = [f"S-{number}" for number in range(16)]
    reports = [_report(stopped, shop, txid, way, traces) for txid in sales for way in _shuffled(rng)]
    with _everyone_twice(stopped):
        for start in range(0, len(reports), 8):
            stopped.publish(reports[start : start + 8])
        stopped.caught_up()
        _rate(world, "JPY", "0.0066")
        wait_for(lambda: _open_ends(world) == 0, "every report but the hopeless ones to be decided")
        stopped.relayed()
    decided = _in_effect(world)
    for txid in sales:
        identity = conversion_id(shop.website_id, "sale", txid)
        state, events = stopped.state(identity), decided[identity]
        assert state is not None and state.is_attributed, txid
        names = Counter(event.NAME for event in events)
        assert names["conversion.recorded"] == names["conversion.approved"] == 1, (txid, names)
        assert names["conversion.attributed"] <= 1, (txid, names)
        changes = [event.change for event in events if hasattr(event, "change")]
        assert sum(change.approved for change in changes) == 1
        assert sum(change.pending for change in changes) == sum(change.commission_pending for change in changes) == 0
        assert sum(change.commission_approved for change in changes) == state.net_commission
        # The shop's word stands, whatever networks say: the first of its two.
        assert state.net_commission in (1000, 900), (txid, state.net_commission)


def _shuffled(rng: random.Random) -> list[dict[str, Any]]:
    """Any order, but for the one that names no amount: it is never the first, which says what the sale is worth."""
    ways = rng.sample(WAYS[:-1], len(WAYS) - 1)
    ways.insert(rng.randint(1, len(ways)), WAYS[-1])
    return ways


def _rate(world: World, base: str, rate: str) -> None:
    body = {"base": base, "quote": "USD", "rate": rate, "on": "2020-01-01"}
    assert world.call("POST", "/api/admin/exchange-rates", world.admin, json=body).status_code == 201


def _report(made: Policies, shop: Shop, txid: str, way: dict[str, Any], traces: dict[str, Any]) -> dict[str, Any]:
    changes = {name: value for name, value in way.items() if name not in ("by", "days_ago")}
    if "by" in way:
        changes[way["by"]] = traces[way["by"]]
    at = datetime.now(UTC) - timedelta(days=way.get("days_ago", 0))
    return made.report_of(shop, txid=txid, occurred_at=log_time(at), **changes)


@contextmanager
def _everyone_twice(made: Policies) -> Iterator[None]:
    """Relay and policies, two of each at once: each other's zombies, held apart by no lock."""
    clients = ClientPool(made.world.settings, 4)
    leaders = [
        Leader(made.world.settings, f"{copy} {leader.name}", leader._work)
        for copy in ("first", "second")
        for leader in leaders_of(made.world.core, made.world.log, clients)
    ]
    with closing(clients), running(leaders):
        yield


def _open_ends(world: World) -> int:
    """Reports that wait for something that may still come."""
    kwd = "report->'amount'->>'currency' = 'KWD'"
    kept = f"SELECT count(*) FROM conversions.awaiting_exchange_rate WHERE NOT coalesce({kwd}, false)"
    return world.count(kept) + world.count("SELECT count(*) FROM conversions.pending_attribution WHERE needs_rate")


def _in_effect(world: World) -> dict[UUID, list[Any]]:
    """The events of each conversion in topic `domain`, as a consumer has them that drops positions it has had."""
    newest, found = 0, defaultdict[UUID, list[Any]](list)
    for record in world.records("domain"):
        position = position_of(record.headers)
        if position > newest:
            newest = position
            event = decode(record.value, record.headers, world.core.keyring).event
            if event.NAME.startswith("conversion."):
                found[event.originator_id].append(event)
    return found
