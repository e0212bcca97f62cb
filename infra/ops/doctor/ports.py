"""Ports: free, or held by this installation; addresses that are open to other machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

import psutil

from infra.kernel.config.settings import Settings
from infra.ops.doctor.finding import Finding, error, ok, warning
from infra.ops.doctor.subject import Subject
from infra.ops.stack import ports as stack_ports
from infra.ops.stack.ports import LOOPBACK
from infra.ops.stack.probe import answers

CHECK: Final = "ports"


@dataclass(frozen=True)
class Wanted:
    """A port that this installation uses. `is_fixed`: the start is refused if it is taken; otherwise another one is
    chosen. `is_service`: it answers `/livez`."""

    name: str
    host: str
    port: int
    setting: str
    is_fixed: bool
    is_service: bool


@dataclass(frozen=True)
class Holder:
    """The process that listens on a port; `pid` and `program` as far as the system shows them."""

    pid: int | None
    program: str

    def __str__(self) -> str:
        return f"process {self.pid} ({self.program})" if self.pid is not None else "a program of another user"


def check(subject: Subject) -> Iterator[Finding]:
    own = own_processes(subject)
    for wanted in wanted_ports(subject):
        yield of_port(subject, wanted, holder(wanted.host, wanted.port), own)
    yield of_openness(subject.settings)


def wanted_ports(subject: Subject) -> Iterator[Wanted]:
    settings, used = subject.settings, subject.effective
    yield Wanted("web", settings.host, used.port, "ALTHING_PORT", is_fixed=True, is_service=True)
    yield Wanted("ingest", settings.host, used.tracking_port, "ALTHING_TRACKING_PORT", is_fixed=True, is_service=True)
    external = {
        "kafka": settings.kafka_bootstrap_servers is not None or settings.log == "postgres",
        "postgres": settings.postgres_url is not None,
        "clickhouse": settings.clickhouse_url is not None,
    }
    for name, preferred in stack_ports.PREFERRED.items():
        if external.get(name.partition("_")[0]) or (name == "escrow" and not settings.escrow_sandbox):
            continue
        is_engine = name.partition("_")[0] in external
        if is_engine and subject.stack is not None:
            continue  # its port is in its address, and the checks of the engines connect to it
        port = getattr(used, f"{name}_port", None)
        setting = f"ALTHING_{name.upper()}_PORT"
        yield Wanted(name, LOOPBACK, port or preferred, setting, is_fixed=port is not None, is_service=not is_engine)


def of_port(
    subject: Subject,
    wanted: Wanted,
    holder: Holder | None,
    own: frozenset[int],
    answers: Callable[..., bool] = answers,
) -> Finding:
    """`own`: the processes of the running stack."""
    what = f"Port {wanted.port} of {wanted.name}"
    if holder is None:
        if subject.stack is not None and any(row.name == wanted.name for row in subject.stack.processes):
            return warning(
                CHECK,
                f"{what} is not in use, although the stack runs.",
                f"Look for the reason in {subject.data_dir}/logs/{wanted.name}.log.",
            )
        return ok(CHECK, f"{what} is free.")
    if holder.pid is not None and holder.pid in own:
        return ok(CHECK, f"{what} is held by the running stack, process {holder.pid}.")
    if wanted.is_service and subject.has_external_engines_only and answers(wanted.port, "/livez", host=wanted.host):
        return ok(CHECK, f"{what} is held by a service of Althing, {holder}.")
    if not wanted.is_fixed and subject.stack is None:
        return ok(CHECK, f"{what} is held by {holder}; a start uses another port.")
    return error(
        CHECK,
        f"{what} is held by {holder}, which is not part of this installation.",
        f"End that program, or set {wanted.setting} to a free port.",
    )


def of_openness(settings: Settings) -> Finding:
    """Checks whether the public ports are open to other machines without a proxy that encrypts."""
    if is_loopback(settings.host):
        return ok(CHECK, f"The public ports listen on {settings.host}, which other machines cannot reach.")
    if settings.trusted_proxies:
        return ok(CHECK, f"The public ports listen on {settings.host}, behind the proxies of TRUSTED_PROXIES.")
    return warning(
        CHECK,
        f"The public ports listen on {settings.host} without a proxy: passwords cross the network unencrypted.",
        "Put a reverse proxy with a certificate in front, and set ALTHING_HOST, ALTHING_PUBLIC_URL, TRUSTED_PROXIES.",
    )


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def own_processes(subject: Subject) -> frozenset[int]:
    """The supervisor and all below it."""
    if subject.stack is None:
        return frozenset()
    try:
        children = psutil.Process(subject.stack.pid).children(recursive=True)
    except psutil.Error:
        children = []
    return frozenset({subject.stack.pid, *(child.pid for child in children)})


def holder(host: str, port: int) -> Holder | None:
    """Returns the process that listens there; None if a server could."""
    if stack_ports.is_free(host, port):
        return None
    try:
        connections = psutil.net_connections(kind="tcp")
    except psutil.Error:
        connections = []
    pids = [c.pid for c in connections if c.status == psutil.CONN_LISTEN and c.laddr and c.laddr.port == port]
    # The supervisor holds the listening sockets of its children, too: the lowest number is its own.
    pid = min((pid for pid in pids if pid is not None), default=None)
    return Holder(pid, _program(pid))


def _program(pid: int | None) -> str:
    try:
        return psutil.Process(pid).name() if pid is not None else ""
    except psutil.Error:
        return "ended"
