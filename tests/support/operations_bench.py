"""Requests about projections as an admin sends them to the command service, over a projection bench's databases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from command_api.app import create_app
from command_api.kernel.container import Container
from command_api.kernel.leader_election import Leader
from command_api.operations.operation_recorder import NAME, OperationRecorder
from command_api.registry import open_container
from command_api.schema import create_schema
from infra.kernel.security.sessions import open_session
from tests.support.projection_bench import ProjectionBench
from tests.support.stack import wait_for


class OperationsBench:
    """An admin at the command service over a bench's databases."""

    def __init__(self, core: Container, projecting: ProjectionBench) -> None:
        self.core, self.projecting = core, projecting
        self.account = uuid4()
        opened = open_session(
            projecting.connection,
            account_id=self.account,
            session_id=uuid4(),
            email="ada@example.com",
            name="Ada",
            roles=["admin"],
        )
        headers = {"Authorization": f"Bearer {opened.token}", "Content-Type": "application/json"}
        self.http = TestClient(create_app(core), headers=headers, client=("127.0.0.1", 50000))

    def ask(self, name: str, action: str, reason: str = "a look", **more: Any) -> UUID:
        answer = self.http.post(f"/api/admin/projections/{name}/{action}", json={"reason": reason, **more})
        assert answer.status_code == 202, answer.text
        return UUID(answer.json()["id"])

    def outcome(self, request_id: UUID) -> tuple[str, int | None, str]:
        """State, generation and error, once it has ended."""
        return wait_for(  # type: ignore[no-any-return]  # `wait_for` gives what it is given
            lambda: (
                self.projecting.sql(
                    "select state, generation, error from engine.request where id = %s and finished_at is not null",
                    request_id,
                )
                or [None]
            )[0],
            "the request to end",
        )

    def events(self, aggregate: UUID) -> list[tuple[str, dict[str, Any]]]:
        rows = self.projecting.sql(
            "select topic, convert_from(state, 'UTF8') from events.stored_events where originator_id = %s "
            "order by originator_version",
            aggregate,
        )
        return [(topic.removesuffix(".v1"), json.loads(state)) for topic, state in rows]

    @contextmanager
    def recording(self) -> Iterator[None]:
        leader = Leader(self.core.settings, NAME, OperationRecorder(self.core).run).start()
        try:
            yield
        finally:
            leader.stop()

    def wait_recorded(self) -> None:
        open_ones = "select 1 from engine.request where recorded_at is null and finished_at is not null"
        wait_for(lambda: not self.projecting.sql(open_ones), "everything to be recorded")


@pytest.fixture
def operations(projecting: ProjectionBench) -> Iterator[OperationsBench]:
    create_schema(projecting.settings)
    core = open_container(projecting.settings)
    try:
        yield OperationsBench(core, projecting)
    finally:
        core.close()
