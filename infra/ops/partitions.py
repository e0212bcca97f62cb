"""`althing partitions`: how many partitions each topic of the log has, and raising their number while everything runs.

What a raise means for ids and projections: `infra.kernel.log.partitions`.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from typing import Any, Final

import psycopg

from infra.kernel.config.loading import load
from infra.kernel.log import Log, LogUnavailable, open_log, partitions
from infra.kernel.postgres.pool import required_url
from infra.kernel.subscriptions import positions
from schemas import topics

DONE, FAILED, WRONG_USE = 0, 1, 2
_LOCK_WAIT_S: Final = 10


def main(arguments: list[str]) -> int:
    """Exit code 0, 1 when an engine does not answer, 2 for a number that is not allowed."""
    parser = argparse.ArgumentParser(prog="althing partitions", description=__doc__.partition("\n")[0])
    actions = parser.add_subparsers(dest="action")
    raising = actions.add_parser("raise", help="multiply the partitions of a topic; this cannot be undone")
    raising.add_argument("topic")
    raising.add_argument("number", type=int, help="how many the topic has then: a multiple of those it has")
    options = parser.parse_args(arguments)
    settings = load()
    try:
        with psycopg.connect(required_url(settings), autocommit=True, connect_timeout=5) as connection:
            if options.action == "raise":
                with closing(open_log(settings)) as log:
                    raise_to(connection, log, options.topic, options.number)
            for topic, number in partitions.counts(connection).items():
                sys.stdout.write(f"{topic:<12} {number}\n")
    except ValueError as error:
        sys.stderr.write(f"althing partitions: {error}\n")
        return WRONG_USE
    except (psycopg.Error, LogUnavailable) as error:
        sys.stderr.write(f"althing partitions: {' '.join(str(error).split())}.\n")
        return FAILED
    return DONE


def raise_to(connection: psycopg.Connection[Any], log: Log, topic: str, after: int) -> None:
    """Gives `topic` `after` partitions, while everything runs. `connection` is in autocommit mode.

    Positions cannot move while the split is stored, so that every range that a projection begins later sees it. Again
    with the same number, it completes what was interrupted. Raises `ValueError` for a number that is no multiple of the
    present one, `psycopg.Error`, and `LogUnavailable`.
    """
    if partitions.counts(connection).get(topic) != after:
        with connection.transaction():
            positions.hold_all(connection, _LOCK_WAIT_S)
            _split(connection, log, topic, after)
    log.create_topics(partitions.counts(connection))


def _split(connection: psycopg.Connection[Any], log: Log, topic: str, after: int) -> None:
    before = partitions.counts(connection).get(topic, 0)
    _check(topic, before, after)
    _check_letters(connection, topic)
    end_offsets = log.end_offsets([(topic, partition) for partition in range(before)])
    ends = tuple(end_offsets[topic, partition] for partition in range(before))
    partitions.store_split(connection, topic, partitions.Split(before, after, ends))
    for partition in range(before, after):
        positions.add_partition(connection, topic, partition)


def _check(topic: str, before: int, after: int) -> None:
    if topic != topics.CLICKS.name:
        raise ValueError(f"Only topic {topics.CLICKS.name} can get more partitions; those of topic {topic} are fixed.")
    if after <= before or after % before:
        raise ValueError(
            f"Topic {topic} has {before} partitions: their number can only be multiplied (by 2: {2 * before})."
        )
    if after > topics.MAX_PARTITIONS:
        raise ValueError(f"A topic has at most {topics.MAX_PARTITIONS} partitions.")


def _check_letters(connection: psycopg.Connection[Any], topic: str) -> None:
    """A record that is taken again after the split would not know ids that came to a new partition."""
    row = connection.execute(
        "SELECT count(*) FROM engine.dead_letter WHERE topic = %s AND state = 'open'", (topic,)
    ).fetchone()
    if row is not None and (waiting := row[0]):
        raise ValueError(f"{waiting} dead letters of topic {topic} are open: retry or skip them first (`althing dlq`).")
