"""What is shown of private partners and requests: to their owner and admins, to nobody else, by whichever call."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg_pool import ConnectionPool

from infra.domain.sql_access import analyst_accounts
from infra.domain.sql_access.analyst_accounts import Analyst
from infra.kernel.postgres.pool import pool as open_pool
from query_api.kernel.postgres_reader import ADMIN, PostgresReader, take_role
from query_api.partners.names import names_for_website
from tests.support.query import Person, QueryService, event, this_moment


class Belongings:
    """Ada's private partner with a click on her website; Eve's website has a click of it, too."""

    def __init__(self, service: QueryService) -> None:
        self.service, self.name = service, f"Secret {uuid4().hex}"
        self.ada, self.eve, self.admin = service.person("analyst"), service.person("analyst"), service.person("admin")
        self.partner = service.partner(self.name, owner=self.ada, slug=f"s-{uuid4().hex}")
        self.site, self.hers = service.website(self.ada), service.website(self.eve)
        for site in (self.site, self.hers):
            service.events([event(site, this_moment(), visitor=1, partner_id=self.partner)])

    def get(self, path: str, person: Person) -> Any:
        return self.service.get(path, person)


@pytest.fixture(scope="module")
def mine(query_service: QueryService) -> Belongings:
    return Belongings(query_service)


def test_the_list_shows_it_to_its_owner_alone(mine: Belongings) -> None:
    [own] = [one for one in mine.get("/api/platform/partners", mine.ada).json() if one["id"] == str(mine.partner)]
    assert (own["name"], own["isPrivate"], own["terms"]["percent"]) == (mine.name, True, 10)
    for person in (mine.eve, mine.admin):
        assert mine.name not in mine.get("/api/platform/partners", person).text
    [known] = [one for one in mine.get("/api/admin/partners", mine.admin).json() if one["id"] == str(mine.partner)]
    assert (known["ownerId"], known["ownerName"]) == (str(mine.ada.account_id), "Ada")


@pytest.mark.parametrize("call", ["analytics/partners?", "analytics/breakdown?by=partner&metrics=clicks&"])
def test_reports_name_it_to_its_owner_alone(mine: Belongings, call: str) -> None:
    own = mine.get(f"/api/platform/{call}websiteId={mine.site}", mine.ada)
    other = mine.get(f"/api/platform/{call}websiteId={mine.hers}", mine.eve)
    assert (own.status_code, other.status_code) == (200, 200), own.text + other.text
    assert mine.name in own.text and mine.name not in other.text


def test_search_and_filters_find_it_for_its_owner_alone(mine: Belongings) -> None:
    slug = mine.service.postgres.execute("SELECT slug FROM read.partners WHERE id = %s", (mine.partner,)).fetchone()
    assert slug is not None
    for person, site, found in ((mine.ada, mine.site, True), (mine.eve, mine.hers, False)):
        assert (mine.name in mine.get(f"/api/platform/search?q={mine.name}", person).text) is found
        path = f"/api/platform/analytics/overview?websiteId={site}&partner={slug[0]}"
        assert mine.get(path, person).status_code == (200 if found else 400)


def test_an_analyst_sees_names_of_the_directory_and_of_own_partners(mine: Belongings) -> None:
    postgres_url = mine.service.settings.postgres_url
    assert postgres_url is not None
    with ConnectionPool(
        postgres_url, min_size=1, max_size=1, open=True, configure=analyst_accounts.set_reader_role
    ) as pool:
        for person, sees in ((mine.ada, True), (mine.eve, False)):
            named = analyst_accounts.scope(pool, Analyst(person.account_id, "", is_admin=False)).named("partners")
            assert (mine.partner in {row[0] for row in named}) is sees


def test_the_live_feed_names_it_on_its_owners_website_alone(mine: Belongings) -> None:
    pool = open_pool(mine.service.settings, 1, configure=take_role)
    try:
        reader, ids = PostgresReader(pool, ADMIN), [str(mine.partner)]
        assert names_for_website(reader, mine.site, ids) == {str(mine.partner): mine.name}
        assert names_for_website(reader, mine.hers, ids) == {}
    finally:
        pool.close()


def requested(service: QueryService, person: Person, **more: Any) -> UUID:
    made = uuid4()
    row = {"id": made, "account_id": person.account_id, "name": f"Wanted {made}", "website": "https://w.example/"}
    service.insert("partner_requests", {**row, "note": "", "state": "open", "requested_at": this_moment(), **more})
    return made


def test_requests_are_shown_to_their_member_and_to_admins(query_service: QueryService, mine: Belongings) -> None:
    made = requested(query_service, mine.ada)
    declined = requested(query_service, mine.ada, state="declined", reason="It has closed.")
    found = mine.get("/api/platform/partner-requests", mine.ada).json()
    assert [(one["id"], one["state"]) for one in found] == [(str(declined), "declined"), (str(made), "open")]
    assert mine.get("/api/platform/partner-requests", mine.eve).json() == []
    opened = mine.get("/api/admin/partner-requests", mine.admin).json()
    assert [one["accountName"] for one in opened if one["id"] == str(made)] == ["Ada"]
    assert str(declined) not in {one["id"] for one in opened}
    assert mine.get("/api/admin/partner-requests", mine.eve).status_code == 403
