"""What the supervisor needs to know of one child process."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ENGINE_BACKOFF_S = 5.0
"""Everything waits for an engine: it is tried again often."""


@dataclass(frozen=True)
class ProcessSpec:
    """One child process: how to start it, how to see that it is ready, how to end it.

    `is_ready` is asked again and again while it starts; it answers within a second and does not raise. It counts only
    when the process itself listens on `port`: a server of somebody else must never be taken for ours.
    `kept_open`: host and port whose listening socket the supervisor opens and holds, and each start of the process
    inherits (`infra.http_server`): while it is restarted, connections wait instead of being refused.
    `is_alive` is asked of a running one every few seconds; who keeps silent while others answer is killed and started
    again. None: never.
    `prepare` runs before each start (cheap when there is nothing to do). `quiet`: only warnings go to the console,
    the log file has everything. `longest_backoff_s`: the longest pause before the next start while it keeps failing.
    `death_signal`: what it gets when the supervisor itself is killed. `ordinary_user`: the program refuses root's
    rights.
    """

    name: str
    command: Sequence[str]
    is_ready: Callable[[], bool]
    port: int | None = None
    kept_open: tuple[str, int] | None = None
    is_alive: Callable[[], bool] | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    prepare: Callable[[], None] = lambda: None
    stop_signal: signal.Signals = signal.SIGTERM
    death_signal: signal.Signals = signal.SIGTERM
    stop_timeout_s: float = 12.0
    start_timeout_s: float = 60.0
    longest_backoff_s: float = 30.0
    quiet: bool = False
    ordinary_user: bool = False


Stage = tuple[ProcessSpec, ...]


def stop_order(stages: Sequence[Stage], engines: Sequence[str]) -> list[tuple[str, ...]]:
    """Names in the order of ending: services first, the last started first, then each engine by itself."""
    services = [tuple(spec.name for spec in stage if spec.name not in engines) for stage in reversed(stages)]
    started = {spec.name for stage in stages for spec in stage}
    return [names for names in services if names] + [(name,) for name in engines if name in started]


def log_file(data_dir: Path, name: str) -> Path:
    return data_dir / "logs" / f"{name}.log"
