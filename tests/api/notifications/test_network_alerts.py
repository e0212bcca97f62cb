"""Alerts about what networks and partners report and pay: each opens with its cause, and ends with it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb

from command_api.notifications.alerts.names import DAILY
from tests.api.notifications.test_alerts import Alarm, alarm, engines

__all__ = ["alarm", "engines"]

DAY = timedelta(days=1)


def imported(alarm: Alarm, state: str, network: str = "awin", ago: timedelta = timedelta(hours=2)) -> UUID:
    """An import of a network's report in this state."""
    made, at = uuid4(), alarm.now - ago
    alarm.api.query.insert("network_imports", {
        "id": made, "website_id": alarm.website, "network": network, "applies": False, "mapping": Jsonb({}),
        "file": Jsonb({"name": "november.csv"}), "state": state, "uploaded_at": at, "changed_at": at,
        "code": "no_header", "message": "No line has the names of columns.",
    })  # fmt: skip
    return made


def connected(alarm: Alarm, network: str, read: timedelta | None, added: timedelta = 90 * DAY, **more: Any) -> UUID:
    """A connection that was read successfully this long ago; none: never."""
    made = uuid4()
    alarm.api.query.insert("network_connections", {
        "id": made, "website_id": alarm.website, "network": network, "schedule": "daily",
        "added_at": alarm.now - added, "changed_at": alarm.now - added,
        "pulled_at": None if read is None else alarm.now - read, **more,
    })  # fmt: skip
    return made


def decided(alarm: Alarm, partner: UUID, status: str, days: int, count: int = 1, commission: int = 1_000) -> None:
    """Conversions of the partner that were decided so many days ago, and are payable since then."""
    at = alarm.now - days * DAY
    for _ in range(count):
        made = uuid4()
        alarm.api.query.insert("conversions", {
            "id": made, "website_id": alarm.website, "kind": "sale", "event": "sale", "txid": made.hex,
            "status": status, "amount": 10_000, "currency": "USD", "commission": commission,
            "commission_currency": "USD", "reported_by": "sale", "occurred_at": at, "recorded_at": at,
            "decided_at": at, "partner_id": partner, "payable_at": at if status == "approved" else None,
        })  # fmt: skip


def paid(alarm: Alarm, partner: UUID, amount: int) -> None:
    alarm.api.query.insert("payouts", {
        "id": uuid4(), "website_id": alarm.website, "partner_id": partner, "paid_on": alarm.now.date(),
        "amount": amount, "currency": "USD", "credited": amount, "credited_currency": "USD",
        "allocations": Jsonb({}), "recorded_at": alarm.now, "reference": "",
    })  # fmt: skip


def test_a_report_that_cannot_be_read_is_an_alert_until_one_is(alarm: Alarm) -> None:
    imported(alarm, "applied", "cj", ago=timedelta(hours=3))
    failed = imported(alarm, "failed")
    imported(alarm, "failed", "rakuten", ago=8 * DAY)
    assert alarm.check() == ["A report of Awin could not be read"]
    [told] = alarm.done("GET", "alerts/raised", alarm.ada, params={"websiteId": str(alarm.website)})
    assert told["text"] == "november.csv: No line has the names of columns."
    assert told["path"] == f"/conversions/networks/{failed}?website={alarm.website}"
    imported(alarm, "ready", ago=timedelta(hours=1))
    assert alarm.check() == []


def test_a_network_that_cannot_be_read_for_days_is_an_alert(alarm: Alarm) -> None:
    connected(alarm, "awin", timedelta(hours=30))
    connected(alarm, "cj", None, added=timedelta(hours=5))
    late = connected(alarm, "impact", 3 * DAY)
    since = alarm.now - 3 * DAY
    assert alarm.check() == [f"No report of impact.com has arrived since {since:%b} {since.day}"]
    read = "UPDATE read.network_connections__g1 SET pulled_at = %s WHERE id = %s"
    alarm.api.query.postgres.execute(read, (alarm.now, late))
    assert alarm.check() == []
    alarm.set("reports_stopped", threshold=1)
    assert len(alarm.check()) == 1, "of Awin, thirty hours ago"


def test_refused_credentials_are_an_alert_at_once(alarm: Alarm) -> None:
    connected(alarm, "awin", None, timedelta(minutes=5), is_refused=True, problem="Awin does not accept the token.")
    assert alarm.check() == ["No report of Awin has arrived yet"]
    [told] = alarm.done("GET", "alerts/raised", alarm.ada, params={"websiteId": str(alarm.website)})
    assert told["text"].startswith("Awin does not accept the token. Enter new credentials:")


def test_a_partner_that_declines_more_than_usual_is_an_alert(alarm: Alarm) -> None:
    alarm.set("partner_overdue", enabled=False)
    strict, usual, small = (alarm.api.query.partner(name) for name in ("Strict Hotels", "Usual Hotels", "Small Hotels"))
    for days in range(35, 205, 30):
        decided(alarm, strict, "approved", days, 36)
        decided(alarm, strict, "rejected", days, 4)
        decided(alarm, usual, "rejected", days, 12)
        decided(alarm, usual, "approved", days, 28)
    decided(alarm, strict, "approved", 5, 28)
    decided(alarm, strict, "rejected", 6, 15)
    decided(alarm, usual, "approved", 5, 28)
    decided(alarm, usual, "reversed", 6, 14)
    decided(alarm, small, "rejected", 5, 9)
    title = "Strict Hotels declined 35% of its conversions in the last 30 days, usually 10%"
    assert alarm.check(DAILY) == [title]
    [told] = alarm.done("GET", "alerts/raised", alarm.ada, params={"websiteId": str(alarm.website)})
    assert told["text"].startswith("15 of 43 decided conversions were declined or reversed.")
    decided(alarm, strict, "approved", 4, 60)
    assert alarm.check(DAILY) == []


def test_a_partner_that_pays_late_is_an_alert_until_it_pays(alarm: Alarm) -> None:
    late, prompt = alarm.api.query.partner("Late Hotels"), alarm.api.query.partner("Prompt Hotels")
    decided(alarm, late, "approved", 100, 3)
    decided(alarm, late, "approved", 10, 5)
    decided(alarm, prompt, "approved", 70, 2)
    paid(alarm, prompt, 2_000)
    paid(alarm, late, 500)
    assert alarm.check(DAILY) == ["Late Hotels has not paid 25.00 USD for more than 30 days"]
    alarm.set("partner_overdue", threshold=90)
    assert len(alarm.check(DAILY)) == 1
    paid(alarm, late, 2_500)
    assert alarm.check(DAILY) == []
