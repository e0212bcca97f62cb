"""Reports that cannot be decided or stored: dead letters, which block no other."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from command_api.analytics.erasure import handlers as visitor_erasure
from command_api.conversions import attribution_process, handlers, model
from command_api.conversions.attribution import decision
from command_api.conversions.attribution.facts import Facts
from command_api.conversions.attribution.policy import AttributionPolicy
from command_api.conversions.lookups import append_conversions
from command_api.kernel.decision import system_context
from command_api.kernel.unit_of_work import UnitOfWork
from infra.domain.visitor_data.letters import find_letters
from infra.domain.visitor_data.person import Person
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.config.settings import Settings
from infra.kernel.log.sealed_texts import without_texts
from schemas.base import REGISTRY
from schemas.events.conversions import ConversionApproved
from schemas.events.websites import WebsiteUpdated
from schemas.tracking import ConversionReported
from tests.support.policies import Policies, policies
from tests.support.stack import wait_for


def test_a_conversion_that_cannot_be_attributed_blocks_no_other(
    command_policies: Policies, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, visitor = command_policies.shop(), 2**63 + 999

    def fail(case: decision.Case, state: model.Conversion) -> decision.Reattribution:
        if state.facts.txid == "BAD":
            raise ValueError("nobody thought of this")
        return decision.reattribute(case, state)

    def reject(uow: UnitOfWork, events: Sequence[Any], **others: Any) -> None:
        if any(event.facts.txid == "WORSE" for event in events):
            raise psycopg.DataError("numeric field overflow")
        append_conversions(uow, events, **others)

    monkeypatch.setattr(attribution_process, "reattribute", fail)
    monkeypatch.setattr(handlers, "append_conversions", reject)
    reports = [command_policies.report(shop, txid=txid, visitor=visitor) for txid in ("BAD", "WORSE", "GOOD")]
    for conversion in reports:
        command_policies.decided(conversion)
    command_policies.project_click(shop, timedelta(minutes=1), visitor=visitor)
    assert command_policies.decided(reports[2], version=2).is_attributed
    assert [command_policies.decided(conversion).version for conversion in reports[:2]] == [1, 1]


def test_a_poison_message_is_quarantined_and_the_next_one_decided(command_policies: Policies) -> None:
    shop = command_policies.shop()
    click = command_policies.click(shop)
    nobody = command_policies.report_of(shop, website_id=str(uuid4()))
    for value in (b"\xff", b"{}", json.dumps(nobody).encode()):
        command_policies.publish_raw(value)
    assert command_policies.decided(command_policies.report(shop, click_id=click)).is_attributed
    command_policies.caught_up()
    sql = "SELECT value FROM engine.dead_letter WHERE projection = 'policy:attribution' AND state = 'open'"
    values = [bytes(row[0]) for row in command_policies.world.postgres.execute(sql)]
    assert {b"\xff", b"{}", json.dumps(nobody).encode()} <= set(values)


def test_a_sale_in_a_dead_letter_counts_and_is_erased_when_it_is_retried(command_policies: Policies) -> None:
    """A report that only a newer version reads: the erasure is noted with it, and waits for the retry."""
    world, shop, visitor = command_policies.world, command_policies.shop(), 2**63 + 4711
    click, other = command_policies.click(shop), command_policies.shop()
    report = command_policies.report_of(shop, click_id=click, visitor=visitor, key_kind="secret")
    strange = {**command_policies.report_of(other, visitor=visitor), "newer": 1}
    for value in ({**report, "newer": 1}, strange):
        command_policies.publish_raw(json.dumps(value).encode())
    command_policies.caught_up()
    with closing(ClientPool(world.settings, 1)) as clients:
        stores = visitor_erasure.WriteSideStores(world.core, clients)
        [letter] = find_letters(stores, Person(shop.website_id, visitors=frozenset({visitor})), without_texts)
        [by_click] = find_letters(stores, Person(shop.website_id, click_ids=frozenset({click})), without_texts)
        assert by_click == letter
        assert find_letters(stores, Person(shop.website_id, visitors=frozenset({visitor + 1})), without_texts) == []
    with world.core.commands.unit_of_work(system_context()) as uow:
        visitor_erasure.note_on_letters(uow, uuid4(), [letter.id])
    readable = "UPDATE engine.dead_letter SET value = %s, retry_requested_at = now() WHERE id = %s"
    world.postgres.execute(readable, (json.dumps(report).encode(), letter.id))
    conversion = UUID(report["conversion_id"])
    state = command_policies.decided(conversion, version=2)
    assert (state.is_forgotten, state.is_attributed, state.commission) == (True, True, 1_000)
    assert click not in str(state)
    content = "SELECT state, value, headers FROM engine.dead_letter WHERE id = %s"
    wait_for(
        lambda: world.postgres.execute(content, (letter.id,)).fetchone() == ("retried", b"", []), "the letter to end"
    )
    pending = "SELECT count(*) FROM conversions.pending_attribution WHERE conversion_id = %s"
    assert world.count(pending, conversion) == 0


def test_a_nul_character_blocks_nothing(command_policies: Policies) -> None:
    shop = command_policies.shop()
    odd = command_policies.report(shop, visitor=77, coupon="A\x00B", subs={"sub1": "\x00"})
    assert not command_policies.decided(odd).is_attributed
    command_policies.publish_raw(b'{"report_id": "\\u0000"}')
    command_policies.caught_up()


def refusing(txid: str) -> Callable[..., Facts]:
    """Gathers facts, but Postgres refuses a value of the reports whose transaction ids begin with `txid`."""
    gathered = AttributionPolicy._gathered

    def refuse(policy: AttributionPolicy, gathering: Any, facts: Facts, reports: Sequence[ConversionReported]) -> Facts:
        if any(report.txid.startswith(txid) for report in reports):
            raise psycopg.DataError("invalid byte sequence")
        return gathered(policy, gathering, facts, reports)

    return refuse


def test_what_cannot_be_stored_is_found_in_its_batch(
    command_policies: Policies, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = command_policies.shop()
    with monkeypatch.context() as patch:
        patch.setattr(AttributionPolicy, "_gathered", refusing("BAD"))
        txids = [f"{'BAD' if number == 3 else 'GOOD'}-{number}" for number in range(6)]
        reports = [command_policies.report_of(shop, txid=txid) for txid in txids]
        command_policies.publish(reports)
        command_policies.caught_up()
    assert [command_policies.state(UUID(report["conversion_id"])) is None for report in reports] == [
        txid.startswith("BAD") for txid in txids
    ]
    sql = "SELECT count(*) FROM engine.dead_letter WHERE reason = 'DataError'"
    assert command_policies.world.count(sql) == 1


def test_dead_letters_are_decided_again_when_asked(command_policies: Policies) -> None:
    world, shop = command_policies.world, command_policies.shop()
    good = command_policies.report_of(shop, click_id=command_policies.click(shop))
    letters = {uuid4(): json.dumps(good).encode(), uuid4(): b"still bad"}
    for number, (letter, value) in enumerate(letters.items()):
        world.postgres.execute(
            'INSERT INTO engine.dead_letter (id, projection, generation, topic, partition, "offset", reason, value,'
            " retry_requested_at) VALUES (%s, 'policy:attribution', 0, 'conversions', 0, %s, 'tried', %s, now())",
            (letter, 10**9 + number, value),
        )
    command_policies.decided(UUID(good["conversion_id"]))
    sql = "SELECT id, state, attempts FROM engine.dead_letter WHERE id = ANY(%s) AND retry_requested_at IS NULL"

    def states() -> dict[UUID, tuple[str, int]]:
        found = world.postgres.execute(sql, (list(letters),)).fetchall()
        return {row[0]: (row[1], row[2]) for row in found} if len(found) == 2 else {}

    found = wait_for(states, "both letters")
    assert [found.get(letter) for letter in letters] == [("retried", 1), ("open", 2)]


def test_a_dead_letter_that_cannot_be_stored_blocks_no_other(
    command_policies: Policies, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, shop = command_policies.world, command_policies.shop()
    monkeypatch.setattr(AttributionPolicy, "_gathered", refusing("UNSTORABLE"))
    bad, good = (command_policies.report_of(shop, txid=txid) for txid in ("UNSTORABLE", "STORABLE"))
    for number, report in enumerate((bad, good)):
        world.postgres.execute(
            'INSERT INTO engine.dead_letter (id, projection, generation, topic, partition, "offset", reason, value,'
            " retry_requested_at) VALUES (%s, 'policy:attribution', 0, 'conversions', 0, %s, 'tried', %s, now())",
            (report["report_id"], 2 * 10**9 + number, json.dumps(report).encode()),
        )
    command_policies.decided(UUID(good["conversion_id"]))
    open_still = "SELECT count(*) FROM engine.dead_letter WHERE id = %s AND state = 'open' AND attempts = 2"
    wait_for(lambda: world.count(open_still, bad["report_id"]) == 1, "the bad one to be put back")


def test_a_report_that_only_a_newer_version_can_decide_waits_for_it(
    embedded_postgres: Settings, embedded_clickhouse: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older version meets a website and a conversion that it cannot read, and a report with an unknown field."""
    letters = (
        "SELECT reason, state, count(*) FROM engine.dead_letter WHERE projection = 'policy:attribution'"
        " GROUP BY reason, state ORDER BY state"
    )
    with policies(embedded_postgres, embedded_clickhouse, leading=False) as newer:
        known, changed = newer.shop(), newer.shop()
        later, good = newer.report_of(changed), newer.report_of(known)
        extended = {**newer.report_of(known), "of_a_newer_version": "x"}
        path, body = f"/api/platform/websites/{changed.website_id}", {"timezone": "Europe/Paris"}
        assert newer.world.call("PATCH", path, newer.world.owner, json=body).status_code == 200
        with newer.leading():
            approved = newer.report(known, click_id=newer.click(known), txid="approved")
            newer.decided(approved)
        path = f"/api/platform/conversions/{approved}/approve"
        assert newer.world.call("POST", path, newer.world.owner).status_code == 200
        returned = newer.report_of(known, txid="approved", coupon="SPRING")
        newer.publish([later, returned, extended, good])
        with monkeypatch.context() as older, newer.leading():
            for unknown in (WebsiteUpdated, ConversionApproved):
                older.delitem(REGISTRY, unknown.NAME)
            newer.caught_up()
        assert newer.world.postgres.execute(letters).fetchall() == [("newer_version", "open", 3)]
        assert newer.state(UUID(good["conversion_id"])) and not newer.state(UUID(later["conversion_id"]))
        with newer.leading():
            newer.decided(UUID(later["conversion_id"]))
            newer.decided(approved, version=3)
            left = [("newer_version", "open", 1), ("newer_version", "retried", 2)]
            # A letter ends after its decision, in a transaction of its own.
            wait_for(lambda: newer.world.postgres.execute(letters).fetchall() == left, "the letters to end")
