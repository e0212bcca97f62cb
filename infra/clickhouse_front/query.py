"""One request's work inside the engine: settings, permission, start. Every method blocks, on an engine thread."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from infra.clickhouse_front import formats, reading, readonly
from infra.clickhouse_front.engine import Connection, InsertStream
from infra.clickhouse_front.errors import ACCESS_DENIED, NOT_IMPLEMENTED, READONLY, SYNTAX_ERROR, error
from infra.clickhouse_front.request import Request
from infra.clickhouse_front.sql import Statement
from infra.clickhouse_front.users import User

Apply = Callable[[Mapping[str, str]], None]


@dataclass(frozen=True)
class Query:
    """A statement of `user` on `connection`. `mark` finds it among the running ones (`Engine.kill`).

    `apply` sets the request's settings on the connection; `readonly_limits` are the settings a readonly user gets.
    """

    request: Request
    user: User
    statement: Statement
    connection: Connection
    apply: Apply
    default_database: str | None
    readonly_limits: Mapping[str, str]
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def is_read(self) -> bool:
        """Whether stopping it half-way is harmless."""
        return self.statement.kind in ("SELECT", "WITH", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "EXISTS", "(", "")

    def read(self) -> reading.Reading:
        """Runs anything but a streamed INSERT, up to its first result."""
        self._prepare()
        self._authorise()
        return reading.start(
            self.connection,
            self.statement,
            self.request.parameters,
            self.request.default_format or formats.DEFAULT,
            whole=self.request.flag("wait_end_of_query"),
        )

    def insert(self) -> InsertStream:
        """Starts an INSERT that takes data."""
        self._refuse_writing()
        if self.statement.from_input:
            raise error(NOT_IMPLEMENTED, "INSERT ... SELECT ... FROM input() is not supported by this server")
        self._prepare()
        self.connection.set_parameters(self.request.parameters)
        return self.connection.insert(self.statement.head, self.statement.input_format or "Values")

    def _prepare(self) -> None:
        database = self.request.database or self.default_database
        if database is not None:
            self.connection.use(database)
        settings: Mapping[str, str] = self.request.settings
        if self.user.readonly:
            settings = readonly.settings_for(settings, self.readonly_limits)
        comment = settings.get("log_comment", "")
        self.apply({**settings, "log_comment": f"{self.mark} {comment}".strip()})

    def _authorise(self) -> None:
        statement = self.statement
        if statement.writes_file:
            raise error(ACCESS_DENIED, "INTO OUTFILE is not allowed")
        if statement.from_input:
            raise error(NOT_IMPLEMENTED, "INSERT ... SELECT ... FROM input() is not supported by this server")
        count, only_reads = self.connection.classify(statement.head)
        if count == 0 and (self.user.readonly or not statement.head.strip()):
            raise error(SYNTAX_ERROR, "Syntax error: the query is empty or cannot be parsed")
        if count > 1:
            raise error(SYNTAX_ERROR, "Syntax error: Multi-statements are not allowed")
        if not only_reads:
            self._refuse_writing()
        elif self.user.readonly:
            readonly.check(statement.head, self._explain)
            self.connection.apply({"readonly": "1"})

    def _explain(self, sql: bytes) -> str:
        return self.connection.run(sql, "TSVRaw", self.request.parameters)[0].decode("utf-8", "replace")

    def _refuse_writing(self) -> None:
        if self.user.readonly:
            raise error(READONLY, "Cannot execute query in readonly mode: this user may only read")
        if self.request.may_only_read:
            raise error(
                READONLY,
                "Cannot execute query in readonly mode. For queries over HTTP, method GET implies readonly. "
                "You should use method POST for modifying queries",
            )
