"""Erasures of visitors: what is repeated after a restore, what is deleted beside the events of conversions, and what
becomes unreadable in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import orjson
import pytest
from psycopg.types.json import Jsonb

from command_api.analytics.erasure import commands
from command_api.analytics.erasure import handlers as visitor_erasure
from command_api.conversions import decisions, lookups, model
from command_api.conversions.claim_counts import claimed_click
from command_api.kernel import inline_rebuild, snapshots
from command_api.kernel.decision import system_context
from command_api.kernel.event_store import ConcurrencyConflict
from infra.kernel.security.subject_keys import open_keyring
from infra.kernel.security.text_keys import parse
from infra.ops.audit.inline_projections import audit_inline_projections
from infra.ops.backup import erased_subjects
from schemas.base import DomainEvent, Money
from schemas.envelope import STORED_COLUMNS, decode, stored_headers
from schemas.events.analytics import VisitorForgotten
from schemas.events.conversions import (
    AttributedBy,
    Attribution,
    ConversionFacts,
    ConversionReportMerged,
    Reported,
    VisitDetails,
)
from schemas.events.partners import Terms
from schemas.identity import conversion_id
from tests.support.command import World, command_world

__all__ = ["command_world"]

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
CUSTOMER = "c" * 32


def recorded_sale(world: World, website: UUID) -> UUID:
    """A sale without a click, whose report named a visitor and a customer."""
    txid = uuid4().hex
    sale, amount = conversion_id(website, "sale", txid), Money(amount=4999, currency="USD")
    said: dict[str, Any] = {"key_kind": "secret", "reported_by": "sale", "kind": "sale", "amount": amount}
    with world.core.commands.unit_of_work(system_context(NOW)) as uow:
        facts = ConversionFacts(
            website_id=website, kind="sale", event="sale", txid=txid, amount=amount, occurred_at=NOW
        )
        reported = Reported(
            report_id=uuid4(), received_at=NOW, occurred_at=NOW, visitor=2**63, customer=CUSTOMER, **said
        )
        uow.append(
            decisions.record(
                sale,
                facts,
                decisions.Basis(),
                received_at=NOW,
                reported_by="sale",
                payout=None,
                customer=CUSTOMER,
                currency="USD",
                context=uow.context,
                reported=reported,
            )
        )
        uow.cursor.execute(
            "INSERT INTO conversions.pending_attribution (conversion_id, received_at, until) VALUES (%s, %s, %s)",
            (sale, NOW, NOW),
        )
    return sale


def decided(website: UUID, *conversions: UUID) -> dict[str, Any]:
    """A `visitor.forgotten` as the list beside the backups has it."""
    return {
        "timestamp": NOW.isoformat(),
        "actor_id": str(uuid4()),
        "website_id": str(website),
        "named_by": "customer_id",
        "salt": "ab" * 32,
        "visitors": [2**63],
        "conversions": list(map(str, conversions)),
    }


def test_an_erasure_that_is_newer_than_the_backup_is_repeated(command_world: World) -> None:
    website = UUID(command_world.website()["id"])
    sale, erasure = recorded_sale(command_world, website), uuid4()
    listed = erased_subjects.Erased({}, {str(erasure): decided(website, sale, uuid4())})
    assert erased_subjects.apply(command_world.postgres, listed) == 1
    assert visitor_erasure.repeat_erasures(command_world.core) == 1
    assert visitor_erasure.repeat_erasures(command_world.core) == 0
    assert erased_subjects.apply(command_world.postgres, listed) == 0, "it is there now"
    state = command_world.core.load(sale, model.evolve)
    assert state is not None
    assert state.is_forgotten
    assert CUSTOMER not in str(state)
    pending = "SELECT count(*) FROM conversions.pending_attribution WHERE conversion_id = %s"
    assert command_world.postgres.execute(pending, (sale,)).fetchone() == (0,)
    names = "SELECT topic FROM events.stored_events WHERE originator_id = %s"
    assert command_world.postgres.execute(names, (erasure,)).fetchall() == [("visitor.forgotten.v1",)]


def test_an_erasure_reaches_no_conversion_of_another_website(command_world: World) -> None:
    website, other = UUID(command_world.website()["id"]), UUID(command_world.website()["id"])
    sale = recorded_sale(command_world, other)
    command = commands.RepeatErasure(uuid4(), decided(website, sale))
    command_world.core.commands.dispatch(command, system_context(NOW))
    state = command_world.core.load(sale, model.evolve)
    assert state is not None
    assert not state.is_forgotten
    pending = "SELECT count(*) FROM conversions.pending_attribution WHERE conversion_id = %s"
    assert command_world.postgres.execute(pending, (sale,)).fetchone() == (1,)


def test_stored_answers_that_show_the_conversion_are_deleted(command_world: World) -> None:
    website = UUID(command_world.website()["id"])
    sale = recorded_sale(command_world, website)
    command_world.postgres.execute(
        "INSERT INTO kernel.idempotency (key_hash, account_id, route, request_hash, status, body, headers)"
        " VALUES (%s, %s, 'POST /x', %s, 200, %s, %s)",
        (uuid4().bytes, uuid4(), b"x", f'{{"id":"{sale}","customer":"{CUSTOMER}"}}', Jsonb({})),
    )
    command = commands.RepeatErasure(uuid4(), decided(website, sale))
    command_world.core.commands.dispatch(command, system_context(NOW))
    held = "SELECT count(*) FROM kernel.idempotency WHERE position(%s IN body) > 0"
    assert command_world.postgres.execute(held, (CUSTOMER,)).fetchone() == (0,)


@dataclass(frozen=True)
class Sale:
    """A sale that the public key claimed for a person's click; `words`: what leads to the person in its events."""

    id: UUID
    website: UUID
    click: str

    @property
    def words(self) -> tuple[str, ...]:
        return (self.click, *(f"{kind}-{self.click}" for kind in ("sub", "city", "customer", "unread")))


def claimed_sale(world: World, website: UUID, click: str = "") -> Sale:
    click = click or f"click{uuid4().hex}"
    sale = Sale(conversion_id(website, "sale", txid := uuid4().hex), website, click)
    amount = Money(amount=4999, currency="USD")
    attribution = Attribution(
        by=AttributedBy.CLICK_ID,
        partner_id=uuid4(),
        click_id=click,
        clicked_at=NOW,
        terms=Terms(rate_bp=1000),
        visitor=2**63,
        subs={"sub1": f"sub-{click}"},
        visit=VisitDetails(city=f"city-{click}", path="/"),
    )
    facts = ConversionFacts(
        website_id=website,
        kind="sale",
        event="sale",
        txid=txid,
        amount=amount,
        occurred_at=NOW,
        attribution=attribution,
    )
    with world.core.commands.unit_of_work(system_context(NOW)) as uow:
        head: dict[str, Any] = {"received_at": NOW, "reported_by": "sale", "payout": None, "currency": "USD"}
        told: dict[str, Any] = {"customer": f"customer-{click}", "context": uow.context, "reported": report(sale)}
        uow.append(decisions.record(sale.id, facts, decisions.Basis(), **head, **told))
        merge(uow.append, sale, 2)
    return sale


def report(sale: Sale, key_kind: str = "site") -> Reported:
    return Reported(
        report_id=uuid4(),
        key_kind=key_kind,
        reported_by="sale",
        kind="sale",
        amount=Money(amount=4999, currency="USD"),
        received_at=datetime.now(UTC),
        occurred_at=NOW,
        click_id=sale.click,
        visitor=2**63,
        customer=f"customer-{sale.click}",
        unread={"status": f"unread-{sale.click}"},
    )


def merge(append: Callable[[DomainEvent], object], sale: Sale, version: int) -> None:
    head: dict[str, Any] = {"originator_id": sale.id, "originator_version": version, "timestamp": NOW}
    append(ConversionReportMerged(**head, website_id=sale.website, reported=report(sale, "secret"), key_kind="secret"))


def erase(world: World, sale: Sale) -> None:
    world.core.commands.dispatch(commands.RepeatErasure(uuid4(), decided(sale.website, sale.id)), system_context(NOW))


def stored_events(world: World, sale: Sale) -> list[DomainEvent]:
    """As a process that starts now reads them in topic `domain`."""
    sql = f"SELECT {STORED_COLUMNS} FROM events.stored_events WHERE originator_id = %s ORDER BY originator_version"
    rows = world.postgres.execute(sql.encode(), (sale.id,)).fetchall()
    with open_keyring(world.settings) as keyring:
        return [decode(bytes(row[4]), stored_headers(row), keyring).event for row in rows]


def readable(world: World, sale: Sale) -> set[str]:
    """The words that can be read by key; none is there without one."""
    states = "SELECT string_agg(convert_from(state, 'UTF8'), ' ') FROM events.stored_events WHERE originator_id = %s"
    [(text,)] = world.postgres.execute(states, (sale.id,)).fetchall()
    assert not [word for word in sale.words if word in text]
    events = str(stored_events(world, sale))
    return {word for word in sale.words if word in events}


def claims_of(world: World, sale: Sale) -> int:
    click = claimed_click(sale.website, sale.click)
    return world.count("SELECT coalesce(sum(claims), 0) FROM lookup.claim_count WHERE click_id = %s", click)


def unread_of(world: World, website: UUID) -> int:
    return world.count("SELECT coalesce(sum(reports), 0) FROM lookup.unread_report WHERE website_id = %s", website)


def test_no_key_opens_the_stored_events_of_an_erased_person(command_world: World) -> None:
    world = command_world
    website = UUID(world.website()["id"])
    sale, other = claimed_sale(world, website), claimed_sale(world, website)
    assert readable(world, sale) == set(sale.words)
    before = stored_events(world, sale)
    assert (claims_of(world, sale), unread_of(world, website)) == (1, 4)
    assert audit_inline_projections(world.settings).is_clean
    erase(world, sale)
    assert readable(world, sale) == set()
    assert readable(world, other) == set(other.words)
    assert [event.model_dump(include={"change"}) for event in stored_events(world, sale)[:2]] == [
        event.model_dump(include={"change"}) for event in before
    ]
    state = world.core.load(sale.id, model.evolve)
    assert state is not None and state.commission == 500
    assert (claims_of(world, sale), claims_of(world, other), unread_of(world, website)) == (0, 1, 2)
    found = audit_inline_projections(world.settings)
    assert found.is_clean, found.as_text()


def test_tables_built_again_after_an_erasure_are_the_same(command_world: World) -> None:
    world = command_world
    website = UUID(world.website()["id"])
    sale, click = claimed_sale(world, website), f"click{uuid4().hex}"
    first, second = claimed_sale(world, website, click), claimed_sale(world, website, click)
    erase(world, sale)
    erase(world, first)
    assert claims_of(world, second) == 1
    with inline_rebuild.open_connection(world.settings) as connection:
        for projection in (lookups.CLAIM_COUNTS, lookups.UNREAD_REPORTS, lookups.MONTHLY_TOTALS):
            rows = f"SELECT * FROM lookup.{projection.tables[0].name} ORDER BY 1, 2, 3"
            live = connection.execute(rows.encode()).fetchall()
            inline_rebuild.rebuild(world.settings, connection, projection)
            assert connection.execute(rows.encode()).fetchall() == live


def test_tables_that_are_built_during_an_erasure_are_built_again(
    command_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = command_world
    sale = claimed_sale(world, UUID(world.website()["id"]))
    apply_batch, erased = inline_rebuild._apply_batch, list[Sale]()

    def erase_after_the_first_batch(*arguments: Any) -> int:
        reached = apply_batch(*arguments)
        if not erased:
            erased.append(sale)
            erase(world, sale)
        return reached

    monkeypatch.setattr(inline_rebuild, "_apply_batch", erase_after_the_first_batch)
    with inline_rebuild.open_connection(world.settings) as connection:
        inline_rebuild.rebuild(world.settings, connection, lookups.CLAIM_COUNTS)
    assert erased
    assert claims_of(world, sale) == 0
    assert audit_inline_projections(world.settings).is_clean


def test_what_is_sent_later_is_readable_until_it_is_erased_as_well(command_world: World) -> None:
    world = command_world
    sale = claimed_sale(world, UUID(world.website()["id"]))
    erase(world, sale)
    with world.core.commands.unit_of_work(system_context(NOW)) as uow:
        merge(uow.append, sale, 4)
    later = {sale.click, f"customer-{sale.click}", f"unread-{sale.click}"}
    assert readable(world, sale) == later
    assert unread_of(world, sale.website) == 1
    for _ in range(2):  # a person who is erased again has nothing left to lose
        erase(world, sale)
        assert readable(world, sale) == set()
        assert unread_of(world, sale.website) == 0
    assert audit_inline_projections(world.settings).is_clean


def test_each_erasure_begins_a_key_that_nobody_is_erased_from(command_world: World) -> None:
    world = command_world
    sale = claimed_sale(world, UUID(world.website()["id"]))
    [(state,)] = world.postgres.execute(
        "SELECT state FROM events.stored_events WHERE originator_id = %s AND originator_version = 1", (sale.id,)
    ).fetchall()
    sealed_with = parse(orjson.loads(bytes(state))["sealed"].encode()).number
    newest = "SELECT number, length(nodes_wrapped) FROM log.text_key ORDER BY number DESC LIMIT 1"
    size = "SELECT length(nodes_wrapped) FROM log.text_key WHERE number = %s"
    assert world.count(size, sealed_with) < 100
    erase(world, sale)
    assert world.count(size, sealed_with) > 1_000
    [(number, length)] = world.postgres.execute(newest).fetchall()
    assert number > sealed_with
    assert length < 100


def test_an_erasure_that_fails_at_its_end_erases_nothing(command_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world = command_world
    sale = claimed_sale(world, UUID(world.website()["id"]))

    def fail(*_: object) -> None:
        raise RuntimeError("the process is killed")

    with monkeypatch.context() as patched:
        patched.setattr(lookups, "forget_reports", fail)
        with pytest.raises(RuntimeError):
            erase(world, sale)
    assert readable(world, sale) == set(sale.words)
    assert claims_of(world, sale) == 1
    erase(world, sale)
    assert readable(world, sale) == set()


def test_what_was_decided_before_an_erasure_is_decided_again(command_world: World) -> None:
    """It would be sealed with a key that the person was not taken out of."""
    world = command_world
    sale = claimed_sale(world, UUID(world.website()["id"]))
    erase(world, sale)
    with pytest.raises(ConcurrencyConflict):
        merge(lambda event: world.core.store.append([event]), sale, 3)
    assert readable(world, sale) == set()


def test_a_snapshot_keeps_nothing_of_an_erased_person(command_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world = command_world
    monkeypatch.setattr(snapshots, "INTERVAL", 2)
    sale = claimed_sale(world, UUID(world.website()["id"]))
    stored = "SELECT state FROM events.snapshots WHERE originator_id = %s"
    world.core.load(sale.id, model.evolve)
    [(kept,)] = world.postgres.execute(stored, (sale.id,)).fetchall()
    assert not [word for word in sale.words if word.encode() in bytes(kept)]
    assert sale.click in str(world.core.load(sale.id, model.evolve))
    erase(world, sale)
    assert world.postgres.execute(stored, (sale.id,)).fetchall() == []
    merge(lambda event: world.core.store.append([event]), Sale(sale.id, sale.website, "later"), 4)
    for _ in range(2):
        state = world.core.load(sale.id, model.evolve)
        assert state is not None and state.is_forgotten
        assert [word for word in sale.words if word in str(state)] == []


def test_events_without_a_key_are_stored_in_clear_and_stay_readable(command_world: World) -> None:
    """As before there were keys: nothing is lost, and an erasure reaches the state and what is built of it alone."""
    world = command_world
    website = UUID(world.website()["id"])
    kept = world.postgres.execute("SELECT number, begins_at, nodes_wrapped FROM log.text_key").fetchall()
    world.postgres.execute("DELETE FROM log.text_key")
    try:
        sale = claimed_sale(world, website)
    finally:
        for row in kept:
            world.postgres.execute("INSERT INTO log.text_key VALUES (%s, %s, %s)", row)
    erase(world, sale)
    assert sale.click in str(stored_events(world, sale)[0])
    state = world.core.load(sale.id, model.evolve)
    assert state is not None
    assert sale.click not in str(state)
    assert claims_of(world, sale) == 1
    assert audit_inline_projections(world.settings).is_clean


def test_a_transaction_opens_what_it_seals_with_a_key_that_it_began(command_world: World) -> None:
    world = command_world
    sale = claimed_sale(world, UUID(world.website()["id"]))
    decided_now = VisitorForgotten.model_validate_json(
        orjson.dumps({**decided(sale.website, sale.id), "originator_id": str(uuid4()), "originator_version": 1})
    )
    with world.core.commands.unit_of_work(system_context(NOW)) as uow:
        uow.append(decided_now)
        merge(uow.append, sale, 4)
        state = uow.load(sale.id, model.evolve)
        assert state is not None and state.reports[-1].click_id == sale.click
    later = world.core.load(sale.id, model.evolve)
    assert later is not None and later.reports[-1].click_id == sale.click
