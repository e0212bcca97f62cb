"""`althing ps` and `althing info`: the running stack, for people and for scripts."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from infra.kernel.config.loading import load
from infra.kernel.config.settings import Settings
from infra.kernel.config.version import product_version
from infra.kernel.observability import stack_state
from infra.ops.stack.engines import clickhouse, kafka_users, postgres
from infra.ops.stack.ports import LOOPBACK, Ports
from infra.ops.stack.secret_file import StackSecrets

if TYPE_CHECKING:
    from infra.ops.stack.plan import StackPlan


def ps_main(arguments: list[str]) -> int:
    """0 when the stack runs, 1 when it does not."""
    as_json, stack = _running("ps", "Shows every process of the stack.", arguments)
    if stack is None:
        return _not_running("[]" if as_json else None)
    rows = [_row(row) for row in stack.processes]
    if as_json:
        _print(json.dumps(rows))
    else:
        _print(f"{'NAME':<12}{'PID':>9}  {'STATE':<10}{'RESTARTS':>9}{'UPTIME':>12}")
        for row in rows:
            pid, uptime = row["pid"] or "-", _span(row["uptime_s"])
            _print(f"{row['name']:<12}{pid:>9}  {row['state']:<10}{row['restarts']:>9}{uptime:>12}")
    return 0


def info_main(arguments: list[str]) -> int:
    """0 when the stack runs, 1 when it does not."""
    as_json, stack = _running("info", "Shows the addresses that any client can use.", arguments)
    if stack is None:
        return _not_running(None)
    info = stack.info
    if as_json:
        _print(json.dumps(info))
        return 0
    for name in ("app", "tracking", "kafka", "postgres"):
        _print(f"{name:<12}{info[name] or 'not used: the log is in Postgres'}")
    house = info["clickhouse"]
    _print(f"{'clickhouse':<12}{house['url']}  user {house['user']}  password {house['password']}")
    if user := info.get("kafka_user"):
        _print(
            f"{'':<12}Kafka: user {user['user']}  password {user['password']}  {user['mechanism']}, {user['protocol']}"
        )
    for name in ("data_dir", "version", "log"):
        _print(f"{name:<12}{info[name]}")
    if info["log_note"]:
        _print(f"\n{info['log_note']}")
    return 0


def describe(
    settings: Settings, made: StackPlan, secrets: StackSecrets, ports: Ports, data_dir: Path
) -> Mapping[str, Any]:
    """Returns what `info --json` prints. The users given here may only read, but the rows of all websites: they are for
    the operator. Of servers of your own, addresses alone."""
    if settings.clickhouse_url is None:
        house: dict[str, str | None] = {
            "url": f"http://{LOOPBACK}:{ports.clickhouse}",
            "user": clickhouse.OPERATOR,
            "password": secrets.clickhouse_analyst_password,
            "database": clickhouse.DATABASE,
        }
    else:
        path = urlsplit(settings.clickhouse_url).path.strip("/")
        house = {
            "url": _address(settings.clickhouse_url),
            "user": None,
            "password": None,
            "database": path or "default",
        }
    return {
        "app": settings.app_url,
        "tracking": settings.tracking_base_url,
        "kafka": made.environment.get("KAFKA_BOOTSTRAP_SERVERS"),
        "kafka_user": (
            kafka_users.operator(secrets) if made.log == "kafka" and settings.kafka_bootstrap_servers is None else None
        ),
        "postgres": (
            postgres.analyst_url(ports.postgres, secrets)
            if settings.postgres_url is None
            else _address(settings.postgres_url)
        ),
        "clickhouse": house,
        "data_dir": str(data_dir),
        "version": product_version(),
        "log": made.log,
        "log_note": made.log_note,
    }


def _row(row: stack_state.ProcessRow) -> dict[str, Any]:
    alive = stack_state.is_same(row.pid, row.born)
    return {
        "name": row.name,
        "pid": row.pid if alive else None,
        "state": row.state if alive or row.state in ("backoff", "stopped") else "backoff",
        "restarts": row.restarts,
        "uptime_s": round(stack_state.now() - row.born, 1) if alive and row.born is not None else 0.0,
    }


def _running(name: str, text: str, arguments: list[str]) -> tuple[bool, stack_state.StackState | None]:
    """Returns whether JSON is wanted, and the stack, if it runs."""
    parser = argparse.ArgumentParser(prog=f"althing {name}", description=text)
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    as_json = bool(parser.parse_args(arguments).json)
    stack = stack_state.read(load().data_dir.resolve())
    return as_json, stack if stack is not None and stack_state.is_running(stack) else None


def _not_running(output: str | None) -> int:
    if output is not None:
        _print(output)
    sys.stderr.write("No stack runs on this data directory; start it with `althing up` or `make run`.\n")
    return 1


def _address(url: str) -> str:
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, parts.query, ""))


def _span(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
