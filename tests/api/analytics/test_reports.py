"""Reports by email through both services: what they show, when they are sent, and to whom they no longer are."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from command_api.accounts import model as accounts
from command_api.analytics.reports import commands
from command_api.analytics.reports import model as reports
from command_api.analytics.reports.handlers import NAME
from command_api.analytics.reports.process import scheduled_reports
from command_api.analytics.reports.renderer import ReportRenderer, ReportsUnavailable
from command_api.analytics.reports.schemas import ScheduleReport
from command_api.kernel.decision import CommandContext
from command_api.kernel.process_manager import ProcessWorker
from infra.domain.reports.contract import PROOF, VIEW_PATH, Rendered, RenderOrder, proof_of
from infra.domain.reports.schedule import ReportPeriod
from infra.domain.unsubscribe import unsubscribe_token
from infra.kernel.mail.outbox import Attachment, decrypt_mail, decrypt_parts
from schemas.base import DomainEvent
from schemas.events.accounts import Role, RolesChanged
from schemas.events.analytics import ReportFailed, ReportPaused, ReportScheduled, ReportSent, ViewState
from tests.support.full_api import Api, register
from tests.support.query import Person, conversion, event

PATH = "/api/platform/reports"
MONDAY = datetime(2026, 3, 9, 8, tzinfo=UTC)
FRIDAY = MONDAY - timedelta(days=3)
WEEK = ReportPeriod(date(2026, 3, 2), date(2026, 3, 8))
RANGE = "timeRange=custom&from=2026-03-02&to=2026-03-08&compare=custom&compareFrom=2026-02-23&compareTo=2026-03-01"
Mailed = tuple[UUID, str, str, str, list[Attachment]]
STATE = ViewState(filters=("country:is:DE",), metric="revenue", bar_metric="clicks", tabs={"pages": "entry_page"})


class Scene:
    """Ada, her website with two weeks of clicks and sales, and her view of it."""

    def __init__(self, api: Api, *roles: str) -> None:
        self.api, self.query = api, api.query
        self.ada = self.query.person(*roles)
        register(api, self.ada)
        self.domain = f"{uuid4().hex}.example"
        self.website = str(self.call("POST", "/api/platform/websites", json={"domain": self.domain}).json()["id"])
        self.row = {"id": self.website, "account_id": self.ada.account_id, "domain": self.domain, "timezone": "UTC"}
        self.query.insert(
            "websites", {**self.row, "currency": "USD", "attribution_model": "last_click", "created_at": FRIDAY}
        )
        state = {_camel(name): value for name, value in STATE.model_dump(mode="json").items()}
        body = {"name": "Germany", "state": state}
        self.view = str(self.call("POST", "/api/platform/views", json=body).json()["id"])
        self.query.insert("saved_views", {
            "id": self.view, "account_id": self.ada.account_id, "kind": "view", "name": "Germany",
            "state": Jsonb(STATE.model_dump(mode="json")), "saved_at": FRIDAY,
        })  # fmt: skip
        website, tuesday = UUID(self.website), datetime(2026, 3, 3, 12, tzinfo=UTC)
        of: dict[str, Any] = {"country": "DE", "visitor": 1}
        self.query.events([
            *(event(website, tuesday + timedelta(days=day), path="/a", **of) for day in range(3)),
            *(event(website, tuesday - timedelta(minutes=n), "pageview", path="/<b>", **of) for n in (1, 2)),
            event(website, tuesday, country="FR", visitor=2),
            conversion(website, tuesday, d_pending=1, c_pending=128_430, **of),
            event(website, tuesday - timedelta(days=7), **of),
            conversion(website, tuesday - timedelta(days=7), d_pending=1, c_pending=100_000, **of),
            event(website, tuesday - timedelta(days=21), **of),
        ])  # fmt: skip

    def call(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self.api.call(method, path, self.ada, **options)

    def scheduled(self, **fields: Any) -> UUID:
        """A report that was scheduled on the Friday before the Monday on which it is due."""
        report_id = uuid4()
        given = {"viewId": self.view, "websiteId": self.website, **fields}
        body = ScheduleReport.model_validate(given)
        context = CommandContext(FRIDAY, self.ada.account_id)
        self.api.core.commands.dispatch(commands.ScheduleReport(report_id, body), context)
        return report_id

    def saved_query(self, title: str, sql: str) -> UUID:
        """On the write side, and as the projection has it."""
        saved = self.call("POST", "/api/platform/sql/queries", json={"title": title, "sql": sql})
        query_id, now = UUID(saved.json()["id"]), datetime.now(UTC)
        self.query.insert("saved_queries", {
            "id": query_id, "account_id": self.ada.account_id, "title": title, "text": sql, "number": 1,
            "is_shared": False, "author_name": "", "created_at": now, "changed_at": now,
        })  # fmt: skip
        return query_id

    def run(self, at: datetime = MONDAY) -> None:
        """Sends all that is due at `at`, reports of other tests included."""
        sender = worker(self.api, at)
        while sender.run_once():
            pass

    def mails(self) -> list[Mailed]:
        """Id, subject, text, HTML and attachments of the reports to Ada."""
        settings = self.api.core.settings
        with self.query.postgres.cursor(row_factory=dict_row) as cursor:
            rows = cursor.execute(
                "SELECT * FROM kernel.mail WHERE account_id = %s AND kind = 'report' ORDER BY created_at, id",
                (self.ada.account_id,),
            ).fetchall()
        found = []
        for row in rows:
            _, text = decrypt_mail(settings, row["id"], row["recipient_sealed"], row["text_sealed"])
            found.append(
                (row["id"], row["subject"], text or "", *decrypt_parts(settings, row["id"], row["parts_sealed"]))
            )
        return found

    def events(self, report_id: UUID) -> list[type[DomainEvent]]:
        stored = self.api.core.store.repository.event_store.get(report_id)
        return [type(one) for one in stored]  # type: ignore[misc]  # the library declares its base class


def worker(api: Api, at: datetime) -> ProcessWorker:
    return ProcessWorker(api.core, [scheduled_reports(api.core, ReportRenderer(api.core.settings))], now=lambda: at)


def _camel(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)


@pytest.fixture(scope="module")
def scene(full_api: Api) -> Scene:
    return Scene(full_api)


@pytest.fixture(scope="module")
def mailed(scene: Scene) -> Mailed:
    """The one email of a week, whatever ran twice."""
    report_id = scene.scheduled()
    for at in (MONDAY - timedelta(seconds=1), MONDAY, MONDAY, MONDAY + timedelta(days=1)):
        scene.run(at)
    assert scene.events(report_id) == [ReportScheduled, ReportSent]
    [mail] = scene.mails()
    return mail


def test_the_subject_and_the_numbers_are_those_of_the_page(scene: Scene, mailed: Mailed) -> None:
    page = scene.call("GET", f"/api/platform/analytics/overview?websiteId={scene.website}&{RANGE}&filter=country:is:DE")
    shown = page.json()
    assert (shown["revenue"]["total"], shown["previous"]["revenue"]["total"]) == (1284.30, 1000.00)
    _, subject, text, html, _ = mailed
    assert subject == f"{scene.domain}: Mar 2–8, $1,284.30 revenue (+28%)"
    assert "Revenue was $1,284.30, compared with $1,000.00 for Feb 23–Mar 1." in text
    assert f"Clicks: {shown['clicks']['total']} (+200%)" in text
    assert f"Page views: {shown['pageviews']}" in text
    assert "&lt;b&gt;" in html and "<b>" not in html


def test_the_charts_are_pictures_with_words(mailed: Mailed) -> None:
    *_, html, attachments = mailed
    pictures = [file for file in attachments if file.content_id]
    assert [file.name for file in pictures] == ["revenue.png"]
    for file in pictures:
        assert f'src="cid:{file.content_id}"' in html
        assert file.content.startswith(b"\x89PNG")
    assert "Line chart of revenue per day. $1,284.30 in total. The highest day was Mar 3 with $1,284.30." in html


def test_the_files_are_those_of_the_page(scene: Scene, mailed: Mailed) -> None:
    files = {file.name: file.content for file in mailed[-1] if not file.content_id}
    site = f"websiteId={scene.website}&{RANGE}&filter=country:is:DE"
    for name in ("overview", "clicks"):
        page = scene.call("GET", f"/api/platform/analytics/{name}.csv?{site}")
        assert files[f"{name}-{scene.domain}-2026-03-02.csv"] == page.content
    page = scene.call("GET", f"/api/platform/analytics/breakdown.csv?{site}&by=entry_page&sort=-clicks")
    assert files[f"entry_page-{scene.domain}-2026-03-02.csv"] == page.content
    rows = list(csv.DictReader(io.StringIO(page.text)))
    assert rows[0]["clicks"] in mailed[2]


def test_the_link_opens_the_page_with_these_numbers(scene: Scene, mailed: Mailed) -> None:
    assert (
        f"/analytics?website={scene.website}&range=custom&from=2026-03-02&to=2026-03-08&compare=custom"
        "&compareFrom=2026-02-23&compareTo=2026-03-01&metric=revenue&f=is%2Ccountry%2CDE"
    ) in mailed[2]


def test_two_schedulers_send_one_email(scene: Scene) -> None:
    scene.run()  # what other tests left is no longer due
    report_id, before = scene.scheduled(), len(scene.mails())
    [first, second] = [worker(scene.api, MONDAY), worker(scene.api, MONDAY)]
    rendering = ReportRenderer.render

    def rendered_beside(self: ReportRenderer, *order: Any, **more: Any) -> Rendered:
        found = rendering(self, *order, **more)
        monkeypatch.undo()
        assert second.run_once() >= 1  # sends it while the first one is about to
        return found

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(ReportRenderer, "render", rendered_beside)
        first.run_once()
    assert scene.events(report_id) == [ReportScheduled, ReportSent]
    assert len(scene.mails()) == before + 1


def test_a_report_waits_for_the_query_service(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    report_id = scene.scheduled()

    def unavailable(*_: Any, **__: Any) -> Rendered:
        raise ReportsUnavailable

    with monkeypatch.context() as patched:
        patched.setattr(ReportRenderer, "render", unavailable)
        scene.run()
    assert scene.events(report_id) == [ReportScheduled]
    scene.run(MONDAY + timedelta(minutes=1))
    assert scene.events(report_id) == [ReportScheduled, ReportSent]


def test_another_time_zone_of_the_website_moves_the_hour(full_api: Api) -> None:
    scene = Scene(full_api)
    report_id = scene.scheduled()
    scene.run(FRIDAY)
    zone = {"timezone": "America/New_York"}
    assert scene.call("PATCH", f"/api/platform/websites/{scene.website}", json=zone).status_code == 200
    scene.query.postgres.execute(
        "UPDATE kernel.timeout SET due_at = %s WHERE process = %s AND id = %s AND due_at > %s",
        (MONDAY, NAME, report_id, MONDAY),
    )
    scene.run(MONDAY)
    assert scene.events(report_id) == [ReportScheduled]
    [(due_at,)] = scene.query.postgres.execute(
        "SELECT due_at FROM kernel.timeout WHERE process = %s AND id = %s", (NAME, report_id)
    ).fetchall()
    assert due_at == datetime(2026, 3, 9, 12, tzinfo=UTC)  # since Mar 8 New York is four hours behind


@pytest.mark.parametrize(
    ("gone", "reason"),
    [
        ("UPDATE read.saved_views__g1 SET removed_at = now() WHERE id = %(view)s", "view"),
        ("UPDATE read.websites__g1 SET account_id = gen_random_uuid() WHERE id = %(website)s", "website"),
        ("UPDATE read.accounts__g1 SET disabled_at = now() WHERE id = %(account)s", "account"),
    ],
)
def test_a_report_pauses_with_its_reason_once_its_person_has_lost_access(full_api: Api, gone: str, reason: str) -> None:
    scene = Scene(full_api)
    report_id = scene.scheduled()
    values = {"view": scene.view, "website": scene.website, "account": scene.ada.account_id}
    scene.query.postgres.execute(gone, values)
    scene.run()
    assert scene.events(report_id) == [ReportScheduled, ReportPaused]
    state = full_api.core.load(report_id, reports.evolve)
    assert state is not None and state.paused == reason
    assert scene.mails() == []


def test_a_report_of_a_website_that_was_removed_is_paused_by_the_write_side(full_api: Api) -> None:
    scene = Scene(full_api)
    report_id = scene.scheduled()
    assert scene.call("DELETE", f"/api/platform/websites/{scene.website}").status_code == 204
    scene.run()
    state = full_api.core.load(report_id, reports.evolve)
    assert state is not None and state.paused == "website"
    assert scene.mails() == []


def test_a_filter_that_holds_no_longer_is_the_reason_of_the_failure(full_api: Api) -> None:
    scene = Scene(full_api)
    report_id = scene.scheduled()
    scene.query.postgres.execute(
        "UPDATE read.saved_views__g1 SET state = jsonb_set(state, '{filters}', '[\"planet:is:Mars\"]') WHERE id = %s",
        (scene.view,),
    )
    scene.run()
    assert scene.events(report_id) == [ReportScheduled, ReportFailed]
    scene.run(MONDAY + timedelta(days=1))
    assert scene.events(report_id) == [ReportScheduled, ReportFailed]


def test_a_preview_goes_to_its_person_and_leaves_the_schedule_alone(full_api: Api) -> None:
    scene = Scene(full_api)
    report_id = scene.call("POST", PATH, json={"viewId": scene.view, "websiteId": scene.website}).json()["id"]
    for _ in range(3):
        assert scene.call("POST", f"{PATH}/{report_id}/preview").status_code == 204
    refused = scene.call("POST", f"{PATH}/{report_id}/preview")
    assert (refused.status_code, "retry-after" in refused.headers) == (429, True)
    assert len(scene.mails()) == 3
    assert "This is a preview" in scene.mails()[0][2]
    assert scene.events(UUID(report_id)) == [ReportScheduled]


def test_the_link_in_the_email_pauses_the_report_without_signing_in(scene: Scene, mailed: Mailed) -> None:
    report_id = scene.scheduled()
    token = unsubscribe_token(scene.api.core.settings, "report", report_id)
    assert f"/reports/unsubscribe#code={token[:3]}"[:26] in mailed[2]
    api, stop = scene.api, "/api/public/reports/stop/"
    assert api.call("GET", f"{stop}{token}").status_code in (404, 405)
    assert api.call("POST", f"{stop}{report_id.hex}.{'0' * 32}").status_code == 404
    assert api.call("POST", "/api/public/reports/unsubscribe", json={"code": "x"}).status_code == 400
    form = {"content-type": "application/x-www-form-urlencoded", "origin": "https://mail.example"}
    for _ in range(2):
        assert api.call("POST", f"{stop}{token}", content="List-Unsubscribe=One-Click", headers=form).json()["ok"]
    assert api.call("POST", "/api/public/reports/unsubscribe", json={"code": token}).json()["ok"]
    state = api.core.load(report_id, reports.evolve)
    assert state is not None and state.paused == "unsubscribed"
    left = scene.query.postgres.execute(
        "SELECT 1 FROM kernel.timeout WHERE process = %s AND id = %s", (NAME, report_id)
    )
    assert left.fetchone() is None


def test_a_report_is_changed_paused_resumed_deleted_and_restored(scene: Scene) -> None:
    made = scene.call("POST", PATH, json={"viewId": scene.view, "websiteId": scene.website, "weekday": 4, "hour": 6})
    assert (made.status_code, made.json()["every"], made.json()["weekday"]) == (201, "weekly", 4)
    report = f"{PATH}/{made.json()['id']}"
    changed = scene.call("PATCH", report, json={"every": "monthly", "day": 3, "paused": True}).json()
    assert (changed["every"], changed["day"], changed["hour"], changed["paused"]) == ("monthly", 3, 6, "paused")
    assert scene.call("PATCH", report, json={"paused": False}).json()["paused"] is None
    assert scene.call("DELETE", report).status_code == 204
    assert scene.call("PATCH", report, json={"hour": 1}).status_code == 404
    assert scene.call("POST", f"{report}/restore").json()["hour"] == 6


@pytest.mark.parametrize(
    "body",
    [{}, {"viewId": str(uuid4())}, {"viewId": str(uuid4()), "queryId": str(uuid4())}, {"weekday": 7}, {"hour": 24}],
)
def test_a_report_is_about_one_thing_at_a_time_that_exists(scene: Scene, body: Mapping[str, Any]) -> None:
    about = {"viewId": scene.view, "websiteId": scene.website} if "viewId" not in body and body else {}
    assert scene.call("POST", PATH, json={**about, **body}).status_code == 400


def test_nobody_reads_or_changes_another_persons_report(full_api: Api, scene: Scene) -> None:
    report_id = scene.scheduled()
    scene.query.insert("reports", {
        "id": report_id, "account_id": scene.ada.account_id, "website_id": scene.website, "view_id": scene.view,
        "schedule": Jsonb({"every": "weekly", "weekday": 0, "day": 1, "hour": 8}), "since": FRIDAY,
        "failed_at": MONDAY, "failure": "No.", "handled": WEEK.last,
    })  # fmt: skip
    [mine] = [one for one in scene.call("GET", PATH).json() if one["id"] == str(report_id)]
    assert (mine["domain"], mine["name"], mine["failure"]) == (scene.domain, "Germany", "No.")
    assert mine["nextAt"] == "2026-03-16T08:00:00Z"
    for eve in (Scene(full_api).ada, full_api.query.person("admin")):
        assert full_api.call("GET", PATH, eve).json() == []
        report = f"{PATH}/{report_id}"
        for method, path in (("PATCH", report), ("DELETE", report), ("POST", f"{report}/preview")):
            options: dict[str, Any] = {"json": {"hour": 1}} if method == "PATCH" else {}
            assert full_api.call(method, path, eve, **options).status_code == 404, path
        stolen = {"viewId": scene.view, "websiteId": scene.website}
        assert full_api.call("POST", PATH, eve, json=stolen).status_code == 404


def test_the_numbers_are_handed_to_the_write_side_alone(full_api: Api, scene: Scene) -> None:
    order = RenderOrder(
        account_id=scene.ada.account_id,
        website_id=UUID(scene.website),
        view_id=UUID(scene.view),
        query_id=None,
        first_day=WEEK.first,
        last_day=WEEK.last,
        stop_url="",
        is_preview=False,
        ordered_at=datetime.now(UTC),
    )
    query, body = full_api.query.address, order.model_dump_json().encode()
    old = order.model_copy(update={"ordered_at": datetime.now(UTC) - timedelta(minutes=2)}).model_dump_json().encode()
    json = {"content-type": "application/json"}

    def posted(address: str, content: bytes, proof: str) -> int:
        headers = {**json, PROOF: proof}
        return httpx.post(f"{address}{VIEW_PATH}", content=content, headers=headers, timeout=60).status_code

    proof, settings = proof_of(full_api.core.settings, body), full_api.core.settings
    assert posted(query, body, proof) == 200
    assert posted(query, body.replace(b"false", b"true"), proof) == 404
    assert posted(query, old, proof_of(settings, old)) == 404
    assert posted(query, body, "") == 404
    assert posted(full_api.address, body, proof) in (404, 405)


def test_a_saved_query_is_mailed_as_a_table_and_a_file(full_api: Api) -> None:
    scene = Scene(full_api, "member", "analyst")
    saved = {"title": "Numbers", "sql": "SELECT arrayJoin(range(120)) AS n, '=1+1' AS formula"}
    query_id = scene.saved_query(**saved)
    fields = {"viewId": None, "websiteId": None, "queryId": query_id}
    assert analyst_role(full_api, scene.ada)
    report_id = scene.scheduled(**fields)
    scene.run()
    assert scene.events(report_id) == [ReportScheduled, ReportSent]
    [(_, subject, text, html, [picture, file])] = scene.mails()
    assert subject == "Numbers: Mar 2–8, 120 rows"
    assert (picture.media_type, f'src="cid:{picture.content_id}"' in html) == ("image/png", True)
    assert "Bar chart of n (blue) by formula." in text
    assert "The first 50 rows." in text and "- 49 · '=1+1" in text and "- 50 ·" not in text
    page = scene.call("POST", "/api/platform/sql", json={"sql": saved["sql"], "format": "csv"})
    assert (file.name, file.content) == ("numbers.csv", page.content)
    assert "<table" in html


def test_a_query_runs_with_the_values_of_the_report(full_api: Api) -> None:
    """Given a query with a parameter, when its report has no value, it fails by name; with a value it is sent."""
    scene = Scene(full_api, "member", "analyst")
    assert analyst_role(full_api, scene.ada)
    query_id = scene.saved_query("Days", "SELECT 'day' AS name, {days:UInt16} AS n")
    of_query = {"viewId": None, "websiteId": None, "queryId": query_id}
    without = scene.scheduled(**of_query)
    scene.run()
    stored = list(full_api.core.store.repository.event_store.get(without))
    assert "no value for days" in stored[-1].reason  # type: ignore[attr-defined]
    scene.call("DELETE", f"{PATH}/{without}")
    scene.scheduled(**of_query, parameters={"days": "30", "former": "x"})
    scene.run()
    [(_, _, text, _, [_, file])] = scene.mails()
    assert "- day · 30" in text and file.content == b'"name","n"\n"day",30\n'


def test_a_query_that_fails_says_why_and_a_query_of_others_cannot_be_scheduled(full_api: Api) -> None:
    scene, other = Scene(full_api, "member", "analyst"), Scene(full_api, "member", "analyst")
    assert analyst_role(full_api, scene.ada) and analyst_role(full_api, other.ada)
    saved = {"title": "Broken", "sql": "SELECT nothing_like_it FROM events"}
    query_id = scene.saved_query(**saved)
    assert other.call("POST", PATH, json={"queryId": str(query_id)}).status_code == 404
    report_id = scene.scheduled(viewId=None, websiteId=None, queryId=query_id)
    scene.run()
    assert scene.events(report_id) == [ReportScheduled, ReportFailed]
    stored = list(full_api.core.store.repository.event_store.get(report_id))
    assert "nothing_like_it" in stored[-1].reason  # type: ignore[attr-defined]
    assert scene.mails() == []


def analyst_role(api: Api, person: Person) -> bool:
    """Gives the account the role on the write side, too."""
    account = api.core.load(person.account_id, accounts.evolve)
    assert account is not None
    head = {"originator_id": account.id, "originator_version": account.version + 1, "timestamp": datetime.now(UTC)}
    api.query.postgres.execute("DELETE FROM lookup.role_holder WHERE account_id = %s", (account.id,))
    api.core.store.append([RolesChanged(**head, roles=(Role.MEMBER, Role.ANALYST))])
    return True
