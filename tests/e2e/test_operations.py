"""The journey of an admin who rebuilds everything while people click: nothing on any dashboard moves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx
import psycopg
import pytest
from playwright.sync_api import Page, expect

from infra.kernel.config.loading import load
from infra.kernel.log import Record, open_log
from tests.e2e.conftest import AGENT, PATIENCE_S, connect, partner_with_link, read, sign_in
from tests.support.stack import Stack, wait_for

MONTH = datetime.now(UTC).strftime("%Y-%m")
BUILD_S = 300
"""For all that is rebuilt at once, beside what comes in, on a busy machine."""
LOOK_EVERY_S = 2.0
"""A look reads a dozen pages; more of them would take the time that the builds need."""
BY_HAND = ("events", "conversions")
"""Rebuilt and promoted from the page; the rest as the page does it: one dialog is like the other."""
FIGURES = {"Total Clicks": "40", "Revenue": "$16.00", "Conversions": "2"}


def clicks(url: str, count: int) -> str:
    """Gives the id of the last one."""
    with httpx.Client(headers={"User-Agent": AGENT}, timeout=PATIENCE_S) as visitor:
        for _ in range(count):
            answer = visitor.get(url)
            assert answer.status_code == 302
    return parse_qs(urlsplit(answer.headers["location"]).query)["cid"][0]


def sell(mine: Stack, site: dict[str, Any], click_id: str) -> str:
    """A sale of 80.00 by postback, sent again while the log does not answer, as networks do; gives its id."""
    sale = {"click_id": click_id, "txid": uuid4().hex, "amount": "80.00", "currency": "USD"}
    parameters = {**sale, "token": site["postbackToken"]}

    def taken() -> httpx.Response | None:
        answer = httpx.get(f"{mine.tracking}/postback", params=parameters, timeout=PATIENCE_S)
        return None if answer.status_code == 503 else answer

    sent: httpx.Response = wait_for(taken, "the postback to be taken")
    assert sent.status_code in (200, 202), sent.text
    return str(sent.json()["id"])


class Watcher:
    """Reads dashboards all the time: those of a quiet website must stay as they are, a busy one's only grow."""

    def __init__(self, api: httpx.Client, quiet: str, busy: str) -> None:
        self._api, self._quiet, self._busy = api, quiet, busy
        today = datetime.now(UTC).date()
        # The same days, also when midnight comes meanwhile.
        self._days = f"timeRange=custom&from={today - timedelta(days=6)}&to={today}"
        self.looks = 0
        self.wrong: list[str] = []
        self.before = self.quiet()

    def quiet(self) -> dict[str, Any]:
        found = {
            path: read(self._api, path)
            for path in (
                f"/api/platform/analytics/overview?websiteId={self._quiet}&{self._days}",
                f"/api/platform/analytics/partners?websiteId={self._quiet}&{self._days}",
                f"/api/platform/analytics/geographic?websiteId={self._quiet}&{self._days}",
                f"/api/platform/analytics/clicks?websiteId={self._quiet}&{self._days}",
                f"/api/platform/analytics/conversions?websiteId={self._quiet}&{self._days}",
                f"/api/platform/conversions?websiteId={self._quiet}",
                f"/api/platform/statements?websiteId={self._quiet}&month={MONTH}",
                f"/api/platform/links?websiteId={self._quiet}",
                "/api/platform/partners",
                "/api/platform/invite-codes",
            )
        }
        return found | {
            "website": [row for row in read(self._api, "/api/platform/websites") if row["id"] == self._quiet]
        }

    def busy(self) -> tuple[int, int, float]:
        """Clicks, conversions and revenue."""
        found = read(self._api, f"/api/platform/analytics/overview?websiteId={self._busy}&timeRange=all")
        return found["clicks"]["total"], found["conversions"]["total"], found["revenue"]["total"]

    def run(self, stopping: Event) -> None:
        most: tuple[float, ...] = (0, 0, 0)
        while not stopping.is_set():
            for path, now in self.quiet().items():
                if now != self.before[path]:
                    self.wrong.append(f"{path}: {now} instead of {self.before[path]}")
            now = self.busy()
            if any(one < before for one, before in zip(now, most, strict=True)):
                self.wrong.append(f"the busy website went back from {most} to {now}")
            most = now
            self.looks += 1
            stopping.wait(LOOK_EVERY_S)


@contextmanager
def beside(*works: Any) -> Iterator[None]:
    """What goes wrong in one of them fails the test, too."""
    stopping = Event()
    with ThreadPoolExecutor(len(works)) as threads:
        running = [threads.submit(work, stopping) for work in works]
        try:
            yield
        finally:
            stopping.set()
    for each in running:
        each.result()


def give_reason(page: Page, reason: str, confirm: str) -> None:
    """And the dialog of it closes."""
    dialog = page.get_by_role("dialog")
    confirm_with(page, reason, confirm)
    try:
        expect(dialog).to_have_count(0)
    except AssertionError as error:
        raise AssertionError(f"the dialog stayed: {dialog.all_inner_texts()}") from error


def confirm_with(page: Page, reason: str, confirm: str) -> None:
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Reason").fill(reason)
    dialog.get_by_role("button", name=confirm, exact=True).click()


def ask(api: httpx.Client, name: str, action: str) -> None:
    """What the button and the dialog of a projection do."""
    answer = api.post(f"/api/admin/projections/{name}/{action}", json={"reason": "all of them"})
    assert answer.status_code == 202, answer.text


def states(api: httpx.Client, names: list[str]) -> set[str]:
    """Of the newest generations."""
    rows = read(api, "/api/admin/projections")
    return {row["builds"][0]["state"] for row in rows if row["name"] in names}


@pytest.mark.slow  # projections/engine/test_generations rebuilds under load
def test_what_is_rebuilt_under_load_moves_no_number(admin_stack: Stack, page: Page, api: httpx.Client) -> None:
    """Rebuild every projection from the page, compare one, promote all: every figure stays, the busy website's grow."""
    quiet, busy = connect(api, "quiet.example"), connect(api, "busy.example")
    _, quiet_link = partner_with_link(api, quiet["id"], "Quiet Partner", 10)
    _, busy_link = partner_with_link(api, busy["id"], "Busy Partner", 10)
    api.headers.pop("X-Wait-For")
    sold = [sell(admin_stack, quiet, clicks(quiet_link["url"], 20)) for _ in range(2)]
    overview = f"/api/platform/analytics/overview?websiteId={quiet['id']}"

    def counted() -> bool:
        found = read(api, overview)
        return bool((found["clicks"]["total"], found["conversions"]["pending"]) == (40, 2))

    wait_for(counted, "what happened on the quiet website")
    decided = api.post(f"/api/platform/conversions/{sold[0]}/approve", json={})
    assert decided.status_code == 200, decided.text
    wait_for(lambda: read(api, overview)["revenue"]["approved"] == 8.0, "the approval")
    watcher = Watcher(api, quiet["id"], busy["id"])
    sign_in(page, admin_stack.app)
    expect_figures(page, admin_stack.app, quiet["id"])

    def load(stopping: Event) -> None:
        while not stopping.is_set():
            sell(admin_stack, busy, clicks(busy_link["url"], 5))
            stopping.wait(1)

    page.goto(f"{admin_stack.app}/admin/projections")
    expect(page.get_by_role("button", name="Rebuild events", exact=True)).to_be_visible()
    found = {row["name"]: row for row in read(api, "/api/admin/projections") if row["family"] is None}
    assert len(found) > 10 and set(BY_HAND) <= found.keys()
    others = sorted(set(found) - set(BY_HAND))
    with beside(watcher.run, load):
        for name in BY_HAND:
            page.get_by_role("button", name=f"Rebuild {name}", exact=True).click()
            give_reason(page, "a rule was changed", "Rebuild")
        for name in others:
            ask(api, name, "rebuild")
        page.get_by_role("button", name="Compare events", exact=True).click()
        give_reason(page, "before it goes live", "Compare")
        comparison = page.get_by_role("region", name="Comparison")
        expect(comparison.get_by_role("heading").get_by_text("Equal", exact=True)).to_be_visible(timeout=BUILD_S * 1000)
        expect(comparison.get_by_role("row", name=re.compile("traffic_15m.*clicks: (\\d+) = \\1"))).to_be_visible()
        assert watcher.quiet() == watcher.before
        for name in BY_HAND:
            page.get_by_role("button", name=f"Promote {name}", exact=True).click(timeout=BUILD_S * 1000)
            give_reason(page, "it is equal", "Promote")
        page.goto("about:blank")  # the list of all of them would show each step
        wait_for(lambda: states(api, others) == {"ready"}, "the other builds", BUILD_S, LOOK_EVERY_S)
        for name in others:
            ask(api, name, "promote")

        def promoted() -> bool:
            rows = {row["name"]: row["liveGeneration"] for row in read(api, "/api/admin/projections")}
            return all(rows[name] > row["liveGeneration"] for name, row in found.items())

        wait_for(promoted, "every projection to be promoted", BUILD_S, LOOK_EVERY_S)
        looks = watcher.looks
        wait_for(lambda: watcher.looks > max(looks + 1, 5), "looks at what is live now")
    assert not watcher.wrong, "\n".join(watcher.wrong[:3])
    assert watcher.looks > 5
    assert watcher.quiet() == watcher.before
    expect_figures(page, admin_stack.app, quiet["id"])
    wait_for(lambda: "projection.promoted" in done(admin_stack), "the events of it")


def test_an_admin_sees_the_system_and_handles_dead_letters(admin_stack: Stack, page: Page) -> None:
    """A record that nobody can read is revealed, retried in vain and skipped, each with a reason; the system shows."""
    plant_bad_record(admin_stack)
    sign_in(page, admin_stack.app)
    page.goto(f"{admin_stack.app}/admin/dead-letters")
    page.get_by_role("button", name=re.compile("^Show .* of events$")).first.click()
    page.get_by_role("button", name=re.compile("^Reveal clicks")).first.click()
    confirm_with(page, "what did they send?", "Reveal")  # the record opens in the place of the question
    expect(page.get_by_label("Content")).to_contain_text("not json at all")
    page.keyboard.press("Escape")
    page.get_by_role("button", name=re.compile("^Retry clicks")).first.click()
    give_reason(page, "perhaps now", "Retry")
    expect(page.get_by_text("Failed again", exact=True)).to_be_visible()
    page.get_by_role("button", name=re.compile("^Skip clicks")).first.click()
    give_reason(page, "it is rubbish", "Skip")
    expect(page.get_by_role("table", name="Dead letters of this kind").get_by_text("Skipped")).to_be_visible()
    wait_for(
        lambda: {"dead_letter.revealed", "dead_letter.retried", "dead_letter.skipped"} <= done(admin_stack),
        "the events",
    )
    page.goto(f"{admin_stack.app}/admin/system")
    processes = page.get_by_role("table", name="Processes")
    for name in ("projectors", "command", "query", "ingest", "postgres", "clickhouse"):
        expect(processes.get_by_role("row", name=re.compile(f"^{name} \\d+ Running"))).to_be_visible()
    expect(page.get_by_role("table", name="Engines").get_by_text("Not responding")).to_have_count(0)
    expect(page.get_by_text("No backups yet")).to_be_visible()


def expect_figures(page: Page, app: str, website: str) -> None:
    """On the dashboard of the quiet website, before everything and after it."""
    page.goto(f"{app}/analytics?website={website}")
    for label, shown in FIGURES.items():
        expect(page.get_by_test_id(f"kpi-{label}")).to_have_text(shown)


def done(mine: Stack) -> set[str]:
    """Kinds of what the activity tells of, all of it: sales that come meanwhile fill what the page shows."""
    with psycopg.connect(mine.environment["POSTGRES_URL"], autocommit=True) as connection:
        return {row[0] for row in connection.execute("select distinct type from read.activity")}


def plant_bad_record(mine: Stack) -> None:
    """What no edge would write: straight into the log."""
    log = open_log(load(mine.environment, env_file=None))
    try:
        log.publish([Record("clicks", b"bad", b"not json at all", ())]).result(30)
    finally:
        log.close()
    with psycopg.connect(mine.environment["POSTGRES_URL"], autocommit=True) as connection:
        wait_for(
            lambda: connection.execute(
                "select 1 from engine.dead_letter where state = 'open' and projection = 'events'"
            ).fetchone(),
            "the dead letter",
        )
