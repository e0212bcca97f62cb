# ruff: noqa: S608 - names are checked before they become part of a statement
"""ClickHouse: its HTTP interface answers, it is new enough, the user's rights suffice, its cluster and disk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote, urlsplit

import httpx

from infra.kernel.clickhouse.client import address
from infra.ops.doctor.finding import Finding, error, ok, warning
from infra.ops.doctor.subject import Subject

CHECK: Final = "clickhouse"
MIN_VERSION: Final = (24, 8)
LOW_FREE: Final = 10 << 30
TIMEOUT_S: Final = 3.0
_NAME: Final = re.compile(r"[\w.-]+")
_REFUSED: Final = ("AUTHENTICATION_FAILED", "UNKNOWN_USER", "WRONG_PASSWORD")


class Rejected(Exception):
    """ClickHouse answered with an error."""


class Server:
    """Runs a statement that reads. Raises `httpx.HTTPError` or `Rejected`."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.database = parts.path.strip("/") or "althing"
        self._client = httpx.Client(
            base_url=address(url),
            auth=(unquote(parts.username or "default"), unquote(parts.password or "")),
            timeout=TIMEOUT_S,
        )

    def value(self, statement: str) -> str:
        """The only value of the result."""
        answer = self._client.post("/", content=statement.encode())
        if answer.status_code != 200:
            raise Rejected(" ".join(answer.text.split())[:300] or f"HTTP {answer.status_code}")
        return answer.text.strip()

    def close(self) -> None:
        self._client.close()


def check(subject: Subject) -> Iterator[Finding]:
    url = subject.effective.clickhouse_url
    if url is None:
        yield ok(CHECK, "The embedded ClickHouse is not running; `althing up` starts it.")
        return
    server = Server(url)
    try:
        yield of_version(server.value("SELECT version()"))
        yield from of_rights(server)
        if subject.settings.clickhouse_cluster is not None:
            yield of_cluster(server, subject.settings.clickhouse_cluster)
        yield from of_disk(server)
    except (httpx.HTTPError, Rejected) as failure:
        yield of_failure(failure, address(url))
    finally:
        server.close()


def of_failure(failure: Exception, where: str) -> Finding:
    text = str(failure) or type(failure).__name__
    if isinstance(failure, Rejected):
        if any(code in text for code in _REFUSED):
            return error(
                CHECK, f"ClickHouse does not accept user or password: {text}", "Correct them in CLICKHOUSE_URL."
            )
        return error(
            CHECK, f"ClickHouse rejects a statement: {text}", "Check the rights of the user in CLICKHOUSE_URL."
        )
    return error(
        CHECK,
        f"ClickHouse at {where} does not answer: {text}.",
        "Start ClickHouse, or correct CLICKHOUSE_URL (it names the HTTP port), or open it in the firewall.",
    )


def of_version(version: str) -> Finding:
    parts = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if parts < MIN_VERSION:
        return warning(
            CHECK,
            f"ClickHouse {version} answers; it is older than {MIN_VERSION[0]}.{MIN_VERSION[1]}.",
            f"Upgrade ClickHouse to {MIN_VERSION[0]}.{MIN_VERSION[1]} or newer.",
        )
    return ok(CHECK, f"ClickHouse {version} answers.")


def of_rights(server: Server) -> Iterator[Finding]:
    if not _NAME.fullmatch(server.database):
        yield error(CHECK, f"{server.database!r} is no name of a database.", "Correct the path of CLICKHOUSE_URL.")
        return
    if server.value(f"SELECT count() FROM system.databases WHERE name = '{server.database}'") == "0":
        yield error(
            CHECK,
            f"Database {server.database} does not exist, or this user may not see it.",
            f"Run `CREATE DATABASE {server.database}` and grant the user all rights on it.",
        )
        return
    if server.value("SELECT value FROM system.settings WHERE name = 'readonly'") != "0":
        yield error(CHECK, "The user may only read.", "Set CLICKHOUSE_URL to a user that may create tables and insert.")
        return
    rights = f"CREATE TABLE, CREATE VIEW, DROP TABLE, ALTER, INSERT, SELECT ON `{server.database}`.*"
    try:
        may = server.value(f"CHECK GRANT {rights}") == "1"
    except Rejected:
        yield ok(
            CHECK, "The server does not report the rights of its users; `althing migrate` shows whether they suffice."
        )
        return
    if may:
        yield ok(CHECK, f"The user may create tables in database {server.database}.")
    else:
        yield error(
            CHECK,
            "The user may not create, change and fill tables.",
            f"As an administrator, run `GRANT {rights} TO …`.",
        )


def of_cluster(server: Server, cluster: str) -> Finding:
    is_valid = _NAME.fullmatch(cluster) is not None
    replicas = server.value(f"SELECT count() FROM system.clusters WHERE cluster = '{cluster}'") if is_valid else "0"
    if replicas == "0":
        return error(
            CHECK, f"The server knows no cluster {cluster}.", "Correct CLICKHOUSE_CLUSTER, or define the cluster."
        )
    return ok(CHECK, f"Cluster {cluster} has {replicas} servers.")


def of_disk(server: Server) -> Iterator[Finding]:
    try:
        free = int(server.value("SELECT min(free_space) FROM system.disks"))
    except (Rejected, ValueError):
        return
    text = f"{free / (1 << 30):.1f} GiB are free on ClickHouse's disk."
    if free < LOW_FREE:
        yield warning(CHECK, text, "Enlarge the disk: a rebuild of the events takes their size again.")
    else:
        yield ok(CHECK, text)
