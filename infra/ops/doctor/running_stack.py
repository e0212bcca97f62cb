"""The running stack: every process is alive and ready; projections keep up; no records wait as dead letters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, Final

import psycopg
from psycopg import Connection

from infra.kernel.log import LogUnavailable, open_log
from infra.kernel.observability import stack_state
from infra.kernel.observability.stack_state import ProcessRow
from infra.ops.doctor.engines import postgres
from infra.ops.doctor.finding import Finding, error, ok, warning
from infra.ops.doctor.subject import Subject
from infra.ops.health_check import addresses
from infra.ops.stack.probe import answers
from projectors.cli.lag import MAX_EVENTS, MAX_SECONDS
from projectors.engine import status

CHECK: Final = "stack"
MANY_RESTARTS: Final = 5
_TIMEOUT_S: Final = 3.0


def check(subject: Subject) -> Iterator[Finding]:
    if subject.stack is None:
        yield ok(CHECK, f"No stack runs on {subject.data_dir}.")
    else:
        by_name = addresses(subject.effective)
        for row in subject.stack.processes:
            host, port = by_name.get(row.name, ("", None))
            yield of_process(row, None if port is None else (host, port), str(subject.data_dir))
    yield from of_pipeline(subject)


def of_process(
    row: ProcessRow,
    address: tuple[str, int] | None,
    data_dir: str,
    is_alive: Callable[[int | None, float | None], bool] = stack_state.is_same,
    answers: Callable[..., bool] = answers,
) -> Finding:
    """`address`: where it answers `/readyz`; None for an engine, which has a check of its own."""
    look = f"Read {data_dir}/logs/{row.name}.log; the supervisor starts it again on its own."
    if not is_alive(row.pid, row.born):
        return error(CHECK, f"{row.name} is not running ({row.state}).", look)
    if address is not None and not answers(address[1], "/readyz", host=address[0], timeout_s=_TIMEOUT_S):
        return error(
            CHECK,
            f"{row.name} (process {row.pid}) is alive but not ready.",
            f"Open http://{address[0]}:{address[1]}/readyz, which names the part that fails.",
        )
    if row.restarts >= MANY_RESTARTS:
        return warning(
            CHECK, f"{row.name} was started again {row.restarts} times.", f"Read {data_dir}/logs/{row.name}.log."
        )
    return ok(CHECK, f"{row.name} (process {row.pid}) is alive{' and ready' if address is not None else ''}.")


def of_pipeline(subject: Subject) -> Iterator[Finding]:
    """Lag and dead letters, where Postgres can be read; its own check reports where it cannot."""
    url = subject.effective.postgres_url
    if url is None:
        return
    try:
        with postgres.connect(url) as connection:
            row = connection.execute("select to_regclass('engine.position') is not null").fetchone()
            if row is None or not row[0]:
                return
            yield of_dead_letters(sum(status.open_dead_letters(connection).values()))
            if status.is_running(connection):
                yield from _of_lags(subject, connection)
            elif subject.stack is None:
                yield ok(CHECK, "No projectors are running.")
            else:
                yield error(CHECK, "No projectors are running.", "Read logs/projectors.log in the data directory.")
    except psycopg.Error:
        return


def of_dead_letters(count: int) -> Finding:
    if count:
        text = f"{count:,} dead letters wait for a decision." if count > 1 else "1 dead letter waits for a decision."
        return warning(CHECK, text, "Run `althing dlq list`, then `althing dlq retry` or `skip`.")
    return ok(CHECK, "There are no dead letters.")


def of_lags(found: list[status.Lag]) -> Finding:
    late = sorted({lag.projection for lag in found if (lag.events or 0) > MAX_EVENTS or lag.seconds > MAX_SECONDS})
    if late:
        return warning(
            CHECK,
            f"These are more than {MAX_SECONDS:.0f} s or {MAX_EVENTS:,} events behind the log: {', '.join(late)}.",
            "Run `althing lag` again in a minute; if it grows, read the log of the projectors.",
        )
    return ok(
        CHECK, f"All {len({lag.projection for lag in found})} projections, policies and handlers keep up with the log."
    )


def _of_lags(subject: Subject, connection: Connection[Any]) -> Iterator[Finding]:
    try:
        with closing(open_log(subject.effective)) as log:
            yield of_lags(status.lags(connection, status.Ends(log)))
    except (LogUnavailable, OSError) as failure:
        yield error(
            CHECK,
            f"The ends of the log cannot be read: {failure}.",
            "Check the engine of the log, then run this again.",
        )
