"""The supervisor's description of one child process."""

from __future__ import annotations

import signal
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ENGINE_BACKOFF_S = 5.0
"""Everything waits for an engine: it is tried again often."""
ENGINE_VARIABLES = (
    *("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TZDIR", "TMPDIR"),
    *("JAVA_HOME", "JAVA_TOOL_OPTIONS", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "MALLOC_ARENA_MAX"),
)
"""All variables that an engine gets of our own environment: programs of others need nothing else of it."""


@dataclass(frozen=True)
class ProcessSpec:
    """One child process: how to start it, how to check that it is ready, how to stop it.

    `is_ready` is called repeatedly during the start; it returns within a second and does not raise. It counts only
    when the process itself listens on `port`: another program's server must not be mistaken for it. `kept_open`: host
    and port whose listening socket the supervisor opens, and each start of the process inherits
    (`infra.kernel.http.server`): during a restart connections wait instead of being refused. `why_not_alive` is
    called every few seconds while the process runs: None means alive, a text is the reason why it hangs, an empty one
    that it does not answer; a hung process is killed and restarted. Without it: never. `prepare` runs before each
    start (cheap when there is nothing to do). `quiet`: only warnings go to the console, the log file has everything.
    `longest_backoff_s`: the longest pause before the next start while it keeps failing. `death_signal`: sent to it
    when the supervisor itself is killed. `ordinary_user`: the program does not run as root. `inherits`: what it gets of
    the environment of all children; None: everything. `withheld`: settings of which it gets none, also where `.env` has
    them.
    """

    name: str
    command: Sequence[str]
    is_ready: Callable[[], bool]
    port: int | None = None
    kept_open: tuple[str, int] | None = None
    why_not_alive: Callable[[], str | None] | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    prepare: Callable[[], None] = lambda: None
    stop_signal: signal.Signals = signal.SIGTERM
    death_signal: signal.Signals = signal.SIGTERM
    stop_timeout_s: float = 12.0
    start_timeout_s: float = 60.0
    longest_backoff_s: float = 30.0
    quiet: bool = False
    ordinary_user: bool = False
    inherits: Collection[str] | None = None
    withheld: Collection[str] = ()

    def environment_of(self, base: Mapping[str, str]) -> dict[str, str]:
        """Returns everything that the process gets, secrets included; `base`: the environment of all children."""
        inherited = base if self.inherits is None else {name: base[name] for name in self.inherits if name in base}
        return {**inherited, **dict.fromkeys(self.withheld, ""), **self.environment}


Stage = tuple[ProcessSpec, ...]


def stop_order(stages: Sequence[Stage], engines: Sequence[str]) -> list[tuple[str, ...]]:
    """Names in the order of stopping: services first, the last started first, then each engine alone."""
    services = [tuple(spec.name for spec in stage if spec.name not in engines) for stage in reversed(stages)]
    started = {spec.name for stage in stages for spec in stage}
    return [names for names in services if names] + [(name,) for name in engines if name in started]


def log_file(data_dir: Path, name: str) -> Path:
    return data_dir / "logs" / f"{name}.log"
