"""Topic `clicks` gets more partitions while the projectors run: each id stays one row, also for writers that do not
know the new number yet, in a rebuild, and after a crash at any step."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterable
from datetime import datetime

import pytest

from infra.kernel.log import Record, partitions
from infra.kernel.log.limits import partition_of
from infra.ops.audit.command import audit
from infra.ops.audit.report import AuditReport
from infra.ops.partitions import WRONG_USE, main
from infra.ops.partitions import raise_to as raise_partitions
from projectors.rollups import event_rows
from schemas.topics import CLICKS, DOMAIN
from schemas.tracking import HASH_HEADER
from tests.support.projection_bench import ProjectionBench, click

BEFORE, AFTER, LAST = CLICKS.partitions, 2 * CLICKS.partitions, 4 * CLICKS.partitions
CRASHES = ("inheriting", "between_tables", "after_insert")


def send(projecting: ProjectionBench, numbers: Iterable[int], known: int) -> None:
    """Each event to the partition that a writer chooses who knows of so many."""
    records = []
    for number in numbers:
        row = click(number)
        key = str(row["event_id"]).encode()
        headers = ((HASH_HEADER, b"content."),)
        place = partition_of(key, known)
        records.append(Record(CLICKS.name, key, json.dumps(row).encode(), headers, partition=place))
    projecting.log.publish(records).result(30)


def raise_to(projecting: ProjectionBench, after: int) -> None:
    raise_partitions(projecting.connection, projecting.log, CLICKS.name, after)


def settled(projecting: ProjectionBench) -> AuditReport:
    """The report of an audit when all is read, also what was moved."""
    projecting.wait()
    report = audit(projecting.settings, timeout_s=60)
    assert report.is_clean, report.as_text()
    projecting.exact()
    return report


def ids(projecting: ProjectionBench) -> int:
    return int(projecting.one("SELECT count() FROM events")[0])


def test_ids_count_once_through_two_raises_while_all_runs_and_in_a_rebuild(projecting: ProjectionBench) -> None:
    with projecting.running("events"):
        send(projecting, range(200), BEFORE)
        raise_to(projecting, AFTER)
        send(projecting, range(100, 300), BEFORE)  # a writer that has not heard of it
        send(projecting, range(50, 400), AFTER)
        settled(projecting)
        raise_to(projecting, LAST)
        for known in (BEFORE, AFTER, LAST):
            send(projecting, range(390, 450), known)
        report = settled(projecting)
        assert report.checked["records moved to another partition"] > 50
        assert ids(projecting) == 450
        assert projecting.one("SELECT uniqExact(_partition) FROM events") == (LAST,)
        places = projecting.rows("SELECT event_id, _partition, _offset FROM events ORDER BY ALL")
        assert projecting.command("projections", "rebuild", "events", "--json") == 0
        assert projecting.command("projections", "verify", "events", "--json") == 0
        assert projecting.command("projections", "promote", "events", "--json") == 0
        settled(projecting)
        assert projecting.rows("SELECT event_id, _partition, _offset FROM events ORDER BY ALL") == places


def test_killed_at_every_step_while_ids_are_inherited_and_moved(projecting: ProjectionBench) -> None:
    send(projecting, range(100), BEFORE)
    with projecting.running("events"):
        projecting.wait()
    raise_to(projecting, AFTER)
    for number, step in enumerate(CRASHES):
        send(projecting, range(20 * number, 20 * number + 150), BEFORE)
        send(projecting, range(20 * number + 50, 20 * number + 200), AFTER)
        dying = projecting.start(step)
        assert dying.wait(60) == -signal.SIGKILL, step
    with projecting.running():
        settled(projecting)
    assert ids(projecting) == 20 * (len(CRASHES) - 1) + 200


def test_a_dead_letter_of_a_moved_id_is_moved_when_it_is_taken_again(
    projecting: ProjectionBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    raise_to(projecting, AFTER)
    with projecting.running("events"):
        with monkeypatch.context() as older:
            older.setattr(event_rows, "_END", datetime(2000, 1, 1))  # noqa: DTZ001 - as log times
            send(projecting, range(40), BEFORE)
            projecting.wait()
        assert ids(projecting) == 0
        send(projecting, range(20), AFTER)
        projecting.wait()
        assert projecting.command("dlq", "retry", "--projection", "events") == 0
        settled(projecting)
    assert ids(projecting) == 40


def test_a_number_that_would_change_what_is_counted_is_refused(
    projecting: ProjectionBench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for topic, number, says in (
        (CLICKS.name, BEFORE + 1, "can only be multiplied"),
        (CLICKS.name, 1, "can only be multiplied"),
        (CLICKS.name, BEFORE * 1024, "at most"),
        (DOMAIN.name, 2, "are fixed"),
    ):
        with pytest.raises(ValueError, match=says):
            raise_partitions(projecting.connection, projecting.log, topic, number)
    projecting.publish([b"no JSON"])
    with projecting.running("events"):
        projecting.wait()
    monkeypatch.setattr("infra.ops.partitions.load", lambda: projecting.settings)
    assert main(["raise", CLICKS.name, str(AFTER)]) == WRONG_USE
    assert "1 dead letters of topic clicks are open" in capsys.readouterr().err
    assert projecting.command("dlq", "skip", "--projection", "events") == 0
    assert main(["raise", CLICKS.name, str(AFTER)]) == main(["raise", CLICKS.name, str(AFTER)]) == 0
    assert f"clicks       {AFTER}" in capsys.readouterr().out
    assert partitions.counts(projecting.connection)[CLICKS.name] == AFTER
