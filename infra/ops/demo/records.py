"""The records of the demonstration's owner: exchange rates, notes on charts, saved views, costs, payouts, and insights.

A second run adds nothing: notes, views and costs are found by their texts and names, payouts by their partners.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import httpx

from infra.ops.demo import plan
from infra.ops.demo.members import Done

NOTES: Final = (
    ("vpn-review.demo.example", timedelta(days=41), "New comparison table on /best-vpn (demo)"),
    ("vpn-review.demo.example", timedelta(days=17), "Newsletter with the autumn deals (demo)"),
    ("hosting-compare.demo.example", plan.BROKEN[2], "Hostfjord changed its checkout (demo)"),
    ("learn-online.demo.example", plan.PRAISED[3], "A video about this website went online (demo)"),
)
VIEWS: Final[tuple[tuple[str, str, bool, dict[str, Any]], ...]] = (
    (
        "Sales from search, 30 days (demo)",
        "view",
        True,
        {"filters": ["channel:is:search"], "timeRange": "30d", "metric": "revenue"},
    ),
    ("Phones against last year (demo)", "view", False, {"filters": ["device:is:mobile"], "timeRange": "90d"}),
    ("Newsletter readers (demo)", "segment", True, {"filters": ["utm_medium:is:email"]}),
)
"""Name, kind, whether it is shared with the website's people, and its state."""
COSTS: Final[tuple[tuple[str, dict[str, str], int, int, str, str], ...]] = (
    ("vpn-review.demo.example", {"campaign": "demo-weekly"}, 90, 240_000, "USD", "Places in newsletters (demo)"),
    ("hosting-compare.demo.example", {"source": "Google"}, 30, 9_000, "EUR", "Search ads (demo)"),
    ("learn-online.demo.example", {}, 90, 15_000, "USD", "Articles by a freelancer (demo)"),
)
"""Website, what was paid for, days until yesterday, minor units, currency, note: the newsletters lose money."""
PAID: Final = (1.0, 0.8, 0.5)
"""The part of what is owed that each of the largest partners has paid."""
PATIENCE_S: Final = 60.0


RATES: Final = (("USD", 1.14), ("GBP", 0.86))
"""What a euro is worth at the demonstration's begin; made up."""
RATE_WEEKS: Final = 30


async def record_rates(app: httpx.AsyncClient, now: datetime, done: Done) -> None:
    """Imports a rate a week, so that money of all websites is shown in one currency, also without the internet. The
    central bank's rates of other days count beside them."""
    monday = now.date() - timedelta(days=now.weekday())
    lines = [
        f"EUR,{quote},{first + 0.001 * (back % 7):.4f},{monday - timedelta(weeks=back)}"
        for quote, first in RATES
        for back in range(RATE_WEEKS)
    ]
    body = {"csv": "\n".join(("base,quote,rate,on", *lines)), "dryRun": False}
    await done(app.post("/api/admin/exchange-rates/import", json=body))


async def annotate(app: httpx.AsyncClient, websites: dict[str, str], now: datetime, done: Done) -> None:
    """Adds the notes that are not there yet. `websites`: ids by domain."""
    for domain, back, text in NOTES:
        at = now - back
        query = {"websiteId": websites[domain], "timeRange": "90d"}
        texts = {note["text"] for note in (await done(app.get("/api/platform/annotations", params=query))).json()}
        if text not in texts:
            body = {"websiteId": websites[domain], "at": at.isoformat(), "text": text}
            await done(app.post("/api/platform/annotations", json=body))


async def save_views(app: httpx.AsyncClient, website_id: str, done: Done) -> None:
    """Saves the views that are not there yet, for the first website."""
    names = {
        view["name"] for view in (await done(app.get("/api/platform/views", params={"websiteId": website_id}))).json()
    }
    for name, kind, is_shared, state in VIEWS:
        if name not in names:
            shared = {"websiteId": website_id} if is_shared else {}
            await done(app.post("/api/platform/views", json={"name": name, "kind": kind, "state": state, **shared}))


async def spend(app: httpx.AsyncClient, websites: dict[str, str], now: datetime, done: Done) -> int:
    """Enters the costs that are not there yet; returns how many there are. `websites`: ids by domain."""
    for domain, target, days, amount, currency, note in COSTS:
        query = {"websiteId": websites[domain]}
        notes = {cost["note"] for cost in (await done(app.get("/api/platform/costs", params=query))).json()}
        if note not in notes:
            body = {
                **query,
                **target,
                "from": (now - timedelta(days=days)).date().isoformat(),
                "to": (now - timedelta(days=1)).date().isoformat(),
                "amount": {"amount": amount, "currency": currency},
                "note": note,
            }
            await done(app.post("/api/platform/costs", json=body))
    return len(COSTS)


async def pay(app: httpx.AsyncClient, websites: Sequence[str], done: Done) -> int:
    """Records a payout of the partners that owe most to each website; returns how many are recorded."""
    count = 0
    for website_id in websites:
        recorded = (await done(app.get("/api/platform/payouts", params={"websiteId": website_id}))).json()
        count += len(recorded)
        if recorded:
            continue
        balances = await _owed(app, website_id, done)
        for part, partner in zip(PAID, balances["partners"], strict=False):
            amount = round(partner["owed"] * part)
            if amount <= 0:
                continue
            body = {
                "websiteId": website_id,
                "partnerId": partner["partnerId"],
                "amount": {"amount": amount, "currency": balances["currency"]},
                "paidOn": (datetime.now(UTC) - timedelta(days=3)).date().isoformat(),
                "reference": f"DEMO-{partner['partnerId'][-6:].upper()}",
            }
            await done(app.post("/api/platform/payouts", json=body))
            count += 1
    return count


async def analyze(app: httpx.AsyncClient, websites: Sequence[str], retried: Callable[[], Awaitable[None]]) -> int:
    """Runs the insights of each website; returns how many there are. A website whose last day is still being counted is
    tried again; `retried` waits in between."""
    count = 0
    for website_id in websites:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            answer = await app.post(f"/api/analytics/{website_id}/ai-insights")
            if answer.status_code == 200:
                count += len(answer.json()["insights"])
            if answer.status_code not in (429, 503) or time.monotonic() > deadline:
                break
            await retried()
    return count


async def _owed(app: httpx.AsyncClient, website_id: str, done: Done) -> dict[str, Any]:
    """The balances as soon as approved sales are counted in them, or as they are after a while."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        answer = await done(app.get("/api/platform/payouts/balances", params={"websiteId": website_id}))
        balances: dict[str, Any] = answer.json()
        if balances["owed"] or time.monotonic() > deadline:
            return balances
        await asyncio.sleep(0.5)
