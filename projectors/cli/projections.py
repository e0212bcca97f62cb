"""`althing projections …`: how projections stand, and what to do with their generations.

What is done here goes the way of what admins ask for on the page: a row of `engine.request`, with the operator's name
and reason, from which the command service makes an event. The work itself needs Postgres alone, not that service.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from contextlib import ExitStack
from time import monotonic, sleep
from typing import Any, Final

from infra.progress import Meter
from projectors.commands.tools import (
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
from projectors.engine.generations import Build
from projectors.engine.projection import Place
from projectors.engine.status import Ends, Lag, is_running, lags, open_dead_letters, total
from projectors.engine.verify import as_rows

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
        "--accept-bad", action="store_true", help="let everything up to the log's present end become dead letters"
    )
    actions.choices["rebuild"].add_argument("--detach", action="store_true", help="return at once")
    actions.choices["promote"].add_argument("--force", action="store_true")


def run(arguments: Namespace, tools: Tools) -> int:
    """Raises `generations.NotAllowed`."""
    return _ACTIONS[arguments.action](arguments, tools)


def _list(arguments: Namespace, tools: Tools) -> int:
    rows = [_row(tools, build, _found(tools), open_dead_letters(tools.connection)) for build in _shown_builds(tools)]
    if arguments.json:
        write_json(rows)
        return DONE
    if not is_running(tools.connection):
        complain("no projectors are running; figures stand still.")
    write_table(
        ["NAME", "KIND", "VERSION", "GEN", "STATE", "POSITION", "LAG", "LAG S", "RATE/S", "DEAD", "UPDATED"],
        [
            [
                row["name"],
                row["kind"],
                row["version"],
                row["generation"],
                row["state"],
                row["position"],
                row["lag_events"],
                row["lag_seconds"],
                row["rate"],
                row["dead_letters"],
                row["updated_at"] and f"{row['updated_at']:%H:%M:%S}",
            ]
            for row in rows
        ],
    )
    return DONE


def _show(arguments: Namespace, tools: Tools) -> int:
    generations.live_build(tools.connection, arguments.name)
    builds = generations.builds(tools.connection, arguments.name)
    found, letters = _found(tools), open_dead_letters(tools.connection)
    row = {
        "name": arguments.name,
        "generations": [_row(tools, build, found, letters) | {"created_at": build.created_at} for build in builds],
        "partitions": [vars_of(lag) for lag in found if lag.projection == arguments.name],
    }
    if arguments.json:
        write_json(row)
        return DONE
    write_table(
        ["GEN", "STATE", "VERSION", "LAG", "RATE/S", "ETA S", "PROGRESS", "DEAD", "CREATED", "ERROR"],
        [
            [
                g["generation"],
                g["state"],
                g["version"],
                g["lag_events"],
                g["rate"],
                g["eta_s"],
                f"{g['progress_percent']:.1f} %",
                g["dead_letters"],
                f"{g['created_at']:%Y-%m-%d %H:%M}",
                g["error"],
            ]
            for g in row["generations"]
        ],
    )
    if row["partitions"]:
        say("")
        write_table(
            ["GEN", "PARTITION", "POSITION", "END", "LAG", "LAG S", "RATE/S", "INTENT", "OWNER", "ERROR"],
            [
                [
                    lag["generation"],
                    f"{lag['topic']}[{lag['partition']}]",
                    lag["next_offset"],
                    lag["end_offset"],
                    lag["events"],
                    lag["seconds"],
                    lag["rate"],
                    lag["intent_to"],
                    lag["owner"],
                    lag["error"],
                ]
                for lag in row["partitions"]
            ],
        )
    return DONE


def _pause(arguments: Namespace, tools: Tools) -> int:
    _carry_out(arguments, tools)
    return _answer(arguments, tools, "is paused")


def _resume(arguments: Namespace, tools: Tools) -> int:
    _carry_out(arguments, tools, force=arguments.accept_bad)
    return _answer(arguments, tools, "goes on")


def _rebuild(arguments: Namespace, tools: Tools) -> int:
    generations.live_build(tools.connection, arguments.name)
    if not is_running(tools.connection):
        complain("no projectors are running to do the work; start `althing up` or `althing serve projectors`.")
        return FAILED
    generation = _carry_out(arguments, tools).generation or 0
    if arguments.detach:
        return _answer(arguments, tools, f"is being rebuilt as generation {generation}")
    return _wait(arguments, tools, generation, "ready")


def _promote(arguments: Namespace, tools: Tools) -> int:
    outcome = _carry_out(arguments, tools, force=arguments.force)
    return _answer(arguments, tools, f"shows generation {outcome.generation} now")


def _rollback(arguments: Namespace, tools: Tools) -> int:
    outcome = _carry_out(arguments, tools)
    if not outcome.is_done:
        return _wait(arguments, tools, outcome.generation or 0, "live")
    return _answer(arguments, tools, f"shows generation {outcome.generation} again")


def _cancel(arguments: Namespace, tools: Tools) -> int:
    outcome = _carry_out(arguments, tools)
    return _answer(arguments, tools, f"keeps its live generation; the build of {outcome.generation} is given up")


def _verify(arguments: Namespace, tools: Tools) -> int:
    report = _carry_out(arguments, tools).report
    assert report is not None  # noqa: S101 - that is what verifying comes to
    if arguments.json:
        write_json(
            {
                "name": report.name,
                "equal": report.is_equal,
                "live": report.live,
                "rebuilt": report.rebuilt,
                "at": report.at,
                "rows": report.rows,
                "hashes": report.hashes,
                "differences": [vars_of(difference) for difference in report.differences],
            }
        )
        return DONE if report.is_equal else FOUND
    places_text = ", ".join(f"{place}@{offset}" for place, offset in report.at.items())
    say(f"{report.name}: generation {report.rebuilt} against {report.live}, at {places_text}")
    write_table(["TABLE", "ROWS", "CONTENT"], list(as_rows(report)))
    if report.is_equal:
        say("Equal.")
        return DONE
    for difference in report.differences:
        say(f"{difference.table} {difference.period} only in {difference.side}: {difference.row}")
    say(f"Not equal: {len(report.differences)} differences shown.")
    return FOUND


def _carry_out(arguments: Namespace, tools: Tools, *, force: bool = False) -> requests.Outcome:
    """Writes the request down, does what it says, and tells when nobody makes an event of it yet."""
    means = requests.Means(tools.clickhouse, tools.catalogue, tools.settings.clickhouse_cluster, _end_of(tools))
    asked = (arguments.name, arguments.action, operator(), arguments.reason)
    generations.live_build(tools.connection, arguments.name)
    with requests.by_operator(tools.connection, *asked, force=force) as request:
        outcome = requests.carry_out(tools.connection, means, request)
    tell_if_unrecorded(tools.connection)
    return outcome


def _end_of(tools: Tools) -> Callable[[Place], int | None]:
    ends = Ends(tools.log)
    return lambda place: ends.one(place.topic, place.partition)


def _wait(arguments: Namespace, tools: Tools, generation: int, until: str) -> int:
    """Shows progress until the build is where it should be; 1 when it fails, is cancelled, or nobody works on it."""
    label = f"{arguments.name}, generation {generation}"
    last_seen = monotonic()
    with ExitStack() as stack:
        meter: Meter | None = None
        shown = 0
        while True:
            build = _build(tools, arguments.name, generation)
            if build is None or build.state in ("failed", "cancelled", "retired"):
                complain(f"{label} {build.state if build else 'was dropped'}. {build.error if build else ''}".rstrip())
                return FAILED
            if build.state in (until, "live"):
                break
            if is_running(tools.connection):
                last_seen = monotonic()
            elif monotonic() - last_seen > GRACE_S:
                complain("the projectors stopped; the build goes on when they run again.")
                return FAILED
            done, everything = _work(tools, build)
            if meter is None and everything:
                meter = stack.enter_context(Meter(label, everything, quiet=arguments.json))
            if meter is not None:
                meter.advance(max(0, done - shown))
                shown = max(shown, done)
            sleep(POLL_S)
    return _answer(arguments, tools, f"has generation {generation} {until}")


def _work(tools: Tools, build: Build) -> tuple[int, int]:
    """Done and all: records for a projection, months for a rollup."""
    if build.kind == "rollup":
        return len(build.progress.get("done", [])), len(build.progress.get("months", []))
    found = [lag for lag in lags(tools.connection, Ends(tools.log), build.name) if lag.generation == build.generation]
    return sum(lag.next_offset for lag in found), sum(lag.end_offset or 0 for lag in found)


def _answer(arguments: Namespace, tools: Tools, what: str) -> int:
    if arguments.json:
        found, letters = _found(tools), open_dead_letters(tools.connection)
        builds = generations.builds(tools.connection, arguments.name)
        write_json({"name": arguments.name, "generations": [_row(tools, build, found, letters) for build in builds]})
    else:
        say(f"{arguments.name} {what}.")
    return DONE


def _build(tools: Tools, name: str, generation: int) -> Build | None:
    return next((b for b in generations.builds(tools.connection, name) if b.generation == generation), None)


def _shown_builds(tools: Tools) -> list[Build]:
    return [b for b in generations.builds(tools.connection) if b.state not in ("retired", "cancelled")]


def _found(tools: Tools) -> list[Lag]:
    return lags(tools.connection, Ends(tools.log))


def _row(tools: Tools, build: Build, found: list[Lag], letters: dict[tuple[str, int], int]) -> dict[str, Any]:
    """One generation as `list --json` gives it."""
    name, generation = build.name, build.generation
    if build.kind == "rollup":
        name, generation = tools.catalogue.rollups[build.name][0].name, build.source_generation or 0
    own = [lag for lag in found if (lag.projection, lag.generation) == (name, generation)]
    events, seconds = total(own)
    rate = sum(lag.rate for lag in own)
    done, everything = sum(lag.next_offset for lag in own), sum(lag.end_offset or 0 for lag in own)
    if build.kind == "rollup" and build.state == "building":
        done, everything = len(build.progress.get("done", [])), len(build.progress.get("months", []))
    retrying = any(lag.error for lag in own)
    return {
        "name": build.name,
        "kind": build.kind,
        "version": build.version,
        "generation": build.generation,
        "state": build.state,
        "retrying": retrying,
        "position": sum(lag.next_offset for lag in own),
        "lag_events": events,
        "lag_seconds": round(seconds, 3),
        "rate": round(rate, 1),
        "eta_s": round(events / rate, 1) if events and rate else None,
        "progress_percent": round(100 * done / everything, 2) if everything else 100.0 if own else 0.0,
        "dead_letters": letters.get((build.name, build.generation), 0),
        "error": build.error or next((lag.error for lag in own if lag.error), ""),
        "updated_at": max((lag.updated_at for lag in own), default=None),
    }


def vars_of(value: Any) -> dict[str, Any]:
    return dict(vars(value))


_TEXTS: Final = {
    "pause": "stop after the current step",
    "rebuild": "build a new generation beside the live",
    "resume": "let a paused or failed projection go on",
    "promote": "make the rebuilt generation the live one",
    "rollback": "go back to the generation that was live before",
    "cancel": "give a rebuild up",
    "verify": "compare the rebuilt generation with the live one, bit by bit (exit 2 on a difference)",
}
_ACTIONS: Final = {
    "list": _list,
    "show": _show,
    "pause": _pause,
    "resume": _resume,
    "rebuild": _rebuild,
    "promote": _promote,
    "rollback": _rollback,
    "cancel": _cancel,
    "verify": _verify,
}
