"""Parses one HTTP request to the ClickHouse interface."""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl
from uuid import uuid4

from infra.domain.sql_access.functions import names
from infra.services.clickhouse_server import external
from infra.services.clickhouse_server.errors import Code, error
from infra.services.clickhouse_server.form_data import Form

MAX_PARAMETERS = 1000
MAX_SESSION_TIMEOUT_S = 3600
DEFAULT_SESSION_TIMEOUT_S = 60

# Names of the interface itself; every other name in the query string is a setting of the query.
_OWN = names(
    "query database user password session_id session_timeout query_id default_format "
    "wait_end_of_query buffer_size compress decompress enable_http_compression http_zlib_compression_level "
    "client_protocol_version send_progress_in_http_headers http_headers_progress_interval_ms "
    "cancel_http_readonly_queries_on_client_close http_native_compression_disable_checksumming_on_decompress "
    "http_write_exception_in_output_format http_response_buffer_size add_http_cors_header stacktrace quota_key role"
)
_QUERY_ID = re.compile(r"[\x21-\x7e]{1,200}")


@dataclass(frozen=True)
class ClickHouseRequest:
    """A parsed request. `settings` are the engine's, `parameters` the values of `{name:Type}`, `given` both and the
    interface's own, as received."""

    method: str
    headers: Mapping[str, str]
    own: Mapping[str, str]
    settings: Mapping[str, str]
    parameters: Mapping[str, str]
    sql: bytes
    query_id: str
    external: tuple[external.ExternalTable, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_form(self) -> bool:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower() == "multipart/form-data"

    @property
    def may_only_read(self) -> bool:
        return self.method in ("GET", "HEAD")

    @property
    def database(self) -> str | None:
        return self.own.get("database") or self.headers.get("x-clickhouse-database") or None

    @property
    def default_format(self) -> str | None:
        return self.own.get("default_format") or self.headers.get("x-clickhouse-format") or None

    @property
    def protocol_revision(self) -> int:
        """The revision in which the client reads Native."""
        text = self.own.get("client_protocol_version", "0")
        return int(text) if text.isdecimal() and len(text) < 10 else 0

    @property
    def session_timeout_s(self) -> int:
        text = self.own.get("session_timeout", "")
        if not text:
            return DEFAULT_SESSION_TIMEOUT_S
        if not text.isdecimal() or not 0 < int(text) <= MAX_SESSION_TIMEOUT_S:
            raise error(
                Code.BAD_ARGUMENTS, f"Invalid session timeout '{text[:20]}': 1 to {MAX_SESSION_TIMEOUT_S} seconds"
            )
        return int(text)

    @property
    def accepted_coding(self) -> str:
        return self.headers.get("accept-encoding", "") if self.flag("enable_http_compression") else ""

    def flag(self, name: str) -> bool:
        return self.own.get(name, "0").lower() in ("1", "true", "on")


def read_request(scope: MutableMapping[str, Any]) -> ClickHouseRequest:
    """The request of an ASGI scope. Raises `ClickHouseError` for what cannot be meant."""
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    try:
        pairs = parse_qsl(
            scope["query_string"].decode("latin-1"),
            keep_blank_values=True,
            errors="surrogateescape",
            max_num_fields=MAX_PARAMETERS,
        )
    except ValueError as failure:
        raise error(Code.BAD_ARGUMENTS, f"The query string cannot be read: {failure}") from failure
    return _read(scope["method"], headers, dict(pairs))


def with_form(request: ClickHouseRequest, form: Form) -> ClickHouseRequest:
    """The request with its parsed form: fields count like query parameters, files are its external tables. The user
    was authenticated before; a form cannot change it."""
    asked = {name: value for name, value in form.fields.items() if name not in ("user", "password")}
    parameters = {**request.given, **asked}
    if "query" in asked:
        parameters["query"] = request.given.get("query", "") + asked["query"]
    tables = tuple(external.table(name, file, parameters) for name, file in form.files.items())
    about_tables = {f"{table.name}{suffix}" for table in tables for suffix in external.SUFFIXES}
    rest = {name: value for name, value in parameters.items() if name not in about_tables}
    return replace(_read(request.method, request.headers, rest), external=tables)


def _read(method: str, headers: Mapping[str, str], given: Mapping[str, str]) -> ClickHouseRequest:
    if given.get("role"):
        raise error(Code.SET_NON_GRANTED_ROLE, "Role should be granted to set a current: there are no roles here")
    query_id = given.get("query_id", "")
    return ClickHouseRequest(
        method=method,
        headers=headers,
        own={name: value for name, value in given.items() if name in _OWN},
        settings={k: v for k, v in given.items() if k not in _OWN and not k.startswith("param_")},
        parameters={k.removeprefix("param_"): v for k, v in given.items() if k.startswith("param_")},
        sql=given.get("query", "").encode("utf-8", "surrogateescape"),
        query_id=query_id if _QUERY_ID.fullmatch(query_id) else str(uuid4()),
        given=given,
    )
