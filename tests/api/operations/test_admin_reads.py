"""What admins read of partners, links and clicks: filters, paging, and a click's way to its commission."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg.types.json import Jsonb

from query_api.analytics import ranges
from query_api.analytics.ranges import TimeRange
from query_api.kernel.pagination import encode
from schemas.zones import ZoneInfo
from tests.support.query import PERCENT_10, Person, QueryService, conversion, event, this_moment


@pytest.fixture(scope="module")
def admin(query_service: QueryService) -> Person:
    return query_service.person("admin")


def a_link(service: QueryService, website: UUID, partner: UUID, slug: str, **more: Any) -> UUID:
    link = uuid4()
    row = {
        "id": link,
        "slug": slug,
        "code": link.int % 2**47,
        "website_id": website,
        "partner_id": partner,
        "destination": "https://partner.example/",
        "subs": Jsonb({"sub1": "side"}),
        "is_active": True,
        "created_at": datetime.now(UTC),
        **more,
    }
    service.insert("links", row)
    return link


def a_conversion(service: QueryService, website: UUID, partner: UUID, link: UUID, click: str) -> UUID:
    now, conversion_id = datetime.now(UTC), uuid4()
    service.insert(
        "conversions",
        {
            "id": conversion_id, "website_id": website, "kind": "sale", "event": "sale", "txid": "ORD-1",
            "status": "approved", "amount": 20_000, "currency": "USD", "commission": 2_500,
            "commission_currency": "USD", "partner_id": partner, "link_id": link, "click_id": click,
            "attributed_by": "click_id", "clicked_at": now, "reported_by": "postback", "occurred_at": now,
            "recorded_at": now,
        },
    )  # fmt: skip
    return conversion_id


def test_clicks_are_listed_with_their_way_page_by_page(query_service: QueryService, admin: Person) -> None:
    ada = query_service.person()
    website, other = query_service.website(ada, domain="clicks.example"), query_service.website(ada)
    partner = query_service.partner("Acme")
    slug = f"s-{uuid4().hex[:8]}"
    link = a_link(query_service, website, partner, slug)
    now = this_moment()
    common: dict[str, Any] = {"link_id": link, "partner_id": partner}
    query_service.events(
        [
            event(website, now, click_id="C1", country="IS", device="mobile", props='{"route":"rule 1"}', **common),
            event(website, now - timedelta(days=3), click_id="C2", country="DE", device="desktop", **common),
            event(website, now - timedelta(days=40), click_id="C3", is_bot=True, bot_reason="crawler", **common),
            event(website, now, "pageview"),
            event(other, now, click_id="C4"),
        ]
    )
    sale = a_conversion(query_service, website, partner, link, "C1")

    def ids(**query: Any) -> list[str]:
        answer = query_service.get("/api/admin/clicks", admin, params={"websiteId": str(website), **query})
        assert answer.status_code == 200, answer.text
        return [row["clickId"] for row in answer.json()]

    assert ids() == ["C1", "C2", "C3"]
    assert (ids(bots="exclude"), ids(bots="only")) == (["C1", "C2"], ["C3"])
    assert (ids(country="IS"), ids(device="desktop"), ids(country="FR")) == (["C1"], ["C2"], [])
    assert (ids(country="is,DE"), ids(country="-IS,-DE"), ids(country="-IS")) == (["C1", "C2"], ["C3"], ["C2", "C3"])
    refused = query_service.get("/api/admin/clicks", admin, params={"country": "ICE"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "country")
    assert ids(partnerId=str(partner), linkId=str(link)) == ["C1", "C2", "C3"]
    assert (ids(conversionId=str(sale)), ids(conversionId=str(uuid4()))) == (["C1"], [])

    first = query_service.get("/api/admin/clicks", admin, params={"websiteId": str(website), "limit": 2})
    row = first.json()[0]
    assert (row["domain"], row["partnerName"], row["slug"], row["route"]) == ("clicks.example", "Acme", slug, "rule 1")
    [came] = row["conversions"]
    assert (came["id"], came["status"], came["commission"]) == (
        str(sale), "approved", {"amount": 2_500, "currency": "USD"},
    )  # fmt: skip
    second = query_service.get(first.links["next"]["url"], admin)
    assert [one["clickId"] for one in second.json()] == ["C3"] and "next" not in second.links
    assert second.json()[0]["botReason"] == "crawler"
    for place in (-1, 10**13, 2**62, "x"):
        odd = query_service.get("/api/admin/clicks", admin, params={"cursor": encode(place, str(uuid4()))})
        assert (odd.status_code, odd.json()["errors"][0]["field"]) == (400, "cursor"), place

    lines = query_service.get("/api/admin/clicks.csv", admin, params={"websiteId": str(website)}).text.splitlines()
    assert lines[0].startswith("time,website,partner,link,click_id,route,country")
    assert lines[1].endswith(",1,approved,25.00,USD") and len(lines) == 4


def test_links_of_everybody_with_their_owner(query_service: QueryService, admin: Person) -> None:
    ada = query_service.person()
    website, partner = query_service.website(ada, domain="links.example"), query_service.partner("Acme Links")
    routing = {
        "rules": [{"countries": ["IS"], "devices": ["mobile"], "destination": "https://partner.example/is"}],
        "variants": [], "expires_at": "2030-01-01T00:00:00Z", "fallback": None,
    }  # fmt: skip
    first = a_link(query_service, website, partner, f"first-{uuid4().hex[:8]}")
    slug = f"second-{uuid4().hex[:8]}"
    second = a_link(query_service, website, partner, slug, routing=Jsonb(routing))
    query_service.events([event(website, this_moment(), link_id=second, partner_id=partner)])

    def found(**query: Any) -> list[dict[str, Any]]:
        answer = query_service.get("/api/admin/links", admin, params=query)
        assert answer.status_code == 200, answer.text
        rows: list[dict[str, Any]] = answer.json()
        return rows

    assert [row["id"] for row in found(websiteId=str(website))] == [str(second), str(first)]
    [row] = found(search=slug.upper())
    assert (row["domain"], row["ownerName"], row["ownerId"], row["clicks"]) == (
        "links.example", "Ada", str(ada.account_id), 1,
    )  # fmt: skip
    assert row["rules"] == routing["rules"] and row["expiresAt"] == routing["expires_at"]
    assert [one["id"] for one in found(linkId=str(first))] == [str(first)]
    assert found(search="no such link anywhere") == []


def test_a_links_qr_code_is_its_owners(query_service: QueryService, admin: Person) -> None:
    ada, eve = query_service.person(), query_service.person()
    link = a_link(query_service, query_service.website(ada), query_service.partner("Acme"), f"qr-{uuid4().hex[:8]}")
    path = f"/api/platform/links/{link}/qr.svg"
    drawn = query_service.get(path, ada)
    assert (drawn.status_code, drawn.headers["content-type"]) == (200, "image/svg+xml")
    assert drawn.text.startswith("<svg") and "<script" not in drawn.text
    assert query_service.get(path, admin).status_code == query_service.get(path, eve).status_code == 404


def test_partners_with_what_they_paid_and_without_those_removed(query_service: QueryService, admin: Person) -> None:
    partner, removed = query_service.partner("Stays"), query_service.partner("Removed")
    now = datetime.now(UTC)
    query_service.postgres.execute("UPDATE read.partners__g1 SET removed_at = now() WHERE id = %s", (removed,))
    for at, rate in ((now - timedelta(days=2), 1_000), (now, 1_250)):
        terms = Jsonb({**PERCENT_10, "rate_bp": rate})
        for one in (partner, removed):
            query_service.insert("partner_terms", {"partner_id": one, "effective_at": at, "terms": terms})
    website = query_service.website(query_service.person())
    a_link(query_service, website, partner, f"p-{uuid4().hex[:8]}")
    rows = {row["id"]: row for row in query_service.get("/api/admin/partners", admin).json()}
    assert str(removed) not in rows
    assert (rows[str(partner)]["links"], rows[str(partner)]["conversions"]) == (1, 0)
    listed = [row["id"] for row in query_service.get("/api/platform/partners", admin).json()]
    assert str(partner) in listed and str(removed) not in listed
    announced = {"effective_at": now + timedelta(days=5), "terms": Jsonb({**PERCENT_10, "rate_bp": 2_000})}
    query_service.insert("partner_terms", {"partner_id": partner, **announced})
    history = query_service.get(f"/api/admin/partners/{partner}/terms", admin).json()
    assert [(row["terms"]["percent"], row["state"]) for row in history] == [
        (20.0, "announced"),
        (12.5, "in_force"),
        (10.0, "past"),
    ]
    for path in ("/api/admin/partners", "/api/platform/partners"):
        [shown] = [row for row in query_service.get(path, admin).json() if row["id"] == str(partner)]
        assert shown["commission"] == 12.5, "what was announced is not yet so"
    assert query_service.get(f"/api/admin/partners/{removed}/terms", admin).status_code == 404


@pytest.mark.parametrize("path", ["clicks", "clicks.csv", "links", f"partners/{UUID(int=1)}/terms"])
def test_members_read_none_of_it(query_service: QueryService, path: str) -> None:
    assert query_service.get(f"/api/admin/{path}", query_service.person()).status_code == 403
    assert query_service.get(f"/api/admin/{path}").status_code == 401


def test_partners_have_what_they_brought_in_30_days_in_one_currency(query_service: QueryService, admin: Person) -> None:
    ada, now = query_service.person(), this_moment()
    dollars, euros = query_service.website(ada), query_service.website(ada, currency="EUR")
    partner, quiet = query_service.partner("Acme"), query_service.partner("Quiet")
    query_service.insert(
        "exchange_rates", {"base": "EUR", "quote": "USD", "on_day": now.date(), "rate": "1.1", "recorded_at": now}
    )
    old = now - timedelta(days=31)
    query_service.events(
        [
            *(event(dollars, now, visitor=number, partner_id=partner) for number in range(1, 4)),
            event(euros, now, visitor=9, partner_id=partner),
            event(dollars, old, visitor=1, partner_id=partner),
            event(dollars, now, visitor=5, partner_id=partner, is_bot=True, bot_reason="crawler"),
            conversion(dollars, now, partner_id=partner, d_pending=1, c_pending=1_000),
            conversion(euros, now, partner_id=partner, d_approved=1, c_approved=2_000),
        ]
    )
    found = query_service.get("/api/admin/partners/performance", admin).json()
    rows = {row["partnerId"]: row for row in found}
    row = rows[str(partner)]
    assert (row["clicks"], row["conversions"], row["currency"], row["notConverted"]) == (4, 2, "USD", [])
    assert (row["revenue"], row["epc"]) == (32.0, 8.0)
    assert str(quiet) not in rows
    assert query_service.get("/api/admin/partners/performance", ada).status_code == 403


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Asia/Kathmandu", "America/St_Johns"])
def test_the_last_30_days_of_partners_are_days_of_each_website(
    query_service: QueryService, admin: Person, zone: str
) -> None:
    """As its owner's dashboard has them."""
    ada, partner = query_service.person(), query_service.partner("Acme")
    website = query_service.website(ada, timezone=zone)
    now = this_moment()
    begin = ranges.resolve(TimeRange.LAST_30D, ZoneInfo(zone), now).start
    moments = [begin - timedelta(seconds=1), begin, begin + timedelta(hours=1), now]
    query_service.events(
        [event(website, at, visitor=number, partner_id=partner) for number, at in enumerate(moments, start=1)]
    )
    found = query_service.get("/api/admin/partners/performance", admin).json()
    shown = query_service.get(f"/api/platform/analytics/partners?websiteId={website}&timeRange=30d", ada).json()
    [clicks] = [row["clicks"] for row in found if row["partnerId"] == str(partner)]
    assert [row["clicks"] for row in shown] == [clicks] == [3]
