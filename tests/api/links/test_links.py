"""Links in bulk, their ways, and partners that are removed, over HTTP on a real Postgres."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.command import World, command_world

__all__ = ["command_world"]

BULK = "/api/platform/links/bulk"
ORGANIZE = "/api/platform/links/organize"


def new_link(site: dict[str, Any], partner: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"websiteId": site["id"], "partnerId": partner["id"], **more}


def test_many_links_are_made_in_one_command(command_world: World) -> None:
    site, partner = command_world.website(), command_world.partner()
    links = [new_link(site, partner, slug=f"bulk-{n}", sub1="mail", coupon=f"CODE{n}") for n in range(20)]
    answer = command_world.call("POST", BULK, command_world.owner, json={"links": links})
    assert answer.status_code == 201, answer.text
    made = answer.json()["links"]
    assert [one["slug"] for one in made] == [one["slug"] for one in links]
    assert all(command_world.events(one["id"]) == ["link.created.v1"] for one in made)
    known = command_world.count("SELECT count(*) FROM lookup.link WHERE website_id = %s", site["id"])
    coupons = command_world.count("SELECT count(*) FROM lookup.coupon WHERE website_id = %s", site["id"])
    assert (known, coupons) == (20, 20), "attribution finds them at once"


def test_one_that_cannot_be_made_keeps_all_from_being_made(command_world: World) -> None:
    site, partner = command_world.website(), command_world.partner()
    links = [
        new_link(site, partner, slug="good-one"),
        new_link(site, partner, slug="good-one"),
        new_link(site, partner, destination="https://elsewhere.example/"),
        new_link(site, partner, coupon="SAME"),
        new_link(site, partner, coupon="same"),
        {**new_link(site, partner), "websiteId": partner["id"]},
    ]
    answer = command_world.call("POST", BULK, command_world.owner, json={"links": links})
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_links")
    fields = {error["field"] for error in answer.json()["errors"]}
    assert fields == {"links.1.slug", "links.2.destination", "links.4.coupon", "links.5"}
    assert command_world.count("SELECT count(*) FROM lookup.link WHERE website_id = %s", site["id"]) == 0
    retry = command_world.call("POST", BULK, command_world.owner, json={"links": links[:1]})
    assert retry.status_code == 201, "the slug was not taken by what was refused"


@pytest.mark.parametrize("count", [0, 201])
def test_a_bulk_has_1_to_200_links(command_world: World, count: int) -> None:
    site, partner = command_world.website(), command_world.partner()
    links = [new_link(site, partner)] * count
    assert command_world.call("POST", BULK, command_world.owner, json={"links": links}).status_code == 400


def test_a_stranger_makes_none_for_ones_website(command_world: World) -> None:
    site, partner = command_world.website(), command_world.partner()
    for stranger in (command_world.person(), command_world.admin):
        answer = command_world.call("POST", BULK, stranger, json={"links": [new_link(site, partner)]})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "links.0")


def test_a_links_ways_are_set_changed_and_taken_away(command_world: World) -> None:
    site, partner = command_world.website(), command_world.partner()
    home = partner["baseUrl"].rstrip("/")
    ways: dict[str, Any] = {
        "rules": [{"countries": ["is"], "devices": ["mobile"], "destination": f"{home}/is"}],
        "variants": [{"destination": f"{home}/a", "weight": 1}, {"destination": f"{home}/b", "weight": 2}],
        "expiresAt": "2099-01-01T12:00:00+02:00",
        "fallback": f"https://{site['domain']}/over",
    }
    link = command_world.link(site, partner, **ways)
    path = f"/api/platform/links/{link['id']}"
    assert link["rules"] == [{"countries": ["IS"], "devices": ["mobile"], "destination": f"{home}/is"}]
    own = {"name": "", "partnerId": None, "partnerName": partner["name"], "getsTraffic": True}
    variants = [{**variant, **own, "number": number} for number, variant in enumerate(ways["variants"], 1)]
    assert (link["variants"], link["expiresAt"]) == (variants, "2099-01-01T10:00:00Z")

    def patch(**body: Any) -> Any:
        return command_world.call("PATCH", path, command_world.owner, json=body)

    changed = patch(rules=[], expiresAt=None).json()
    assert (changed["rules"], changed["expiresAt"], changed["fallback"]) == ([], None, ways["fallback"])
    assert changed["variants"] == variants, "what is not named stays"
    named = patch(
        variants=[{**ways["variants"][1], "number": 2, "name": "New page"}, {"destination": home, "weight": 9}]
    )
    assert [(one["number"], one["name"]) for one in named.json()["variants"]] == [(2, "New page"), (3, "")]
    assert patch(fallback=None, variants=[]).json()["fallback"] is None
    refused = patch(rules=[{"devices": ["mobile"], "destination": "https://elsewhere.example/"}])
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "rules.0.destination")
    assert patch(rules=[{"devices": ["fridge"], "destination": home}]).status_code == 400
    assert patch(expiresAt="2020-01-01T00:00:00Z").json()["code"] == "bad_expiry"
    beyond = patch(expiresAt="9999-12-31T23:59:59-12:00")
    assert (beyond.status_code, beyond.json()["errors"][0]["field"]) == (400, "expiresAt")


def test_a_removed_partner_takes_no_new_links_and_is_not_found_again(command_world: World) -> None:
    site, partner = command_world.website(), command_world.partner()
    link = command_world.link(site, partner)
    path = f"/api/admin/partners/{partner['id']}"
    assert command_world.call("DELETE", path, command_world.owner).status_code == 403
    assert command_world.call("DELETE", path, command_world.admin).status_code == 204
    assert command_world.events(partner["id"])[-2:] == ["partner.deactivated.v1", "partner.removed.v1"]
    assert command_world.call("DELETE", path, command_world.admin).status_code == 404
    assert command_world.call("PATCH", path, command_world.admin, json={"isActive": True}).status_code == 404
    more = command_world.call("POST", "/api/platform/links", command_world.owner, json=new_link(site, partner))
    assert more.status_code == 404
    assert command_world.events(link["id"]) == ["link.created.v1"]


def test_links_are_tagged_moved_and_archived_together_and_keep_working(command_world: World) -> None:
    site, partner = command_world.website(), command_world.partner()
    first = command_world.link(site, partner, tags=["Blog ", "blog", "VPN"], folder="Spring")
    second = command_world.link(site, partner)
    assert (first["tags"], first["folder"], first["isArchived"]) == (["Blog", "VPN"], "Spring", False)
    wanted = {"ids": [first["id"], second["id"]], "addTags": ["Mail"], "removeTags": ["vpn"], "isArchived": True}
    answer = command_world.call("POST", ORGANIZE, command_world.owner, json=wanted)
    assert (answer.status_code, answer.json()) == (200, {"changed": 2})
    again = command_world.call("POST", ORGANIZE, command_world.owner, json=wanted)
    assert (again.json(), "X-Position" in again.headers) == ({"changed": 0}, False)
    path = f"/api/platform/links/{first['id']}"
    shown = command_world.call("PATCH", path, command_world.owner, json={"folder": ""}).json()
    assert (shown["tags"], shown["folder"], shown["isArchived"], shown["isActive"]) == (
        ["Blog", "Mail"],
        None,
        True,
        True,
    )


def test_only_ones_own_links_are_organized_and_all_of_them_or_none(command_world: World) -> None:
    mine = command_world.link(command_world.website(), partner := command_world.partner())
    stranger = command_world.person()
    foreign = command_world.call(
        "POST",
        "/api/platform/links",
        stranger,
        json=new_link(command_world.website(stranger), partner),
    ).json()
    wanted = {"ids": [mine["id"], foreign["id"]], "addTags": ["x"]}
    answer = command_world.call("POST", ORGANIZE, command_world.owner, json=wanted)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert command_world.events(mine["id"]) == ["link.created.v1"] == command_world.events(foreign["id"])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"tags": ["a" * 41]}, "tags"),
        ({"tags": ["a,b"]}, "tags"),
        ({"tags": [f"t{number}" for number in range(21)]}, "tags"),
        ({"folder": "a\u202eb"}, "folder"),
    ],
)
def test_bad_labels_are_named(command_world: World, change: dict[str, Any], field: str) -> None:
    link = command_world.link(command_world.website(), command_world.partner())
    answer = command_world.call("PATCH", f"/api/platform/links/{link['id']}", command_world.owner, json=change)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)


def test_a_link_moves_to_any_partner_of_the_account_and_to_no_other(command_world: World) -> None:
    site, partner, stranger = command_world.website(), command_world.partner(), command_world.person()
    link = command_world.link(site, partner)
    path, more = f"/api/platform/links/{link['id']}", "/api/platform/partners"
    own = {"name": "Own program", "baseUrl": "https://own-program.example/", "commission": 10}
    mine = command_world.call("POST", more, command_world.owner, json=own).json()
    foreign = command_world.call("POST", more, stranger, json=own).json()
    inactive = command_world.partner(isActive=False)

    def move(to: dict[str, Any], **body: Any) -> tuple[int, str | None]:
        answer = command_world.call("PATCH", path, command_world.owner, json={"partnerId": to["id"], **body})
        return answer.status_code, answer.json().get("code")

    assert move(foreign) == (404, "not_found")
    assert move(inactive) == (409, "partner_inactive")
    assert move(mine, destination=partner["baseUrl"]) == (400, "foreign_destination")
    assert move(mine, destination="https://own-program.example/deal") == (200, None)
    assert command_world.events(link["id"]) == ["link.created.v1", "link.updated.v1"]
    led = command_world.count(
        "SELECT count(*) FROM lookup.link_former_partner WHERE link_id = %s AND partner_id = %s",
        link["id"],
        partner["id"],
    )
    now = command_world.count(
        "SELECT count(*) FROM lookup.link WHERE link_id = %s AND partner_id = %s", link["id"], mine["id"]
    )
    assert (led, now) == (1, 1)
    assert command_world.call("PATCH", path, stranger, json={"partnerId": partner["id"]}).status_code == 404
