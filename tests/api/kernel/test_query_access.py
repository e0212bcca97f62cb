"""Who may read what: every route of the service, walked from its own OpenAPI document, with everybody who is signed in.

Who is not signed in gets 401 everywhere: `test_access_matrix`.
"""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest

from tests.api.kernel import test_access_matrix as matrix
from tests.support.query import QueryService, World, conversion, event, this_moment

PUBLIC = {path for method, path in matrix.PUBLIC if method == "get"}
OF_EVERYBODY = {
    "/api/platform/user",
    "/api/platform/partners",
    "/api/platform/partner-requests",
    "/api/platform/search",
    "/api/platform/sessions",
    "/api/platform/tokens",
    "/api/platform/invite-codes",
    "/api/platform/user/activity",
    "/api/platform/websites/summary",
    "/api/platform/open-items",
    "/api/platform/reads",
    "/api/platform/export",
    "/api/platform/custom-domains",
    "/api/platform/linked-sign-ins",
    "/api/platform/insights/digest",
    "/api/platform/reports",
    "/api/platform/alerts/raised",
    "/api/platform/alert-delivery",
    "/api/platform/webhooks",
    "/api/forum/members",
    "/api/platform/forum/me",
    "/api/platform/notification-preferences",
    "/api/platform/notifications",
    "/api/platform/notifications/unseen",
}
OF_WEBSITE_TOKENS = "/api/website"
"""How the addresses begin that take another kind of token (`test_website_login`)."""
ELSEWHERE = (
    "/api/forum/",
    "/api/marketplace/",
    "/api/platform/affiliate/",
    "/api/platform/costs/imports",
    "/api/platform/destinations",
    "/api/platform/learning",
    "/api/platform/networks/",
    "/api/platform/sites",
    "/api/platform/social-posts/",
    "/api/platform/sql/pins/",
    "/api/platform/webhooks/",
    "/api/public/",
    "/api/admin/inquiries/",
)
"""How the addresses begin whose readers the tests of these parts tell apart."""
OWN_LISTS = {"/api/platform/websites", "/api/platform/links", "/api/platform/conversions"}
OF_ANALYSTS = {f"/api/platform/sql/{name}" for name in ("schema", "history", "queries", "tokens", "pins")}
OF_ANALYSTS |= {f"/api/platform/sql/queries/{{id}}{part}" for part in ("", "/versions")}
OF_A_WEBSITE = {f"/api/platform/websites/{{id}}/{part}" for part in ("keys", "retention", "snippet", "traffic-rules")}


@pytest.fixture(scope="module")
def routes(query_service: QueryService) -> dict[str, Any]:
    document = query_service.get("/api/openapi.json").json()
    paths: dict[str, Any] = document["paths"]
    assert len(paths) >= 25
    asked = {path for path, operations in paths.items() if "get" not in operations}
    by_post = {"/api/platform/sql", "/api/platform/sql/{queryId}", "/api/platform/sites/{id}/preview"}
    by_post |= {f"/api/platform/websites/{{id}}/visitor-data/{call}" for call in ("find", "export")}
    assert asked == by_post, "an analyst's statement, the draft of a page and the id of a person come by POST"
    return {path: operations for path, operations in paths.items() if path not in asked}


def test_operations_have_names_of_their_own(routes: dict[str, Any]) -> None:
    names = [operations["get"]["operationId"] for operations in routes.values()]
    assert len(names) == len(set(names))


def test_a_website_of_another_does_not_exist(query_service: QueryService, routes: dict[str, Any], world: World) -> None:
    for path in routes.keys() - PUBLIC - OF_EVERYBODY:
        for person in (world.eve, world.analyst):
            answer = query_service.get(world.address(path), person)
            if path in OF_ANALYSTS:
                assert answer.status_code == (200 if person is world.analyst else 403), path
            elif path.startswith(OF_WEBSITE_TOKENS):
                assert answer.status_code == 401, path
            elif path.startswith(ELSEWHERE) and not path.startswith("/api/admin/"):
                continue
            elif path in OWN_LISTS:
                assert answer.json() == [], path
                named = query_service.get(f"{path}?websiteId={world.website}", person)
                assert named.status_code == 404 or path == "/api/platform/websites", path
            else:
                assert answer.status_code == (403 if path.startswith("/api/admin/") else 404), path
            assert str(world.website) not in answer.text


def test_a_website_of_another_does_not_exist_for_an_admin_either(
    query_service: QueryService, routes: dict[str, Any], world: World
) -> None:
    for path in routes.keys() - PUBLIC - OF_EVERYBODY - OF_ANALYSTS:
        if path.startswith((OF_WEBSITE_TOKENS, *ELSEWHERE, "/api/admin/")):
            continue
        answer = query_service.get(world.address(path), world.admin)
        if path in OWN_LISTS:
            assert answer.json() == [], path
        else:
            assert answer.status_code == 404, path
        assert str(world.website) not in answer.text, path


def test_owners_read_it_and_admins_what_is_theirs(
    query_service: QueryService, routes: dict[str, Any], world: World
) -> None:
    for path in routes:
        if path.endswith("/live") or path.startswith((OF_WEBSITE_TOKENS, *ELSEWHERE)) or "{partnerId}" in path:
            continue  # a partner's statement needs decisions: `test_conversions_money` has some
        is_admins = path.startswith("/api/admin/")
        if not is_admins and path not in OF_ANALYSTS:
            answer = query_service.get(world.address(path), world.ada)
            assert answer.status_code == 200, (path, answer.text)
            if path in OWN_LISTS | OF_A_WEBSITE:
                assert answer.json(), path
        if is_admins or path in OF_EVERYBODY | OF_ANALYSTS | OWN_LISTS | PUBLIC:
            assert query_service.get(world.address(path), world.admin).status_code == 200, path


def test_a_removed_website_is_gone(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    query_service.postgres.execute("UPDATE read.websites__g1 SET deleted_at = now() WHERE id = %s", (website,))
    assert query_service.get(f"/api/platform/analytics/overview?websiteId={website}", ada).status_code == 404
    assert query_service.get("/api/platform/websites", ada).json() == []


def test_the_cookie_alone_reads(query_service: QueryService, world: World) -> None:
    answer = query_service.get("/api/platform/user", headers={"Cookie": f"sid={world.ada.cookie}"})
    assert answer.json()["id"] == str(world.ada.account_id)
    assert set(answer.json()) >= {"id", "email", "name", "username", "roles", "createdAt"}


def test_lists_show_what_is_theirs(query_service: QueryService, world: World) -> None:
    [site] = query_service.get("/api/platform/websites", world.ada).json()
    assert site["siteKey"].startswith("pk_") and site["firstEventAt"] is not None
    snippet = query_service.get(f"/api/platform/websites/{world.website}/snippet", world.ada).json()["html"]
    assert site["siteKey"] in snippet and snippet.startswith("<script")
    [link] = query_service.get("/api/platform/links", world.ada).json()
    assert link["clicks"] == 1 and link["earnings"] == {"amount": 0, "currency": "USD"}
    assert link["url"].endswith(f"/go/{link['slug']}")
    [sale] = query_service.get("/api/platform/conversions", world.ada).json()
    assert sale["commission"] == {"amount": 100, "currency": "USD"} and sale["partnerName"] == "Acme"
    for query in ("status=approved", f"partnerId={uuid4()}", "to=2020-01-01", "from=2090-01-01"):
        assert query_service.get(f"/api/platform/conversions?{query}", world.ada).json() == [], query
    query = f"websiteId={world.website}&status=pending&from=2020-01-01&to="
    assert query_service.get(f"/api/platform/conversions?{query}", world.ada).json() == [sale]


def test_websites_show_their_limits_of_claims(query_service: QueryService) -> None:
    """What the owner has set, and else the default in minor units of the website's currency."""
    ada = query_service.person()
    currencies = {"USD": 500_000, "JPY": 500_000, "KWD": 5_000_000, "ISK": 500_000}
    for currency in currencies:
        query_service.website(ada, currency=currency)
    limited = query_service.website(ada, currency="EUR")
    query_service.postgres.execute(
        "UPDATE read.websites__g1 SET max_claim_amount = 12345, max_claims_per_click = 2, link_click_ids = true,"
        " link_impressions_every = 10 WHERE id = %s",
        (limited,),
    )
    shown = query_service.get("/api/platform/websites", ada).json()
    limits = {site["currency"]: (site["maxClaimAmount"], site["maxClaimsPerClick"]) for site in shown}
    assert limits == {code: (amount, 5) for code, amount in currencies.items()} | {"EUR": (12_345, 2)}
    of_links = {site["currency"]: (site["linkClickIds"], site["linkImpressionsEvery"]) for site in shown}
    assert of_links == dict.fromkeys(currencies, (False, 0)) | {"EUR": (True, 10)}


def test_pages_follow_each_other(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    now = this_moment()
    query_service.events([event(website, now, visitor=n, _offset=n, _partition=n % 2) for n in range(25)])
    path, seen = f"/api/platform/analytics/events?websiteId={website}&of=clicks&limit=10", []
    while path:
        answer = query_service.get(path, ada)
        seen += [(row["topic"], row["partition"], row["offset"]) for row in answer.json()]
        path = answer.links["next"]["url"] if "next" in answer.links else ""
    assert sorted(offset for _, _, offset in seen) == list(range(25))
    assert {(topic, partition) for topic, partition, _ in seen} == {("clicks", n) for n in range(2)}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("timeRange=5d", "timeRange"),
        ("timeRange=custom", "from"),
        ("timeRange=custom&from=2026-01-02&to=2026-01-01", "from"),
        ("timeRange=custom&from=yesterday&to=2026-01-01", "from"),
        ("from=2026-01-01", "from"),
        ("compare=never", "compare"),
        ("bots=some", "bots"),
        ("country=Germany", "country"),
        ("partner=nobody-is-called-so", "partner"),
        ("link=nothing-is-called-so", "link"),
        ("sub11=x", "sub11"),
    ],
)
def test_bad_parameters_are_named(query_service: QueryService, world: World, query: str, field: str) -> None:
    answer = query_service.get(f"/api/platform/analytics/overview?websiteId={world.website}&{query}", world.ada)
    problem = answer.json()
    assert answer.status_code == 400 and answer.headers["Content-Type"] == "application/problem+json"
    assert [error["field"] for error in problem["errors"]] == [field] and problem["message"]


def test_a_missing_or_odd_website_is_named(query_service: QueryService, world: World) -> None:
    for query in ("", "?websiteId=1", "?websiteId="):
        answer = query_service.get(f"/api/platform/analytics/overview{query}", world.ada)
        assert answer.status_code == 400 and answer.json()["errors"][0]["field"] == "websiteId"


def test_slugs_name_partners_and_links(query_service: QueryService, world: World) -> None:
    [link] = query_service.get("/api/platform/links", world.ada).json()
    slug = next(
        one["slug"] for one in query_service.get("/api/platform/partners", world.ada).json()
        if one["id"] == link["partnerId"]
    )  # fmt: skip
    for query, clicks in ((f"partner={slug}", 1), (f"link={link['slug']}", 1), (f"link=-{link['slug']}", 0)):
        path = f"/api/platform/analytics/overview?websiteId={world.website}&timeRange=24h&{query}"
        assert query_service.get(path, world.ada).json()["clicks"]["total"] == clicks, query


def test_csv_has_the_same_rows_and_no_formulas(query_service: QueryService) -> None:
    ada = query_service.person()
    website = query_service.website(ada)
    partner = query_service.partner("=HYPERLINK(1)", slug=f"p-{uuid4().hex}")
    query_service.events([event(website, this_moment(), visitor=1, partner_id=partner)])
    path = f"/api/platform/analytics/partners.csv?websiteId={website}"
    answer = query_service.get(path, ada)
    lines = answer.text.split("\r\n")
    assert lines[0] == "partnerId,partnerName,clicks,conversions,revenue,epc,conversion_rate"
    assert lines[1] == f"{partner},'=HYPERLINK(1),1,0,0.00,0.00,0.0"
    assert "attachment" in answer.headers["Content-Disposition"] and answer.headers["X-As-Of"]
    [shown] = query_service.get(path.replace(".csv", ""), ada).json()
    assert shown["partnerName"] == "=HYPERLINK(1)"
    overview = query_service.get(f"/api/platform/analytics/overview.csv?websiteId={website}", ada).text
    assert "clicks.total,1,0" in overview.split("\r\n")


@pytest.mark.parametrize("call", ["clicks", "conversions", "partners", "geographic"])
def test_every_file_has_the_rows_of_its_call(query_service: QueryService, world: World, call: str) -> None:
    path = f"/api/platform/analytics/{call}"
    days = [(datetime.now(UTC) + timedelta(days=back)).date() for back in (-7, 0)]  # the same for both calls
    query = f"?websiteId={world.website}&timeRange=custom&from={days[0]}&to={days[1]}"
    answer = query_service.get(path + query, world.ada)
    shown = json.loads(answer.text, parse_float=str, parse_int=str)  # numbers as they are written
    file = query_service.get(f"{path}.csv{query}", world.ada)
    lines = list(csv.reader(io.StringIO(file.text, newline="")))
    assert lines[0] == list(shown[0])
    assert lines[1:] == [list(row.values()) for row in shown]
    assert file.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert {"X-As-Of", "X-Lag-Seconds", "X-Position"} <= {name.title() for name in file.headers}


def test_head_is_get_without_the_body(query_service: QueryService, world: World) -> None:
    import httpx

    answer = httpx.head(query_service.address + "/api/platform/user", headers=world.ada.headers, timeout=60)
    assert answer.status_code == 200 and answer.content == b""
    live = f"{query_service.address}/api/platform/analytics/live?websiteId={world.website}"
    assert httpx.head(live, headers=world.ada.headers, timeout=60).status_code == 405


def test_the_platforms_revenue_is_converted(query_service: QueryService) -> None:
    admin, ada = query_service.person("admin"), query_service.person()
    on = "2020-01-01"
    known, unknown = "NOK", "XTS"
    query_service.postgres.execute(
        "INSERT INTO read.exchange_rates__g1 (base, quote, on_day, rate, recorded_at)"
        " VALUES (%s, 'USD', %s, '0.1', now()) ON CONFLICT DO NOTHING",
        (known, on),
    )
    [rate] = [one for one in query_service.get("/api/admin/exchange-rates", admin).json() if one["base"] == known]
    assert (rate["quote"], rate["on"], rate["rate"]) == ("USD", on, "0.1")

    def totals() -> dict[str, Any]:
        answer = query_service.get("/api/admin/analytics", admin)
        found: dict[str, Any] = json.loads(answer.text, parse_float=Decimal)
        return found

    shown = []
    for currency in ("USD", known, unknown):
        website = query_service.website(ada, currency=currency)
        shown.append(totals())
        query_service.events([conversion(website, this_moment(), d_pending=1, c_pending=5000)])
    shown.append(totals())
    assert set(shown[3]) >= {"totalClicks", "totalConversions", "conversionRate", "totalRevenue"}
    assert shown[3]["totalConversions"] == shown[0]["totalConversions"] + 3
    assert shown[2]["totalRevenue"] - shown[1]["totalRevenue"] == 5
    assert shown[3]["totalRevenue"] == shown[2]["totalRevenue"]
    assert {"amount": 5000, "currency": unknown} in shown[3]["notConverted"]


def test_what_happened_lately(query_service: QueryService) -> None:
    admin = query_service.person("admin")
    for number in range(12):
        query_service.insert("activity", {
            "id": uuid4(), "type": "link.created", "description": f"Link {number}", "at": this_moment(),
            "aggregate_id": uuid4(), "position": 10**15 + number,
        })  # fmt: skip
    found = query_service.get("/api/admin/recent-activity?limit=10", admin).json()
    assert [one["description"] for one in found] == [f"Link {number}" for number in range(11, 1, -1)]
    shown = {"id", "type", "description", "timestamp", "subjectId", "websiteId"}
    assert all(set(one) == shown and one["subjectId"] for one in found)
    assert query_service.get("/api/admin/recent-activity?limit=0", admin).status_code == 400


def test_admins_see_projections_and_dead_letters(query_service: QueryService) -> None:
    admin = query_service.person("admin")
    projections = {one["name"]: one for one in query_service.get("/api/admin/projections", admin).json()}
    events = projections["events"]["builds"][0]
    assert {(place["topic"], place["partition"]) for place in events["positions"]} >= {("clicks", 1), ("domain", 0)}
    query_service.postgres.execute(
        'INSERT INTO engine.dead_letter (id, projection, generation, topic, partition, "offset", reason, value)'
        " VALUES (%s, 'query-test', 1, 'clicks', 0, 7, 'bad_json', %s)",
        (uuid4(), b"\xff{"),
    )
    [letter] = query_service.get("/api/admin/dead-letters?projection=query-test&state=open", admin).json()
    assert (letter["offset"], letter["reason"], letter["bytes"], letter["isWaiting"]) == (7, "bad_json", 2, False)
    assert "value" not in letter
    groups = query_service.get("/api/admin/dead-letters/groups", admin).json()
    [group] = [one for one in groups if one["projection"] == "query-test"]
    assert (group["reason"], group["open"], group["skipped"]) == ("bad_json", 1, 0)
    assert query_service.get(f"/api/admin/dead-letters/{letter['id']}", admin).json()["history"] == []
    assert query_service.get(f"/api/admin/dead-letters/{uuid4()}", admin).status_code == 404
    member = query_service.person()
    assert query_service.get("/api/admin/rebuild-runs/latest", admin).json() is None
    for path in (
        *("system", "projections/links", "rebuild-runs/latest", "dead-letters/groups"),
        f"dead-letters/{letter['id']}",
    ):
        assert query_service.get(f"/api/admin/{path}", member).status_code == 403


def test_admins_see_subscribers_process_managers_and_inline_projections(query_service: QueryService) -> None:
    admin, postgres = query_service.person("admin"), query_service.postgres
    postgres.execute(
        "INSERT INTO engine.position (projection, generation, topic, partition, next_offset, error)"
        " VALUES ('policy:test', 0, 'domain', 0, 3, 'LogUnavailable')"
    )
    postgres.execute(
        "INSERT INTO engine.log_end (topic, partition, end_offset) VALUES ('domain', 0, 10)"
        " ON CONFLICT (topic, partition) DO UPDATE SET end_offset = 10"
    )
    postgres.execute(
        "INSERT INTO kernel.timeout (process, id, due_at, is_quarantined) VALUES"
        " ('test:expiry', gen_random_uuid(), now() - interval '1 hour', false),"
        " ('test:expiry', gen_random_uuid(), now() + interval '1 hour', false),"
        " ('test:expiry', gen_random_uuid(), now() - interval '1 day', true)"
    )
    shown = query_service.get("/api/admin/subscriptions", admin).json()
    [policy] = [one for one in shown["subscribers"] if one["name"] == "policy:test"]
    assert (policy["lagEvents"], policy["error"], policy["openDeadLetters"]) == (7, "LogUnavailable", 0)
    [process] = [one for one in shown["processManagers"] if one["name"] == "test:expiry"]
    assert (process["due"], process["waiting"], 3600 <= process["dueSeconds"] < 7200) == (1, 1, True)
    assert "monthly_totals" in {one["name"] for one in shown["inlineProjections"]}
    assert query_service.get("/api/admin/subscriptions", query_service.person()).status_code == 403


def test_admins_see_one_projection_and_the_system(query_service: QueryService) -> None:
    admin = query_service.person("admin")
    for name, kind, family in (
        ("links", "postgres", None),
        ("traffic_15m", "rollup", "events"),
        ("events", "clickhouse", None),
    ):
        shown = query_service.get(f"/api/admin/projections/{name}", admin).json()
        assert (shown["kind"], shown["family"], shown["state"], shown["isRunning"]) == (kind, family, "live", False)
        assert name in shown["rebuild"]["tables"] and shown["rebuild"]["seconds"] is None
        assert shown["builds"][0]["positions"]
    assert query_service.get("/api/admin/projections/nothing", admin).status_code == 404
    system = query_service.get("/api/admin/system", admin).json()
    assert {one["name"]: one["answers"] for one in system["engines"]} == {
        "log": True,
        "postgres": True,
        "clickhouse": True,
    }
    assert all(one["version"] for one in system["engines"] if one["name"] != "log")
    assert system["disk"]["free"] > 0 and system["backups"] == [] and len(system["throughput"]) == 60
    assert system["canary"]["points"] == [] and not system["canary"]["isLate"], "none was sent yet"


def test_admins_see_what_came_of_backups_and_a_canary_that_is_late(query_service: QueryService) -> None:
    admin = query_service.person("admin")
    send = "INSERT INTO operations.canary VALUES (%s, now() - make_interval(secs => %s), %s)"
    backup = (
        "INSERT INTO operations.backup (id, state, folder, bytes, events, finished_at, verified_at, drill_error)"
        " VALUES (%s, 'done', '/backups/one', 7, 3, now(), now(), 'the log ends early')"
    )
    try:
        for seconds_ago, seen_after in ((130, 0.5), (90, 2.5), (30, None)):
            query_service.postgres.execute(send, (uuid4(), seconds_ago, seen_after))
        query_service.postgres.execute(backup, (uuid4(),))
        system = query_service.get("/api/admin/system", admin).json()
        late = system["canary"]
        assert late["isOn"] and late["isLate"] and late["lastSeconds"] == 2.5
        assert [point["seconds"] for point in late["points"]] == [0.5, 2.5, None]
        assert late["p95Seconds"] == pytest.approx(2.4)
        [made] = system["backups"]
        assert (made["state"], made["bytes"], made["events"], made["restoredAt"]) == ("done", 7, 3, None)
        assert made["drillError"] == "the log ends early" and made["verifiedAt"] is not None
        query_service.postgres.execute(send, (uuid4(), 5, 0.4))
        fresh = query_service.get("/api/admin/system", admin).json()["canary"]
        assert (fresh["isLate"], fresh["lastSeconds"]) == (False, pytest.approx(0.4))
    finally:
        query_service.postgres.execute("DELETE FROM operations.canary")
        query_service.postgres.execute("DELETE FROM operations.backup")
