"""Every log line of Althing is an event: one name, and fields."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import pytest

from infra.kernel.config.paths import ROOT

PACKAGES: Final = ("schemas", "infra", "ingest", "command_api", "projectors", "query_api")
LEVELS: Final = frozenset({"debug", "info", "warning", "error", "exception", "critical", "fatal", "warn", "log"})
LOGGER: Final = "structlog.get_logger(__name__)"

STANDARD_LOGGING: Final = {
    "infra/kernel/observability/logging.py": "configures it",
    "infra/domain/sql_access/sql_validator.py": "sqlglot's warnings would quote analysts' statements",
    "infra/services/clickhouse_server/__main__.py": "uvicorn reports answers that are broken off on purpose",
    "infra/services/gateway/service.py": "uvicorn reports answers that a service broke off, which the proxy has logged",
    "infra/ops/doctor/command.py": "libraries warn of servers that do not answer, which its findings report",
    "ingest/service.py": "kafka-python warns of what ingest logs itself",
}
"""Modules that set the level or a filter of a library's logger, and why."""

SHARED: Final = {
    "clickhouse_unavailable": "a read or an analyst's statement got no answer",
    "client_stalled": "a client does not read its answer",
    "directory_copy_write_failed": "the whole copy, or what changed since",
    "job_failed": "an engine is away (warning), or an error nobody expects (error, traceback)",
    "operation_postponed": "before it begins, or meanwhile; it is tried again",
    "rebuild_refused": "`reason` tells why it was wanted",
    "rebuild_started": "`reason` tells why",
    "request_failed": "an HTTP request met an error nobody expects",
    "unexpected_error": "`component` tells whose; it goes on",
    "worker_restarting": "`worker` tells which; it goes on where it was",
}
"""Events with the same meaning in several places."""

NO_ALERT: Final = {
    "arguments_refused": "a person at a terminal reads it",
    "sandbox_request_failed": "the escrow provider for trying out",
}
"""Errors that `docs/operations.md` does not list, and why."""

RESERVED: Final = frozenset({"event", "level", "logger", "service", "timestamp", "exception", "_record"})
NUMBERS_WITH_UNITS: Final = re.compile(r"(delay|timeout|duration|age|pause|wait|elapsed|latency|size|ttl)$")


@dataclass(frozen=True)
class Call:
    path: str
    node: ast.Call
    level: str

    @property
    def place(self) -> str:
        return f"{self.path}:{self.node.lineno}"

    @property
    def event(self) -> ast.expr | None:
        position = 1 if self.level == "log" else 0
        return self.node.args[position] if len(self.node.args) == position + 1 else None

    @property
    def name(self) -> str:
        event = self.event
        return event.value if isinstance(event, ast.Constant) and isinstance(event.value, str) else ""


@dataclass(frozen=True)
class Scan:
    """All modules of production by their paths, and what they log."""

    modules: dict[str, ast.Module]
    calls: list[Call]


@pytest.fixture(scope="module")
def scan() -> Scan:
    """For these tests only: held any longer, the millions of nodes make each garbage collection of the session slow."""
    found = dict(modules())
    return Scan(found, [call for path, tree in found.items() for call in calls_of(path, tree)])


def modules() -> Iterator[tuple[str, ast.Module]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text())


def loggers(tree: ast.Module) -> set[str]:
    """Names that are bound to a structlog logger."""
    return {
        ast.unparse(node.target)
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and node.value is not None and ast.unparse(node.value) == LOGGER
    }


def makes_logger(node: ast.Call) -> bool:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name.endswith("get_logger")


def calls_of(path: str, tree: ast.Module) -> list[Call]:
    names = loggers(tree)
    return [
        Call(path, node, node.func.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in LEVELS
        and ast.unparse(node.func.value) in names
    ]


def test_the_scan_finds_the_calls(scan: Scan) -> None:
    assert len(scan.calls) > 100


def test_modules_log_through_structlog(scan: Scan) -> None:
    writing = {"logging.getLogger", *(f"logging.{level}" for level in LEVELS)}
    using = {
        path
        for path, tree in scan.modules.items()
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and node.attr in {"getLogger", *LEVELS} and ast.unparse(node) in writing)
        or (isinstance(node, ast.ImportFrom) and node.module == "logging")
    }
    assert using == set(STANDARD_LOGGING)


def test_loggers_are_typed_and_named_alike(scan: Scan) -> None:
    """A logger that is made in another way would escape the tests below."""
    for path, tree in scan.modules.items():
        made = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Call) and makes_logger(node)]
        assert made == [LOGGER] * len(loggers(tree)), path
        assert loggers(tree) <= {"log", "logger"}, path


def test_each_line_is_a_name_and_fields(scan: Scan) -> None:
    assert [f"{call.place}: {fault}" for call in scan.calls for fault in faults(call)] == []


def faults(call: Call) -> Iterator[str]:
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)+", call.name):
        yield "the first argument is no literal name"
    if call.name == "unexpected_error" and call.level != "exception":
        yield "an unexpected error is logged with its traceback"
    for keyword in call.node.keywords:
        if keyword.arg is None:
            yield "fields are not written out"
        elif keyword.arg in RESERVED:
            yield f"{keyword.arg} is reserved"
        elif NUMBERS_WITH_UNITS.search(keyword.arg):
            yield f"{keyword.arg} says no unit"
        if any(formats(node) for node in ast.walk(keyword.value)):
            yield "a value is a part of a text instead of a field of its own"


def formats(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.JoinedStr)
        or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod))
        or (isinstance(node, ast.Attribute) and node.attr == "format")
    )


def test_a_name_means_one_thing(scan: Scan) -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for call in scan.calls:
        places[call.name].append(call.place)
    assert {name for name, found in places.items() if len(found) > 1} == set(SHARED)


def test_who_logs_unexpected_errors_has_bound_its_component(scan: Scan) -> None:
    for path in {call.path for call in scan.calls if call.name == "unexpected_error"}:
        assert "begin_context(component=" in ast.unparse(scan.modules[path]), path


def test_the_documentation_lists_the_errors(scan: Scan) -> None:
    text = (ROOT / "docs" / "operations.md").read_text()
    section = text.partition("\n## Logs\n")[2].partition("\n## ")[0]
    rows = section.partition("Alert on:")[2].partition("What looks worse")[0].splitlines()
    listed = {name for row in rows for name in re.findall(r"`([a-z_]+)`", row.partition("|")[2].partition("|")[0])}
    errors = {call.name for call in scan.calls if call.level in ("error", "exception", "critical")}
    assert listed <= {call.name for call in scan.calls}
    assert errors - listed == set(NO_ALERT)
