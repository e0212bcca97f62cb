"""Faults of a cluster under load. After each: no event lost, none counted twice, no number wrong, by the audit.

The tests share one cluster and go on where the one before ended. Each prints how long the others took to take over.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from uuid import uuid4

import httpx
import pytest

from schemas.topics import CLICKS
from tests.scale.cluster import Cluster, cluster, start_clickhouse
from tests.scale.machines import is_private
from tests.support.engines import engine_folder
from tests.support.service_process import ServiceProcess
from tests.support.stack import wait_for
from tests.support.under_load import Load, assert_exact, loading

pytestmark = [pytest.mark.crash, pytest.mark.timeout(600)]
CUT_S: Final = 10.0
"""Longer than a broker or a lock of a machine that is cut off is waited for."""
FAMILIES: Final = ("events", "refusals", "conversion_reports")


@pytest.fixture(scope="module")
def scaled() -> Iterator[Cluster]:
    with engine_folder("scale") as folder, cluster(folder) as made:
        yield made


def disturb(scaled: Cluster, folder: Path, fault: Callable[[Load], None]) -> None:
    """Runs `fault` while senders and decisions go on; they go on afterwards, too. Then the audit."""
    ledger = folder / "ledger.jsonl"
    with loading(scaled, ledger) as load:
        goes_on(load)
        fault(load)
        goes_on(load)
    assert_exact(scaled, load.result, ledger)


def goes_on(load: Load) -> None:
    before = load.accepted()
    wait_for(lambda: load.accepted() > before + 20, "the traffic to go on")


def test_the_leader_of_clicks_is_killed(scaled: Cluster, tmp_path: Path) -> None:
    def fault(load: Load) -> None:
        leader = wait_for(lambda: scaled.leader_of("clicks", 0), "a leader of clicks")
        leader.kill()
        began = time.monotonic()
        wait_for(lambda: scaled.leader_of("clicks", 0) not in (None, leader), "another broker to lead")
        goes_on(load)
        say(f"{leader.name} was killed: another leads and events are accepted", began)
        leader.start()

    disturb(scaled, tmp_path, fault)


def test_projectors_that_own_partitions_are_killed(scaled: Cluster, tmp_path: Path) -> None:
    def fault(_: Load) -> None:
        owner = wait_for(lambda: scaled.owners().get(("clicks", 0)), "an owner of clicks")
        [killed] = [each for each in scaled.services["projectors"] if pid_of(each) == pid_in(owner)]
        killed.kill()
        began = time.monotonic()
        wait_for(lambda: owner not in scaled.owners().values(), "the others to own its partitions", every_s=0.05)
        say(f"{killed.name} was killed: the others own its partitions", began)
        killed.start()

    disturb(scaled, tmp_path, fault)


def test_a_query_service_is_killed_while_a_stream_is_open(scaled: Cluster, tmp_path: Path) -> None:
    def fault(load: Load) -> None:
        with streaming(scaled, load) as (connected_to, updates):
            wait_for(lambda: len(updates) >= 2, "updates of the live stream")
            first = connected_to[-1]
            first.kill()
            began = time.monotonic()
            wait_for(lambda: connected_to[-1] is not first, "the stream to connect to the other service")
            before = len(updates)
            wait_for(lambda: len(updates) >= before + 2, "updates from the other service")
            say(f"{first.name} was killed: the stream goes on at {connected_to[-1].name}", began)
        first.start()

    disturb(scaled, tmp_path, fault)


@pytest.mark.skipif(not is_private(), reason="needs network namespaces: `make test-scale` as root on Linux")
@pytest.mark.parametrize("time_of", ["first", "second"])
def test_a_machine_is_cut_off_from_the_others(scaled: Cluster, tmp_path: Path, time_of: str) -> None:
    """The one whose projectors own partition 0 of clicks, with its broker and its other services. Nothing there ends;
    when the network is back, all of it goes on. The second time it is the machine that took the partition over."""

    def fault(load: Load) -> None:
        owner = wait_for(lambda: scaled.owners().get(("clicks", 0)), "an owner of clicks")
        [alone] = [each for each in scaled.services["projectors"] if pid_of(each) == pid_in(owner)]
        number = scaled.services["projectors"].index(alone) + 1
        machine = scaled.machines[number]
        owned = list(scaled.owners().values()).count(owner)
        machine.cut()
        began = time.monotonic()
        try:
            wait_for(
                lambda: owner not in scaled.owners().values(),
                "the others to own its partitions",
                every_s=0.05,
            )
            say(f"machine {number} was cut off ({time_of}): the others own its {owned} partitions", began)
            goes_on(load)
            say("events are accepted", began)
            wait_for(lambda: time.monotonic() > began + CUT_S, "the machine to be missed")
        finally:
            machine.join()
        began = time.monotonic()
        for service in scaled.every_service:
            service.wait_ready()
        say("the network is back: every service is ready", began)

    disturb(scaled, tmp_path, fault)


def test_partitions_are_raised_while_all_goes_on(scaled: Cluster, tmp_path: Path) -> None:
    """No service is restarted: those of ingest learn the number when they ask the brokers again, within a minute."""

    def fault(load: Load) -> None:
        number = 2 * CLICKS.partitions
        began = time.monotonic()
        scaled.run("partitions", "raise", CLICKS.name, str(number))
        new = {(CLICKS.name, partition) for partition in range(CLICKS.partitions, number)}
        wait_for(lambda: all(scaled.owners().get(place) for place in new), "the new partitions to have owners")
        say(f"clicks has {number} partitions: all have owners", began)
        goes_on(load)
        wait_for(lambda: len(scaled.sql(PASSED_ZERO, list(range(number)))) == number, "events in each", 100.0)
        say("events come into each of them", began)

    disturb(scaled, tmp_path, fault)


PASSED_ZERO: Final = """
    select 1 from engine.position p join engine.projection j on j.name = p.projection
    and j.live_generation = p.generation where p.projection = 'events' and p.topic = 'clicks'
    and p.partition = any(%s) and p.next_offset > 0"""


def test_everything_is_restarted_in_turn(scaled: Cluster, tmp_path: Path) -> None:
    def fault(load: Load) -> None:
        restart(scaled, *scaled.services)
        for engine in (*scaled.brokers, scaled.clickhouse, scaled.postgres):
            wait_for(scaled.is_in_sync, "every copy to be complete")
            engine.stop()
            engine.start()
            goes_on(load)

    disturb(scaled, tmp_path, fault)


def test_another_clickhouse_takes_the_place_of_a_lost_one(scaled: Cluster, tmp_path: Path) -> None:
    """It is empty: the projectors make its tables from the log, while events and commands go on. The other services
    get it when it is complete: who looks for the click of a sale waits, and does not look in an empty table."""

    def fault(_: Load) -> None:
        scaled.clickhouse.kill()
        scaled.clickhouse = start_clickhouse(scaled.folder / "clickhouse-2", scaled.machines[0].host)
        scaled.set("CLICKHOUSE_URL", scaled.clickhouse.address)
        scaled.run("migrate")
        restart(scaled, "projectors")
        for name in FAMILIES:
            scaled.run("projections", "rebuild", name)
            scaled.run("projections", "promote", name)
        restart(scaled, "command", "query")

    disturb(scaled, tmp_path, fault)


def restart(scaled: Cluster, *kinds: str) -> None:
    for kind in kinds:
        for service in scaled.services[kind]:
            assert service.stop() == 0, service.name
            service.start()


@contextmanager
def streaming(scaled: Cluster, load: Load) -> Iterator[tuple[list[ServiceProcess], list[str]]]:
    """A dashboard's live stream, which connects again as a browser does: to which services, and its updates."""
    connected_to: list[ServiceProcess] = []
    updates: list[str] = []
    over = threading.Event()

    def follow() -> None:
        path = f"{scaled.query.url}/api/platform/analytics/live?websiteId={load.target.website}"
        headers = {"Authorization": load.app.headers["Authorization"]}
        while not over.is_set():
            try:
                with httpx.stream("GET", path, headers=headers, timeout=20) as answer:
                    answer.raise_for_status()
                    connected_to.append(scaled.query.last)
                    for line in answer.iter_lines():
                        if line.startswith("data: ") and json.loads(line[6:])["recent"]:
                            updates.append(line)
                        if over.is_set():
                            return
            except httpx.HTTPError:
                over.wait(0.2)

    thread = threading.Thread(target=follow, name=f"stream {uuid4()}")
    thread.start()
    try:
        yield connected_to, updates
    finally:
        over.set()
        thread.join(30)


def pid_of(service: ServiceProcess) -> int:
    assert service.process is not None
    return service.process.pid


def pid_in(owner: str) -> int:
    """Of `host:pid`."""
    return int(owner.rpartition(":")[2] or 0)


def say(what: str, began: float) -> None:
    print(f"\n{what}: {time.monotonic() - began:.1f} s")
