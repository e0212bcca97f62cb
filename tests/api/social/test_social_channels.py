"""Social channels over HTTP on a real Postgres: added, renamed, removed, and their tracked links."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.command import World, command_world

__all__ = ["command_world"]
CHANNELS = "/api/platform/social-channels"


def channel(world: World, site: dict[str, Any], **body: Any) -> dict[str, Any]:
    given = {"websiteId": site["id"], "network": "instagram", "handle": "@fjord.tests", **body}
    answer = world.call("POST", CHANNELS, world.owner, json=given)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def test_a_channel_is_added_renamed_and_removed(command_world: World) -> None:
    site = command_world.website()
    made = channel(command_world, site, handle="https://www.instagram.com/Fjord.Tests/?igsh=x")
    assert (made["handle"], made["name"]) == ("fjord.tests", "@fjord.tests")
    assert made["url"] == "https://www.instagram.com/fjord.tests"
    path = f"{CHANNELS}/{made['id']}"
    answer = command_world.call("PATCH", path, command_world.owner, json={"name": "Main account"})
    assert (answer.status_code, answer.json()["name"]) == (200, "Main account")
    assert command_world.call("DELETE", path, command_world.owner).status_code == 204
    assert command_world.call("DELETE", path, command_world.owner).status_code == 404
    names = ["social_channel.added.v1", "social_channel.renamed.v1", "social_channel.removed.v1"]
    assert command_world.events(made["id"]) == names
    assert channel(command_world, site)["handle"] == "fjord.tests", "it may be added again"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"handle": "fjord.tests"}, 409, "channel_exists"),
        ({"handle": "https://www.youtube.com/@fjord"}, 400, "bad_handle"),
        ({"network": "myspace"}, 400, "invalid"),
    ],
)
def test_what_is_no_new_channel_is_refused(command_world: World, body: dict[str, str], status: int, code: str) -> None:
    site = command_world.website()
    channel(command_world, site)
    given = {"websiteId": site["id"], "network": "instagram", "handle": "x", **body}
    answer = command_world.call("POST", CHANNELS, command_world.owner, json=given)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_handles_are_nowhere_in_plain_text(command_world: World) -> None:
    made = channel(command_world, command_world.website(), handle="very_private_name")
    sql = "SELECT count(*) FROM events.stored_events WHERE originator_id = %s AND position(%s::bytea IN state) > 0"
    assert command_world.count(sql, made["id"], b"very_private_name") == 0
    assert command_world.count(sql, made["id"], b"instagram") == 1


def test_one_call_makes_a_link_that_says_where_its_clicks_come_from(command_world: World) -> None:
    site, partner = (
        command_world.website(),
        command_world.partner(slug=f"acme-{command_world.owner.account_id.hex[:6]}"),
    )
    made = channel(command_world, site)
    path = f"{CHANNELS}/{made['id']}/links"
    answer = command_world.call("POST", path, command_world.owner, json={"partnerId": partner["id"]})
    assert answer.status_code == 201, answer.text
    link = answer.json()
    assert link["slug"] == f"ig-{partner['slug']}"[:24].rstrip("-")
    assert (link["websiteId"], link["channelId"], link["destination"]) == (site["id"], made["id"], partner["baseUrl"])
    assert link["utm"] == {"utm_source": "instagram", "utm_medium": "social", "utm_campaign": link["slug"]}
    second = command_world.call("POST", path, command_world.owner, json={"partnerId": partner["id"]}).json()
    assert second["slug"].startswith(f"{link['slug']}-")
    own = {"partnerId": partner["id"], "slug": f"bio-{site['id'][-8:]}", "campaign": "bio"}
    third = command_world.call("POST", path, command_world.owner, json=own).json()
    assert (third["slug"], third["utm"]["utm_campaign"]) == (own["slug"], "bio")
    taken = command_world.call("POST", path, command_world.owner, json=own)
    assert (taken.status_code, taken.json()["code"]) == (409, "slug_taken")


def test_channels_of_others_are_not_there(command_world: World) -> None:
    site, partner = command_world.website(), command_world.partner()
    made, stranger = channel(command_world, site), command_world.person()
    path = f"{CHANNELS}/{made['id']}"
    new = {"websiteId": site["id"], "network": "x", "handle": "eve"}
    calls: list[tuple[str, str, dict[str, Any] | None]] = [
        ("POST", CHANNELS, new),
        ("PATCH", path, {"name": "Mine"}),
        ("DELETE", path, None),
        ("POST", f"{path}/links", {"partnerId": partner["id"]}),
    ]
    for method, address, body in calls:
        answer = command_world.call(method, address, stranger, **({} if body is None else {"json": body}))
        assert answer.status_code == 404, (method, address)
    assert command_world.events(made["id"]) == ["social_channel.added.v1"]
