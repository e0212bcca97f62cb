"""Sends the demonstration (`infra.ops.demo.plan`) to a running stack as its users would: sign in, connect, track,
report.

Running it again on the same day adds nothing: partners, websites, links and listings are found by their names, events
and sales have the same ids.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final

import httpx

from command_api.registry import open_container
from infra.kernel.config.loading import load
from infra.kernel.config.settings import Settings, SettingsError
from infra.kernel.observability.progress import Meter
from infra.ops.demo import deals, forum, market, members, plan, records, removal, splits
from infra.ops.demo.stage import start_and_fill
from schemas.tracking import IMPRESSION

BATCH: Final = 1_500
CONCURRENT_BATCHES: Final = 3
CONCURRENT_SALES: Final = 16
TIMEOUT_S: Final = 30.0
CAUGHT_UP_WITHIN_S: Final = 120.0


class DemoFailed(Exception):
    """One sentence: what the stack refused, and how to go on."""


@dataclass(frozen=True, slots=True)
class DemoSite:
    """A website of the demonstration on the stack."""

    plan: plan.DemoWebsite
    id: str
    secret_key: str


def main(argv: list[str]) -> int:
    """`althing demo [--start] [--events N] [--seed N] [--json]`, `althing demo remove`; exit code 0 done, 1 failed."""
    parser = argparse.ArgumentParser(prog="althing demo", description=__doc__)
    parser.add_argument("action", nargs="?", choices=["fill", "remove"], default="fill", help="default: fill")
    parser.add_argument("--events", type=int, default=300_000, help="about how many events (default 300,000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives another history")
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end, and no progress")
    parser.add_argument("--start", action="store_true", help="start a stack for it, and keep it running")
    options = parser.parse_args(argv)
    try:
        if options.start:
            return start_and_fill(lambda settings: _filled(settings, options))
        settings = _of_running_stack()
        return _removed(settings) if options.action == "remove" else _filled(settings, options)
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return 1


def _of_running_stack() -> Settings:
    """The settings with which this command reaches the stack of the data directory, or the servers that are named.

    Raises `SettingsError` when there are none: another program that answers on the app's port is not meant.
    """
    settings = load()
    if settings.postgres_url is None:
        raise SettingsError(
            f"No stack runs on {settings.data_dir.resolve()}. `make demo` starts one for the demonstration alone."
        )
    return settings


def _removed(settings: Settings) -> int:
    container = open_container(settings)
    try:
        found = removal.find(container)
        removal.remove(container, found)
    except removal.NotRemoved as error:
        sys.stderr.write(f"{error}\n")
        return 1
    finally:
        container.close()
    sys.stdout.write(
        f"Removed {len(found.accounts)} accounts, {len(found.websites)} websites, {len(found.partners)} partners and "
        f"{len(found.posts)} threads of the demonstration. Nothing else was touched.\n"
        if found.count
        else "There is nothing of the demonstration here.\n"
    )
    return 0


def _filled(settings: Settings, options: argparse.Namespace) -> int:
    try:
        counts = asyncio.run(fill(settings, events=options.events, seed=options.seed, quiet=options.json))
    except DemoFailed as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except httpx.HTTPError as error:
        sys.stderr.write(f"The stack did not answer ({type(error).__name__}: {error}). Is it running? Try: make run\n")
        return 1
    text = json.dumps(counts) if options.json else (
        f"Sent {counts['events']:,} events and {counts['sales']:,} sales of {counts['websites']} websites "
        f"and put {counts['listings']} up for sale in {counts['seconds']:.0f} s. "
        "Everything of the demonstration is marked (demo); `althing demo remove` removes it."
    )  # fmt: skip
    sys.stdout.write(text + "\n")
    return 0


async def fill(settings: Settings, *, events: int, seed: int, quiet: bool) -> dict[str, Any]:
    """Sends the whole demonstration; the counts of what was sent. Raises `DemoFailed` or `httpx.HTTPError`."""
    started, now = time.monotonic(), datetime.now(UTC)
    async with AsyncExitStack() as opened:
        app = await opened.enter_async_context(_signed_in(settings))
        edge = await opened.enter_async_context(
            httpx.AsyncClient(base_url=settings.tracking_base_url, timeout=TIMEOUT_S)
        )
        people = [
            await opened.enter_async_context(members.signed_in(app, member, settings.admin_password or "", _done))
            for member in (members.SELLER, *members.BUYERS, *members.OTHERS)
        ]
        seller, *buyers = people
        await records.record_rates(app, now, _done)
        partners = await _partners(app)
        websites = [await _connect(app, site, partners) for site in plan.WEBSITES]
        await _private_partner(app, websites[0])
        for_sale = await _connect(seller, market.FOR_SALE, partners)
        websites.append(for_sale)
        planned = (plan.visits, splits.visits)
        visits = [
            (site, [visit for make in planned for visit in make(site.plan, today=now, events=events, seed=seed)])
            for site in websites
        ]
        total = sum(len(visit.events) for _, made in visits for visit in made)
        seen = sum(event["type"] == IMPRESSION for _, made in visits for visit in made for event in visit.events)
        with Meter("events", total, quiet=quiet) as meter:
            *_, threads = await asyncio.gather(
                *(_send_events(edge, site, (e for v in made for e in v.events), meter) for site, made in visits),
                forum.write(app, people, _done),
            )
        await _projected(app, websites[:-1], quiet=True)
        await _projected(seller, [for_sale], quiet)
        sales = [(site, visit.sale) for site, made in visits for visit in made if visit.sale]
        with Meter("sales", len(sales), quiet=quiet) as meter:
            await _send_sales(edge, sales, meter)
        of_sale = visits[-1][1]
        await _counted(seller, for_sale, sum(visit.sale is not None for visit in of_sale), quiet)
        listed = [market.with_figures(market.MEASURED, of_sale, now), *market.LISTINGS]
        listings = await market.put_up_for_sale(app, seller, listed, for_sale.id, _done)
        offers = await deals.make(seller, buyers, _done)
        own = {site.plan.domain: site.id for site in websites[:-1]}
        await records.annotate(app, own, now, _done)
        await records.save_views(app, websites[0].id, _done)
        costs = await records.spend(app, own, now, _done)
        payouts = await records.pay(app, list(own.values()), _done)
        for domain, website_id in own.items():
            await splits.let_weights_follow(app, website_id, domain, _done)
        insights = await records.analyze(app, list(own.values()), lambda: asyncio.sleep(1))
    return {
        "websites": len(websites), "partners": len(plan.PARTNERS), "events": total, "impressions": seen,
        "sales": len(sales), "listings": listings, "offers": offers, "threads": threads,
        "costs": costs, "payouts": payouts, "insights": insights, "seconds": round(time.monotonic() - started, 1),
    }  # fmt: skip


@asynccontextmanager
async def _signed_in(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    if not (settings.admin_email and settings.admin_password):
        raise DemoFailed("The demonstration signs in as the admin: set ALTHING_ADMIN_EMAIL and ALTHING_ADMIN_PASSWORD.")
    async with httpx.AsyncClient(base_url=settings.app_url, timeout=TIMEOUT_S) as client:
        answer = await client.post(
            "/api/platform/login", json={"email": settings.admin_email, "password": settings.admin_password}
        )
        if answer.status_code != 200 or answer.json().get("requires2FA"):
            raise DemoFailed(f"Signing in as {settings.admin_email} failed: {_detail(answer)}")
        client.headers["Authorization"] = f"Bearer {answer.json()['token']}"
        yield client


async def _partners(app: httpx.AsyncClient) -> dict[str, str]:
    """Ids by slug."""
    partner_ids = {row["slug"]: row["id"] for row in (await _done(app.get("/api/admin/partners"))).json()}
    for partner in plan.PARTNERS:
        if partner.slug not in partner_ids:
            body = {
                "name": partner.name, "slug": partner.slug, "baseUrl": f"https://{partner.slug}.example",
                "commission": partner.commission, "description": f"{partner.name} affiliate program", "isActive": 1,
                "cookieDays": partner.cookie_days, "postbackPreset": partner.network,
            }  # fmt: skip
            partner_ids[partner.slug] = (await _done(app.post("/api/admin/partners", json=body))).json()["id"]
    return partner_ids


async def _connect(app: httpx.AsyncClient, site: plan.DemoWebsite, partner_ids: dict[str, str]) -> DemoSite:
    mine = {row["domain"]: row["id"] for row in await _caught_up(app, "/api/platform/websites")}
    if site.domain in mine:
        website_id = mine[site.domain]
        key = (await _done(app.post(f"/api/platform/websites/{website_id}/keys", json={"kind": "secret"}))).json()[
            "key"
        ]
    else:
        body = {"domain": site.domain, "timezone": site.timezone, "currency": site.currency}
        made = await _done(app.post("/api/platform/websites", json=body))
        app.headers["X-Wait-For"] = made.headers["X-Position"]
        website_id, key = made.json()["id"], made.json()["secretKey"]
    links = {row["slug"] for row in await _caught_up(app, f"/api/platform/links?websiteId={website_id}")}
    for slug in site.partners:
        wanted = plan.link_slug(site, slug)
        if wanted not in links:
            body = {"websiteId": website_id, "partnerId": partner_ids[slug], "slug": wanted}
            made = await _done(app.post("/api/platform/links", json=body))
            app.headers["X-Wait-For"] = made.headers["X-Position"]
    for split in splits.of_website(site.domain):
        if split.slug not in links:
            body = splits.link_body(split, website_id, partner_ids)
            made = await _done(app.post("/api/platform/links", json=body))
            app.headers["X-Wait-For"] = made.headers["X-Position"]
    return DemoSite(site, website_id, key)


async def _private_partner(app: httpx.AsyncClient, site: DemoSite) -> None:
    """A partner that only the marketer sees, with a link of the website."""
    partner = plan.PRIVATE_PARTNER
    if any(row["name"] == partner.name for row in (await _done(app.get("/api/platform/partners"))).json()):
        return
    body = {
        "name": partner.name, "baseUrl": f"https://{partner.slug}.example", "commission": partner.commission,
        "cookieDays": partner.cookie_days, "postbackPreset": partner.network,
    }  # fmt: skip
    made = (await _done(app.post("/api/platform/partners", json=body))).json()
    link = {"websiteId": site.id, "partnerId": made["id"], "slug": plan.link_slug(site.plan, partner.slug)}
    answer = await _done(app.post("/api/platform/links", json=link))
    app.headers["X-Wait-For"] = answer.headers["X-Position"]


async def _send_events(edge: httpx.AsyncClient, site: DemoSite, events: Iterable[dict[str, Any]], meter: Meter) -> None:
    remaining = iter(events)
    headers = {"Authorization": f"Bearer {site.secret_key}", "X-Backfill": "true"}

    async def send_batches() -> None:
        while batch := list(islice(remaining, BATCH)):
            answer = await _with_retry(edge, "/track", batch, headers)
            if answer.json()["rejected"]:
                raise DemoFailed(f"{site.plan.domain}: {answer.json()['rejected'][0]}")
            meter.advance(len(batch))

    await asyncio.gather(*(send_batches() for _ in range(CONCURRENT_BATCHES)))


async def _send_sales(edge: httpx.AsyncClient, sales: list[tuple[DemoSite, dict[str, Any]]], meter: Meter) -> None:
    remaining = iter(sales)

    async def send_some() -> None:
        for site, sale in remaining:
            headers = {"Authorization": f"Bearer {site.secret_key}", "X-Backfill": "true"}
            await _send_sale(edge, sale, headers)
            meter.advance()

    await asyncio.gather(*(send_some() for _ in range(CONCURRENT_SALES)))


async def _send_sale(edge: httpx.AsyncClient, sale: dict[str, Any], headers: dict[str, str]) -> None:
    """A sale that was reversed was approved before."""
    if sale["status"] == "reversed":
        await _with_retry(edge, "/track/sale", {**sale, "status": "approved"}, headers)
    await _with_retry(edge, "/track/sale", sale, headers)


async def _with_retry(edge: httpx.AsyncClient, path: str, body: Any, headers: dict[str, str]) -> httpx.Response:
    for _ in range(60):
        answer = await edge.post(path, json=body, headers=headers)
        if answer.status_code not in (429, 503):
            return _checked(answer)
        await asyncio.sleep(float(answer.headers.get("Retry-After", "1")))
    raise DemoFailed(f"{path} went on answering {answer.status_code}: {_detail(answer)}")


async def _projected(app: httpx.AsyncClient, websites: list[DemoSite], quiet: bool) -> None:
    """Waits until the dashboards have seen every event, so that each sale finds its click."""
    deadline, said = time.monotonic() + CAUGHT_UP_WITHIN_S, "the dashboards have caught up"
    for site in websites:
        while time.monotonic() < deadline:
            query = {"websiteId": site.id, "timeRange": "24h", "compare": "none"}
            answer = await _done(app.get("/api/platform/analytics/overview", params=query))
            if float(answer.headers.get("X-Lag-Seconds", "inf")) < 1:
                break
            await asyncio.sleep(0.5)
        else:
            said = "the dashboards are still catching up; sales wait for their clicks and are counted later"
    if not quiet:
        sys.stderr.write(said + "\n")


async def _counted(seller: httpx.AsyncClient, site: DemoSite, sales: int, quiet: bool) -> None:
    """Waits until the sales of the website that is for sale are counted: it is measured when it is listed."""
    deadline, path = time.monotonic() + CAUGHT_UP_WITHIN_S, f"/api/platform/conversions?websiteId={site.id}&limit=200"
    while time.monotonic() < deadline:
        conversions = (await _done(seller.get(path))).json()
        if len(conversions) >= min(sales, 200):
            break
        await asyncio.sleep(0.5)
    await _projected(seller, [site], quiet)


async def _caught_up(app: httpx.AsyncClient, path: str) -> Any:
    """The answer with what was written last: a stack that has just started may be slow to show it."""
    deadline = time.monotonic() + CAUGHT_UP_WITHIN_S
    while True:
        answer = await _done(app.get(path))
        if "X-Stale" not in answer.headers or time.monotonic() > deadline:
            return answer.json()
        await asyncio.sleep(0.2)


async def _done(request: Any) -> httpx.Response:
    return _checked(await request)


def _checked(answer: httpx.Response) -> httpx.Response:
    if answer.status_code >= 400:
        raise DemoFailed(f"{answer.request.method} {answer.request.url.path}: {answer.status_code} {_detail(answer)}")
    return answer


def _detail(answer: httpx.Response) -> str:
    try:
        return str(answer.json().get("message") or answer.json().get("detail"))
    except ValueError:
        return answer.text[:200]
