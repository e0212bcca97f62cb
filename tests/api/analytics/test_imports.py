"""What `althing import` records when it has added events."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from command_api.kernel.decision import CommandRejected
from infra.ops.imports import record
from ingest.importing.command import ImportTotals
from tests.support.command import World, command_world

__all__ = ["command_world"]

FIRST, LAST = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 4, 30, 23, 59, tzinfo=UTC)


def test_an_import_is_recorded_with_its_events_and_their_span(command_world: World) -> None:
    website = UUID(command_world.website()["id"])
    record(command_world.settings, ImportTotals(website, 120_345, FIRST, LAST))
    stored = command_world.postgres.execute(
        "SELECT convert_from(state, 'UTF8')::jsonb - 'timestamp' FROM events.stored_events"
        " WHERE topic LIKE 'events.imported%%' AND convert_from(state, 'UTF8')::jsonb ->> 'website_id' = %s",
        (str(website),),
    ).fetchall()
    [[event]] = stored
    assert (event["events"], event["actor_id"]) == (120_345, None)
    assert (event["first_at"], event["last_at"]) == ("2026-01-01T00:00:00Z", "2026-04-30T23:59:00Z")


def test_an_import_into_an_unknown_website_is_rejected(command_world: World) -> None:
    with pytest.raises(CommandRejected):
        record(command_world.settings, ImportTotals(uuid4(), 1, FIRST, LAST))
