"""Alerts over both services and real engines: what is found, one message per cause, emails and quiet hours, and whose
they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import UUID, uuid4

import pytest

from command_api.kernel.process_manager import ProcessWorker
from command_api.notifications.alerts import link_health
from command_api.notifications.alerts import traffic as alert_traffic
from command_api.notifications.alerts.checks import clock
from command_api.notifications.alerts.link_health import LinkProblem, OutwardLinkChecker
from command_api.notifications.alerts.names import DAILY, FREQUENT, LINKS, MAILS
from command_api.notifications.alerts.process import alert_processes
from command_api.notifications.handler import NotificationHandler
from infra.domain.unsubscribe import unsubscribe_token
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.log import Log, open_log
from infra.kernel.mail.outbox import decrypt_mail
from infra.kernel.net.dns_resolvers import Resolvers
from infra.kernel.net.outbound_http import Outbound
from infra.kernel.postgres.rows import PostgresRows
from projectors.read_models.notifications.alerts import ALERT_DELIVERIES, ALERT_RULES, ALERTS
from schemas.alerts import alert_delivery_id, alert_id, alert_rule_id
from schemas.base import DomainEvent
from schemas.events.notifications import AlertKind, AlertOpened
from schemas.zones import ZoneInfo
from tests.support.full_api import Api, register
from tests.support.query import Person, conversion, event

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
BERLIN = ZoneInfo("Europe/Berlin")


class Links:
    """A checker of links that finds what the test says."""

    def __init__(self) -> None:
        self.problems: dict[str, LinkProblem] = {}
        self.asked: list[str] = []

    def check(self, urls: Sequence[str]) -> Sequence[LinkProblem | None]:
        self.asked += urls
        return [self.problems.get(url) for url in urls]


class Alarm:
    """A website of Ada's, and the process managers of alerts with a clock of the test."""

    def __init__(self, api: Api, log: Log, clients: ClientPool) -> None:
        self.api, self.links = api, Links()
        self.ada = api.query.person()
        register(api, self.ada)
        self.now = datetime.now(UTC)
        self.domain = f"{uuid4().hex[:12]}.example"
        self.website = self._website()
        self.managers = alert_processes(api.core, clients, log, self.links)
        self.worker = ProcessWorker(api.core, self.managers, now=lambda: self.now)

    def run(self, *names: str, after: timedelta = timedelta(0)) -> None:
        """Everything of these process managers that is due for this website and its owner, after some time."""
        self.now += after
        for name in names:
            due = self.ada.account_id if name == MAILS else self.website
            self.api.query.postgres.execute(
                "UPDATE kernel.timeout SET due_at = now() + interval '100 years' WHERE process = %s AND id <> %s",
                (name, due),
            )
            self.worker.run_once(name)

    def check(self, *names: str) -> list[str]:
        """Titles of the alerts that are open after a check, oldest first."""
        for name in names or (FREQUENT,):
            self.api.query.postgres.execute(
                "UPDATE kernel.timeout SET due_at = %s WHERE process = %s AND id = %s", (self.now, name, self.website)
            )
            self.run(name)
        return self.titles()

    def titles(self, person: Person | None = None, **params: Any) -> list[str]:
        self.project()
        params = {"websiteId": str(self.website), "open": "true", **params}
        return [one["title"] for one in self.done("GET", "alerts/raised", person or self.ada, params=params)][::-1]

    def done(self, method: str, path: str, person: Person | None, **options: Any) -> Any:
        answer = self.api.call(method, f"/api/platform/{path}", person or self.ada, **options)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None

    def set(self, kind: str, **body: Any) -> Any:
        return self.done("POST", "alerts", self.ada, json={"websiteId": str(self.website), "kind": kind, **body})

    def happened(self, aggregate: UUID) -> list[DomainEvent]:
        return cast(list[DomainEvent], list(self.api.core.store.events.get(aggregate)))

    def causes(self, kind: AlertKind, cause: str = "") -> list[str]:
        return [each.NAME for each in self.happened(alert_id(self.website, kind, cause))]

    def project(self) -> None:
        """What the projectors do with the alerts of this website and its owner."""
        ids = self.api.query.postgres.execute(
            "SELECT DISTINCT originator_id FROM events.stored_events WHERE topic LIKE 'alert.%%'"
            " AND convert_from(state, 'UTF8')::jsonb ->> 'website_id' = %s",
            (str(self.website),),
        ).fetchall()
        places = [(one, ALERTS) for (one,) in ids]
        places += [(alert_rule_id(self.website, kind), ALERT_RULES) for kind in AlertKind]
        places.append((alert_delivery_id(self.ada.account_id), ALERT_DELIVERIES))
        for aggregate, read_model in places:
            rows = PostgresRows(self.api.query.postgres, f"{read_model.name}__g1", read_model.key)
            for each in self.happened(aggregate):
                read_model.handlers[type(each)](rows, each)
            rows.flush()

    def mails(self) -> list[tuple[str, str]]:
        """Subject and text of the alert emails to Ada, oldest first."""
        rows = self.api.query.postgres.execute(
            "SELECT id, recipient_sealed, subject, text_sealed FROM kernel.mail WHERE kind = 'alert'"
            " AND account_id = %s ORDER BY created_at, id",
            (self.ada.account_id,),
        ).fetchall()
        return [
            (subject, str(decrypt_mail(self.api.core.settings, mail_id, to, text)[1]))
            for mail_id, to, subject, text in rows
        ]

    def refuse(self, code: str, partner: str, count: int, at: datetime, outcome: str = "invalid") -> None:
        row = {"id": str(uuid4()), "website_id": str(self.website), "outcome": outcome, "code": code}
        text = f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S.000}"
        what = {"message": "partner is not the slug of a partner", "endpoint": "/postback", "count": count}
        place = {"_topic": "rejected", "_partition": 0, "_offset": 0}
        self.api.query.events([{**row, **what, **place, "at": text, "partner": partner}], "refusals__g1")

    def link(self, destination: str, partner: UUID | None = None) -> tuple[UUID, str]:
        partner = partner or self.api.query.partner("Fjordline")
        link, slug = uuid4(), f"s{uuid4().hex[:8]}"
        self.api.query.insert("links", {
            "id": link, "slug": slug, "code": link.int % 2**47, "website_id": self.website, "partner_id": partner,
            "destination": destination, "subs": "{}", "is_active": True, "created_at": self.now,
        })  # fmt: skip
        return link, slug

    def pending(self, days: int, commission: int) -> UUID:
        at, made = self.now - timedelta(days=days), uuid4()
        self.api.query.insert("conversions", {
            "id": made, "website_id": self.website, "kind": "sale", "event": "sale", "txid": made.hex,
            "status": "pending", "amount": 1000, "currency": "USD", "commission": commission,
            "commission_currency": "USD", "reported_by": "sale", "occurred_at": at, "recorded_at": at,
        })  # fmt: skip
        return made

    def _website(self) -> UUID:
        made = self.done("POST", "websites", self.ada, json={"domain": self.domain, "timezone": "Europe/Berlin"})
        self.api.query.insert("websites", {
            "id": made["id"], "account_id": self.ada.account_id, "domain": self.domain, "timezone": "Europe/Berlin",
            "currency": "USD", "attribution_model": "last_click", "created_at": self.now,
        })  # fmt: skip
        return UUID(made["id"])


@pytest.fixture(scope="module")
def engines(full_api: Api) -> Iterator[tuple[Log, ClientPool]]:
    log, clients = open_log(full_api.query.settings), ClientPool(full_api.query.settings, 2)
    full_api.query.postgres.execute("UPDATE engine.position SET record_at = now() WHERE projection = 'events'")
    yield log, clients
    log.close()
    clients.close()


@pytest.fixture
def alarm(full_api: Api, engines: tuple[Log, ClientPool]) -> Alarm:
    return Alarm(full_api, *engines)


def test_rejected_postbacks_are_one_alert_by_code_and_partner_until_an_hour_without_any(alarm: Alarm) -> None:
    slug = f"awin-{uuid4().hex[:8]}"
    alarm.api.query.partner("Awin", slug)
    first = alarm.now - timedelta(minutes=20)
    alarm.refuse("bad_amount", slug, 12, first)
    alarm.refuse("unknown_partner", "nobody", 4, first)
    alarm.refuse("repeated_report", slug, 40, first, "duplicate")  # networks repeat what they are not sure of
    assert alarm.check() == [f"12 postbacks of Awin rejected since {clock(BERLIN, first, alarm.now)} (bad_amount)"]
    alarm.refuse("bad_amount", slug, 30, alarm.now - timedelta(minutes=5))
    alarm.refuse("unknown_partner", "nobody", 1, alarm.now)
    assert len(alarm.check()) == 2
    cause = f"bad_amount {slug}"
    assert alarm.causes(AlertKind.POSTBACKS_REJECTED, cause) == ["alert.opened"]
    alarm.now += 2 * HOUR
    assert alarm.check() == []
    assert alarm.causes(AlertKind.POSTBACKS_REJECTED, cause) == ["alert.opened", "alert.resolved"]


def test_a_private_partner_has_a_name_for_its_owner_alone(alarm: Alarm) -> None:
    owned = {alarm.ada.account_id: "Own Shop", alarm.api.query.person().account_id: "Secret Shop"}
    for account_id, name in owned.items():
        slug = f"{name.partition(' ')[0].lower()}-{uuid4().hex[:8]}"
        partner = alarm.api.query.partner(name, slug)
        alarm.api.query.postgres.execute(
            "UPDATE read.partners__g1 SET account_id = %s WHERE id = %s", (account_id, partner)
        )
        alarm.refuse("bad_amount", slug, 12, alarm.now)
    shown = " ".join(alarm.check())
    assert "of Own Shop rejected" in shown and "Secret Shop" not in shown


def test_silence_is_an_alert_where_people_usually_come_at_these_hours(
    alarm: Alarm, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        event(alarm.website, alarm.now - week * 7 * DAY - minute * timedelta(minutes=6), "pageview", visitor=minute)
        for week in range(1, 5)
        for minute in range(100)
    ]
    last = alarm.now - 7 * HOUR
    bots = [event(alarm.website, alarm.now - HOUR, "pageview", is_bot=True, bot_reason="crawler") for _ in range(50)]
    alarm.api.query.events([*rows, *bots, event(alarm.website, last, "pageview", visitor=1)])
    with monkeypatch.context() as late:
        late.setattr(alert_traffic, "wait_until_counted", lambda *_: False)
        assert alarm.check() == []  # the projection is behind: nothing is known
    [title] = alarm.check()
    assert title.startswith("No page views or clicks since ")
    assert alarm.check() == [title]
    [opened] = alarm.happened(alert_id(alarm.website, AlertKind.NO_EVENTS, ""))
    assert isinstance(opened, AlertOpened) and "About 60 page views and clicks are usual" in opened.text
    alarm.api.query.events([event(alarm.website, alarm.now - timedelta(minutes=20), "pageview", visitor=1)])
    assert alarm.check() == []


def test_a_quiet_or_new_website_raises_no_alert(alarm: Alarm) -> None:
    assert alarm.check() == []
    rows = [event(alarm.website, alarm.now - day * DAY, "pageview", visitor=day) for day in range(1, 30)]
    alarm.api.query.events(rows)
    assert alarm.check() == []


def test_conversions_that_stay_pending_are_named_with_their_sum(alarm: Alarm) -> None:
    alarm.pending(31, 1_250), alarm.pending(40, 2_000), alarm.pending(3, 9_900)
    assert alarm.check() == ["2 conversions pending for more than 30 days (32.50 USD)"]
    alarm.set("pending_conversions", threshold=2)
    assert len(alarm.check()) == 1  # the same cause, more of it
    assert alarm.causes(AlertKind.PENDING_CONVERSIONS) == ["alert.opened"]
    alarm.api.query.postgres.execute(
        "UPDATE read.conversions__g1 SET status = 'approved' WHERE website_id = %s", (alarm.website,)
    )
    assert alarm.check() == []
    alarm.pending(3, 100)
    assert alarm.check() == ["1 conversion pending for more than 2 days (1.00 USD)"]
    assert alarm.causes(AlertKind.PENDING_CONVERSIONS) == ["alert.opened", "alert.resolved", "alert.opened"]


def test_a_deactivated_partner_is_an_alert_while_links_lead_to_it(alarm: Alarm) -> None:
    gone, long_gone = (alarm.api.query.partner(name) for name in ("Fjordline", "Old Harbour"))
    for partner in (gone, long_gone):
        alarm.link("https://partner.example/a", partner)
    deactivate = "UPDATE read.partners__g1 SET is_active = false, updated_at = %s WHERE id = %s"
    alarm.api.query.postgres.execute(deactivate, (alarm.now, gone))
    alarm.api.query.postgres.execute(deactivate, (alarm.now - 40 * DAY, long_gone))
    assert alarm.check() == ["Fjordline was deactivated: 1 link does not lead there"]
    alarm.now += 35 * DAY
    assert len(alarm.check()) == 1
    alarm.api.query.postgres.execute("UPDATE read.links__g1 SET is_archived = true WHERE partner_id = %s", (gone,))
    assert alarm.check() == []


def test_a_fall_of_rates_is_found_once_a_day(alarm: Alarm) -> None:
    rows: list[dict[str, Any]] = []
    noon = alarm.now.astimezone(BERLIN).replace(hour=12, minute=0, second=0, microsecond=0)
    for back in range(1, 43):
        at = noon - back * DAY
        rows += [event(alarm.website, at, visitor=number) for number in range(60)]
        sales = 1 if back <= 7 else 5 + back % 3
        rows += [conversion(alarm.website, at, d_approved=1, c_approved=1_000) for _ in range(sales)]
    alarm.api.query.events(rows)
    assert sorted(alarm.check(DAILY)) == [
        "Conversion rate fell 83% in the last 7 days: 1.67% instead of 10.06%",
        "EPC fell 83% in the last 7 days: 0.17 USD instead of 1.01 USD",
    ]
    due = "SELECT due_at FROM kernel.timeout WHERE process = %s AND id = %s"
    [(at,)] = alarm.api.query.postgres.execute(due, (DAILY, alarm.website)).fetchall()
    assert at.astimezone(BERLIN).hour == 3 and timedelta(0) < at - alarm.now <= DAY


@pytest.mark.parametrize("fell", [False, True])
def test_sales_that_are_reported_late_are_no_fall(alarm: Alarm, fell: bool) -> None:
    """Given a network that reports a tenth of the sales at once and the others three days later, when yesterday has its
    tenth, then nothing fell; when even that tenth is missing, the rate fell."""
    rows: list[dict[str, Any]] = []
    noon = alarm.now.astimezone(BERLIN).replace(hour=12, minute=0, second=0, microsecond=0)
    for back in range(1, 43):
        at = noon - back * DAY
        rows += [event(alarm.website, at, visitor=number) for number in range(300)]
        at_once = 0 if fell and back == 1 else 20
        delays = [timedelta(hours=1)] * at_once + [3 * DAY] * 180
        sold = [conversion(alarm.website, at, d_approved=1, c_approved=1_000) for _ in delays]
        for row, delay in zip(sold, delays, strict=True):
            row["received_at"] = f"{(at + delay).astimezone(UTC):%Y-%m-%d %H:%M:%S.000}"
            if at + delay < alarm.now:
                rows.append(row)
    alarm.api.query.events(rows)
    assert sorted(alarm.check(DAILY)) == (
        [
            "Conversion rate fell 100% yesterday: 0.00% instead of 6.67%",
            "EPC fell 100% yesterday: 0.00 USD instead of 0.67 USD",
        ]
        if fell
        else []
    )


def test_a_closed_month_is_an_alert_with_its_totals_for_a_week(alarm: Alarm) -> None:
    alarm.now = datetime(2027, 1, 3, 12, tzinfo=UTC)
    row = {"website_id": alarm.website, "month": "2026-12-01"}
    for earned, currency in ((123_450, "USD"), (100, "USD"), (2_000, "EUR")):
        partner = {"partner_id": uuid4(), "earned": earned, "currency": currency}
        alarm.api.query.insert("statement_months", {"id": uuid4(), **row, **partner})
    assert alarm.check(DAILY) == ["December 2026 is closed: 1235.50 USD and 20.00 EUR with 2 partners"]
    alarm.now += 7 * DAY
    assert alarm.check(DAILY) == []


def test_a_destination_that_fails_twice_is_broken_and_one_server_is_one_cause(alarm: Alarm) -> None:
    gone, slug = alarm.link("https://partner.example/gone?c={click_id}")
    [(_, one), (_, two)] = [alarm.link(f"https://down.example/{number}") for number in range(2)]
    alarm.link("https://partner.example/fine")
    alarm.links.problems = {
        "https://partner.example/gone?c={click_id}": LinkProblem("", "The page does not exist (404)"),
        **{
            f"https://down.example/{number}": LinkProblem("down.example", "Nothing answers there")
            for number in range(2)
        },
    }
    assert alarm.check(LINKS) == [] and len(alarm.links.asked) == 4
    assert alarm.check(LINKS) == [] and len(alarm.links.asked) == 4  # not due again
    alarm.now += HOUR
    assert sorted(alarm.check(LINKS)) == sorted(
        [f"/{slug} is broken: The page does not exist (404)", "2 links are broken: down.example: Nothing answers there"]
    )
    assert len(alarm.links.asked) == 7  # what failed
    assert alarm.causes(AlertKind.LINK_BROKEN, str(gone)) == ["alert.opened"]
    alarm.links.problems.popitem(), alarm.links.problems.popitem()
    alarm.now += HOUR
    assert alarm.check(LINKS) == [f"/{slug} is broken: The page does not exist (404)"]
    alarm.api.query.postgres.execute(
        "UPDATE read.links__g1 SET destination = 'https://partner.example/new' WHERE id = %s", (gone,)
    )
    assert alarm.check(LINKS) == [] and one != two


def test_when_no_server_answers_the_fault_is_on_this_side(alarm: Alarm) -> None:
    for name in ("one", "two", "three"):
        alarm.link(f"https://{name}.example/")
        alarm.links.problems[f"https://{name}.example/"] = LinkProblem(f"{name}.example", "Nothing answers there")
    for _ in range(3):
        assert alarm.check(LINKS) == []
        alarm.now += HOUR
    del alarm.links.problems["https://one.example/"]
    alarm.check(LINKS)
    alarm.now += HOUR
    assert len(alarm.check(LINKS)) == 2


def test_many_links_are_requested_in_parts(alarm: Alarm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_health, "MAX_LINKS", 2)
    for number in range(5):
        alarm.link(f"https://partner.example/{number}")
    alarm.check(LINKS)
    for _ in range(2):
        alarm.run(LINKS, after=HOUR)
    assert len(set(alarm.links.asked)) == len(alarm.links.asked) == 5


UNREQUESTED = (
    "http://127.0.0.1/",
    "http://[::1]/",
    "http://169.254.169.254/latest",
    "ftp://x/",
    "https://partner.example/",
    "https://www.example.com/?c={click_id}",
)


def test_addresses_inside_the_network_and_reserved_names_are_not_requested(full_api: Api) -> None:
    checker = OutwardLinkChecker(Outbound(Resolvers(full_api.query.settings)))
    assert checker.check(UNREQUESTED) == [None] * len(UNREQUESTED)


def test_the_owner_gets_one_email_with_names_and_numbers_and_one_notification(alarm: Alarm) -> None:
    alarm.pending(31, 1_250)
    gone = alarm.api.query.partner("Fjordline")
    alarm.link("https://partner.example/a", gone)
    alarm.check()
    assert alarm.mails() == []
    alarm.run(MAILS, after=timedelta(minutes=2))
    alarm.run(MAILS, after=timedelta(minutes=2))
    [(subject, text)] = alarm.mails()
    assert subject == f"{alarm.domain}: 1 conversion pending for more than 30 days (12.50 USD)"
    assert f"/conversions?website={alarm.website}&status=pending" in text
    notify(alarm)
    [told] = alarm.done("GET", "notifications", alarm.ada)
    assert (told["kind"], told["title"], told["count"]) == ("alert", subject, 1)
    assert told["path"].startswith("/conversions?")


def notify(alarm: Alarm) -> None:
    """What the subscription of notifications does with the alerts of this website."""
    handler = NotificationHandler(alarm.api.core)
    for kind in AlertKind:
        for each in alarm.happened(alert_id(alarm.website, kind, "")):
            if each.NAME in handler.event_names:
                handler.handle(alarm.api.query.postgres, each)


def test_quiet_hours_hold_emails_back_and_several_come_as_one(alarm: Alarm) -> None:
    alarm.now = alarm.now.replace(hour=23, minute=0)
    alarm.done("PATCH", "user", alarm.ada, json={"timezone": "UTC"})
    quiet = {"mail": True, "quietFrom": "22:00", "quietUntil": "07:00"}
    assert alarm.done("PUT", "alert-delivery", alarm.ada, json=quiet) == {**quiet, "mailResolved": False}
    alarm.pending(31, 1_250)
    alarm.check()
    alarm.run(MAILS, after=5 * HOUR)
    partner = alarm.api.query.partner("Fjordline")
    alarm.link("https://partner.example/a", partner)
    deactivate = "UPDATE read.partners__g1 SET is_active = false, updated_at = %s WHERE id = %s"
    alarm.api.query.postgres.execute(deactivate, (alarm.now, partner))
    assert len(alarm.check()) == 2
    alarm.run(MAILS, after=2 * HOUR)
    assert alarm.mails() == []
    alarm.run(MAILS, after=2 * HOUR)
    [(subject, text)] = alarm.mails()
    assert subject == f"2 alerts: {alarm.domain}"
    assert "1 conversion pending" in text and "Fjordline was deactivated" in text


def test_an_end_is_mailed_only_if_that_is_chosen(alarm: Alarm) -> None:
    for wanted in (False, True):
        alarm.done("PUT", "alert-delivery", alarm.ada, json={"mail": True, "mailResolved": wanted})
        sale = alarm.pending(31, 1_250)
        alarm.check()
        alarm.run(MAILS, after=timedelta(minutes=2))
        alarm.api.query.postgres.execute("UPDATE read.conversions__g1 SET status = 'approved' WHERE id = %s", (sale,))
        alarm.check()
        alarm.run(MAILS, after=timedelta(minutes=2))
    title = "1 conversion pending for more than 30 days (12.50 USD)"
    prefixes = [subject.removesuffix(title) for subject, _ in alarm.mails()]
    assert prefixes == [f"{alarm.domain}: ", f"{alarm.domain}: ", f"{alarm.domain}: Resolved: "]


def test_emails_end_by_their_own_button_and_for_a_website_that_was_removed(alarm: Alarm) -> None:
    alarm.pending(31, 1_250)
    alarm.check()
    alarm.done("DELETE", f"websites/{alarm.website}", alarm.ada)
    alarm.run(MAILS, after=timedelta(minutes=2))
    assert alarm.mails() == []
    token = unsubscribe_token(alarm.api.core.settings, "alerts", alarm.ada.account_id)
    assert alarm.api.call("POST", f"/api/public/alerts/stop/{token[:-1]}x").status_code == 404
    assert alarm.api.call("POST", f"/api/public/alerts/stop/{token}").status_code == 200
    alarm.project()
    assert alarm.done("GET", "alert-delivery", alarm.ada)["mail"] is False


def test_rules_are_listed_changed_and_reset_per_website(alarm: Alarm) -> None:
    listed = {"params": {"websiteId": str(alarm.website)}}
    rules = {one["kind"]: one for one in alarm.done("GET", "alerts", alarm.ada, **listed)}
    assert set(rules) == {str(kind) for kind in AlertKind} and all(one["enabled"] for one in rules.values())
    assert rules["no_events"]["id"] is None and rules["no_events"]["threshold"]["value"] == 6
    made = alarm.set("no_events", threshold=12)
    assert (made["threshold"]["value"], made["minimum"]) == (12, None)
    alarm.done("PATCH", f"alerts/{made['id']}", alarm.ada, json={"enabled": False})
    alarm.project()
    [rule] = [one for one in alarm.done("GET", "alerts", alarm.ada, **listed) if one["kind"] == "no_events"]
    assert rule == {**made, "enabled": False}, "a command and a read answer the same"
    alarm.done("DELETE", f"alerts/{made['id']}", alarm.ada)
    assert alarm.api.call("DELETE", f"/api/platform/alerts/{made['id']}", alarm.ada).status_code == 404
    refused = alarm.api.call(
        "POST",
        "/api/platform/alerts",
        alarm.ada,
        json={"websiteId": str(alarm.website), "kind": "no_events", "threshold": 0},
    )
    assert refused.status_code == 400
    assert refused.json()["errors"] == [{"field": "threshold", "message": "Enter 1 to 168 hours."}]


def test_alerts_of_other_members_are_unknown(alarm: Alarm) -> None:
    eve = alarm.api.query.person()
    register(alarm.api, eve)
    alarm.pending(31, 1_250)
    rule = alarm.set("no_events", threshold=12)
    assert len(alarm.check()) == 1
    of_website = {"params": {"websiteId": str(alarm.website)}}
    for method, path, options in (
        ("GET", "alerts", of_website),
        ("GET", "alerts/raised", of_website),
        ("POST", "alerts", {"json": {"websiteId": str(alarm.website), "kind": "no_events"}}),
        ("PATCH", f"alerts/{rule['id']}", {"json": {"enabled": False}}),
        ("DELETE", f"alerts/{rule['id']}", {}),
    ):
        assert alarm.api.call(method, f"/api/platform/{path}", eve, **options).status_code == 404, path
    assert alarm.done("GET", "alerts/raised", eve) == []
    admin = alarm.api.query.person("member", "admin")
    assert alarm.done("GET", "alerts/raised", admin) == []
