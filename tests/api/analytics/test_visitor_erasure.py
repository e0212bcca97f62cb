"""Erasures of visitors that are repeated after a restore, and what is deleted beside the events of conversions."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb

from command_api.analytics import commands, visitor_erasure
from command_api.conversions import decisions, model
from command_api.kernel.decision import system_context
from infra.ops.backup import erased_subjects
from schemas.base import Money
from schemas.events.conversions import ConversionFacts, Reported
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
