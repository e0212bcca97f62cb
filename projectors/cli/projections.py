"""`althing projections …`: status of projections, and operations on their generations.

Each operation stores a row of `engine.request`, as the admin page does, with the operator's name and reason; the
command service makes an event of it. The operation itself needs Postgres only, not that service.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from time import monotonic, sleep
from typing import Any, Final

from infra.kernel.observability.progress import Meter
from projectors.cli.tools import (
    DONE,
    FAILED,
    FOUND,
    Tools,
    complain,
    operator,
    say,
    tell_if_unrecorded,
    write_json,
    write_table,
)
from projectors.engine import generations, requests
from projectors.engine.generations import GenerationRow
from projectors.engine.status import Ends, Lag, is_running, lags, open_dead_letters, total

POLL_S: Final = 0.25
GRACE_S: Final = 15.0


def add_arguments(parser: ArgumentParser) -> None:
    """The sub-commands of `projections`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, text: str) -> ArgumentParser:
        added = actions.add_parser(name, help=text, description=text)
        added.add_argument("--json", action="store_true", help="machine output")
        if name != "list":
            added.add_argument("name", metavar="NAME")
        return added

    action("list", "every projection with its state, lag and rate")
    action("show", "positions per partition, generations and the last error")
    for name, text in _TEXTS.items():
        action(name, text).add_argument("--reason", default="", help="is recorded with the action")
    actions.choices["resume"].add_argument(
        "--accept-bad",
        action="store_true",
        dest="force",
        help="let everything up to the log's present end become dead letters",
    )
    actions.choices["rebuild"].add_argument("--detach", action="store_true", help="return at once")
    actions.choices["promote"].add_argument("--force", action="store_true")


def run(arguments: Namespace, tools: Tools) -> int:
    """Runs the command. Raises `generations.NotAllowed`."""
    if tools.other is not None and arguments.action != "list":
        done = tools.other.run(arguments, tools)
        if done is not None:
            return done
    return _ACTIONS[arguments.action](arguments, tools)


def _list(arguments: Namespace, tools: Tools) -> int:
    all_lags, letters = lags(tools.connection, Ends(tools.log)), open_dead_letters(tools.connection)
    stored = [row for row in generations.rows(tools.connection) if row.state not in ("retired", "cancelled")]
    rows = [_row(tools, row, all_lags, letters) for row in stored]
    rows += tools.other.rows(tools.connection) if tools.other is not None else []
    if arguments.json:
        write_json(rows)
        return DONE
    if not is_running(tools.connection):
        complain("no projectors are running; figures stand still.")
    names = ("name", "kind", "version", "generation", "state", "position", "lag_events", "lag_seconds", "rate")
    write_table(
        ["NAME", "KIND", "VERSION", "GEN", "STATE", "POSITION", "LAG", "LAG S", "RATE/S", "DEAD", "UPDATED"],
        [
            [*_picked(row, names), row["dead_letters"], row["updated_at"] and f"{row['updated_at']:%H:%M:%S}"]
            for row in rows
        ],
    )
    return DONE


def _show(arguments: Namespace, tools: Tools) -> int:
    generations.live_row(tools.connection, arguments.name)
    stored = generations.rows(tools.connection, arguments.name)
    all_lags, letters = lags(tools.connection, Ends(tools.log)), open_dead_letters(tools.connection)
    rows = [_row(tools, row, all_lags, letters) | {"created_at": row.created_at} for row in stored]
    partitions = [asdict(lag) for lag in all_lags if lag.projection == arguments.name]
    if arguments.json:
        write_json({"name": arguments.name, "generations": rows, "partitions": partitions})
        return DONE
    for row in rows:
        row["progress"], row["created"] = f"{row['progress_percent']:.1f} %", f"{row['created_at']:%Y-%m-%d %H:%M}"
    names = ("generation", "state", "version", "lag_events", "rate", "eta_s", "progress", "dead_letters", "created")
    write_table(
        ["GEN", "STATE", "VERSION", "LAG", "RATE/S", "ETA S", "PROGRESS", "DEAD", "CREATED", "ERROR"],
        [_picked(row, (*names, "error")) for row in rows],
    )
    if partitions:
        say("")
        selected = ("next_offset", "end_offset", "events", "seconds", "rate", "intent_to", "owner", "error")
        write_table(
            ["GEN", "PARTITION", "POSITION", "END", "LAG", "LAG S", "RATE/S", "INTENT", "OWNER", "ERROR"],
            [[p["generation"], f"{p['topic']}[{p['partition']}]", *_picked(p, selected)] for p in partitions],
        )
    return DONE


def _do(arguments: Namespace, tools: Tools) -> int:
    """`pause`, `resume`, `promote` and `cancel`."""
    outcome = _carry_out(arguments, tools)
    return _answer(arguments, tools, _DONE_TEXTS[arguments.action].format(outcome.generation))


def _rebuild(arguments: Namespace, tools: Tools) -> int:
    generations.live_row(tools.connection, arguments.name)
    if not is_running(tools.connection):
        complain("no projectors are running to do the work; start `althing up` or `althing serve projectors`.")
        return FAILED
    generation = _carry_out(arguments, tools).generation or 0
    if arguments.detach:
        return _answer(arguments, tools, f"is being rebuilt as generation {generation}")
    return _wait(arguments, tools, generation, "ready")


def _rollback(arguments: Namespace, tools: Tools) -> int:
    outcome = _carry_out(arguments, tools)
    if not outcome.is_done:
        return _wait(arguments, tools, outcome.generation or 0, "live")
    return _answer(arguments, tools, f"shows generation {outcome.generation} again")


def _verify(arguments: Namespace, tools: Tools) -> int:
    report = _carry_out(arguments, tools).report
    assert report is not None  # noqa: S101 - `verify` always has a report
    if arguments.json:
        document = asdict(report) | {"equal": report.is_equal}
        del document["sums"]
        write_json(document)
        return DONE if report.is_equal else FOUND
    places_text = ", ".join(f"{place}@{offset}" for place, offset in report.at.items())
    say(f"{report.name}: generation {report.rebuilt} against {report.live}, at {places_text}")
    rows = [(table, report.rows[f"{table} (live)"], hashed) for table, hashed in report.hashes.items()]
    write_table(["TABLE", "ROWS", "CONTENT"], rows)
    if report.is_equal:
        say("Equal.")
        return DONE
    for difference in report.differences:
        say(f"{difference.table} {difference.period} only in {difference.side}: {difference.row}")
    say(f"Not equal: {len(report.differences)} differences shown.")
    return FOUND


def _carry_out(arguments: Namespace, tools: Tools) -> requests.RequestOutcome:
    """Stores the request, executes it, and warns when no recorder makes an event of it."""
    ends, force = Ends(tools.log), getattr(arguments, "force", False)
    context = requests.RequestExecution(tools.clickhouse, tools.registry, lambda place: ends.one(*place))
    asked = (arguments.name, arguments.action, operator(), arguments.reason)
    generations.live_row(tools.connection, arguments.name)
    with requests.by_operator(tools.connection, *asked, force=force) as request:
        outcome = requests.execute(tools.connection, context, request)
    tell_if_unrecorded(tools.connection)
    return outcome


def _wait(arguments: Namespace, tools: Tools, generation: int, until: str) -> int:
    """Shows progress until the generation has the wanted state. 1: it failed, was cancelled, or has no worker."""
    label = f"{arguments.name}, generation {generation}"
    last_seen = monotonic()
    with ExitStack() as stack:
        meter: Meter | None = None
        reported = 0
        while True:
            stored = generations.rows(tools.connection, arguments.name)
            row = next((each for each in stored if each.generation == generation), None)
            if row is None or row.state in ("failed", "cancelled", "retired"):
                complain(f"{label} {row.state if row else 'was dropped'}. {row.error if row else ''}".rstrip())
                return FAILED
            if row.state in (until, "live"):
                break
            if is_running(tools.connection):
                last_seen = monotonic()
            elif monotonic() - last_seen > GRACE_S:
                complain("the projectors stopped; the build goes on when they run again.")
                return FAILED
            done, everything = _work(tools, row)
            if meter is None and everything:
                meter = stack.enter_context(Meter(label, everything, quiet=arguments.json))
            if meter is not None:
                meter.advance(max(0, done - reported))
                reported = max(reported, done)
            sleep(POLL_S)
    return _answer(arguments, tools, f"has generation {generation} {until}")


def _work(tools: Tools, row: GenerationRow) -> tuple[int, int]:
    """Done and all: records for a projection, months for a rollup."""
    if row.kind == "rollup":
        return len(row.progress.get("done", [])), len(row.progress.get("months", []))
    own = [lag for lag in lags(tools.connection, Ends(tools.log), row.name) if lag.generation == row.generation]
    return sum(lag.next_offset for lag in own), sum(lag.end_offset or 0 for lag in own)


def _answer(arguments: Namespace, tools: Tools, what: str) -> int:
    if arguments.json:
        all_lags, letters = lags(tools.connection, Ends(tools.log)), open_dead_letters(tools.connection)
        stored = generations.rows(tools.connection, arguments.name)
        write_json({"name": arguments.name, "generations": [_row(tools, row, all_lags, letters) for row in stored]})
    else:
        say(f"{arguments.name} {what}.")
    return DONE


def _row(tools: Tools, row: GenerationRow, found: list[Lag], letters: dict[tuple[str, int], int]) -> dict[str, Any]:
    """Returns one generation as `list --json` writes it."""
    name, generation = row.name, row.generation
    if row.kind == "rollup":
        name, generation = tools.registry.rollups[row.name][0].name, row.source_generation or 0
    own = [lag for lag in found if (lag.projection, lag.generation) == (name, generation)]
    events, seconds = total(own)
    rate = sum(lag.rate for lag in own)
    done, everything = sum(lag.next_offset for lag in own), sum(lag.end_offset or 0 for lag in own)
    if row.kind == "rollup" and row.state == "building":
        done, everything = len(row.progress.get("done", [])), len(row.progress.get("months", []))
    retrying = any(lag.error for lag in own)
    return {
        "name": row.name,
        "kind": row.kind,
        "version": row.version,
        "generation": row.generation,
        "state": row.state,
        "retrying": retrying,
        "position": sum(lag.next_offset for lag in own),
        "lag_events": events,
        "lag_seconds": round(seconds, 3),
        "rate": round(rate, 1),
        "eta_s": round(events / rate, 1) if events and rate else None,
        "progress_percent": round(100 * done / everything, 2) if everything else 100.0 if own else 0.0,
        "dead_letters": letters.get((row.name, row.generation), 0),
        "error": row.error or next((lag.error for lag in own if lag.error), ""),
        "updated_at": max((lag.updated_at for lag in own), default=None),
    }


def _picked(row: Mapping[str, Any], names: Iterable[str]) -> list[Any]:
    return [row[name] for name in names]


_TEXTS: Final = {
    "pause": "stop after the current step",
    "rebuild": "build a new generation beside the live",
    "resume": "let a paused or failed projection go on",
    "promote": "make the rebuilt generation the live one",
    "rollback": "go back to the generation that was live before",
    "cancel": "give a rebuild up",
    "verify": "compare the rebuilt generation with the live one, bit by bit (exit 2 on a difference)",
}
_DONE_TEXTS: Final = {
    "pause": "is paused",
    "resume": "goes on",
    "promote": "shows generation {} now",
    "cancel": "keeps its live generation; the build of {} is cancelled",
}
_ACTIONS: Final = {
    **dict.fromkeys(_DONE_TEXTS, _do),
    "list": _list,
    "show": _show,
    "rebuild": _rebuild,
    "rollback": _rollback,
    "verify": _verify,
}
