"""Insights over both services and real engines: planted changes are found, their figures equal the dashboards',
strangers' text reaches no model, analyses are daily, and new insights are mailed to subscribers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, cast
from urllib.parse import urlencode
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.rows import dict_row

from command_api.insights import completeness, digest, schedule
from command_api.insights.commands import RecordAnalysis, RecordDailyAnalysis
from command_api.insights.history_reader import HistoryUnavailable
from command_api.insights.routes import ANALYSES
from command_api.insights.schedule import daily_insights, due_day, next_due
from command_api.insights.service import AnalysisRun, InsightService
from command_api.kernel.decision import CommandContext, system_context
from command_api.kernel.process_manager import ProcessWorker
from command_api.websites import model as websites
from infra.domain.unsubscribe import unsubscribe_token
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.llm import LanguageModel
from infra.kernel.log import Log, LogUnavailable
from infra.kernel.mail.outbox import decrypt_mail
from infra.kernel.postgres.rows import PostgresRows
from infra.kernel.security.encryption import decrypt, derived_key
from projectors.read_models.insights.insights import INSIGHT_DIGESTS, INSIGHTS
from schemas.base import DomainEvent
from schemas.days import day_start
from schemas.http.insights import DIGEST_STOP_PATH, digest_id, insights_id
from schemas.zones import ZoneInfo
from tests.support.engines import free_port
from tests.support.full_api import Api, register
from tests.support.llm_server import ModelServer, model_server
from tests.support.prompt_injections import INJECTIONS
from tests.support.query import PERCENT_10, Person, conversion, event

WEEK, WEEKS = 7, 8
WEEKDAYS = (13, 12, 11, 10, 10, 8, 7)
PLANTED_NAME, PLANTED_SOURCE, PLANTED_SUB = (planted for planted, _, _ in INJECTIONS[:3])


class Planted:
    """A website of Ada's in a zone of a quarter of an hour, with eight weeks of clicks. In the last week a source
    brings many more, a partner's conversions stop, bots come, and one link has no clicks for three days."""

    def __init__(self, api: Api) -> None:
        query = api.query
        self.api, self.zone = api, zone_without_midnight(datetime.now(UTC))
        self.ada, self.eve, self.admin = query.person(), query.person(), query.person("member", "admin")
        register(api, self.ada)
        self.website = self._website(self.ada)
        self.partner = self._partner(PLANTED_NAME)
        self.other = self._partner("Calm Hosting")
        self.busy, self.gone = self._link(self.partner), self._link(self.other)
        self.rows = list(self._rows())
        query.events(self.rows)
        query.postgres.execute("UPDATE engine.position SET record_at = now() WHERE projection = 'events'")

    def post(self, website: UUID | None = None, person: Person | None = None, **options: Any) -> Any:
        path = f"/api/analytics/{website or self.website}/ai-insights"
        return self.api.call("POST", path, person or self.ada, **options)

    def get(self, website: UUID | None = None, person: Person | None = None) -> Any:
        return self.api.call("GET", f"/api/analytics/{website or self.website}/insights", person or self.ada)

    def empty_website(self) -> UUID:
        return self._website(self.ada)

    def decided(self) -> websites.Website:
        website = self.api.core.store.load(self.website, websites.evolve)
        assert website is not None
        return website

    def project(self) -> None:
        """What the projectors do with what was decided about this website and its owner."""
        for aggregate, read_model in (
            (insights_id(self.website), INSIGHTS),
            (digest_id(self.ada.account_id), INSIGHT_DIGESTS),
        ):
            rows = PostgresRows(self.api.query.postgres, f"{read_model.name}__g1", read_model.key)
            for happened in _events(self.api, aggregate):
                read_model.handlers[type(happened)](rows, happened)
            rows.flush()

    def _website(self, owner: Person) -> UUID:
        body = {"domain": f"{uuid4().hex}.example", "timezone": self.zone}
        made = self.api.call("POST", "/api/platform/websites", owner, json=body).json()
        row = {"attribution_model": "last_click", "currency": "USD", "created_at": datetime.now(UTC)}
        self.api.query.insert("websites", {"id": made["id"], "account_id": owner.account_id, **body, **row})
        return UUID(made["id"])

    def _partner(self, name: str) -> UUID:
        terms = {"name": name, "baseUrl": "https://partner.example/", "commission": 10}
        slug = f"p-{uuid4().hex}"
        answer = self.api.call("POST", "/api/admin/partners", self.admin, json={**terms, "slug": slug})
        assert answer.status_code == 201, answer.text
        partner = UUID(answer.json()["id"])
        self.api.query.partner(name, slug, PERCENT_10, partner)
        return partner

    def _link(self, partner: UUID) -> UUID:
        named = {"websiteId": str(self.website), "partnerId": str(partner)}
        return UUID(self.api.call("POST", "/api/platform/links", self.ada, json=named).json()["id"])

    def _rows(self) -> Iterator[dict[str, Any]]:
        yield event(self.website, datetime.now(UTC), "pageview", visitor=1)  # it is live, not imported
        today = datetime.now(UTC).astimezone(self.decided_zone).date()
        for back in range(WEEKS * WEEK, 0, -1):
            day = today - timedelta(days=back)
            start = day_start(self.decided_zone, day)
            usual, is_last_week = WEEKDAYS[day.weekday()], back <= WEEK
            for number in range(usual * 2):
                shared: dict[str, Any] = {"partner_id": self.partner, "link_id": self.busy, "device": "mobile"}
                at = start + timedelta(minutes=20 * number + 5)
                yield event(self.website, at, visitor=number + 1, country="DE", source="google", **shared)
                yield event(self.website, at, "pageview", visitor=number + 1, country="DE", source="google")
            if back > 3:
                for number in range(usual):
                    shared = {"partner_id": self.other, "link_id": self.gone, "device": "desktop"}
                    at = start + timedelta(minutes=30 * number + 9)
                    yield event(self.website, at, visitor=100 + number, country="US", source="google", **shared)
            for number in range(usual * (3 if is_last_week else 1)):
                at = start + timedelta(minutes=15 * number + 2)
                shared = {"sub1": PLANTED_SUB, "country": "DE", "source": PLANTED_SOURCE}
                yield event(self.website, at, "pageview", visitor=200 + number, **shared)
            for number in range(40 if is_last_week else 1):
                shared = {"partner_id": self.partner, "link_id": self.busy, "is_bot": True, "bot_reason": "crawler"}
                yield event(self.website, start + timedelta(minutes=7 * number), country="US", **shared)
            for number in range(0 if is_last_week else 4):
                at = start + timedelta(hours=1 + number)
                shared = {"partner_id": self.partner, "link_id": self.busy, "country": "DE"}
                yield conversion(self.website, at, d_approved=1, c_approved=1_000 + number, **shared)

    @property
    def decided_zone(self) -> ZoneInfo:
        return ZoneInfo(self.zone)


def zone_without_midnight(now: datetime) -> str:
    """A zone of a quarter of an hour in which no day ends while the tests run: insights refer to whole days."""
    kathmandu = now.astimezone(ZoneInfo("Asia/Kathmandu"))
    return "Australia/Eucla" if kathmandu.hour == 23 else "Asia/Kathmandu"  # there it is three hours later


def test_no_day_ends_while_the_tests_run() -> None:
    day = datetime(2026, 11, 21, tzinfo=UTC)
    for now in (day + timedelta(minutes=minute) for minute in range(24 * 60)):
        local = now.astimezone(ZoneInfo(zone_without_midnight(now)))
        assert local.utcoffset() != timedelta(0) and (local + timedelta(minutes=59)).date() == local.date()


@pytest.fixture(scope="module")
def planted(full_api: Api) -> Planted:
    return Planted(full_api)


@pytest.fixture(scope="module")
def generated(planted: Planted) -> list[dict[str, Any]]:
    answer = planted.post()
    assert answer.status_code == 200, answer.text
    assert (answer.json()["silence"], answer.json()["tooLittleData"]) == ("not_configured", False)
    assert answer.json()["added"] == len(answer.json()["insights"]) > 0
    insights: list[dict[str, Any]] = answer.json()["insights"]
    return insights


def evidence(insight: dict[str, Any]) -> dict[str, str]:
    return {one["label"]: one["value"] for one in insight["evidence"]}


def test_planted_changes_are_reported_in_rule_based_text(generated: list[dict[str, Any]]) -> None:
    told = {(one["insightType"], one["about"]["name"] if one["about"] else ""): one for one in generated}
    assert {(one["narratedBy"], one["toldBy"]) for one in generated} == {("finder", "finder")}, "and by its former name"
    lost = told["warning", PLANTED_NAME]
    assert lost["title"] == f"No conversions from {PLANTED_NAME} this week"
    assert told["growth", PLANTED_SOURCE]["about"] == {
        "dimension": "source",
        "value": PLANTED_SOURCE,
        "name": PLANTED_SOURCE,
    }
    assert told["warning", "Calm Hosting"]["title"] == "No clicks on Calm Hosting for 3 days"
    assert told["warning", ""]["title"] == "Bot traffic spike in your clicks"
    assert "No conversions from your links this week" not in {one["title"] for one in generated}  # that is the partner
    assert all(0.9 <= one["confidenceScore"] <= 0.99 for one in generated)


def test_every_figure_is_the_dashboards_own_for_the_same_days_and_filters(
    generated: list[dict[str, Any]], planted: Planted
) -> None:
    seen = set()
    for one in generated:
        asked = urlencode({"websiteId": str(planted.website), "compare": "none", **one["filters"]})
        overview = planted.api.call("GET", f"/api/platform/analytics/overview?{asked}", planted.ada).json()
        assert (overview["range"]["from"], overview["range"]["to"]) == (one["from"], one["to"])
        shown = {
            "Clicks": f"{overview['clicks']['total']:,}",
            "Page views": f"{overview['pageviews']:,}",
            "Bot clicks": f"{overview['clicks']['total']:,}",
            "Conversions": f"{overview['conversions']['total']:,}",
            "Revenue": f"{overview['revenue']['total']:,.2f} USD",
        }
        for label in shown.keys() & evidence(one).keys():
            assert evidence(one)[label] == shown[label], one
            seen.add(label)
        if "Days without clicks" in evidence(one):
            assert overview["clicks"]["total"] == 0
    assert {"Clicks", "Page views", "Bot clicks", "Conversions"} <= seen


def test_what_was_generated_is_read_again_by_its_owner_alone(generated: list[dict[str, Any]], planted: Planted) -> None:
    planted.project()
    answer = planted.get()
    assert answer.status_code == 200
    assert answer.json() == generated
    path, headers = f"/api/analytics/{planted.website}", {"X-Requested-With": "althing"}
    for person, status in ((planted.eve, 404), (planted.admin, 404), (None, 401)):
        assert planted.api.call("GET", f"{path}/insights", person).status_code == status
        assert planted.api.call("POST", f"{path}/ai-insights", person, headers=headers).status_code == status
    assert planted.post(uuid4()).status_code == 404


def test_insights_of_an_imported_history_refer_to_its_last_day(planted: Planted) -> None:
    website = planted.empty_website()
    api, robot = planted.api, {"is_bot": True, "bot_reason": "crawler"}
    rows = [
        event(website, datetime(2015, 5, day, 6, tzinfo=UTC) + timedelta(seconds=10 * number), "pageview", **more)
        for day, people, robots in ((17, 214, 242), (18, 395, 788), (19, 507, 443), (20, 324, 288))
        for count, more in ((people, {}), (robots, robot))
        for number in range(count)
    ]
    api.query.events(rows)
    decided = api.core.store.load(website, websites.evolve)
    assert decided is not None
    run = service_with(api).analyze(decided, system_context())
    assert run.last_day == date(2015, 5, 20)
    [(finding, told)] = run.found
    assert (finding.now.first, finding.now.last) == (date(2015, 5, 18), date(2015, 5, 18))
    assert told.words.title == "Bot traffic spike in your page views"
    assert told.words.content.startswith("788 page views on May 18 came from bots")


def test_without_single_events_insights_are_of_what_is_counted_beside_them(planted: Planted) -> None:
    cutoff = datetime.now(UTC).astimezone(planted.decided_zone).date() - timedelta(days=3)
    expired = replace(planted.decided(), expired_before=cutoff)
    found = service_with(planted.api).analyze(expired, system_context()).found
    subjects = [finding.subject for finding, _ in found if finding.subject is not None]
    assert {subject.dimension for subject in subjects} == {"partner"}
    assert len(subjects) == len(set(subjects)), "of each subject the strongest alone"
    titles = {told.words.title for _, told in found}
    assert {f"No conversions from {PLANTED_NAME} this week", "Bot traffic spike in your clicks"} <= titles


def test_a_repeated_request_is_one_look(planted: Planted, generated: list[dict[str, Any]]) -> None:
    before = len(_events(planted.api, insights_id(planted.website)))
    first, again = (planted.post(headers={"Idempotency-Key": "look-1"}) for _ in range(2))
    assert first.json()["insights"] == generated  # also: the start of each is unchanged
    assert first.json()["added"] == 0
    assert (again.json(), again.headers.get("idempotency-replayed")) == (first.json(), "true")
    assert len(_events(planted.api, insights_id(planted.website))) == before + 1


def test_a_website_without_data_has_no_insights_and_looks_are_limited(planted: Planted) -> None:
    website = planted.empty_website()
    first = planted.post(website, planted.ada)
    assert first.json() == {"insights": [], "added": 0, "tooLittleData": True, "silence": None}
    # One more comes free after a while, which a busy machine may take for the first ones.
    tries = (planted.post(website, planted.ada) for _ in range(4 * ANALYSES.burst))
    refused = next(answer for answer in tries if answer.status_code != 200)
    assert planted.get(website).json() == []
    assert _events(planted.api, insights_id(website)) == []
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 0


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


class EndOfLog:
    """A log of which only the end matters."""

    def __init__(self, end: int = 0) -> None:
        self.end = end

    def end_offsets(self, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], int]:
        if self.end < 0:
            raise LogUnavailable("away")
        return dict.fromkeys(places, self.end)


def service_with(api: Api, **changes: Any) -> InsightService:
    settings = replace(api.core.settings, **changes)
    return InsightService(
        api.core, ClientPool(settings, 1), LanguageModel(settings, api.core.pool), cast(Log, EndOfLog())
    )


def test_strangers_text_reaches_no_model_and_its_words_come_back_with_names(
    planted: Planted, generated: list[dict[str, Any]], server: ModelServer
) -> None:
    def says(asked: Any) -> dict[str, Any]:
        findings = json.loads(asked["messages"][-1]["content"])["findings"]
        wordings = [{"number": 1, "title": "Revenue rose 900%", "content": "See https://evil.example."}]
        wordings += [
            {"number": one["number"], "title": one["title"], "content": one["content"]} for one in findings[1:]
        ]
        return {"insights": wordings[::-1]}

    server.says = says
    service = service_with(planted.api, openai_base_url=server.url, openai_model="small")
    run = service.analyze(planted.decided(), system_context())
    [asked] = server.asked
    for stranger in (PLANTED_NAME, PLANTED_SOURCE, PLANTED_SUB, "Calm Hosting", str(planted.partner)):
        assert stranger not in json.dumps(asked, ensure_ascii=False)
    assert run.silence is None
    told = [(told.by, told.words) for _, told in run.found]
    assert [by for by, _ in told] == ["model"] * (len(told) - 1) + ["finder"]
    titles = {one["title"] for one in generated}
    assert {words.title for by, words in told if by == "model"} < titles  # names are back in their places
    assert told[-1][1].title == generated[0]["title"]  # the first finding's words were not believed


def test_a_store_that_does_not_answer_is_said_at_once(planted: Planted) -> None:
    service = service_with(planted.api, clickhouse_url=f"http://127.0.0.1:{free_port()}/althing")
    with pytest.raises(HistoryUnavailable):
        service.analyze(planted.decided(), system_context())


def test_an_incomplete_day_gives_no_insights(
    planted: Planted, generated: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completeness, "MAX_WAIT_S", 0.3)
    service, log, postgres = service_with(planted.api), EndOfLog(7), planted.api.query.postgres
    service._log = cast(Log, log)
    before = postgres.execute(_POSITIONS).fetchall()
    read = "UPDATE engine.position SET next_offset = %s, record_at = now() - %s::interval WHERE projection = 'events'"
    try:
        for next_offset, age, is_told in ((6, "2 days", False), (7, "2 days", True), (6, "0", True)):
            postgres.execute(read, (next_offset, age))
            if is_told:
                assert len(service.analyze(planted.decided(), system_context()).found) == len(generated)
                continue
            with pytest.raises(HistoryUnavailable, match="still being counted"):
                service.analyze(planted.decided(), system_context())
        log.end = -1
        with pytest.raises(HistoryUnavailable, match="position of the log is unknown"):
            service.analyze(planted.decided(), system_context())
    finally:
        for next_offset, topic, partition, generation in before:
            postgres.execute(
                "UPDATE engine.position SET next_offset = %s, record_at = now() WHERE projection = 'events'"
                " AND topic = %s AND partition = %s AND generation = %s",
                (next_offset, topic, partition, generation),
            )


@pytest.mark.usefixtures("generated")
def test_what_people_switched_off_is_not_called_silent(planted: Planted) -> None:
    api, service = planted.api, service_with(planted.api)
    silent = "No clicks on Calm Hosting for 3 days"

    def told() -> set[str]:
        return {told.words.title for _, told in service.analyze(planted.decided(), system_context()).found}

    assert silent in told()
    link = f"/api/platform/links/{planted.gone}"
    for change in ({"isActive": False}, {"isActive": True}):
        changed = api.call("PATCH", link, planted.ada, json=change)
        assert changed.status_code == 200, changed.text
        assert (silent in told()) is change["isActive"]
    partner = f"/api/admin/partners/{planted.other}"
    for change in ({"isActive": False}, {"isActive": True}):
        changed = api.call("PATCH", partner, planted.admin, json=change)
        assert changed.status_code == 200, changed.text
        assert (silent in told()) is change["isActive"]


@pytest.mark.usefixtures("generated")
def test_an_analysis_and_its_mark_as_done_are_stored_together(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the process ends between the two, a day is analyzed once; also by two processes that both act as leader."""
    api, now = planted.api, afternoon(planted)
    before = len(_events(api, insights_id(planted.website)))
    make_due(planted)
    service, other = service_with(api), worker(service_with(api), now)
    analyze = service.analyze

    def overtaken(website: websites.Website, context: CommandContext) -> AnalysisRun:
        assert other.run_once() == 1
        return analyze(website, context)

    monkeypatch.setattr(service, "analyze", overtaken)
    assert worker(service, now).run_once() == 1
    assert other.run_once() == 0
    assert len(_events(api, insights_id(planted.website))) == before + 1


def test_nothing_is_stored_for_a_website_that_was_disconnected_during_its_analysis(planted: Planted) -> None:
    api, website, day = planted.api, planted.empty_website(), date(2026, 1, 1)
    make_due(planted, website)
    api.query.postgres.execute(
        "INSERT INTO insights.daily_analysis (website_id, day) VALUES (%s, '2025-01-01')", (website,)
    )
    analysis = service_with(api).analyze(planted.decided(), system_context())
    assert api.call("DELETE", f"/api/platform/websites/{website}", planted.ada).status_code == 204
    recorded = api.core.commands.dispatch(RecordDailyAnalysis(website, day, analysis), system_context())
    assert (recorded.answer, recorded.events) == (False, ())
    assert worker(service_with(api), datetime.now(UTC)).run_once() == 1
    for left in ("insights.daily_analysis WHERE website_id = %s", "kernel.timeout WHERE id = %s"):
        assert api.query.postgres.execute(f"SELECT FROM {left}".encode(), (website,)).fetchall() == []


def test_a_website_is_analyzed_once_a_day(planted: Planted, generated: list[dict[str, Any]]) -> None:
    api, now = planted.api, afternoon(planted)
    before = len(_events(api, insights_id(planted.website)))
    api.query.postgres.execute("DELETE FROM insights.daily_analysis")
    make_due(planted)
    today = worker(service_with(api), now)
    assert today.run_once() == 1
    assert today.run_once() == 0
    assert len(_events(api, insights_id(planted.website))) == before + 1
    make_due(planted)  # too early
    assert today.run_once() == 1
    assert today.run_once() == 0
    assert len(_events(api, insights_id(planted.website))) == before + 1
    assert worker(service_with(api), now + timedelta(days=120)).run_once() == 1
    last = _events(api, insights_id(planted.website))[-1]
    assert last.insights == ()  # type: ignore[attr-defined]  # nothing of it holds four months later
    planted.project()
    assert planted.get().json() == []
    closed = api.query.postgres.execute(
        "SELECT count(*) FROM read.insights WHERE website_id = %s AND NOT is_open AND closed_at IS NOT NULL",
        (planted.website,),
    ).fetchone()
    assert closed == (len(generated),)


def worker(service: InsightService, now: datetime) -> ProcessWorker:
    return ProcessWorker(service.container, [daily_insights(service)], now=lambda: now)


def afternoon(planted: Planted) -> datetime:
    """A time at which the planted website's yesterday is due."""
    now = datetime.now(UTC)
    return now if due_day(ZoneInfo(planted.zone), now) is not None else next_due(ZoneInfo(planted.zone), now)


def make_due(planted: Planted, website: UUID | None = None) -> None:
    """The analysis of one website is due, whatever the hour is there, and no other."""
    postgres = planted.api.query.postgres
    postgres.execute("DELETE FROM kernel.timeout")
    postgres.execute(
        "INSERT INTO kernel.timeout (process, id, due_at) VALUES (%s, %s, now() - interval '1 day')",
        (schedule.NAME, website or planted.website),
    )


def test_what_is_new_is_mailed_to_those_who_chose_it_and_stops_with_one_click(planted: Planted) -> None:
    api, ada = planted.api, planted.ada
    path = "/api/platform/insights/digest"
    assert api.call("GET", path, ada).json() == {"every": "off"}
    assert api.call("PUT", path, ada, json={"every": "hourly"}).status_code == 400
    assert api.call("PUT", path, ada, json={"every": "weekly"}).status_code == 204
    planted.project()
    assert api.call("GET", path, ada).json() == {"every": "weekly"}
    service = service_with(api)
    analysis = service.analyze(planted.decided(), system_context())
    api.core.commands.dispatch(RecordAnalysis(planted.website, analysis, datetime.now(UTC)), system_context())
    monday = digest.next_at("weekly", datetime.now(UTC))
    assert (monday.weekday(), monday.hour) == (0, 7)
    assert sent(api, monday - timedelta(seconds=1)) == 0
    assert sent(api, monday) == 1
    assert sent(api, monday) == 0
    api.query.postgres.execute("UPDATE kernel.timeout SET due_at = %s WHERE process = %s", (monday, digest.NAME))
    assert sent(api, monday) == 1  # it was too early, and is planned again
    assert sent(api, monday) == 0
    assert sent(api, monday + timedelta(days=7)) == 1  # due, and nothing is new
    [(to, subject, text, stop)] = _mails(api, ada)
    assert to == f"{ada.account_id.hex}@example.com"
    assert "new insights about your websites" in subject
    assert f"No conversions from {PLANTED_NAME} this week" in text
    token = unsubscribe_token(api.core.settings, "insights_digest", ada.account_id)
    assert stop.endswith(f"{DIGEST_STOP_PATH}{token}")
    assert api.call("GET", f"{DIGEST_STOP_PATH}{token}").status_code in (404, 405)
    assert api.call("POST", f"{DIGEST_STOP_PATH}{ada.account_id.hex}.{'0' * 32}").status_code == 404
    form = {"content-type": "application/x-www-form-urlencoded", "origin": "https://mail.example"}
    for _ in range(2):
        stopped = api.call("POST", f"{DIGEST_STOP_PATH}{token}", content="List-Unsubscribe=One-Click", headers=form)
        assert stopped.json() == {"ok": True, "message": "You will no longer receive insights by email."}
    planted.project()
    assert api.call("GET", path, ada).json() == {"every": "off"}
    left = api.query.postgres.execute(
        "SELECT count(*) FROM insights.digest WHERE account_id = %s", (ada.account_id,)
    ).fetchone()
    assert left == (0,)


def test_a_dismissed_insight_is_gone_for_its_owner_and_safe_from_others(
    generated: list[dict[str, Any]], planted: Planted
) -> None:
    planted.project()
    shown = planted.get().json()
    path = f"/api/analytics/{planted.website}/insights/{shown[-1]['id']}/dismiss"

    def dismiss(person: Person | None, reason: str = "A newsletter went out.") -> int:
        headers = {"X-Requested-With": "althing"}
        status: int = planted.api.call("POST", path, person, json={"reason": reason}, headers=headers).status_code
        return status

    assert [dismiss(planted.eve), dismiss(None), dismiss(planted.ada, " ")] == [404, 401, 400]
    assert dismiss(planted.ada) == 204
    planted.project()
    assert generated and planted.get().json() == shown[:-1]
    assert dismiss(planted.ada) == 404


def sent(api: Api, at: datetime) -> int:
    """How many digests were due at `at`."""
    return ProcessWorker(api.core, [digest.INSIGHT_DIGEST], now=lambda: at).run_once()


_POSITIONS = "SELECT next_offset, topic, partition, generation FROM engine.position WHERE projection = 'events'"


def _events(api: Api, aggregate: UUID) -> list[DomainEvent]:
    return list(api.core.store.repository.event_store.get(aggregate))  # type: ignore[arg-type]  # the library declares its base class


def _mails(api: Api, person: Person) -> list[tuple[str, str, str, str]]:
    settings = api.core.settings
    with psycopg.connect(settings.postgres_url or "", row_factory=dict_row) as connection:
        rows = connection.execute(
            "SELECT * FROM kernel.mail WHERE account_id = %s AND kind = 'insights_digest' ORDER BY id",
            (person.account_id,),
        ).fetchall()
    found = []
    for row in rows:
        to, text = decrypt_mail(settings, row["id"], row["recipient_sealed"], row["text_sealed"])
        stop = decrypt(derived_key(settings, "mail"), row["unsubscribe_sealed"], f"mail-unsubscribe:{row['id']}")
        found.append((to, row["subject"], text or "", stop))
    return found
