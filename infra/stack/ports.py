"""Which port each process listens on: public ones as set, internal ones preferred if free, else any free one."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from dataclasses import dataclass

from infra.settings import Settings, SettingsError

LOOPBACK = "127.0.0.1"


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
    scheduler: int


def choose(settings: Settings) -> Ports:
    """Raises `SettingsError`, naming port and setting, when a public or an explicitly set port is taken."""
    taken: set[int] = set()
    web = _fixed(settings.host, settings.port, "ALTHING_PORT", taken)
    tracking = _fixed(settings.host, settings.tracking_port, "ALTHING_TRACKING_PORT", taken)

    def internal(given: int | None, preferred: int, name: str) -> int:
        return _fixed(LOOPBACK, given, name, taken) if given is not None else _free((preferred,), taken)

    return Ports(
        web=web,
        tracking=tracking,
        kafka=internal(settings.kafka_port, 9092, "ALTHING_KAFKA_PORT"),
        kafka_controller=_free((9093,), taken),
        postgres=internal(settings.postgres_port, 5433, "ALTHING_POSTGRES_PORT"),
        clickhouse=internal(settings.clickhouse_port, 8123, "ALTHING_CLICKHOUSE_PORT"),
        command=internal(settings.command_port, 8010, "ALTHING_COMMAND_PORT"),
        query=internal(settings.query_port, 8011, "ALTHING_QUERY_PORT"),
        projectors=internal(settings.projectors_port, 8012, "ALTHING_PROJECTORS_PORT"),
        scheduler=internal(settings.scheduler_port, 8013, "ALTHING_SCHEDULER_PORT"),
    )


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there now."""
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


def _free(preferred: Iterable[int], taken: set[int]) -> int:
    for port in preferred:
        if port not in taken and is_free(LOOPBACK, port):
            taken.add(port)
            return port
    while True:
        with socket.socket() as probe:
            probe.bind((LOOPBACK, 0))
            port = int(probe.getsockname()[1])
        if port not in taken:
            taken.add(port)
            return port
