"""`althing projections`: the commands of `projectors.cli`, and those of the command service's inline projections.

`list` shows both kinds; `rebuild` and `verify` of an inline projection run in this process and need Postgres only. Both
are recorded as every other operation: a row of `engine.request`, of which the command service makes an event.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

import psycopg

from command_api.inline_projections import INLINE_PROJECTIONS
from command_api.kernel import inline_rebuild
from command_api.kernel.inline_projection import InlineProjection
from infra.kernel.observability.progress import Meter
from projectors.cli import main as cli
from projectors.cli.tools import DONE, FOUND, Tools, operator, say, tell_if_unrecorded, write_json, write_table
from projectors.engine import requests
from projectors.engine.generations import NotAllowed

ACTIONS: Final = ("show", "rebuild", "verify")


def main(arguments: list[str]) -> int:
    """`arguments` start with `projections`."""
    return cli.main(arguments, InlineCommands())


class InlineCommands:
    """The part of `projectors.cli` for inline projections: rows for `list`, and the commands of a single one."""

    def rows(self, connection: psycopg.Connection[Any]) -> Sequence[dict[str, Any]]:
        """One row a projection, as `list --json` gives it."""
        return [_row(connection, projection) for projection in INLINE_PROJECTIONS.projections]

    def run(self, arguments: Namespace, tools: Tools) -> int | None:
        """Runs the command, or returns `None` if it names no inline projection. Raises `NotAllowed`."""
        projection = INLINE_PROJECTIONS.by_name.get(arguments.name)
        if projection is None:
            return None
        if arguments.action not in ACTIONS:
            raise NotAllowed(f"{projection.name} is an inline projection: it can be rebuilt and verified.")
        if arguments.action == "rebuild":
            return _rebuild(arguments, tools, projection)
        if arguments.action == "verify":
            return _verify(arguments, tools, projection)
        return _show(arguments, tools, projection)


def _show(arguments: Namespace, tools: Tools, projection: InlineProjection) -> int:
    row = _row(tools.connection, projection)
    if arguments.json:
        write_json({"name": projection.name, "generations": [row], "partitions": []})
    else:
        write_table([name.upper() for name in row], [list(row.values())])
    return DONE


def _rebuild(arguments: Namespace, tools: Tools, projection: InlineProjection) -> int:
    name, connection = projection.name, tools.connection
    with (
        Meter(name, inline_rebuild.last_position(connection), quiet=arguments.json) as meter,
        requests.by_operator(connection, name, "rebuild", operator(), arguments.reason) as request,
    ):
        try:
            inline_rebuild.rebuild(tools.settings, connection, projection, meter.advance)
        except inline_rebuild.Rebuilding as error:
            raise NotAllowed(str(error)) from error
        generation = inline_rebuild.tables_in_use(connection)[name].generation
        requests.finish(connection, request, generation)
    tell_if_unrecorded(connection)
    if arguments.json:
        return _show(arguments, tools, projection)
    say(f"{name} was rebuilt as generation {generation}.")
    return DONE


def _verify(arguments: Namespace, tools: Tools, projection: InlineProjection) -> int:
    name = projection.name
    generation = inline_rebuild.tables_in_use(tools.connection)[name].generation
    with requests.by_operator(tools.connection, name, "verify", operator(), arguments.reason) as request:
        comparison = inline_rebuild.verify(tools.settings, tools.connection, projection)
        result = {
            "rebuilt": generation,
            "live": generation,
            "isEqual": not comparison.differences,
            "differenceCount": len(comparison.differences),
        }
        requests.finish(tools.connection, request, result=result)
    tell_if_unrecorded(tools.connection)
    if arguments.json:
        differences = [asdict(each) for each in comparison.differences]
        write_json({"name": name, "equal": not differences, "rows": comparison.rows, "differences": differences})
    else:
        say(f"{name}: {comparison.rows:,} rows compared with the events.")
        for each in comparison.differences:
            say(f"{each.table} {each.key}: {each.actual} instead of {each.expected}")
        say(f"Not equal: {len(comparison.differences)} differences shown." if comparison.differences else "Equal.")
    return FOUND if comparison.differences else DONE


def _row(connection: psycopg.Connection[Any], projection: InlineProjection) -> dict[str, Any]:
    in_use = inline_rebuild.tables_in_use(connection)[projection.name]
    return {
        "name": projection.name,
        "kind": "inline",
        "version": in_use.version,
        "generation": in_use.generation,
        "state": "live",
        "retrying": False,
        "position": inline_rebuild.last_position(connection),
        "lag_events": 0,
        "lag_seconds": 0.0,
        "rate": 0.0,
        "eta_s": None,
        "progress_percent": 100.0,
        "dead_letters": 0,
        "error": "",
        "updated_at": in_use.rebuilt_at,
    }
