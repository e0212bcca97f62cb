"""`althing lag`: how far every live projection is behind the log; `--check` is for monitoring."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Final

from projectors.commands.tools import DONE, FOUND, Tools, say, write_json, write_table
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
    found = lags(tools.connection, Ends(tools.log))
    rows, problems = [], list[str]()
    if not is_running(tools.connection):
        problems.append("no projectors are running")
    for build in generations.builds(tools.connection):
        if not build.is_live or build.kind == "rollup":
            continue
        events, seconds = total(
            lag for lag in found if (lag.projection, lag.generation) == (build.name, build.generation)
        )
        rows.append({"name": build.name, "state": build.state, "lag_events": events, "lag_seconds": round(seconds, 3)})
        if build.state != "live":
            problems.append(f"{build.name} is {build.state}")
        elif events is None:
            problems.append(f"the log does not say how far {build.name} is behind")
        elif events > arguments.max_events or seconds > arguments.max_seconds:
            problems.append(f"{build.name} is {events:,} events and {seconds:.1f} s behind")
    if arguments.json:
        write_json({"projections": rows, "problems": problems})
    else:
        write_table(
            ["NAME", "STATE", "LAG", "LAG S"],
            [[row["name"], row["state"], row["lag_events"], row["lag_seconds"]] for row in rows],
        )
        for problem in problems:
            say(f"! {problem}")
    return FOUND if arguments.check and problems else DONE
