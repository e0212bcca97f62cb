"""What owners see of their social channels, on real Postgres and ClickHouse."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from infra.domain.social_connections import encrypt_name
from tests.support.query import QueryService, conversion, event, query_service, this_moment

__all__ = ["query_service"]
CHANNELS = "/api/platform/social-channels"


def test_a_channel_has_the_figures_of_its_links_and_only_its_owner_sees_it(query_service: QueryService) -> None:
    service, ada, eve = query_service, query_service.person(), query_service.person()
    website, partner = service.website(ada, domain=f"{uuid4().hex}.example"), service.partner("Acme")
    insta, tube = uuid4(), uuid4()
    for minutes, (channel, network) in enumerate(((insta, "instagram"), (tube, "youtube"))):
        service.insert("social_channels", {
            "id": channel, "website_id": website, "network": network, "handle": "fjord", "name": "@fjord",
            "added_at": this_moment() - timedelta(hours=2) + timedelta(minutes=minutes),
        })  # fmt: skip
    links = {name: uuid4() for name in ("bio", "story", "gone", "other")}
    for name, id_ in links.items():
        more: dict[str, Any] = {"deleted_at": this_moment()} if name == "gone" else {}
        service.insert("links", {
            "id": id_, "slug": f"{name}-{id_.hex[:8]}", "code": id_.int % 2**47, "website_id": website,
            "partner_id": partner, "destination": "https://partner.example/", "subs": "{}", "is_active": True,
            "created_at": this_moment(), "channel_id": None if name == "other" else insta, **more,
        })  # fmt: skip
    now = this_moment()
    service.events([
        event(website, now, visitor=number, link_id=links[name], partner_id=partner)
        for number, name in enumerate(("bio", "bio", "story", "gone", "other"))
    ] + [conversion(website, now, link_id=links["bio"], partner_id=partner, d_pending=1, c_pending=1250)])  # fmt: skip
    answer = service.get(f"{CHANNELS}?websiteId={website}", ada)
    assert answer.status_code == 200, answer.text
    first, second = answer.json()
    assert (first["network"], first["url"]) == ("instagram", "https://www.instagram.com/fjord")
    assert first["websiteUrl"].endswith(".example/?utm_source=instagram&utm_medium=social&utm_campaign=profile")
    assert (first["links"], first["clicks"], first["conversions"]) == (2, 4, 1), "deleted links still count"
    assert first["revenue"] == {"amount": 1250, "currency": "USD"}
    assert (second["network"], second["links"], second["clicks"]) == ("youtube", 0, 0)
    listed = service.get(f"/api/platform/links?websiteId={website}&channelId={insta}", ada).json()
    assert {one["id"] for one in listed} == {str(links["bio"]), str(links["story"])}
    assert service.get(f"{CHANNELS}?websiteId={website}", eve).status_code == 404
    [before, _] = service.get(
        f"{CHANNELS}?websiteId={website}&timeRange=custom&from=2026-01-01&to=2026-01-02", ada
    ).json()
    assert (before["links"], before["clicks"]) == (2, 0)


@pytest.mark.parametrize(("problem", "has_ended"), [(None, False), ("The permission has ended.", True)])
def test_a_connection_has_its_state_for_its_owner_only(
    query_service: QueryService, problem: str | None, has_ended: bool
) -> None:
    service, ada, eve = query_service, query_service.person(), query_service.person()
    website = service.website(ada, domain=f"{uuid4().hex}.example")
    channel, now = uuid4(), this_moment()
    service.insert("social_channels", {
        "id": channel, "website_id": website, "network": "youtube", "handle": "fjord", "name": "@fjord",
        "added_at": now - timedelta(hours=2),
    })  # fmt: skip
    service.postgres.execute(
        "INSERT INTO social.connection (channel_id, account_id, network, name_sealed, tokens_sealed, connected_at,"
        " checked_at, succeeded_at, next_at, problem, followers, posts, views)"
        " VALUES (%s, %s, 'youtube', %s, 'sealed', %s, %s, %s, %s, %s, 1200, 88, NULL)",
        (
            *(channel, ada.account_id, encrypt_name(service.settings, channel, "@fjord.tests")),
            *(now - timedelta(hours=1), now, now - timedelta(minutes=5)),
            *(None if has_ended else now + timedelta(days=1), problem),
        ),
    )
    answer = service.get(f"{CHANNELS}/connections?websiteId={website}", ada)
    assert answer.status_code == 200, answer.text
    [found] = answer.json()["connections"]
    assert (found["channelId"], found["name"]) == (str(channel), "@fjord.tests")
    assert (found["hasEnded"], found["problem"], found["nextAt"] is None) == (has_ended, problem, has_ended)
    assert (found["followers"], found["posts"], found["views"]) == (1200, 88, None)
    assert found["succeededAt"] < found["checkedAt"] and "sealed" not in answer.text
    assert service.get(f"{CHANNELS}/connections?websiteId={website}", eve).status_code == 404
