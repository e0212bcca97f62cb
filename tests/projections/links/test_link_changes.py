"""What changed about links, and since when they lead elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from uuid import UUID, uuid4

from schemas.events.links import (
    LinkCreated,
    LinkUpdated,
    Routing,
    Shifting,
    ShiftOutcome,
    Variant,
    WeightShift,
)
from tests.support.events import event_at
from tests.support.projection_bench import PARTNER, WEBSITE, ProjectionBench

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_a_shift_of_weights_and_its_undo_are_kept_with_their_reason_and_switch(projecting: ProjectionBench) -> None:
    link, first, second = uuid4(), uuid4(), uuid4()
    event = partial(event_at, NOW, link)

    def split(*partners: UUID | None) -> Routing:
        variants = (Variant(destination="https://a.example/", weight=1, partner_id=each) for each in partners)
        return Routing(variants=tuple(variants))

    noted = WeightShift(day=NOW.date(), outcome=ShiftOutcome.SHIFTED, leader=2)
    quiet = WeightShift(day=NOW.date(), outcome=ShiftOutcome.COLLECTING)
    on = Shifting(is_on=True, max_step=5)
    made = {
        "website_id": WEBSITE,
        "partner_id": PARTNER,
        "slug": "split",
        "code": 8,
        "destination": "https://a.example/",
    }
    projecting.decide(
        event(1, LinkCreated, **made, routing=split(None, second)),
        event(2, LinkUpdated, shifting=on),
        event(3, LinkUpdated, shift=quiet),
        event(4, LinkUpdated, routing=split(None, second), shift=noted),
        event(5, LinkUpdated, routing=split(None, first), shifting=Shifting(), restores=4),
    )
    with projecting.running("link_changes", "links"):
        projecting.wait("link_changes")
        projecting.wait("links")
    columns = "version, is_redirected, shift ->> 'outcome', restores, fields -> 'shifting' ->> 'is_on'"
    rows = projecting.sql(f"select {columns} from read.link_changes where link_id = '{link}' order by version")
    assert rows == [
        (1, True, None, None, None),
        (2, False, None, None, "true"),
        (3, False, "collecting", None, None),
        (4, True, "shifted", None, None),
        (5, True, None, 4, "false"),
    ]
    [kept] = projecting.sql(f"select shifting, variant_partners from read.links where id = '{link}'")
    assert kept == ({"is_on": False, "min_share": 10, "max_step": 10}, [second, first])


def test_each_change_is_kept_and_says_whether_the_link_leads_elsewhere_since(projecting: ProjectionBench) -> None:
    link, home, other, somebody = uuid4(), "https://partner.example/", uuid4(), uuid4()

    event = partial(event_at, NOW, link)

    projecting.decide(
        event(1, LinkCreated, website_id=WEBSITE, partner_id=PARTNER, slug="deal", code=7, destination=home),
        event(2, LinkUpdated, destination=f"{home}new"),
        event(3, LinkUpdated, tags=("sale",), actor_id=somebody),
        event(4, LinkUpdated, routing=Routing()),
        event(5, LinkUpdated, partner_id=other, destination="https://other.example/"),
    )
    with projecting.running("link_changes", "links"):
        projecting.wait("link_changes")
        projecting.wait("links")
    columns = "version, website_id, is_redirected, partner_id"
    rows = projecting.sql(f"select {columns} from read.link_changes order by version")
    assert rows == [
        (1, WEBSITE, True, PARTNER),
        (2, WEBSITE, True, None),
        (3, WEBSITE, False, None),
        (4, WEBSITE, True, None),
        (5, WEBSITE, True, other),
    ]
    [tagged] = projecting.sql("select actor_id, fields from read.link_changes where version = 3")
    assert tagged == (somebody, {"tags": ["sale"]})
    [led] = projecting.sql("select partner_id, former_partners, led_until from read.links")
    assert led == (other, [PARTNER], [NOW])
