"""Connections of channels to YouTube and Instagram, against a local server that speaks their protocols."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from command_api.kernel.process_manager import ProcessWorker
from command_api.processes import process_managers
from command_api.social.connections.process import social_readings
from command_api.social.connections.routes import READS
from command_api.social.network_client import NetworkClient
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.config.settings import Settings
from tests.support.command import Person, World, world
from tests.support.people import member
from tests.support.social_network_server import SocialNetworks, social_networks

CHANNELS = "/api/platform/social-channels"
FLOWS = "SELECT count(*) FROM social.connection_flow WHERE account_id = %s"
TIMEOUTS = "SELECT count(*) FROM kernel.timeout WHERE process = 'social-readings' AND id = %s"


@dataclass
class Installation:
    """A world whose networks are the server."""

    world: World
    server: SocialNetworks

    def channel(self, network: str = "youtube", person: Person | None = None) -> str:
        site = self.world.website(person)
        given = {"websiteId": site["id"], "network": network, "handle": "@fjord.tests"}
        answer = self.world.call("POST", CHANNELS, person or self.world.owner, json=given)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def start(self, channel: str, person: Person | None = None) -> dict[str, str]:
        answer = self.world.call("POST", f"{CHANNELS}/{channel}/connection", person or self.world.owner)
        assert answer.status_code == 200, answer.text
        return self.server.permit(answer.json()["url"])

    def complete(self, back: dict[str, str], person: Person | None = None) -> Any:
        return self.world.call("POST", f"{CHANNELS}/connections", person or self.world.owner, json=back)

    def connected(self, network: str = "youtube", person: Person | None = None) -> str:
        channel = self.channel(network, person)
        answer = self.complete(self.start(channel, person), person)
        assert answer.status_code == 201, answer.text
        return channel

    def read(self, now: datetime | None = None) -> None:
        """Runs the readings that are due at that time."""
        at = now or datetime.now(UTC)
        manager = social_readings(self.world.core, NetworkClient.of(self.world.settings))
        ProcessWorker(self.world.core, [manager], now=lambda: at).run_once()

    def row(self, channel: str) -> dict[str, Any]:
        names = ("problem", "failures", "followers", "posts", "views", "next_at", "tokens_sealed")
        row = self.world.postgres.execute(
            "SELECT problem, failures, followers, posts, views, next_at, tokens_sealed FROM social.connection"
            " WHERE channel_id = %s",
            (channel,),
        ).fetchone()
        return dict(zip(names, row, strict=True)) if row is not None else {}


@pytest.fixture(scope="module")
def base(embedded_postgres: Settings) -> Iterator[Installation]:
    with social_networks() as server:
        settings: Any = server.settings()
        with world(replace(embedded_postgres, **settings)) as made:
            yield Installation(made, server)


@pytest.fixture
def installation(base: Installation) -> Installation:
    """As it should behave; channels of tests before are gone."""
    base.world.postgres.execute("DELETE FROM social.connection")
    base.world.postgres.execute("DELETE FROM kernel.timeout WHERE process = 'social-readings'")
    base.world.postgres.execute("DELETE FROM kernel.rate_limit")
    server = base.server
    server.answers, server.headers, server.subscribers, server.views = {}, {}, 1200, 50_000
    server.asked.clear()
    return base


@pytest.mark.parametrize(("network", "posts", "views"), [("youtube", 2, 50_000), ("instagram", 1, None)])
def test_a_connected_channel_is_read_and_its_tokens_are_nowhere_in_plain_text(
    installation: Installation, network: str, posts: int, views: int | None
) -> None:
    made, server = installation.world, installation.server
    channel = installation.connected(network)
    installation.read()
    found = installation.row(channel)
    assert (found["followers"], found["views"], found["problem"]) == (1200, views, None)
    added = "SELECT count(*) FROM lookup.social_post WHERE channel_id = %s"
    assert made.count(added, channel) == posts
    assert "social_channel.connected.v1" in made.events(channel)
    dump = made.postgres.execute("SELECT string_agg(c::text, '') FROM social.connection AS c").fetchone()
    assert dump is not None and not any(token in dump[0] for token in server.tokens)
    sql = "SELECT count(*) FROM events.stored_events WHERE position('token-'::bytea IN state) > 0"
    assert made.count(sql) == 0
    installation.read(datetime.now(UTC) + timedelta(days=1, minutes=1))
    assert made.count(added, channel) == posts, "read again, nothing is added twice"


def test_the_answer_of_a_network_works_once_and_only_in_the_session_that_began(installation: Installation) -> None:
    made = installation.world
    channel, stranger = installation.channel(), made.person()
    back = installation.start(channel)
    assert installation.complete({**back, "state": "x" * 43}).json()["code"] == "connection_ended"
    other = installation.complete(back, stranger)
    assert (other.status_code, other.json()["code"]) == (400, "connection_ended")
    assert installation.complete(back).status_code == 201, "the attempt of another session does not use it up"
    assert installation.complete(back).json()["code"] == "connection_ended"
    # A code that the network knows not, or not any more.
    again = installation.complete({**installation.start(channel), "code": back["code"]})
    assert (again.status_code, again.json()["code"]) == (400, "connection_refused")


def test_what_is_another_member_s_cannot_be_connected_read_or_disconnected(installation: Installation) -> None:
    channel, stranger = installation.connected(), installation.world.person()
    path = f"{CHANNELS}/{channel}/connection"
    for method, address in (("POST", path), ("POST", f"{path}/read"), ("DELETE", path)):
        assert installation.world.call(method, address, stranger).status_code == 404, (method, address)
    assert installation.row(channel)["tokens_sealed"] and not installation.server.revoked


def test_answers_that_are_too_large_or_lead_elsewhere_connect_nothing(installation: Installation) -> None:
    channel, server = installation.channel(), installation.server
    for answer in ((200, b" " * 10 * 1024 * 1024), (302, {}), (200, ["x"]), (200, {"access_token": 7}), (503, {})):
        server.answers = {"/token": answer}
        server.headers = {"Location": "http://169.254.169.254/latest/meta-data"}
        found = installation.complete(installation.start(channel))
        assert (found.status_code, found.json()["code"]) == (503, "network_unavailable"), answer[0]
    assert installation.row(channel) == {}


def test_a_limit_is_respected_and_after_an_ended_permission_nothing_is_read(installation: Installation) -> None:
    channel, server, now = installation.connected(), installation.server, datetime.now(UTC)
    server.answers = {"/youtube/v3/channels": (403, {"error": {"errors": [{"reason": "quotaExceeded"}]}})}
    server.headers = {"Retry-After": "7200"}
    installation.read(now)
    found = installation.row(channel)
    assert "limit" in found["problem"] and found["failures"] == 1
    assert found["next_at"] == now + timedelta(hours=2)
    server.answers, server.headers = {}, {}
    server.tokens.clear()
    installation.read(now + timedelta(hours=2))
    found = installation.row(channel)
    assert found["tokens_sealed"] is None and found["next_at"] is None
    assert installation.world.events(channel)[-1] == "social_channel.disconnected.v1"
    server.asked.clear()
    installation.read(now + timedelta(days=3))
    assert server.asked == []
    assert installation.complete(installation.start(channel)).status_code == 201, "it can be connected again"


def test_views_of_a_day_follow_from_two_totals(installation: Installation) -> None:
    channel, server, now = installation.connected(), installation.server, datetime.now(UTC)
    installation.read(now)
    server.views += 340
    installation.read(now + timedelta(days=1))
    sql = "SELECT convert_from(state, 'UTF8')::jsonb -> 'days' FROM events.stored_events" + (
        " WHERE topic = 'social_channel.figures_recorded.v1'"
        " AND convert_from(state, 'UTF8')::jsonb ->> 'channel_id' = %s ORDER BY originator_version DESC LIMIT 1"
    )
    row = installation.world.postgres.execute(sql.encode(), (channel,)).fetchone()
    assert row is not None
    assert [(day["day"], day["views"]) for day in row[0] if day["views"] is not None] == [(str(now.date()), 340)]


def test_disconnecting_revokes_and_deletes_and_removing_the_channel_deletes(installation: Installation) -> None:
    made, channel = installation.world, installation.connected()
    assert made.call("DELETE", f"{CHANNELS}/{channel}/connection", made.owner).status_code == 204
    assert len(installation.server.revoked) == 1 and installation.row(channel) == {}
    assert made.call("DELETE", f"{CHANNELS}/{channel}/connection", made.owner).status_code == 404
    removed = installation.connected("instagram")
    assert made.call("DELETE", f"{CHANNELS}/{removed}", made.owner).status_code == 204
    assert installation.row(removed) == {}
    installation.server.asked.clear()
    installation.read(datetime.now(UTC) + timedelta(days=2))
    assert installation.server.asked == []


def test_disconnecting_the_website_deletes_the_tokens(installation: Installation) -> None:
    made, channel = installation.world, installation.connected()
    site = made.postgres.execute(
        "SELECT website_id FROM lookup.social_channel WHERE channel_id = %s", (channel,)
    ).fetchone()
    assert site is not None
    assert made.call("DELETE", f"/api/platform/websites/{site[0]}", made.owner).status_code == 204
    assert installation.row(channel) == {} and made.count(TIMEOUTS, channel) == 0


def test_erasing_the_account_deletes_tokens_and_connections_that_have_begun(installation: Installation) -> None:
    made, ada = installation.world, member(installation.world)
    site = ada.call("POST", "/api/platform/websites", json={"domain": "ada.example"}).json()
    given = {"websiteId": site["id"], "network": "youtube", "handle": "@ada.tests"}
    channel = ada.call("POST", CHANNELS, json=given).json()["id"]
    back = installation.server.permit(ada.call("POST", f"{CHANNELS}/{channel}/connection").json()["url"])
    assert ada.call("POST", f"{CHANNELS}/connections", json=back).status_code == 201
    ada.call("POST", f"{CHANNELS}/{channel}/connection")
    assert installation.row(channel)["tokens_sealed"] and made.count(FLOWS, ada.id) == 1
    erased = ada.call("POST", "/api/platform/erase", json={"password": ada.password})
    assert erased.status_code == 204, erased.text
    assert installation.row(channel) == {} and made.count(FLOWS, ada.id) == 0
    assert made.count(TIMEOUTS, channel) == 0, "nothing is read any more"


def test_read_now_is_due_at_once_and_limited_by_channel(installation: Installation) -> None:
    made, channel, other = installation.world, installation.connected(), installation.connected("instagram")
    installation.read()
    before = installation.row(channel)["next_at"]
    path = f"{CHANNELS}/{channel}/connection/read"
    answers = [made.call("POST", path, made.owner).status_code for _ in range(READS.burst + 1)]
    assert answers == [202] * READS.burst + [429]
    assert installation.row(channel)["next_at"] < before
    assert made.call("POST", f"{CHANNELS}/{other}/connection/read", made.owner).status_code == 202
    installation.server.asked.clear()
    installation.read(datetime.now(UTC) + timedelta(seconds=1))
    assert installation.server.asked.count("/youtube/v3/channels") == 1, "requested often, read once"


def test_without_settings_nothing_can_be_connected_or_read(installation: Installation) -> None:
    made, off = installation.world, dict.fromkeys(installation.server.settings())
    settings: Any = off
    core = replace(made.core, settings=replace(made.settings, **settings))
    names = [each.name for each in process_managers(core, ClientPool(core.settings, 1), made.log)]
    assert "social-readings" not in names
    channel = installation.channel("tiktok")
    answer = made.call("POST", f"{CHANNELS}/{channel}/connection", made.owner)
    assert (answer.status_code, answer.json()["code"]) == (400, "not_configured")
