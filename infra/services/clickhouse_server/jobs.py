"""Inside a worker process: receives a job, creates its tables, runs it, sends the result.

Each job creates its tables again, so it reads what is stored when it starts. No state remains for the next job.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from infra.domain.sql_access.limits import MEMORY_BYTES, RESULT_ROWS
from infra.services.clickhouse_server import attached_tables
from infra.services.clickhouse_server.engine import Engine, Stats
from infra.services.clickhouse_server.errors import ClickHouseError, Code, error
from infra.services.clickhouse_server.external import ExternalTable
from infra.services.clickhouse_server.frames import (
    DATA,
    DATA_BYTES,
    END,
    ERROR,
    HEAD,
    HEADER,
    READY,
    Head,
    StatementJob,
    decode,
    encode,
    frame,
)
from infra.services.clickhouse_server.query import Lease, UserQuery
from infra.services.clickhouse_server.request import ClickHouseRequest
from infra.services.clickhouse_server.sql import ParsedStatement
from infra.services.clickhouse_server.users import PortUser

_ANALYST: Final = PortUser("analyst", b"", readonly=True)
_SERVICE: Final = PortUser("service", b"", readonly=False)


def start(folder: Path) -> Engine:
    """An engine over an empty folder. Its own bound is above a statement's, which so gets its own error first."""
    folder.mkdir(parents=True, exist_ok=True)
    return Engine(folder, MEMORY_BYTES * 4 // 3)


def serve(engine: Engine, front: socket.socket) -> None:
    """Job after job, until the front hangs up."""
    front.sendall(frame(READY))
    while (head := _exactly(front, HEADER.size)) is not None:
        _, size = HEADER.unpack(head)
        payload = _exactly(front, size)
        if payload is None:
            return
        _run(engine, front, decode(payload, StatementJob))


def _run(engine: Engine, front: socket.socket, job: StatementJob) -> None:
    try:
        _make_tables(engine, job)
        stats = _answer(engine, front, job)
    except ClickHouseError as failure:
        last = encode(ERROR, (failure.code, failure.text))
    else:
        last = encode(END, stats)
    with suppress(ClickHouseError), engine.connection() as connection:
        connection.run(attached_tables.drop_database(job.tables_in), "Null")
    front.sendall(last)


def _make_tables(engine: Engine, job: StatementJob) -> None:
    with engine.connection() as connection:
        connection.run(attached_tables.drop_database(job.tables_in), "Null")
        connection.run(attached_tables.create_database(job.tables_in), "Null")
        for statement in job.create:
            connection.run(statement, "Null")
    if not all((Path(path) / "format_version.txt").exists() for path in job.paths):
        raise error(Code.NETWORK_ERROR, "A table was replaced at this moment; please try again")


def _answer(engine: Engine, front: socket.socket, job: StatementJob) -> Stats:
    no_settings: Mapping[str, str] = {}
    own = {
        "database": job.database,
        "default_format": job.output_format,
        "wait_end_of_query": str(int(job.whole)),
        "client_protocol_version": str(job.protocol_revision),
    }
    user, asked, limits = _ANALYST, no_settings, job.settings
    if job.is_checked:
        user, asked, limits = _SERVICE, {**job.settings, "readonly": "1"}, no_settings
    brought = tuple(ExternalTable(one.name, Path(one.file), one.input_format, one.structure) for one in job.external)
    request = ClickHouseRequest("POST", {}, own, asked, job.parameters, b"", "", brought)
    statement = ParsedStatement(job.kind, job.sql.encode("utf-8", "surrogateescape"), output_format=job.output_format)
    lease, most_rows = Lease(engine, None), int(job.settings.get("max_result_rows", RESULT_ROWS))
    try:
        result = UserQuery(request, user, statement, lease, None, limits, whole_rows=RESULT_ROWS).read()
        is_whole = result.more is None
        front.sendall(encode(HEAD, Head(result.output_format, result.stats(), is_whole)))
        _send(front, result.first)
        last = is_whole
        while not last:
            part, last = result.next()
            if result.stats().result_rows > most_rows:
                # chdb 4.4 heeds neither max_result_rows nor max_result_bytes in a stream
                most = f"at most {most_rows:,} rows"
                raise error(Code.TOO_MANY_ROWS_OR_BYTES, f"Limit for result exceeded: it may have {most}")
            _send(front, part)
        return result.stats()
    finally:
        lease.release()


def _send(front: socket.socket, data: bytes) -> None:
    for at in range(0, len(data), DATA_BYTES):
        front.sendall(frame(DATA, data[at : at + DATA_BYTES]))


def _exactly(front: socket.socket, size: int) -> bytes | None:
    """The next `size` bytes; None when the front has hung up."""
    parts: list[bytes] = []
    while size:
        part = front.recv(min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
