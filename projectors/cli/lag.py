"""`althing lag`: how far projections, policies and event handlers are behind the log, and which timeouts of process
managers are overdue; `--check` is for monitoring."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any, Final

from projectors.cli.tools import DONE, FOUND, Tools, say, write_json, write_table
from projectors.engine import generations
from projectors.engine.status import Ends, is_running, lags, total

MAX_EVENTS: Final = 1_000
MAX_SECONDS: Final = 10.0


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--check", action="store_true", help="exit 2 when a threshold is passed or nothing runs")
    parser.add_argument("--max-events", type=int, default=MAX_EVENTS, metavar="N")
    parser.add_argument("--max-seconds", type=float, default=MAX_SECONDS, metavar="S")
    parser.add_argument("--json", action="store_true", help="machine output")


def run(arguments: Namespace, tools: Tools) -> int:
    all_lags = lags(tools.connection, Ends(tools.log))
    rows, problems = [], list[str]()
    if not is_running(tools.connection):
        problems.append("no projectors are running")
    for row in generations.rows(tools.connection):
        if not row.is_live or row.kind == "rollup":
            continue
        events, seconds = total(
            lag for lag in all_lags if (lag.projection, lag.generation) == (row.name, row.generation)
        )
        rows.append(_row(row.name, row.state, events, seconds))
        if row.state != "live":
            problems.append(f"{row.name} is {row.state}")
        else:
            problems += _behind(row.name, events, seconds, arguments)
    for lag in all_lags:
        if lag.generation == 0:  # policies and event handlers have no generations
            name = f"{lag.projection}[{lag.partition}]"
            rows.append(_row(name, "waiting" if lag.error else "live", lag.events, lag.seconds))
            problems += _behind(name, lag.events, lag.seconds, arguments)
    for process, due, seconds in tools.connection.execute(_OVERDUE):
        rows.append(_row(process, "live", due, seconds))
        problems += _behind(process, due, seconds, arguments)
    if arguments.json:
        write_json({"projections": rows, "problems": problems})
    else:
        write_table(["NAME", "STATE", "LAG", "LAG S"], [list(row.values()) for row in rows])
        for problem in problems:
            say(f"! {problem}")
    return FOUND if arguments.check and problems else DONE


def _row(name: str, state: str, events: int | None, seconds: float) -> dict[str, Any]:
    return {"name": name, "state": state, "lag_events": events, "lag_seconds": round(seconds, 3)}


def _behind(name: str, events: int | None, seconds: float, arguments: Namespace) -> list[str]:
    if events is None:
        return [f"the log does not say how far {name} is behind"]
    if events > arguments.max_events or seconds > arguments.max_seconds:
        return [f"{name} is {events:,} events and {seconds:.1f} s behind"]
    return []


_OVERDUE: Final = (
    "SELECT process, count(*), extract(epoch FROM now() - min(due_at))::float8 FROM kernel.timeout"
    " WHERE due_at <= now() AND NOT is_quarantined GROUP BY process ORDER BY process"
)
