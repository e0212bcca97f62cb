"""Revenue per channel and post, on real Postgres and ClickHouse."""

from __future__ import annotations

import json
from datetime import timedelta
from uuid import uuid4

from schemas.social_posts import content_of
from tests.support.query import QueryService, conversion, event, query_service, this_moment

__all__ = ["query_service"]
REPORT = "/api/platform/social-report"


def test_a_post_has_the_figures_of_its_links_and_the_channel_those_of_all(query_service: QueryService) -> None:
    service, ada, eve = query_service, query_service.person(), query_service.person()
    website, partner = service.website(ada, domain=f"{uuid4().hex}.example"), service.partner("Acme")
    channel, post, now = uuid4(), uuid4(), this_moment()
    service.insert("social_channels", {
        "id": channel, "website_id": website, "network": "instagram", "handle": "fjord", "name": "@fjord",
        "added_at": now - timedelta(hours=2),
    })  # fmt: skip
    service.insert("social_posts", {
        "id": post, "website_id": website, "channel_id": channel, "title": "Knives", "published_at": now,
        "address": "https://www.instagram.com/p/DAbCdEf/",
    })  # fmt: skip
    for source, views in (("csv", 999), ("instagram", 400)):
        of = {"source": source, "website_id": website, "channel_id": channel, "views": views, "clicks": None}
        service.insert("social_post_figures", {**of, "post_id": post, "as_of": now.date()})
        service.insert("social_channel_figures", {**of, "day": now.date(), "followers": views + 1})
    links = {"of_post": uuid4(), "other": uuid4()}
    for name, id_ in links.items():
        utm = json.dumps({"utm_content": content_of(post)} if name == "of_post" else {})
        service.insert("links", {
            "id": id_, "slug": f"{name}-{id_.hex[:8]}", "code": id_.int % 2**47, "website_id": website,
            "partner_id": partner, "destination": "https://partner.example/", "subs": "{}", "is_active": True,
            "created_at": now, "channel_id": channel, "utm": utm,
        })  # fmt: skip
    service.events([
        *(event(website, now, visitor=n, link_id=links["of_post"], partner_id=partner) for n in range(4)),
        event(website, now, visitor=9, link_id=links["other"], partner_id=partner),
        conversion(website, now, link_id=links["of_post"], partner_id=partner, d_pending=1, c_pending=1250),
        conversion(website, now, link_id=links["other"], partner_id=partner, d_pending=1, c_pending=1),
    ])  # fmt: skip
    answer = service.get(f"{REPORT}?websiteId={website}&timeRange=7d", ada)
    assert answer.status_code == 200, answer.text
    whole, one = answer.json()
    assert (whole["kind"], whole["clicks"], whole["conversions"], whole["revenueAmount"]) == ("channel", 5, 2, 1251)
    assert (whole["followers"], whole["views"], whole["clickRate"]) == (401, 400, 1.25), (
        "the connection's, not the file's"
    )
    assert (one["kind"], one["clicks"], one["revenueAmount"], one["conversionRate"]) == ("post", 4, 1250, 25.0)
    assert (one["views"], one["clickRate"], one["utmContent"]) == (400, 1.0, content_of(post))
    listed = service.get(f"/api/platform/links?websiteId={website}&timeRange=7d", ada).json()
    assert sum(link["earnings"]["amount"] for link in listed) == whole["revenueAmount"]
    file = service.get(f"{REPORT}.csv?websiteId={website}&timeRange=7d", ada)
    assert file.text.splitlines()[2].startswith(f"post,{channel},{post},instagram,Knives,")
    before = service.get(f"{REPORT}?websiteId={website}&timeRange=custom&from=2026-01-01&to=2026-01-02", ada).json()
    assert [(row["clicks"], row["revenueAmount"]) for row in before] == [(0, 0), (0, 0)]
    assert before[0]["views"] is None
    noted = service.get(f"/api/platform/annotations?websiteId={website}&timeRange=7d", ada).json()
    assert ("post_published", "Knives – https://www.instagram.com/p/DAbCdEf/") in [
        (n["kind"], n["text"]) for n in noted
    ]
    for path in (f"{REPORT}?websiteId={website}", f"/api/platform/social-posts/{post}/picture"):
        assert service.get(path, eve).status_code == 404
