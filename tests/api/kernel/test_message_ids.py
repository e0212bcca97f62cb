"""The ids that connect messages, on a real Postgres: from the command over the store and the relay into the record."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4

from structlog.contextvars import bound_contextvars

from command_api.kernel.decision import CommandContext, system_context
from command_api.kernel.event_subscription import EventHandler, EventSubscription
from command_api.kernel.leader_election import Connection
from command_api.kernel.outbox_relay import record_of
from schemas.base import DomainEvent
from schemas.envelope import STORED_COLUMNS, decode
from schemas.events.websites import WebsiteConnected
from schemas.message_ids import MessageIds, message_id
from tests.api.kernel.test_event_subscription import connected, disconnected
from tests.support.command import World, command_world
from tests.support.subscriptions import stored_records

__all__ = ["command_world"]


def ids(world: World, aggregate: UUID) -> list[MessageIds]:
    """Of the aggregate's events, as their records have them."""
    query = f"SELECT {STORED_COLUMNS} FROM events.stored_events WHERE originator_id = %s ORDER BY originator_version"
    records = [record_of(row) for row in world.postgres.execute(query.encode(), (aggregate,)).fetchall()]
    return [decode(record.value, record.headers).ids for record in records]


def append(world: World, context: CommandContext, *events: DomainEvent) -> UUID | None:
    with world.core.commands.unit_of_work(context) as uow:
        uow.append(*events)
        return uow.ids.command_id


def test_a_requests_id_connects_all_that_one_command_does(command_world: World) -> None:
    answer = command_world.call(
        "POST",
        "/api/platform/websites",
        command_world.owner,
        json={"domain": "ids.example"},
        headers={"X-Request-Id": "request-1"},
    )
    first, *others = ids(command_world, UUID(answer.json()["id"]))
    assert set(others) == {first}
    assert first.command_id is not None
    assert (first.correlation_id, first.causation_id) == ("request-1", "")


def test_a_context_with_ids_wins_over_the_request(command_world: World) -> None:
    site, owner = uuid4(), command_world.owner.account_id
    context = CommandContext(system_context().at, correlation_id="chain-1", causation_id="timeout-1")
    with bound_contextvars(correlation_id="request-2", causation_id="message-2"):
        command_id = append(command_world, context, connected(site, owner))
        append(command_world, system_context(), disconnected(site))
    first, second = ids(command_world, site)
    assert first == MessageIds(command_id, "chain-1", "timeout-1")
    assert (second.correlation_id, second.causation_id) == ("request-2", "message-2")


def test_a_command_of_a_schedule_continues_its_aggregates_chain(command_world: World) -> None:
    site, owner = uuid4(), command_world.owner.account_id
    begun = append(command_world, system_context(), connected(site, owner))
    continued = append(command_world, system_context(), disconnected(site))
    assert ids(command_world, site) == [
        MessageIds(begun, str(begun), ""),
        MessageIds(continued, str(begun), message_id(site, 1)),
    ]


def test_events_from_before_the_ids_stay_readable_and_begin_a_chain(command_world: World) -> None:
    site, owner = uuid4(), command_world.owner.account_id
    command_world.core.store.append([connected(site, owner)])
    command_id = append(command_world, system_context(), disconnected(site))
    assert ids(command_world, site) == [MessageIds(), MessageIds(command_id, str(command_id), "")]


@dataclass
class Reactor:
    """Reacts to a connected website by another one."""

    world: World
    reaction: UUID
    name: str = "message-ids"
    event_names: tuple[str, ...] = (WebsiteConnected.NAME,)

    def handle(self, _: Connection, event: DomainEvent) -> None:
        if event.originator_id != self.reaction:
            append(self.world, system_context(), connected(self.reaction, self.world.owner.account_id))


def test_a_reaction_names_the_event_that_it_follows_from(command_world: World) -> None:
    cause, reaction = uuid4(), uuid4()
    context = CommandContext(system_context().at, correlation_id="chain-3")
    append(command_world, context, connected(cause, command_world.owner.account_id))
    handler: EventHandler = Reactor(command_world, reaction)
    subscription = EventSubscription(command_world.log, command_world.core.keyring, handler)
    position = subscription.start(command_world.postgres)
    records = [record for record in stored_records(command_world.postgres) if record.key == str(cause).encode()]
    subscription.process(command_world.postgres, records, position)
    [found] = ids(command_world, reaction)
    assert (found.correlation_id, found.causation_id) == ("chain-3", message_id(cause, 1))
