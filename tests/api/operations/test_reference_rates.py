"""Reference rates from a local server that speaks the European Central Bank's format: recorded once, gaps filled,
failures visible, nothing asked unless the installation wants it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from command_api.kernel.process_manager import ProcessWorker
from command_api.operations.exchange_rates import source as rate_source
from command_api.operations.exchange_rates.source import OutwardRateFetcher, reference_rates
from command_api.processes import process_managers
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.config.loading import load
from infra.kernel.config.settings import Settings
from tests.support.command import World, world
from tests.support.rate_server import DAILY, LAST_90_DAYS, RateServer, rate_server
from tests.support.subscriptions import notify

PATH = "/api/admin/exchange-rates"
THURSDAY, WEDNESDAY, TUESDAY = "2026-11-26", "2026-11-25", "2026-11-24"
OLDER = {WEDNESDAY: {"USD": "1.08", "JPY": "161"}, TUESDAY: {"USD": "1.07", "JPY": "160"}}


@dataclass
class Installation:
    """A world that fetches from the server, at a time of its own."""

    world: World
    server: RateServer
    now: datetime = datetime(2026, 11, 26, 15, 20, tzinfo=UTC)

    def check(self, now: str) -> None:
        """Runs the due check at that time (UTC)."""
        self.now = datetime.fromisoformat(now).replace(tzinfo=UTC)
        manager = reference_rates(self.world.core, OutwardRateFetcher.of(self.world.settings))
        worker = ProcessWorker(self.world.core, [manager], now=lambda: self.now)
        worker.restore(self.world.postgres)
        self.world.postgres.execute(
            "UPDATE kernel.timeout SET due_at = %s WHERE process = %s", (self.now, manager.name)
        )
        worker.run_once()

    def rates(self, quote: str = "USD") -> list[tuple[str, str, str]]:
        sql = "SELECT on_day::text, rate, source FROM lookup.exchange_rate WHERE base = 'EUR' AND quote = %s ORDER BY 1"
        return self.world.postgres.execute(sql, (quote,)).fetchall()

    def status(self) -> dict[str, Any]:
        row = self.world.postgres.execute(
            "SELECT problem, failures, newest_day::text, skipped, next_at FROM operations.rate_source"
        ).fetchone()
        assert row is not None
        return dict(zip(("problem", "failures", "day", "skipped", "next_at"), row, strict=True))

    def due_at(self) -> datetime:
        row = self.world.postgres.execute(
            "SELECT due_at FROM kernel.timeout WHERE process = 'reference-rates'"
        ).fetchone()
        assert row is not None
        found: datetime = row[0]
        return found

    def event_count(self) -> int:
        return self.world.count("SELECT count(*) FROM events.stored_events WHERE topic = 'exchange_rate.recorded.v1'")


@pytest.fixture
def installation(embedded_postgres: Settings) -> Iterator[Installation]:
    with rate_server() as server:
        settings = replace(embedded_postgres, exchange_rates="ecb", exchange_rates_url=server.address)
        with world(settings) as made:
            yield Installation(made, server)


def test_days_are_recorded_once_gaps_filled_and_revisions_taken(installation: Installation) -> None:
    server = installation.server
    server.serve({WEDNESDAY: OLDER[WEDNESDAY]}, OLDER)
    installation.check("2026-11-25T15:20")
    assert server.asked == [DAILY, LAST_90_DAYS], "the first check reads the last 90 days"
    assert installation.rates() == [(TUESDAY, "1.07", "ecb"), (WEDNESDAY, "1.08", "ecb")]
    server.serve({THURSDAY: {"USD": "1.0825", "JPY": "161.37"}}, OLDER)
    installation.check("2026-11-26T15:20")
    assert server.asked == [DAILY], "nothing is missing"
    assert installation.rates("JPY")[-1] == (THURSDAY, "161.37", "ecb")
    assert installation.due_at() == datetime(2026, 11, 27, 15, 15, tzinfo=UTC)
    before = installation.event_count()
    installation.check("2026-11-26T16:00")
    assert installation.event_count() == before == 6, "again it does nothing"
    # The weekend is no gap; a missed Monday is one, and what the bank revised in the meantime is taken over.
    server.serve({"2026-12-01": {"USD": "1.10"}}, {"2026-11-30": {"USD": "1.09"}, THURSDAY: {"USD": "1.0830"}})
    installation.check("2026-12-01T15:20")
    assert server.asked == [DAILY, LAST_90_DAYS]
    assert installation.rates()[2:] == [
        (THURSDAY, "1.0830", "ecb"),
        ("2026-11-30", "1.09", "ecb"),
        ("2026-12-01", "1.10", "ecb"),
    ]
    assert installation.status()["failures"] == 0


def test_on_a_weekend_the_file_of_friday_changes_nothing(installation: Installation) -> None:
    friday = {"2026-11-27": {"USD": "1.09"}}
    installation.server.serve(friday, friday)
    installation.check("2026-11-27T15:20")
    installation.check("2026-11-28T10:00")
    assert installation.event_count() == 1
    assert installation.due_at() == datetime(2026, 11, 30, 15, 15, tzinfo=UTC)


def test_a_person_s_rate_stays_and_is_converted_with_at_once(installation: Installation) -> None:
    made = installation.world
    body = {"base": "EUR", "quote": "USD", "rate": "1.2", "on": THURSDAY}
    assert made.call("POST", PATH, made.admin, json=body).status_code == 201
    days = {THURSDAY: {"USD": "1.0825", "JPY": "161.37"}}
    installation.server.serve(days, days)
    installation.check("2026-11-26T15:20")
    assert installation.rates() == [(THURSDAY, "1.2", "hand")]
    assert installation.rates("JPY") == [(THURSDAY, "161.37", "ecb")]


def test_each_failure_is_visible_records_nothing_and_is_tried_again(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, good = installation.server, {THURSDAY: {"USD": "1.0825", "XXQ": "2", "SEK": "N/A"}}
    monkeypatch.setattr(rate_source, "DEADLINE_S", 0.5)

    def fails(why: str) -> None:
        failures = installation.status()["failures"] if installation.server.asked else 0
        installation.check("2026-11-26T15:20")
        found = installation.status()
        assert why in found["problem"] and found["failures"] == failures + 1
        assert installation.event_count() == 0 and installation.due_at() > installation.now

    server.files = {DAILY: b"<gesmes:Envelope><Cube>"}
    fails("not complete XML")
    server.files = {DAILY: b"<Cube/>" * (rate_source.MAX_BYTES // 7 + 1)}
    fails("too large")
    server.files = {}
    fails("answers eurofxref-daily.xml with 404")
    server.serve(good, good)
    server.status, server.location = 302, "http://127.0.0.1:1/elsewhere"
    server.asked.append("")
    fails("with 302")
    server.status, server.location, server.is_silent = 200, None, True
    fails("no answer in time")
    server.is_silent = False
    installation.check("2026-11-26T15:40")
    found = installation.status()
    assert (found["problem"], found["failures"], found["day"], found["skipped"]) == (None, 0, THURSDAY, ["XXQ", "SEK"])
    assert installation.rates() == [(THURSDAY, "1.0825", "ecb")]
    assert 'exchange_rate_checks_total{outcome="failed"}' in installation.world.http.get("/metrics").text


def test_admins_hear_once_of_rates_that_do_not_arrive(installation: Installation) -> None:
    made, days = installation.world, {THURSDAY: {"USD": "1.0825"}}
    admin, _ = made.admin, made.owner
    made.postgres.execute("INSERT INTO lookup.role_holder VALUES (%s, %s)", (admin.account_id, ["member", "admin"]))

    def told() -> list[tuple[Any, ...]]:
        notify(made.core, made.postgres)
        sql = (
            "SELECT account_id, title, path, count FROM notifications.notification WHERE kind = 'rates' ORDER BY title"
        )
        return made.postgres.execute(sql).fetchall()

    def checks(count: int) -> None:
        for minute in range(count):
            installation.check(f"2026-11-26T15:{20 + minute}")

    installation.server.files = {}
    checks(5)
    assert told() == []
    checks(3)
    title = "Exchange rates do not arrive: The server answers eurofxref-daily.xml with 404. None are recorded yet."
    assert told() == [(admin.account_id, title, "/admin/exchange-rates", 1)]
    installation.server.serve(days, days)
    checks(1)
    installation.server.files = {}
    made.postgres.execute("UPDATE notifications.notification SET seen_at = now()")
    checks(7)
    assert told()[-1][1].endswith("with 404. The newest are of 26 November 2026.") and len(told()) == 2


def test_nothing_is_fetched_where_nothing_outside_may_be_called(installation: Installation) -> None:
    core, log = installation.world.core, installation.world.log

    def processes(settings: Settings) -> list[str]:
        return [each.name for each in process_managers(replace(core, settings=settings), ClientPool(settings, 1), log)]

    assert "reference-rates" in processes(replace(core.settings, exchange_rates="ecb"))
    assert load({}, None).exchange_rates == "ecb", "on by default"
    none = load({"ALTHING_EXCHANGE_RATES": "none"}, None).exchange_rates
    assert "reference-rates" not in processes(replace(core.settings, exchange_rates=none))


def test_a_file_is_previewed_then_imported_without_its_bad_lines(installation: Installation) -> None:
    made = installation.world
    assert made.call(
        "POST", PATH, made.admin, json={"base": "EUR", "quote": "USD", "rate": "1.1", "on": TUESDAY}
    ).is_success
    rates = [f"EUR,USD,1.1,{TUESDAY}", f"EUR,USD,1.2,{WEDNESDAY}", f"EUR,USD,x,{THURSDAY}", f"GBP,USD,1.3,{TUESDAY}"]
    csv = "\n".join(["base,quote,rate,on", *rates])
    preview = made.call("POST", f"{PATH}/import", made.admin, json={"csv": csv}).json()
    assert [line["outcome"] for line in preview["lines"]] == ["unchanged", "new", "rejected", "new"]
    assert preview["lines"][2]["message"].startswith("x is not a decimal number")
    assert (preview["applied"], installation.event_count()) == (False, 1)
    done = made.call("POST", f"{PATH}/import", made.admin, json={"csv": csv, "dryRun": False}).json()
    assert (done["new"], done["unchanged"], done["rejected"], done["applied"]) == (2, 1, 1, True)
    assert installation.rates() == [(TUESDAY, "1.1", "hand"), (WEDNESDAY, "1.2", "import")]
    again = made.call("POST", f"{PATH}/import", made.admin, json={"csv": csv, "dryRun": False}).json()
    assert (again["new"], again["unchanged"]) == (0, 3)
    changed = csv.replace(",1.2,", ",1.25,")
    assert made.call("POST", f"{PATH}/import", made.admin, json={"csv": changed}).json()["changed"] == 1
    assert made.call("POST", f"{PATH}/import", made.owner, json={"csv": csv, "dryRun": False}).status_code == 403
    bad = made.call("POST", f"{PATH}/import", made.admin, json={"csv": "a,b\n1,2"})
    assert (bad.status_code, bad.json()["code"]) == (400, "bad_header")
    audited = "SELECT count(*) FROM kernel.audit WHERE action = 'exchange_rate.recorded' AND actor_id = %s"
    assert made.count(audited, made.admin.account_id) == 2
