"""What people note on the charts of their websites, as it is read."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

from schemas.events.analytics import AnnotationAdded, AnnotationChanged, AnnotationRemoved, EventsImported
from schemas.events.websites import WebsiteDisconnected
from tests.support.events import event_at
from tests.support.projection_bench import WEBSITE, ProjectionBench

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
step = partial(event_at, NOW)


def test_the_latest_text_is_shown_and_what_was_removed_is_not(projecting: ProjectionBench) -> None:
    kept, removed, gone, other = (uuid4() for _ in range(4))
    added = {"website_id": WEBSITE, "at": NOW, "text": "New page"}
    projecting.decide(
        step(kept, 1, AnnotationAdded, **added),
        step(kept, 2, AnnotationChanged, at=NOW, text="New pages"),
        step(removed, 1, AnnotationAdded, **added),
        step(removed, 2, AnnotationRemoved),
        step(gone, 1, AnnotationAdded, **{**added, "website_id": other}),
        step(other, 1, WebsiteDisconnected),
    )
    with projecting.running("annotations"):
        projecting.wait("annotations")
    assert projecting.sql("select id, text from read.annotations") == [(kept, "New pages")]


def test_an_import_is_known_until_its_website_is_disconnected(projecting: ProjectionBench) -> None:
    kept, gone, other = (uuid4() for _ in range(3))
    imported = {"events": 7, "first_at": NOW, "last_at": NOW}
    projecting.decide(
        step(kept, 1, EventsImported, website_id=WEBSITE, **imported),
        step(gone, 1, EventsImported, website_id=other, **imported),
        step(other, 1, WebsiteDisconnected),
    )
    with projecting.running("imports"):
        projecting.wait("imports")
    assert projecting.sql("select id, events, imported_at from read.imports") == [(kept, 7, NOW)]
