"""When links began to lead elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

from schemas.events.links import LinkCreated, LinkUpdated, Routing
from tests.support.events import event_at
from tests.support.projection_bench import WEBSITE, ProjectionBench

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_a_new_destination_or_routing_is_a_change_and_a_tag_is_none(projecting: ProjectionBench) -> None:
    link, home = uuid4(), "https://partner.example/"

    event = partial(event_at, NOW, link)

    projecting.decide(
        event(1, LinkCreated, website_id=WEBSITE, partner_id=uuid4(), slug="deal", code=7, destination=home),
        event(2, LinkUpdated, destination=f"{home}new"),
        event(3, LinkUpdated, tags=("sale",)),
        event(4, LinkUpdated, routing=Routing()),
    )
    with projecting.running("link_changes"):
        projecting.wait("link_changes")
    rows = projecting.sql("select version, website_id from read.link_changes order by version")
    assert rows == [(1, WEBSITE), (2, WEBSITE), (4, WEBSITE)]
