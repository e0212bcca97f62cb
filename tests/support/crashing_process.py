"""A relay or a policy in a separate process that kills itself (`kill -9`) at a named moment.

`python -m tests.support.crashing_process`, then lines `FILE WORK MOMENT NTH` (`tests.support.fork_server`); FILE holds
the environment as JSON. Or `python -m tests.support.crashing_process WORK MOMENT NTH` in the current environment. WORK
is `relay`, `reports`, `approving`, `deciding`, `domains`, `mailing`, `alerts`, `shifting`, `importing`, `cost_imports`
or `marketplace`; MOMENT is one of `before_publish`, `after_publish`, `after_advance` (relay), `before_store`,
`inside_store`, `after_store` (the policies), `after_refusal` (reports), a key of `_BEFORE` or `_AFTER` (imports), or
`never`; the process dies at the NTH time.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any
from uuid import uuid4

import pytest

from command_api.analytics.reports.process import scheduled_reports
from command_api.analytics.reports.renderer import ReportRenderer
from command_api.conversions.attribution.click_reader import ClickHouseClicks
from command_api.conversions.attribution.policy import AttributionPolicy
from command_api.conversions.attribution.repository import NAME
from command_api.conversions.decision_handlers import SCHEDULED_DECISIONS
from command_api.costs.imports.handlers import COST_IMPORTS
from command_api.domains.dns_check import open_dns_checker
from command_api.domains.verification_process import domain_verification
from command_api.kernel import outbox_relay, process_manager
from command_api.kernel.container import Container
from command_api.kernel.event_store import EventStore, LockingRecorder, StoreTransaction
from command_api.kernel.leader_election import Leader
from command_api.kernel.outbox_relay import Relay
from command_api.kernel.process_manager import ProcessWorker
from command_api.links.model import LinkAggregate
from command_api.links.shifting.process import link_shifts
from command_api.networks import process, staging
from command_api.notifications.alerts.checks import Check
from command_api.notifications.alerts.names import FREQUENT
from command_api.notifications.alerts.process import ALERT_MAILS, EVERY, checking
from command_api.notifications.alerts.records import RecordFinder
from command_api.processes import process_managers, recurring_jobs
from command_api.registry import open_container
from command_api.websites.model import Website
from infra.domain.splits.judging import VariantFigures
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.config.loading import load
from infra.kernel.config.settings import Settings
from infra.kernel.log import Log, open_log
from schemas.events.notifications import AlertKind
from tests.support import fork_server
from tests.support.child_process import environment
from tests.support.simulated_splits import certain_split


@dataclass(frozen=True)
class CrashingProcess:
    """Starts crashing processes from a fork server that has imported everything once."""

    forks: fork_server.ForkServer
    folder: Path

    def at(self, settings: Settings, work: str, moment: str, *, nth: str = "1", **more: str) -> int:
        """Lets a new process do the work until it ends; its exit code, negative for a signal. `more`: further
        settings by their names in the environment."""
        file = self.folder / uuid4().hex
        file.write_text(json.dumps(environment(settings, **more)))
        self.forks.start(str(file), work, moment, nth)
        return self.forks.ended()


@pytest.fixture(scope="session")
def crashing_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CrashingProcess]:
    """Shared: each process gets its settings when it is made."""
    folder = tmp_path_factory.mktemp("dying")
    with fork_server.fork_server(Settings(data_dir=folder), "tests.support.crashing_process") as made:
        yield CrashingProcess(made, folder)


def _run(file: str, work: str, moment: str, nth: str) -> int:
    os.environ.clear()
    os.environ.update(json.loads(Path(file).read_text()))
    begin(work, moment, int(nth))
    Event().wait()
    return 0


def begin(work: str, moment: str, nth: int) -> None:
    settings = load(env_file=None)
    core, log = open_container(settings), open_log(settings)
    plant(moment, nth)
    if work == "relay":
        leaders = [Leader(settings, outbox_relay.NAME, Relay(log).run)]
    elif work in _WORKERS:
        leaders = [Leader(settings, process_manager.NAME, _WORKERS[work](core, log).run)]
    else:
        clicks = ClickHouseClicks(ClientPool(settings, 2))
        leaders = [
            Leader(settings, f"{NAME}:{number}", AttributionPolicy(core, log, clicks, number).run) for number in (0, 1)
        ]
    for leader in leaders:
        leader.start()


def pending_alerts(core: Container, later: timedelta = timedelta(0)) -> ProcessWorker:
    """The alert about conversions that stay pending, and its email. Its clock is `later`."""
    check = Check(FREQUENT, {AlertKind.PENDING_CONVERSIONS: RecordFinder(core).pending}, lambda _, now: now + EVERY)
    return ProcessWorker(core, [checking(core, check), ALERT_MAILS], now=lambda: datetime.now(UTC) + later)


def shifting(core: Container, later: timedelta = timedelta(0)) -> ProcessWorker:
    """Shifts the weights of every split: of its variants the second earns certainly more. Its clock is `later`."""

    def figures_of(link: LinkAggregate, _: Website, __: date) -> list[VariantFigures]:
        return certain_split(*(each.number for each in link.routing.variants))

    manager = link_shifts(core, figures_of, is_counted=lambda _: True)
    return ProcessWorker(core, [manager], now=lambda: datetime.now(UTC) + later)


def importing(core: Container, log: Log) -> ProcessWorker:
    """Reads and applies reports of networks, two sales in a step."""
    process.SALES_AT_A_TIME = 2  # type: ignore[misc]
    return ProcessWorker(core, [process.network_imports(core, ClickHouseClicks(ClientPool(core.settings, 1)), log)])


def _deciding(core: Container, _: Log) -> ProcessWorker:
    return ProcessWorker(core, [SCHEDULED_DECISIONS], now=lambda: datetime.now(UTC) + timedelta(seconds=11))


_WORKERS: Mapping[str, Callable[[Container, Log], ProcessWorker]] = {
    "approving": lambda core, _: ProcessWorker(core, (), recurring_jobs(core, ClientPool(core.settings, 1))),
    "deciding": _deciding,
    "domains": lambda core, _: ProcessWorker(core, [domain_verification(core, open_dns_checker(core.settings))]),
    "mailing": lambda core, _: ProcessWorker(core, [scheduled_reports(core, ReportRenderer(core.settings))]),
    "alerts": lambda core, _: pending_alerts(core),
    "shifting": lambda core, _: shifting(core),
    "importing": importing,
    "cost_imports": lambda core, _: ProcessWorker(core, [COST_IMPORTS]),
    "marketplace": lambda core, log: ProcessWorker(core, process_managers(core, ClientPool(core.settings, 1), log)),
}


def plant(moment: str, nth: int) -> None:
    """Makes the process die at `moment`. Patches what runs at that moment; the product knows nothing of it."""
    times = 0

    def die() -> None:
        nonlocal times
        times += 1
        if times == nth:
            fork_server.die()

    def die_and_call(call: Callable[[], Any]) -> Any:
        die()
        return call()

    def call_and_die(call: Callable[[], Any]) -> Any:
        result = call()
        die()
        return result

    if moment in _BEFORE:
        fork_server.wrap(*_BEFORE[moment], die_and_call)
    elif moment in _AFTER:
        fork_server.wrap(*_AFTER[moment], call_and_die)
    elif moment == "after_store":
        _die_after_commit(die)


def _die_after_commit(die: Callable[[], None]) -> None:
    original = EventStore.transaction

    @contextmanager
    def transaction(self: EventStore) -> Iterator[StoreTransaction]:
        with original(self) as opened:
            yield opened
        die()

    setattr(EventStore, "transaction", transaction)  # noqa: B010 - mypy forbids to assign to a method


_BEFORE: Mapping[str, tuple[Any, str]] = {
    "before_publish": (Relay, "_publish"),
    "before_store": (EventStore, "transaction"),
    "before_rows": (staging, "replace_rows"),
    "before_statement": (staging, "state"),
    "before_published": (staging, "published"),
}
_AFTER: Mapping[str, tuple[Any, str]] = {
    "after_publish": (Relay, "_publish"),
    "after_advance": (outbox_relay, "_advance"),
    "inside_store": (LockingRecorder, "insert"),
    "after_refusal": (AttributionPolicy, "_publish_refusals"),
    "after_rows": (staging, "replace_rows"),
    "after_kinds": (staging, "set_kinds"),
    "after_statement": (staging, "state"),
    "after_published": (staging, "published"),
}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        begin(sys.argv[1], sys.argv[2], int(sys.argv[3]))
        print("ready", flush=True)
        Event().wait()
    else:
        fork_server.each_line(_run)
