"""The command service in the test's process, on a database of its own in the shared Postgres, with the log on Postgres.

`command_world` (module fixture) gives a `World`: call it over HTTP, look into its store, read topic `domain`.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from uuid import UUID

import httpx2
import psycopg
import pytest
from anyio.from_thread import start_blocking_portal
from fastapi.testclient import TestClient

from command_api.app import create_app
from command_api.kernel.container import Container
from command_api.registry import open_container
from command_api.schema import create_schema
from infra.kernel.config.settings import Settings
from infra.kernel.log import Log, StoredRecord, open_log
from infra.kernel.security.sessions import open_session
from schemas.topics import BY_NAME
from tests.support.databases import create_text_key, own_databases
from tests.support.forwarded_headers import forwarded_for

ADMIN_EMAIL, ADMIN_PASSWORD = "admin@example.com", "correct horse battery"


@dataclass(frozen=True)
class Person:
    """A person who is signed in, as a program is: with the token alone."""

    account_id: UUID
    session_id: UUID
    cookie: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@dataclass
class World:
    """One command service and its database."""

    settings: Settings
    core: Container
    people: list[Person] = field(default_factory=list)
    stack: ExitStack = field(default_factory=ExitStack)

    @cached_property
    def http(self) -> TestClient:
        """Keeps no cookies: what one thread is given must not go out with the request of another. All requests are
        answered in one event loop, as in a service: its lanes wake nobody who waits in another loop."""
        headers = {"Content-Type": "application/json"}
        client = TestClient(create_app(self.core), headers=headers, client=("127.0.0.1", 50000))
        client.portal = self.stack.enter_context(start_blocking_portal())
        client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        return client

    @cached_property
    def log(self) -> Log:
        log = open_log(self.settings)
        log.create_topics()
        return log

    @cached_property
    def postgres(self) -> psycopg.Connection[Any]:
        assert self.settings.postgres_url is not None
        return psycopg.connect(self.settings.postgres_url, autocommit=True)

    def person(self, *roles: str) -> Person:
        account_id, session_id = uuid.uuid4(), uuid.uuid4()
        opened = open_session(
            self.postgres,
            account_id=account_id,
            session_id=session_id,
            email=f"{account_id.hex}@example.com",
            name="Ada",
            roles=roles or ("member",),
        )
        return Person(account_id, session_id, opened.cookie, opened.token)

    @cached_property
    def owner(self) -> Person:
        return self.person()

    @cached_property
    def admin(self) -> Person:
        return self.person("member", "admin")

    def call(self, method: str, path: str, person: Person | None = None, **options: Any) -> httpx2.Response:
        """As by way of the gateway, where `X-Forwarded-For` is among the headers."""
        headers = {**(person.headers if person else {}), **options.pop("headers", {})}
        if (address := headers.get("X-Forwarded-For")) is not None:
            headers = {**forwarded_for(self.settings, address), **headers}
        answer: httpx2.Response = self.http.request(method, path, headers=headers, **options)
        return answer

    def website(self, person: Person | None = None, **body: Any) -> dict[str, Any]:
        return self._made("/api/platform/websites", person or self.owner, {"domain": "shop.example", **body})

    def partner(self, **body: Any) -> dict[str, Any]:
        given = {
            "name": f"Partner {uuid.uuid4().hex[:8]}",
            "baseUrl": "https://www.good-vpn.example/",
            "commission": 10,
        }
        return self._made("/api/admin/partners", self.admin, {**given, **body})

    def link(self, website: dict[str, Any], partner: dict[str, Any], **body: Any) -> dict[str, Any]:
        given = {"websiteId": website["id"], "partnerId": partner["id"]}
        return self._made("/api/platform/links", self.owner, {**given, **body})

    def count(self, sql: str, *values: Any) -> int:
        row = self.postgres.execute(sql.encode(), values).fetchone()
        assert row is not None
        return int(row[0])

    def events(self, aggregate_id: UUID | str) -> list[str]:
        """Names and versions of what happened to one aggregate."""
        sql = "SELECT topic FROM events.stored_events WHERE originator_id = %s ORDER BY originator_version"
        return [row[0] for row in self.postgres.execute(sql, (aggregate_id,))]

    def session_events(self, account_id: UUID | str) -> list[str]:
        """Names and versions of what happened to the sessions of an account, in commit order."""
        sql = (
            "SELECT topic FROM events.stored_events WHERE topic LIKE 'account.signed\\_%%'"
            " AND convert_from(state, 'UTF8')::jsonb ->> 'account_id' = %s ORDER BY notification_id"
        )
        return [row[0] for row in self.postgres.execute(sql, (str(account_id),))]

    def records(self, topic: str) -> list[StoredRecord]:
        """All that lies in the first partition of a topic."""
        assert BY_NAME[topic].partitions == 1
        end = self.log.end_offset(topic, 0)
        source = self.log.source(topic, 0)
        found: list[StoredRecord] = []
        try:
            while len(found) < end:
                found += source.read(1000, 5)
        finally:
            source.close()
        return found

    def close(self) -> None:
        self.stack.close()
        for name in ("log", "postgres"):
            if name in self.__dict__:
                self.__dict__[name].close()
        self.core.close()

    def _made(self, path: str, person: Person, body: dict[str, Any]) -> dict[str, Any]:
        answer = self.call("POST", path, person, json=body)
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made


@contextmanager
def database(postgres: Settings) -> Iterator[Settings]:
    """A migrated database of its own in that Postgres; dropped afterwards."""
    with own_databases(postgres, None, create_schema, create_text_key) as found:
        yield replace(found, log="postgres", admin_email=None, admin_password=None)


@contextmanager
def world(postgres: Settings) -> Iterator[World]:
    with database(postgres) as settings:
        made = World(settings, open_container(settings))
        try:
            yield made
        finally:
            made.close()


@pytest.fixture(scope="module")
def command_world(embedded_postgres: Settings) -> Iterator[World]:
    """Shared by a module's tests: each makes its own websites, partners and people."""
    with world(embedded_postgres) as made:
        yield made
