"""`althing projections`, `dlq`, `events` and `lag`. Exit codes: 0 done, 1 failed, 2 wrong use or findings."""

from __future__ import annotations

from argparse import ArgumentParser

import psycopg

from infra.kernel.log import LogUnavailable
from projectors.cli import dead_letters, events, lag, projections
from projectors.cli.tools import FAILED, OtherProjections, complain, tools
from projectors.engine.barrier import BarrierLost
from projectors.engine.clickhouse import InsertRejected, Unavailable
from projectors.engine.generations import NotAllowed

_GROUPS = {
    "projections": (projections.add_arguments, projections.run, "how projections stand, and their generations"),
    "dlq": (dead_letters.add_arguments, dead_letters.run, "records that projections could not take"),
    "events": (events.add_arguments, events.run, "any event with its place in the log"),
    "lag": (lag.add_arguments, lag.run, "how far projections are behind the log"),
}


def main(arguments: list[str], other: OtherProjections | None = None) -> int:
    """`arguments` start with the group's name; `other`: projections of another package. Wrong use ends with code 2 and
    the usage."""
    parser = ArgumentParser(prog="althing")
    groups = parser.add_subparsers(dest="group", required=True)
    for name, (add_arguments, _, text) in _GROUPS.items():
        add_arguments(groups.add_parser(name, help=text, description=text))
    try:
        options = parser.parse_args(arguments)
    except SystemExit as end:
        return int(end.code or 0)
    try:
        with tools(other) as opened:
            return _GROUPS[options.group][1](options, opened)
    except NotAllowed as error:
        complain(str(error))
    except BarrierLost as error:
        complain(f"{error}; try again.")
    except psycopg.OperationalError as error:
        complain(f"Postgres does not answer: {error}")
    except (Unavailable, InsertRejected) as error:
        complain(f"ClickHouse does not do it: {error}")
    except LogUnavailable as error:
        complain(f"the log does not answer: {error}")
    return FAILED
