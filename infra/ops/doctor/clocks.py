"""Clocks: the system's is synchronised, and those of engines and services agree with it; the time zones can be read."""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException
from typing import Final

import httpx
import psycopg

from infra.ops.doctor.engines import clickhouse, postgres
from infra.ops.doctor.finding import Finding, error, ok, warning
from infra.ops.doctor.subject import Subject
from infra.ops.stack.probe import reachable
from schemas.zones import ZoneInfo

CHECK: Final = "clocks"
MAX_OFFSET_S: Final = 1.0
BAD_OFFSET_S: Final = 60.0
_DATE_S: Final = 1.2
"""The header `Date` has whole seconds, and a server makes it once a second: it is up to twice this old."""
_UNSYNCHRONISED: Final = 5
"""adjtimex(2): TIME_ERROR."""
_TIMEX_BYTES: Final = 512
"""More than the size of `struct timex` on every architecture."""
_TIMEOUT_S: Final = 2.0

Ask = Callable[[], float]
"""Returns another clock's time in seconds since 1970."""


@dataclass(frozen=True)
class Offset:
    """The difference of another clock: how far it is ahead of this one; the truth is within `uncertainty_s`."""

    seconds: float
    uncertainty_s: float


@dataclass(frozen=True)
class Clock:
    """`ask` answers with its time, which is true within `resolution_s`."""

    ask: Ask
    resolution_s: float = 0.0


def check(subject: Subject) -> Iterator[Finding]:
    yield of_synchronisation(kernel_state())
    yield of_zones()
    for name, clock in clocks(subject).items():
        try:
            seconds = offset(clock)
        except (OSError, ValueError, HTTPException, psycopg.Error, httpx.HTTPError, clickhouse.Rejected):
            continue  # it does not answer, which the check of this engine or process reports
        yield of_offset(name, seconds)


def kernel_state() -> int | None:
    """The state that adjtimex(2) returns; None where the system has no such call or does not allow it."""
    if sys.platform != "linux":
        return None
    try:
        state = int(ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES)))
    except (OSError, AttributeError):
        return None
    return state if state >= 0 else None


def of_synchronisation(state: int | None) -> Finding:
    if state is None:
        return ok(CHECK, "Whether the clock is synchronised cannot be known on this system.")
    if state == _UNSYNCHRONISED:
        return warning(
            CHECK,
            "The kernel reports that its clock is not synchronised: times of events drift.",
            "Run a time service (`timedatectl set-ntp true`, or chrony), unless the host sets the clock.",
        )
    return ok(CHECK, "The system's clock is synchronised.")


def of_zones() -> Finding:
    try:
        ZoneInfo("Europe/Berlin")
    except (OSError, LookupError, ValueError):
        return error(CHECK, "The time zones cannot be read.", "Run `pip install --force-reinstall tzdata`.")
    return ok(CHECK, "The time zones can be read.")


def clocks(subject: Subject) -> Mapping[str, Clock]:
    """The clocks of the engines in use, and of the running services. Kafka's protocol has none."""
    by_name: dict[str, Clock] = {}
    used = subject.effective
    if (postgres_url := used.postgres_url) is not None:
        by_name["Postgres"] = Clock(lambda: _of_postgres(postgres_url))
    if (clickhouse_url := used.clickhouse_url) is not None:
        by_name["ClickHouse"] = Clock(lambda: _of_clickhouse(clickhouse_url))
    if subject.stack is not None:
        by_name |= {
            name: Clock(_of_service(host, port), _DATE_S)
            for name, host, port in (
                ("web", used.host, used.port),
                ("ingest", used.host, used.tracking_port),
                ("command", "127.0.0.1", used.command_port),
                ("query", "127.0.0.1", used.query_port),
            )
            if port is not None and any(row.name == name for row in subject.stack.processes)
        }
    return by_name


def offset(clock: Clock, now: Callable[[], float] = time.time) -> Offset:
    """Compares with the middle of the question: it takes time to get there and back. Raises what the clock does."""
    began = now()
    other = clock.ask()
    ended = now()
    return Offset(other - (began + ended) / 2, (ended - began) / 2 + clock.resolution_s)


def of_offset(name: str, found: Offset) -> Finding:
    seconds = max(0.0, abs(found.seconds) - found.uncertainty_s)
    direction = "ahead of" if found.seconds > 0 else "behind"
    if seconds <= MAX_OFFSET_S:
        return ok(CHECK, f"The clock of {name} agrees with the system's within {max(seconds, 0.001):.3f} s.")
    text = f"The clock of {name} is {seconds:.1f} s {direction} the system's."
    remedy = "Run a time service (chrony, systemd-timesyncd) on both machines."
    if seconds > BAD_OFFSET_S:
        return error(CHECK, f"{text} Sessions, one-time codes and signatures are judged by wrong times.", remedy)
    return warning(CHECK, text, remedy)


def _of_postgres(url: str) -> float:
    with postgres.connect(url) as connection:
        row = connection.execute("select extract(epoch from clock_timestamp())::float8").fetchone()
    if row is None:
        raise ValueError("no row")
    return float(row[0])


def _of_clickhouse(url: str) -> float:
    with closing(clickhouse.Server(url)) as server:
        return int(server.value("SELECT toUnixTimestamp64Milli(now64(3))")) / 1000


def _of_service(host: str, port: int) -> Ask:
    def ask() -> float:
        connection = HTTPConnection(reachable(host), port, timeout=_TIMEOUT_S)
        try:
            connection.request("GET", "/livez")
            date = connection.getresponse().getheader("Date", "")
            return parsedate_to_datetime(date).timestamp() + _DATE_S
        finally:
            connection.close()

    return ask
