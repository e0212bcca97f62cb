"""The port of each process: public ones as set, internal ones preferred if free, else any free one.

Between choosing a port and listening on it, another program can take it (a second stack that starts at the same
moment prefers the same ones): `replace_taken` then chooses again for that process.
"""

from __future__ import annotations

import random
import socket
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from infra.kernel.config.settings import Settings, SettingsError

LOOPBACK: Final = "127.0.0.1"
PREFERRED: Final = {
    "kafka": 9092,
    "kafka_controller": 9093,
    "postgres": 5433,
    "clickhouse": 8123,
    "command": 8010,
    "query": 8011,
    "projectors": 8012,
    "escrow": 8100,
}
_ANY: Final = range(20_000, 32_000)
"""Below the system's range for outgoing connections: one of those could take the port of a process while it
restarts."""
_TRIES: Final = 200
_BACKLOG: Final = 2048


@dataclass(frozen=True)
class Ports:
    """The ports of one running stack. They stay the same while it runs, over restarts of its processes."""

    web: int
    tracking: int
    kafka: int
    kafka_controller: int
    postgres: int
    clickhouse: int
    command: int
    query: int
    projectors: int
    escrow: int


def choose(settings: Settings) -> Ports:
    """Raises `SettingsError`, naming port and setting, when a public or an explicitly set port is taken."""
    taken: set[int] = set()
    web = _fixed(settings.host, settings.port, "ALTHING_PORT", taken)
    tracking = _fixed(settings.host, settings.tracking_port, "ALTHING_TRACKING_PORT", taken)
    chosen = _given(settings)
    fixed = {name: _fixed(LOOPBACK, port, _setting(name), taken) for name, port in chosen.items()}
    free = {name: _free(preferred, taken) for name, preferred in PREFERRED.items() if name not in chosen}
    return Ports(web=web, tracking=tracking, **fixed, **free)


def free_ports(count: int) -> list[int]:
    """Returns so many different ports that are free now. Raises `SettingsError` when none is found."""
    taken: set[int] = set()
    return [_free(None, taken) for _ in range(count)]


def replace_taken(ports: Ports, settings: Settings, process: str) -> Ports | None:
    """New ports for those of `process` that another program has taken; None when none is, or none may be moved."""
    chosen = _given(settings)
    numbers: dict[str, int] = dict(vars(ports))
    moved = {
        name: _free(None, set(numbers.values()))
        for name in PREFERRED
        if name.partition("_")[0] == process and name not in chosen and not is_free(LOOPBACK, numbers[name])
    }
    return replace(ports, **moved) if moved else None


def listener(host: str, port: int) -> socket.socket:
    """A listening socket, to be inherited by child processes. Raises `OSError` when the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=_BACKLOG)


def is_free(host: str, port: int) -> bool:
    """Returns whether a server could listen there now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def _fixed(host: str, port: int, name: str, taken: set[int]) -> int:
    if port in taken:
        raise SettingsError(f"{name}: port {port} is given to two of our own servers; set another one.")
    if not is_free(host, port):
        raise SettingsError(
            f"{name}: port {port} is taken by another program; stop that one or set {name} to a free port."
        )
    taken.add(port)
    return port


def _free(preferred: int | None, taken: set[int]) -> int:
    candidates = [] if preferred is None else [preferred]
    candidates += random.sample(_ANY, _TRIES)
    for port in candidates:
        if port not in taken and is_free(LOOPBACK, port):
            taken.add(port)
            return port
    raise SettingsError(f"No free port was found between {_ANY.start} and {_ANY.stop}; set the ALTHING_*_PORT names.")


def _given(settings: Settings) -> Mapping[str, int]:
    ports = {name: getattr(settings, f"{name}_port", None) for name in PREFERRED}
    return {name: port for name, port in ports.items() if port is not None}


def _setting(name: str) -> str:
    return f"ALTHING_{name.upper()}_PORT"
