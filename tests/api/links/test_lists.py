"""Lists of links: search, labels, order, range and the clicks of one link, on real Postgres and ClickHouse."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from psycopg.types.json import Jsonb

from tests.support.query import Person, QueryService, event, query_service, this_moment

__all__ = ["query_service"]
LINKS = "/api/platform/links"


class Own:
    """A website of Ada's with four links: `a` to `d`; `d` is archived."""

    def __init__(self, service: QueryService) -> None:
        self.service, self.ada, self.eve = service, service.person(), service.person()
        self.website = service.website(self.ada, domain=f"{uuid4().hex}.example")
        self.partner, self.other = service.partner("Acme"), service.partner("Wool")
        self.mark = uuid4().hex[:8]
        now = this_moment()
        kept: dict[str, dict[str, Any]] = {
            "a": {"tags": ["blog", "mail"], "folder": "Spring"},
            "b": {"tags": ["blog"], "partner_id": self.other},
            "c": {"destination": "https://partner.example/deal"},
            "d": {"is_archived": True, "tags": ["blog"]},
        }
        self.ids = {name: uuid4() for name in kept}
        for number, (name, more) in enumerate(kept.items()):
            service.insert("links", {
                "id": self.ids[name], "slug": f"{name}-{self.mark}", "code": self.ids[name].int % 2**47,
                "website_id": self.website, "partner_id": self.partner, "destination": "https://partner.example/",
                "subs": "{}", "is_active": True, "created_at": now - timedelta(hours=number), **more,
            })  # fmt: skip
        clicks = {"a": 1, "b": 3, "c": 2}
        whole: dict[str, Any] = {"partner_id": self.partner}
        recent = [(name, now - timedelta(minutes=at)) for name, count in clicks.items() for at in range(1, count + 1)]
        service.events([
            event(self.website, at, visitor=number, link_id=self.ids[name], **whole)
            for number, (name, at) in enumerate([*recent, ("a", now - timedelta(days=20))])
        ])  # fmt: skip

    def named(self, query: str = "", person: Person | None = None) -> list[str]:
        answer = self.service.get(f"{LINKS}?websiteId={self.website}&{query}", person or self.ada)
        assert answer.status_code == 200, answer.text
        return [one["slug"][0] for one in answer.json()]


@pytest.fixture(scope="module")
def own(query_service: QueryService) -> Own:
    return Own(query_service)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", "abc"),
        ("archived=include", "abcd"),
        ("archived=only", "d"),
        ("tag=blog", "ab"),
        ("tag=blog&archived=include", "abd"),
        ("folder=Spring", "a"),
        ("folder=", "bc"),
        ("search=DEAL", "c"),
        ("search=wool", "b"),
        ("search=spring", "a"),
        ("search=100%25", ""),
        ("sort=slug", "abc"),
        ("sort=clicks", "bac"),
        ("sort=clicks&timeRange=7d", "bca"),
        ("sort=epc", "abc"),
    ],
)
def test_links_are_found_and_sorted(own: Own, query: str, names: str) -> None:
    assert own.named(query) == list(names)


def test_figures_are_those_of_the_range(own: Own) -> None:
    def clicks(query: str) -> dict[str, int]:
        answer = own.service.get(f"{LINKS}?websiteId={own.website}&{query}", own.ada)
        return {one["slug"][0]: one["clicks"] for one in answer.json()}

    assert clicks("") == {"a": 2, "b": 3, "c": 2}
    assert clicks("timeRange=7d") == {"a": 1, "b": 3, "c": 2}
    assert clicks("timeRange=all") == clicks("")
    assert clicks("timeRange=custom&from=2020-01-01&to=2020-01-02") == {"a": 0, "b": 0, "c": 0}


def test_a_sorted_list_is_read_page_by_page(own: Own) -> None:
    found, path = list[str](), f"{LINKS}?websiteId={own.website}&sort=clicks&limit=2"
    while path:
        answer = own.service.get(path, own.ada)
        found += [one["slug"][0] for one in answer.json()]
        path = answer.links["next"]["url"] if "next" in answer.links else ""
    assert found == ["b", "a", "c"]


def test_a_link_says_whether_it_passes_the_click_id(own: Own) -> None:
    service, ada = own.service, own.ada
    path = f"{LINKS}/{own.ids['b']}"
    assert service.get(path, ada).json()["passesClickId"] is False
    service.postgres.execute("UPDATE read.partners SET postback_preset = 'cj' WHERE id = %s", (own.other,))
    assert service.get(path, ada).json()["passesClickId"] is True
    partner = next(one for one in service.get("/api/platform/partners", ada).json() if one["id"] == str(own.other))
    assert partner["clickIdParameter"] == "sid"
    service.postgres.execute("UPDATE read.partners SET click_id_parameter = 'own' WHERE id = %s", (own.other,))
    admin = service.get("/api/admin/partners", service.person("admin")).json()
    shown = next(one for one in admin if one["id"] == str(own.other))
    assert (shown["clickIdParameter"], shown["ownClickIdParameter"]) == ("own", "own")


def test_labels_are_counted(own: Own) -> None:
    labels = own.service.get(f"{LINKS}/labels?websiteId={own.website}", own.ada).json()
    assert labels == {
        "tags": [{"name": "blog", "links": 3}, {"name": "mail", "links": 1}],
        "folders": [{"name": "Spring", "links": 1}],
    }


def test_the_clicks_of_a_link_are_its_owners(own: Own) -> None:
    path = f"{LINKS}/{own.ids['b']}/clicks"
    clicks = own.service.get(f"{path}?limit=2", own.ada)
    assert len(clicks.json()) == 2 and "next" in clicks.links
    assert {UUID(one["linkId"]) for one in clicks.json()} == {own.ids["b"]}
    assert own.service.get(path, own.eve).status_code == 404
    assert own.service.get(f"{LINKS}/{uuid4()}/clicks", own.ada).status_code == 404


def test_nobody_else_sees_links_or_labels(own: Own) -> None:
    for path in (LINKS, f"{LINKS}/labels"):
        assert own.service.get(f"{path}?websiteId={own.website}", own.eve).status_code == 404
    assert own.service.get(LINKS, own.eve).json() == []
    assert own.service.get(f"{LINKS}/labels", own.eve).json() == {"tags": [], "folders": []}


@pytest.mark.parametrize("query", ["sort=best", "archived=maybe", "timeRange=year", "limit=0", "colour=red"])
def test_what_makes_no_sense_is_refused(own: Own, query: str) -> None:
    assert own.service.get(f"{LINKS}?websiteId={own.website}&{query}", own.ada).status_code == 400


def test_the_file_has_all_links_that_match_and_none_of_others(own: Own) -> None:
    def lines(query: str, person: Person | None = None) -> list[dict[str, str]]:
        answer = own.service.get(f"{LINKS}.csv?{query}", person or own.ada)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-disposition"] == 'attachment; filename="links.csv"'
        return list(csv.DictReader(io.StringIO(answer.text)))

    found = lines(f"websiteId={own.website}&archived=include")
    assert [line["slug"][0] for line in found] == list("abcd")
    assert {name: found[0][name] for name in ("website", "partner_name", "tags", "folder", "state", "archived")} == {
        "website": own.service.get("/api/platform/websites", own.ada).json()[0]["domain"],
        "partner_name": "Acme",
        "tags": "blog, mail",
        "folder": "Spring",
        "state": "on",
        "archived": "no",
    }
    assert found[0]["address"].endswith(f"/go/a-{own.mark}")
    assert (found[3]["archived"], found[1]["partner_name"]) == ("yes", "Wool")
    assert [line["slug"][0] for line in lines("tag=blog")] == list("ab")
    assert [line["slug"][0] for line in lines(f"partnerId={own.other}&search=b-")] == ["b"]
    assert lines("", own.eve) == []
    assert own.service.get(f"{LINKS}.csv?websiteId={own.website}", own.eve).status_code == 404


def test_a_file_longer_than_a_page_has_each_link_once(query_service: QueryService) -> None:
    ada = query_service.person()
    website, partner = query_service.website(ada, domain=f"{uuid4().hex}.example"), query_service.partner("Acme")
    mark, now = uuid4().hex[:8], this_moment()
    for number in range(1_203):
        query_service.insert("links", {
            "id": (id := uuid4()), "slug": f"{mark}-{number}", "code": id.int % 2**47, "website_id": website,
            "partner_id": partner, "destination": "https://partner.example/", "subs": "{}", "is_active": True,
            "created_at": now - timedelta(minutes=number // 3),
        })  # fmt: skip
    answer = query_service.get(f"{LINKS}.csv?websiteId={website}", ada)
    slugs = [line["slug"] for line in csv.DictReader(io.StringIO(answer.text))]
    assert sorted(slugs) == sorted(f"{mark}-{number}" for number in range(1_203))


def test_the_history_of_a_link_has_who_when_and_the_values_before_and_after(own: Own) -> None:
    link, now = own.ids["a"], this_moment()
    changes: list[tuple[UUID | None, dict[str, Any]]] = [
        (own.ada.account_id, {"partner_id": str(own.partner), "destination": "https://partner.example/", "tags": []}),
        (own.ada.account_id, {"tags": ["blog"]}),
        (uuid4(), {"partner_id": str(own.other)}),
        (None, {"is_active": False}),
    ]
    for version, (actor, fields) in enumerate(changes, 1):
        own.service.insert("link_changes", {
            "link_id": link, "version": version, "website_id": own.website, "at": now, "position": version,
            "actor_id": actor, "fields": Jsonb(fields),
        })  # fmt: skip

    def history(query: str, person: Person | None = None) -> httpx.Response:
        return own.service.get(f"{LINKS}/{link}/history?{query}", person or own.ada)

    found = history("").json()
    assert [(one["version"], one["by"]) for one in found] == [
        (4, "system"),
        (3, "someone else"),
        (2, "you"),
        (1, "you"),
    ]
    assert [one["changes"] for one in found[:3]] == [
        [{"field": "state", "before": "on", "after": "off"}],
        [{"field": "partner", "before": "Acme", "after": "Wool"}],
        [{"field": "tags", "before": "", "after": "blog"}],
    ]
    assert {one["field"] for one in found[3]["changes"]} == {"partner", "destination", "state"}
    first = history("limit=2")
    after = own.service.get(first.links["next"]["url"], own.ada)
    assert [*first.json(), *after.json()] == found
    assert history("", own.eve).status_code == 404
