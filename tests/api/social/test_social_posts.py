"""Posts of social channels and files of figures over HTTP on a real Postgres."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from tests.api.social.test_social_channels import CHANNELS, channel
from tests.support.command import World, command_world

__all__ = ["command_world"]
POSTS = "/api/platform/social-posts"
NEW = {"address": "https://www.instagram.com/fjord/p/DAbCdEf/?igsh=x", "publishedAt": "2026-11-01T12:00:00Z"}
EXPORT = (
    "Post ID,Account username,Description,Publish time,Permalink,Views,Reach,Likes,Comments\n"
    "1,fjord,Old title,11/01/2026 05:00,https://www.instagram.com/p/DAbCdEf/,900,800,30,2\n"
    "2,fjord,New knives,11/02/2026 05:00,https://www.instagram.com/reel/DAbCdEg/,400,300,3,1\n"
)
CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("PATCH", "", {"json": {"title": "Mine"}}),
    ("POST", "/images", {"content": b"x", "headers": {"content-type": "image/png"}}),
    ("DELETE", "/images", {}),
    ("DELETE", "", {}),
]


def post(world: World, of: dict[str, Any], **body: Any) -> dict[str, Any]:
    answer = world.call("POST", f"{CHANNELS}/{of['id']}/posts", world.owner, json={**NEW, **body})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def test_a_post_is_added_changed_linked_and_removed(command_world: World) -> None:
    world = command_world
    of = channel(world, world.website())
    made = post(world, of, title="Knives")
    assert (made["address"], made["title"]) == ("https://www.instagram.com/p/DAbCdEf/", "Knives")
    again = world.call("POST", f"{CHANNELS}/{of['id']}/posts", world.owner, json=NEW)
    assert (again.status_code, again.json()["code"]) == (409, "post_exists")
    path = f"{POSTS}/{made['id']}"
    assert world.call("PATCH", path, world.owner, json={"title": "Forks"}).json()["title"] == "Forks"
    body = {"partnerId": world.partner()["id"], "postId": made["id"]}
    linked = world.call("POST", f"{CHANNELS}/{of['id']}/links", world.owner, json=body)
    assert linked.json()["utm"]["utm_content"] == made["utmContent"]
    drawn = BytesIO()
    Image.new("RGB", (8, 8)).save(drawn, "PNG")
    sent = {"content": drawn.getvalue(), "headers": {"content-type": "image/png"}}
    pictured = world.call("POST", f"{path}/images", world.owner, **sent)
    assert pictured.status_code == 200, pictured.text
    stored = "SELECT count(*) FROM social.post_image WHERE post_id = %s AND hash = %s"
    assert world.count(stored, made["id"], pictured.json()["picture"]) == 1
    assert world.call("DELETE", path, world.owner).status_code == 204
    assert world.count("SELECT count(*) FROM social.post_image WHERE post_id = %s", made["id"]) == 0
    assert post(world, of)["id"] == made["id"], "it may be added again"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"address": "https://www.tiktok.com/@fjord/video/7300000000000000000"}, "bad_post_address"),
        ({"publishedAt": "1999-01-01T00:00:00Z"}, "bad_time"),
        ({"title": "x" * 201}, "bad_title"),
    ],
)
def test_what_is_no_post_of_the_channel_is_refused(command_world: World, body: dict[str, str], code: str) -> None:
    of = channel(command_world, command_world.website())
    answer = command_world.call("POST", f"{CHANNELS}/{of['id']}/posts", command_world.owner, json={**NEW, **body})
    assert (answer.status_code, answer.json()["code"]) == (400, code)


def test_a_file_is_counted_once_and_keeps_what_its_owner_wrote(command_world: World) -> None:
    world = command_world
    of = channel(world, world.website())
    made = post(world, of, title="Knives")
    path = f"{CHANNELS}/{of['id']}/figures"
    first = world.call("POST", path, world.owner, json={"csv": EXPORT})
    assert first.status_code == 200, first.text
    assert first.json() == {"days": 0, "postsAdded": 1, "postsChanged": 2, "leftOut": 0}
    events = ["social_post.added.v1", "social_post.figures_recorded.v1"]
    assert world.events(made["id"]) == events
    second = world.call("POST", path, world.owner, json={"csv": EXPORT})
    assert second.json() == {"days": 0, "postsAdded": 0, "postsChanged": 0, "leftOut": 0}
    assert world.events(made["id"]) == events
    other = world.call("POST", path, world.owner, json={"csv": "Date,Video Views\n2026-11-01,4\n"})
    assert (other.status_code, other.json()["code"]) == (400, "other_network")
    assert "looks like an export of TikTok" in other.text


def test_posts_of_others_are_not_there(command_world: World) -> None:
    world = command_world
    of, stranger = channel(world, world.website()), world.person()
    made = post(world, of)
    for method, suffix, sent in CALLS:
        assert world.call(method, f"{POSTS}/{made['id']}{suffix}", stranger, **sent).status_code == 404, (
            method,
            suffix,
        )
    for suffix, body in (("posts", NEW), ("figures", {"csv": EXPORT})):
        answer = world.call("POST", f"{CHANNELS}/{of['id']}/{suffix}", stranger, json=body)
        assert answer.status_code == 404, suffix
    assert world.events(made["id"]) == ["social_post.added.v1"]
    second = channel(world, world.website(), handle="other.fjord")
    body = {"partnerId": world.partner()["id"], "postId": made["id"]}
    assert world.call("POST", f"{CHANNELS}/{second['id']}/links", world.owner, json=body).status_code == 404
