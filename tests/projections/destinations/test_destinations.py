"""Given events of destinations, then these rows."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from uuid import UUID

from schemas.events import destinations
from tests.support.events import event_at
from tests.support.projection_bench import WEBSITE, ProjectionBench

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
DESTINATION = UUID(int=0x5EA)
of = partial(event_at, NOW, DESTINATION)
MAPPING = {"sale": "Affiliate sale", "lead": "", "value": "commission"}


def test_a_destination_is_shown_with_what_is_wrong_until_new_credentials(projecting: ProjectionBench) -> None:
    added = {"website_id": WEBSITE, "platform": "google_ads", "mapping": MAPPING, "is_automatic": False}
    changed = {"website_id": WEBSITE, "mapping": {**MAPPING, "sale": "42"}, "is_automatic": True}
    rows = "select platform, mapping ->> 'sale', is_automatic, is_refused, problem from read.destinations"
    with projecting.running("destinations"):
        projecting.decide(
            of(1, destinations.DestinationAdded, **added),
            of(2, destinations.DestinationRefused, website_id=WEBSITE, problem="Enter new ones."),
            of(3, destinations.DestinationChanged, **changed, has_new_credentials=False),
        )
        projecting.wait("destinations")
        assert projecting.sql(rows) == [("google_ads", "42", True, True, "Enter new ones.")]
        projecting.decide(of(4, destinations.DestinationChanged, **changed, has_new_credentials=True))
        projecting.wait("destinations")
        assert projecting.sql(rows) == [("google_ads", "42", True, False, "")]
        projecting.decide(of(5, destinations.DestinationRemoved, website_id=WEBSITE))
        projecting.wait("destinations")
    assert projecting.sql("select count(*) from read.destinations") == [(0,)]
