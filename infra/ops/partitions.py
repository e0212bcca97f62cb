"""`althing partitions`: how many partitions each topic of the log has, and raising their number while everything runs.

What a raise means for ids and projections: `infra.kernel.log.partitions`.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import closing

import psycopg

from infra.kernel.config.settings import load
from infra.kernel.log import LogUnavailable, open_log, partitions
from infra.kernel.postgres.pool import required_url

DONE, FAILED, WRONG_USE = 0, 1, 2


def main(arguments: list[str]) -> int:
    """Exit code 0, 1 when an engine does not answer, 2 for a number that is not allowed."""
    parser = argparse.ArgumentParser(prog="althing partitions", description=__doc__.partition("\n")[0])
    actions = parser.add_subparsers(dest="action")
    raising = actions.add_parser("raise", help="multiply the partitions of a topic; this cannot be undone")
    raising.add_argument("topic")
    raising.add_argument("number", type=int, help="how many the topic has then: a multiple of those it has")
    given = parser.parse_args(arguments)
    settings = load()
    try:
        with psycopg.connect(required_url(settings), autocommit=True, connect_timeout=5) as connection:
            if given.action == "raise":
                with closing(open_log(settings)) as log:
                    partitions.raise_to(connection, log, given.topic, given.number)
            for topic, number in partitions.counts(connection).items():
                sys.stdout.write(f"{topic:<12} {number}\n")
    except ValueError as error:
        sys.stderr.write(f"althing partitions: {error}\n")
        return WRONG_USE
    except (psycopg.Error, LogUnavailable) as error:
        sys.stderr.write(f"althing partitions: {' '.join(str(error).split())}.\n")
        return FAILED
    return DONE
