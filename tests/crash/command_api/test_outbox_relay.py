"""Whatever kills the relay, topic `domain` has every decided event, in commit order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from threading import Event
from uuid import uuid4

import pytest

from command_api.kernel import leader_election as leading
from command_api.kernel import outbox_relay
from command_api.kernel.leader_election import Leader, connect
from command_api.kernel.outbox_relay import Relay, RelayFenced
from infra.kernel.config.settings import Settings
from schemas.envelope import position_of
from schemas.events.operations import ProjectionPaused
from tests.support.child_process import child_process
from tests.support.command import World, world
from tests.support.crashing_process import CrashingProcess
from tests.support.stack import wait_for


@pytest.fixture
def fresh(embedded_postgres: Settings) -> Iterator[World]:
    with world(embedded_postgres) as made:
        made.log.end_offset("domain", 0)
        yield made


def write(made: World, count: int) -> None:
    for number in range(count):
        event = ProjectionPaused(
            originator_id=uuid4(), originator_version=1, timestamp=datetime.now(UTC), projection=f"p{number}"
        )
        made.core.store.append([event])


def stored(made: World) -> list[int]:
    rows = made.postgres.execute("SELECT notification_id FROM events.stored_events ORDER BY 1").fetchall()
    return [row[0] for row in rows]


def published(made: World) -> list[int]:
    return [position_of(record.headers) for record in made.records("domain")]


def in_effect(positions: list[int]) -> list[int]:
    """What a consumer sees that drops positions it has had."""
    seen: list[int] = []
    for position in positions:
        if not seen or position > seen[-1]:
            seen.append(position)
    return seen


def position(made: World) -> int:
    return made.count("SELECT coalesce(max(position), 0) FROM engine.relay")


def relay_all(made: World) -> None:
    leader = Leader(made.settings, outbox_relay.NAME, Relay(made.log).run).start()
    try:
        wait_for(lambda: position(made) == stored(made)[-1], "the relay to catch up")
    finally:
        leader.stop()


@pytest.mark.crash
@pytest.mark.parametrize("moment", ["before_publish", "after_publish", "after_advance"])
def test_killed_at_any_step_nothing_is_lost_and_nothing_sent_twice(
    fresh: World, crashing_process: CrashingProcess, moment: str
) -> None:
    write(fresh, 5)
    for _ in range(2):
        assert crashing_process.at(fresh.settings, "relay", moment) == -9
        write(fresh, 3)
    relay_all(fresh)
    assert published(fresh) == stored(fresh)


@pytest.mark.crash
def test_two_relays_and_six_writers(fresh: World) -> None:
    with ExitStack() as children:
        relays = [
            children.enter_context(
                child_process(fresh.settings, "tests.support.crashing_process", "relay", "never", "1")
            )
            for _ in range(2)
        ]
        for process in relays:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
        writers = [
            children.enter_context(child_process(fresh.settings, "tests.support.event_writer", "60")) for _ in range(6)
        ]
        wait_for(lambda: position(fresh) > 0, "the first relay to lead")
        relays[0].kill()
        assert [writer.wait(120) for writer in writers] == [0] * 6
    relay_all(fresh)
    everything = stored(fresh)
    assert len(everything) == 6 * 120
    assert in_effect(published(fresh)) == everything


def test_a_relay_that_lost_the_lead_is_fenced(fresh: World) -> None:
    write(fresh, 3)
    assert fresh.settings.postgres_url is not None
    relay_all(fresh)
    with connect(fresh.settings.postgres_url, "zombie") as connection, pytest.raises(RelayFenced):
        outbox_relay._advance(connection, 0, 2)
    assert position(fresh) == stored(fresh)[-1]


def test_only_one_leads_and_the_other_takes_over(fresh: World) -> None:
    working: list[str] = []

    def work(name: str) -> Leader:
        def run(_connection: object, stop: Event) -> None:
            working.append(name)
            stop.wait()

        return Leader(fresh.settings, "the work", run).start()

    first = work("first")
    wait_for(lambda: working == ["first"], "the first to lead")
    second = work("second")
    wait_for(lambda: second.state == "standby", "the second to stand by")
    assert working == ["first"]
    first.stop()
    wait_for(lambda: working == ["first", "second"], "the second to take over")
    second.stop()


def test_work_that_fails_begins_again(fresh: World) -> None:
    tries: list[int] = []

    def run(_connection: object, stop: Event) -> None:
        tries.append(1)
        if len(tries) < 3:
            raise ConnectionError("the engine is away")
        stop.wait()

    leader = Leader(fresh.settings, "work that fails", run).start()
    wait_for(lambda: len(tries) == 3, "the third try")
    wait_for(lambda: leader.state == "leading", "it to lead")
    leader.stop()
    assert leader.state == "stopped"


@pytest.mark.parametrize(("steady_s", "pauses"), [(3600.0, [0.001, 0.002, 0.004]), (0.0, [0.001, 0.001, 0.001])])
def test_the_pause_is_short_again_once_the_work_went_well(
    fresh: World, monkeypatch: pytest.MonkeyPatch, steady_s: float, pauses: list[float]
) -> None:
    """The troubles of a month do not add up: a relay that lost its connection once a week would wait ever longer."""
    monkeypatch.setattr(leading, "FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(leading, "STEADY_S", steady_s)
    waited: list[float] = []
    leader = Leader(fresh.settings, "work that fails now and then", lambda _connection, _stop: fail())
    monkeypatch.setattr(leader, "_stop", Noting(waited, enough=len(pauses)))
    leader._run()
    assert waited == pauses


def fail() -> None:
    raise ConnectionError("the engine is away")


class Noting(Event):
    """Notes how long the pauses should be instead of waiting for them, and is set when it has noted enough."""

    def __init__(self, waited: list[float], enough: int) -> None:
        super().__init__()
        self._waited, self._enough = waited, enough

    def wait(self, timeout: float | None = None) -> bool:
        self._waited.append(timeout or 0.0)
        if len(self._waited) >= self._enough:
            self.set()
        return self.is_set()
