"""The command bus on a real Postgres: retries, the store's lock, rollback, senders, audit entries."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from command_api.kernel.command_bus import CommandBus
from command_api.kernel.command_handlers import Command, CommandHandlers
from command_api.kernel.decision import CommandContext, CommandRejected, event_metadata, system_context
from command_api.kernel.event_store import ConcurrencyConflict
from command_api.kernel.retry import ATTEMPTS
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.websites import model as websites
from infra.kernel.http.problems import Problem
from infra.kernel.mail.outbox import Mail
from infra.kernel.security.client_info import Client
from schemas.events.websites import WebsiteConnected, WebsiteUpdated
from tests.support.command import World, command_world

__all__ = ["command_world"]


class Rename(Command[int]):
    """Changes a website's domain; returns the version that the decision read."""

    website_id: UUID
    domain: str


@dataclass
class Sites:
    """Websites in the store, and a bus whose handler can be interrupted between its load and its append."""

    world: World
    bus: CommandBus
    interruptions: list[Future[None]]

    def connected(self) -> UUID:
        site = uuid4()
        event = WebsiteConnected(
            **event_metadata(site, 0, system_context()),
            account_id=self.world.owner.account_id,
            domain="shop.example",
            timezone="UTC",
            currency="USD",
        )
        self.world.core.store.append([event])
        return site

    def versions(self, site: UUID) -> int:
        return self.world.count("SELECT count(*) FROM events.stored_events WHERE originator_id = %s", site)


def renamed(site: UUID, version: int, domain: str, account_id: UUID) -> WebsiteUpdated:
    return WebsiteUpdated(**event_metadata(site, version, system_context()), account_id=account_id, domain=domain)


@pytest.fixture
def sites(command_world: World) -> Iterator[Sites]:
    handlers, core = CommandHandlers(), command_world.core
    made = Sites(command_world, CommandBus(core.store, core.pool, core.settings, handlers), [])
    with ThreadPoolExecutor(1) as other:

        @handlers.on(Rename, senders="admins")
        def rename(command: Rename, uow: UnitOfWork) -> int:
            site = uow.load(command.website_id, websites.evolve)
            assert site is not None
            if command.domain == "contended.example":
                other_writer = other.submit(write_first, command.website_id, site.version)
                made.interruptions.append(other_writer)
                if len(made.interruptions) < ATTEMPTS:
                    other_writer.result(10)
            uow.append(renamed(site.id, site.version, command.domain, site.account_id))
            if command.domain == "failing.example":
                uow.send(Mail("a@b.example", "Subject", "Text", "test"))
                raise CommandRejected("conflict", "too_late", "Too late.")
            return site.version

        def write_first(site: UUID, version: int) -> None:
            core.store.append([renamed(site, version, "other.example", command_world.owner.account_id)])

        yield made


def test_the_last_attempt_keeps_other_writers_out(sites: Sites) -> None:
    """A writer that is first on every optimistic attempt waits for the last one, which holds the store's lock."""
    site = sites.connected()
    outcome = sites.bus.dispatch(Rename(site, "contended.example"), system_context())
    assert outcome.answer == ATTEMPTS  # the version after the event of each interruption
    with pytest.raises(ConcurrencyConflict):
        sites.interruptions[-1].result(10)
    assert sites.versions(site) == ATTEMPTS + 1
    assert outcome.position == sites.world.count(
        "SELECT max(notification_id) FROM events.stored_events WHERE originator_id = %s", site
    )


def test_a_rejected_command_leaves_nothing(sites: Sites) -> None:
    site = sites.connected()
    mails = sites.world.count("SELECT count(*) FROM kernel.mail")
    with pytest.raises(CommandRejected):
        sites.bus.dispatch(Rename(site, "failing.example"), system_context())
    assert sites.versions(site) == 1
    assert sites.world.count("SELECT count(*) FROM kernel.mail") == mails


def test_a_sender_without_the_right_is_rejected(sites: Sites) -> None:
    site = sites.connected()
    member = CommandContext(datetime.now(UTC), sites.world.owner.account_id)
    with pytest.raises(CommandRejected, match="may not"):
        sites.bus.dispatch(Rename(site, "new.example"), member)
    assert sites.versions(site) == 1
    assert sites.bus.dispatch(Rename(site, "new.example"), replace(member, is_admin=True)).answer == 1


def test_a_command_with_a_client_is_audited_in_its_transaction(sites: Sites) -> None:
    site = sites.connected()
    entries = "SELECT count(*) FROM kernel.audit WHERE action = 'website.updated' AND subject_id = %s"
    context = replace(system_context(), account_id=sites.world.admin.account_id, is_admin=True)
    sites.bus.dispatch(Rename(site, "quiet.example"), context)
    assert sites.world.count(entries, site) == 0
    sites.bus.dispatch(Rename(site, "new.example"), context, Client())
    assert sites.world.count(entries, site) == 1
    with pytest.raises(CommandRejected):
        sites.bus.dispatch(Rename(site, "failing.example"), context, Client())
    assert sites.world.count(entries, site) == 1


def test_a_conflict_that_the_lock_cannot_prevent_is_answered_with_busy(sites: Sites) -> None:
    """A row that another writer took without an event."""
    handlers, core, attempts = CommandHandlers(), sites.world.core, []

    @handlers.on(Rename, senders="system")
    def rename(command: Rename, _: UnitOfWork) -> int:
        attempts.append(command)
        raise ConcurrencyConflict("a row")

    bus = CommandBus(core.store, core.pool, core.settings, handlers)
    with pytest.raises(Problem) as refused:
        bus.dispatch(Rename(uuid4(), "new.example"), system_context())
    assert (refused.value.status, refused.value.code, len(attempts)) == (409, "busy", ATTEMPTS)


def test_a_unit_of_work_sees_its_own_events_and_rows(sites: Sites) -> None:
    site, core = uuid4(), sites.world.core
    with core.commands.unit_of_work(system_context()) as uow:
        uow.append(
            WebsiteConnected(
                **event_metadata(site, 0, system_context()),
                account_id=sites.world.owner.account_id,
                domain="shop.example",
                timezone="UTC",
                currency="USD",
            )
        )
        loaded = uow.load(site, websites.evolve)
        assert loaded is not None
        assert loaded.domain == "shop.example"
        event = uow.event(site, 1)
        assert isinstance(event, WebsiteConnected) and event.domain == "shop.example"
        assert uow.event(site, 2) is None
        query = "SELECT account_id FROM lookup.website WHERE website_id = %s"
        assert uow.select(query, site) == [(sites.world.owner.account_id,)]
        assert sites.versions(site) == 0
        assert sites.world.postgres.execute(query, (site,)).fetchall() == []
    assert sites.versions(site) == 1


def test_a_decision_relies_on_an_aggregate_that_it_does_not_change(sites: Sites) -> None:
    site, core = sites.connected(), sites.world.core
    with core.commands.unit_of_work(system_context()) as uow:
        uow.require_version(site, 1)
    core.store.append([renamed(site, 1, "new.example", sites.world.owner.account_id)])
    with core.commands.unit_of_work(system_context()) as uow, pytest.raises(ConcurrencyConflict):
        uow.require_version(site, 1)


def test_a_row_that_exists_already_is_a_conflict(sites: Sites) -> None:
    site, core = sites.connected(), sites.world.core
    with pytest.raises(ConcurrencyConflict, match="website"), core.commands.unit_of_work(system_context()) as uow:
        uow.cursor.execute("INSERT INTO lookup.website VALUES (%s, %s)", (site, site))


def test_handlers_of_an_event_belong_to_its_command(sites: Sites) -> None:
    """They run in the order of registration before the event is stored; what they append is stored before it, and what
    they reject is not stored."""
    first, second, site, kept = CommandHandlers(), CommandHandlers(), sites.connected(), sites.connected()
    owner = sites.world.owner.account_id

    @first.on(Rename, senders="system")
    def rename(command: Rename, uow: UnitOfWork) -> int:
        uow.append(renamed(command.website_id, 1, command.domain, owner))
        return uow.position or 0

    @first.before(WebsiteUpdated)
    def rename_the_other(event: WebsiteUpdated, uow: UnitOfWork) -> None:
        if event.originator_id == site:
            uow.append(renamed(kept, 1, f"www.{event.domain}", owner))

    @second.before(WebsiteUpdated)
    def reject(event: WebsiteUpdated, uow: UnitOfWork) -> None:
        assert (uow.position is None) == (event.originator_id == kept)
        if event.domain == "refused.example":
            raise CommandRejected("conflict", "refused", "No.")

    core = sites.world.core
    bus = CommandBus(core.store, core.pool, core.settings, CommandHandlers.merged([first, second]))
    with pytest.raises(CommandRejected):
        bus.dispatch(Rename(site, "refused.example"), system_context())
    assert (sites.versions(site), sites.versions(kept)) == (1, 1)
    outcome = bus.dispatch(Rename(site, "new.example"), system_context())
    assert [event.originator_id for event in outcome.events] == [kept, site]
    position = "SELECT max(notification_id) FROM events.stored_events WHERE originator_id = %s"
    assert outcome.position == outcome.answer == sites.world.count(position, site) > sites.world.count(position, kept)
