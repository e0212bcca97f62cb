"""A CSV file of links over HTTP: what it would do, all of it or nothing, and once however often it is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from command_api.links import lookups as link_lookups
from infra.kernel.config.settings import Settings
from tests.api.kernel.test_command_races import at_once
from tests.support.command import Person
from tests.support.policies import Policies, policies, project

IMPORT = "/api/platform/links/import"


@pytest.fixture(scope="module")
def led(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Policies]:
    with policies(embedded_postgres, embedded_clickhouse) as made:
        yield made


class Shop:
    """A website and two partners with slugs of their own, as the projections have them."""

    def __init__(self, led: Policies) -> None:
        self.led, self.world, self.mark = led, led.world, uuid4().hex[:8]
        self.domain = f"{self.mark}.example"
        self.site = self.world.website(domain=self.domain)
        self.partner = self.world.partner(slug=f"good-{self.mark}")
        self.other = self.world.partner(slug=f"other-{self.mark}", baseUrl="https://other-program.example/")
        self.project()

    def project(self) -> None:
        self.led.relayed()
        project(self.world, "links", "link_changes", "partners", "websites")

    def file(self, *lines: str) -> str:
        """`$` is the mark of this shop."""
        return "\n".join(["slug,partner,destination,tags,state", *lines]).replace("$", self.mark)

    def post(
        self, path: str, csv: str, person: Person | None = None, key: str | None = None, **more: Any
    ) -> httpx2.Response:
        headers = {"Idempotency-Key": key} if key else {}
        body = {"websiteId": self.site["id"], "csv": csv, **more}
        return self.world.call("POST", path, person or self.world.owner, json=body, headers=headers)

    def links(self) -> list[tuple[str, str, list[str], bool]]:
        self.project()
        rows = self.world.postgres.execute(
            "SELECT slug, destination, tags, is_active FROM read.links WHERE website_id = %s ORDER BY slug",
            (self.site["id"],),
        ).fetchall()
        return [(slug, destination, tags, is_active) for slug, destination, tags, is_active in rows]


def test_a_file_of_links_is_planned_and_then_imported_once(led: Policies) -> None:
    shop = Shop(led)
    text = shop.file(
        "$-a,good-$,https://www.good-vpn.example/a,🎁 gifts,on", f"$-b,{shop.other['name']},,,off", "", "$-c,good-$,,,"
    )
    plan = shop.post(f"{IMPORT}/plan", text)
    assert plan.status_code == 200, plan.text
    found = plan.json()
    assert (found["created"], found["changed"], found["unchanged"], found["refused"]) == (3, 0, 0, 0)
    assert [(line["line"], line["outcome"]) for line in found["lines"]] == [(2, "new"), (3, "new"), (5, "new")]
    assert found["lines"][1]["destination"] == "https://other-program.example/"
    assert shop.links() == [], "a plan creates nothing"

    key = uuid4().hex
    done = shop.post(IMPORT, text, key=key)
    assert (done.status_code, done.json()) == (200, {"created": 3, "changed": 0, "unchanged": 0}), done.text
    assert shop.post(IMPORT, text, key=key).json() == done.json()
    assert shop.links() == [
        (f"{shop.mark}-a", "https://www.good-vpn.example/a", ["🎁 gifts"], True),
        (f"{shop.mark}-b", "https://other-program.example/", [], False),
        (f"{shop.mark}-c", "https://www.good-vpn.example/", [], True),
    ]
    again = shop.post(IMPORT, text)
    assert (again.status_code, again.json()["code"]) == (400, "bad_lines"), "every slug is taken now"
    assert len(shop.links()) == 3


def test_nothing_is_imported_when_half_of_the_slugs_are_taken_and_each_is_named(led: Policies) -> None:
    shop = Shop(led)
    stranger = shop.world.person()
    own = [f"{shop.mark}-{number}" for number in range(0, 20, 4)]
    foreign = [f"{shop.mark}-{number}" for number in range(2, 20, 4)]
    for slug in own:
        shop.world.link(shop.site, shop.partner, slug=slug)
    other_site = shop.world.website(stranger)
    for slug in foreign:
        body = {"websiteId": other_site["id"], "partnerId": shop.partner["id"], "slug": slug}
        assert shop.world.call("POST", "/api/platform/links", stranger, json=body).status_code == 201
    before = shop.links()
    text = shop.file(*[f"$-{number},good-$,,," for number in range(20)])
    plan = shop.post(f"{IMPORT}/plan", text).json()
    assert (plan["created"], plan["refused"]) == (10, 10)
    refused = {line["slug"]: line for line in plan["lines"] if line["outcome"] == "refused"}
    assert sorted(refused) == sorted([*own, *foreign])
    assert [line["outcome"] for line in plan["lines"][:10]] == ["refused"] * 10
    assert refused[own[0]]["message"] == f"You already have a link {own[0]}."
    assert refused[foreign[0]]["message"] == f"The slug {foreign[0]} is taken."
    assert {tuple(line["columns"]) for line in refused.values()} == {("slug",)}

    answer = shop.post(IMPORT, text)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_lines")
    assert answer.json()["message"] == "10 of 20 lines can't be imported; nothing was imported."
    named = {error["field"] for error in answer.json()["errors"]}
    assert named == {f"lines.{line['line']}.slug" for line in refused.values()}
    assert shop.links() == before


def test_a_file_changes_own_links_where_that_is_wished(led: Policies) -> None:
    shop = Shop(led)
    shop.world.link(shop.site, shop.partner, slug=f"{shop.mark}-a")
    shop.world.link(shop.site, shop.partner, slug=f"{shop.mark}-b")
    text = shop.file(
        "$-a,other-$,https://other-program.example/x,Moved,off", "$-b,good-$,https://www.good-vpn.example/,,on"
    )
    plan = shop.post(f"{IMPORT}/plan", text, updatesExisting=True).json()
    assert (plan["created"], plan["changed"], plan["unchanged"], plan["refused"]) == (0, 1, 1, 0)
    assert plan["lines"][0]["columns"] == ["partner", "destination", "tags", "state"]
    assert shop.post(IMPORT, text, updatesExisting=True).json() == {"created": 0, "changed": 1, "unchanged": 1}
    assert shop.links() == [
        (f"{shop.mark}-a", "https://other-program.example/x", ["Moved"], False),
        (f"{shop.mark}-b", "https://www.good-vpn.example/", [], True),
    ]


def test_lines_that_lead_astray_or_name_what_is_not_there_are_refused_by_column(led: Policies) -> None:
    shop = Shop(led)
    off = shop.world.partner(slug=f"off-{shop.mark}", isActive=False)
    shop.project()
    text = shop.file(
        "$-a,good-$,https://evil.example/,,",
        "$-b,nobody,,,",
        f"$-c,{off['name']},,,",
        "$-d,,,,",
        "$-e,good-$,,,paused",
        "$-f,good-$,,,",
        "$-f,good-$,,,",
    )
    plan = shop.post(f"{IMPORT}/plan", text).json()
    found = {line["line"]: (line["columns"], line["message"]) for line in plan["lines"] if line["message"]}
    assert found == {
        2: (["destination"], "The destination must be on good-vpn.example, the partner's domain."),
        3: (["partner"], "There is no partner “nobody”."),
        4: (["partner"], f"{off['name']} does not accept new links."),
        5: (["partner"], "Enter the partner, by slug or name."),
        6: (["state"], "“paused” is none of on, off."),
        8: (["slug"], "Line 7 has the same slug."),
    }
    site = f"slug,partner,website\n{shop.mark}-g,good-{shop.mark},of-nobody.example"
    [line] = shop.post(f"{IMPORT}/plan", site).json()["lines"]
    assert (line["columns"], line["message"]) == (["website"], "You have no such website.")


def test_a_thousand_links_are_imported_and_one_more_is_too_many(led: Policies) -> None:
    shop = Shop(led)
    lines = [f"$-{number},good-$,https://www.good-vpn.example/page/{number},," for number in range(1_000)]
    assert shop.post(IMPORT, shop.file(*lines)).json() == {"created": 1_000, "changed": 0, "unchanged": 0}
    assert len(shop.links()) == 1_000
    over = shop.post(f"{IMPORT}/plan", shop.file(*lines, "$-x,good-$,,,"))
    assert (over.status_code, over.json()["code"]) == (400, "too_many_lines")
    thrice = shop.file(*[f"$-t{number},good-$,,,off" for number in range(1_000)])
    many = shop.post(IMPORT, thrice)
    assert (many.status_code, many.json()["code"]) == (409, "too_many_changes")
    assert len(shop.links()) == 1_000


def test_a_file_is_for_ones_own_website_alone(led: Policies) -> None:
    shop = Shop(led)
    eve = shop.world.person()
    for path in (IMPORT, f"{IMPORT}/plan"):
        assert shop.post(path, shop.file("$-a,good-$,,,"), person=eve).status_code == 404
    anonymous = shop.world.call("POST", IMPORT, json={"websiteId": shop.site["id"], "csv": shop.file()})
    assert anonymous.status_code == 401


def test_a_file_that_is_sent_several_times_at_once_is_imported_once(led: Policies) -> None:
    shop = Shop(led)
    text = shop.file(*[f"$-{number},good-$,,," for number in range(40)])
    answers = at_once(lambda _: shop.post(IMPORT, text), 6)
    statuses = Counter(answer.status_code for answer in answers)
    assert statuses[200] == 1, statuses
    assert {answer.json()["code"] for answer in answers if answer.status_code != 200} <= {"bad_lines", "busy"}
    assert len(shop.links()) == 40
    assert shop.world.count("SELECT count(*) FROM lookup.link WHERE website_id = %s", shop.site["id"]) == 40


def test_an_import_that_ends_in_a_refusal_leaves_nothing_behind(led: Policies, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop(led)
    text = shop.file("$-a,good-$,,,", "$-b,good-$,,,")
    with monkeypatch.context() as patched:
        patched.setattr(link_lookups, "MAX_LINKS", 1)
        refused = shop.post(IMPORT, text)
    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_links")
    assert shop.links() == []
    assert shop.post(IMPORT, text).json() == {"created": 2, "changed": 0, "unchanged": 0}
