"""What works in the background for as long as the process lives outlasts an error that nobody thought of."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from infra.kernel.config.settings import Settings
from infra.kernel.log import Record
from ingest import publish_retries, rejection_log
from ingest.directory import key_uses, refresh
from ingest.directory.key_uses import KeyUses
from ingest.directory.refresh import Refresher
from ingest.metrics import Counters
from ingest.publish_retries import PublishRetries
from ingest.rejection_log import RejectionLog
from ingest.steps.publish import Publisher
from ingest.visitors.sealing import TextSealing
from query_api.kernel import freshness, read_your_writes
from query_api.kernel.freshness import FreshnessMonitor
from query_api.kernel.read_your_writes import ProjectionPositions

PATIENCE_S = 30.0


class Odd:
    """Fails in a way that nothing expects, and again."""

    def __init__(self) -> None:
        self.times = 0
        self.again = threading.Event()

    def __call__(self, *_: Any, **__: Any) -> Any:
        self.times += 1
        if self.times > 1:
            self.again.set()
        raise ValueError("odd")


@pytest.fixture
def odd(monkeypatch: pytest.MonkeyPatch) -> Odd:
    for module, name in (
        (refresh, "RETRY_S"),
        (read_your_writes, "_RECONNECT_S"),
        (freshness, "PROBE_S"),
        (key_uses, "EVERY_S"),
        (rejection_log, "FLUSH_S"),
        (publish_retries, "EVERY_S"),
    ):
        monkeypatch.setattr(module, name, 0.01)
    return Odd()


def the_directory(odd: Odd, folder: Path, patch: pytest.MonkeyPatch) -> tuple[Callable[[], None], Callable[[], None]]:
    refresher = Refresher("postgresql://nowhere", folder / "copy.json", odd, odd, odd, odd, odd)
    patch.setattr(refresher, "_read_until_broken", odd)
    return refresher.start, refresher.stop


def the_positions(odd: Odd, _: Path, patch: pytest.MonkeyPatch) -> tuple[Callable[[], None], Callable[[], None]]:
    positions = ProjectionPositions(Settings())
    patch.setattr(positions, "_connect", odd)
    return positions.start, positions.stop


def the_freshness(odd: Odd, _: Path, patch: pytest.MonkeyPatch) -> tuple[Callable[[], None], Callable[[], None]]:
    found = FreshnessMonitor(cast(ProjectionPositions, None), odd)
    patch.setattr(found, "look", odd)
    patch.setattr(freshness, "PATIENCE_S", 0.0)
    found.headers()
    return found.start, found.stop


@pytest.mark.parametrize("made", [the_directory, the_positions, the_freshness])
def test_a_thread_goes_on(odd: Odd, made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start, stop = made(odd, tmp_path, monkeypatch)
    start()
    try:
        assert odd.again.wait(PATIENCE_S)
    finally:
        stop()


class OddPublisher:
    def __init__(self, odd: Odd) -> None:
        self.submit = odd


async def until_again(odd: Odd) -> None:
    assert await asyncio.to_thread(odd.again.wait, PATIENCE_S)


async def test_clicks_are_tried_again_and_none_is_lost(odd: Odd, tmp_path: Path) -> None:
    kept = PublishRetries(cast(Publisher, OddPublisher(odd)), Counters(), tmp_path / "clicks.spool")
    kept.add(Record("clicks", b"key", b"{}"))
    kept.start()
    await until_again(odd)
    assert kept.waiting == 1
    await kept.stop()


async def test_refusals_and_uses_of_keys_are_written_again(odd: Odd, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = RejectionLog(cast(Any, None), Counters(), TextSealing())
    monkeypatch.setattr(refused, "flush", odd)
    refused.start()
    await until_again(odd)
    monkeypatch.setattr(refused, "flush", lambda: None)
    await refused.stop(0)
    other = Odd()
    uses = KeyUses(cast(Any, None), cast(Any, None), every_s=0.01)
    monkeypatch.setattr(uses, "write", other)
    uses.start()
    await until_again(other)

    async def nothing() -> None: ...

    monkeypatch.setattr(uses, "write", nothing)
    await uses.stop(1)
