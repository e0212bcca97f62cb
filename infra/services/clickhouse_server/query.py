"""One request's work inside the engine: settings, permission, start. Every method blocks, on an engine thread."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from infra.services.clickhouse_server import allow_list, external, formats, query_execution, readonly
from infra.services.clickhouse_server.engine import Connection, Engine, Stats
from infra.services.clickhouse_server.errors import Code, error
from infra.services.clickhouse_server.external import ExternalTable
from infra.services.clickhouse_server.request import ClickHouseRequest
from infra.services.clickhouse_server.sessions import PinnedSession
from infra.services.clickhouse_server.sql import ParsedStatement
from infra.services.clickhouse_server.users import PortUser

# A result in a format that cannot be streamed (JSON, Parquet, ...) is held in memory: the engine stops it here. In
# rows, because chdb 4.4 does not heed max_result_bytes.
MAX_WHOLE_RESULT_ROWS = 500_000


class Lease:
    """A connection for one query: of its own, opened at first use, or its session's, which outlives it."""

    def __init__(self, engine: Engine, session: PinnedSession | None) -> None:
        self.engine = engine
        self._session = session
        self._own: Connection | None = None
        self._brought: list[str] = []

    @property
    def is_open(self) -> bool:
        """Returns whether there is something to give back."""
        return self._own is not None or bool(self._brought)

    @property
    def connection(self) -> Connection:
        if self._session is not None:
            return self._session.connection
        if self._own is None:
            self._own = self.engine.open()
        return self._own

    @property
    def is_of_session(self) -> bool:
        return self._session is not None

    def apply(self, settings: Mapping[str, str]) -> None:
        """Sets the request's settings; on a session's connection for this query only."""
        if self._session is not None:
            self._session.apply(settings)
        else:
            self.connection.apply(settings)

    def bring(self, tables: Sequence[ExternalTable]) -> None:
        """Makes the request's external tables; they are gone when the lease is given back."""
        external.create(self.connection, tables, self._brought)

    def release(self) -> None:
        if self._own is not None:
            self._own.close()
            self._own = None
        elif self._session is not None and self._brought:
            external.drop(self._session.connection, self._brought)
            self._brought.clear()


@dataclass(frozen=True)
class UserQuery:
    """A statement of `user`. `mark` finds it among the running ones (`Engine.kill`).

    `readonly_limits` are the settings that a readonly user gets. The lease is given back as soon as nothing more is to
    come, in the same step: crossing between threads is what a small query's time goes into.
    """

    request: ClickHouseRequest
    user: PortUser
    statement: ParsedStatement
    lease: Lease
    default_database: str | None
    readonly_limits: Mapping[str, str]
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    whole_rows: int = MAX_WHOLE_RESULT_ROWS

    @property
    def is_read(self) -> bool:
        """Returns whether cancelling it half-way is harmless."""
        return self.statement.kind in ("SELECT", "WITH", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "EXISTS", "(", "")

    def read(self) -> query_execution.ResultReader:
        """Runs anything but a streamed INSERT, up to its first result."""
        self._prepare()
        self._authorise()
        result = query_execution.start(
            self.lease.connection,
            self.statement,
            self.request.parameters,
            self._output_format,
            whole=self.request.flag("wait_end_of_query"),
            revision=self.request.protocol_revision,
        )
        if result.more is None:
            self.lease.release()
        return result

    @property
    def _output_format(self) -> str:
        return self.statement.output_format or self.request.default_format or formats.DEFAULT

    def check_insert(self) -> None:
        """Refuses an INSERT with data that may not be, before its data is taken in."""
        self._refuse_writing()
        if self.statement.from_input:
            raise error(Code.NOT_IMPLEMENTED, "INSERT ... SELECT ... FROM input() is not supported by this server")

    def insert(self, data: Path) -> Stats:
        """Inserts the file's content; durable on return."""
        self._prepare()
        into, clause, name = self.statement.head, self.statement.clause, self.statement.input_format or "Values"
        stats = self.lease.connection.insert(into, clause, name, data, self.request.parameters)
        self.lease.release()
        return stats

    def _prepare(self) -> None:
        database = self.request.database or self.default_database
        if database is not None:
            self.lease.connection.use(database)
        settings: Mapping[str, str] = self.request.settings
        if self.user.readonly:
            allow_list.check_format(self._output_format, allow_list.OUTPUT_FORMATS)
            for table in self.request.external:
                allow_list.check_format(table.input_format, allow_list.INPUT_FORMATS)
            current = self.lease.engine.settings if settings else {}
            settings = readonly.settings_for(settings, self.readonly_limits, current)
        if self.statement.input_format is None and formats.header_cutter(self._output_format) is None:
            settings = self._bounded(settings)
        comment = settings.get("log_comment", "")
        settings = {**settings, "log_comment": f"{self.mark} {comment}".strip()}
        # A server takes the tables of a form although the query itself is readonly.
        at_last = {"readonly": settings.pop("readonly")} if self._brings_readonly(settings) else {}
        self.lease.apply(settings)
        self.lease.bring(self.request.external)
        if at_last:
            self.lease.connection.apply(at_last)

    def _brings_readonly(self, settings: Mapping[str, str]) -> bool:
        return bool(self.request.external) and "readonly" in settings and not self.lease.is_of_session

    def _bounded(self, settings: Mapping[str, str]) -> Mapping[str, str]:
        """A full user may raise its limits; a readonly user may only lower them."""
        bound = {"max_result_rows": str(self.whole_rows), "result_overflow_mode": "throw"}
        asked = settings.get("max_result_rows")
        if asked is not None and not self.user.readonly:
            return settings
        lower = asked is not None and float(asked) < self.whole_rows
        return settings if lower else {**settings, **bound}

    def _authorise(self) -> None:
        statement = self.statement
        if statement.writes_file:
            raise error(Code.ACCESS_DENIED, "INTO OUTFILE is not allowed")
        if statement.from_input:
            raise error(Code.NOT_IMPLEMENTED, "INSERT ... SELECT ... FROM input() is not supported by this server")
        count, only_reads = self.lease.connection.classify(statement.head)
        if count == 0 and (self.user.readonly or not statement.head.strip()):
            raise error(Code.SYNTAX_ERROR, "Syntax error: the query is empty or cannot be parsed")
        if count > 1:
            raise error(Code.SYNTAX_ERROR, "Syntax error: Multi-statements are not allowed")
        if not only_reads:
            self._refuse_writing()
        elif self.user.readonly:
            readonly.check(statement.head, self._explain)
            self.lease.connection.apply({"readonly": "1"})

    def _explain(self, sql: bytes) -> str:
        tree, _ = self.lease.connection.run(sql, "TSVRaw", self.request.parameters)
        return tree.decode("utf-8", "replace")

    def _refuse_writing(self) -> None:
        if self.user.readonly:
            raise error(Code.READONLY, "Cannot execute query in readonly mode: this user may only read")
        if self.request.may_only_read:
            raise error(
                Code.READONLY,
                "Cannot execute query in readonly mode. For queries over HTTP, method GET implies readonly. "
                "You should use method POST for modifying queries",
            )
