"""Plays a history on a running stack through its public interfaces."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit
from uuid import uuid4

import httpx

from tests.oracle.books import Books, reports_of
from tests.oracle.history import RATES, SUBS, Call, Decision, Event, Follow, History, Report, Site, Spent, now
from tests.oracle.outages import broken, patiently
from tests.oracle.sales import DIGITS, is_refused, origin_of, time_of
from tests.support.stack import Stack, wait_for
from tests.support.under_load import SELDOM

EMAIL, PASSWORD = "oracle@althing.example", "independent arithmetic 7"
SETTINGS = {
    "ALTHING_ADMIN_EMAIL": EMAIL,
    "ALTHING_ADMIN_PASSWORD": PASSWORD,
    **SELDOM,
    # A random visitor clicks from anywhere at once, which real ones do not.
    "ALTHING_MARK_SUSPICIOUS": "0",
    "ALTHING_MARK_DATACENTRES": "0",
    # Who follows a link names the own address.
    "TRUSTED_PROXIES": "127.0.0.1",
}
BROWSERS: Final = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0",
)
IMPATIENCE_S: Final = 0.2
"""How long a client waits for an answer that does not come, before it thinks of sending again."""


@dataclass
class Place:
    """A website of the history as the product knows it."""

    site: Site
    history: History
    id: str
    site_key: str
    secret: str
    token: str
    slugs: list[str]
    links: list[str]
    """Ids, as `slugs`."""
    partners: list[str]
    """Ids of the programs."""
    conversions: dict[str, str] = field(default_factory=dict)
    acknowledged: dict[str, list[Report]] = field(default_factory=dict)
    received: dict[str, list[datetime]] = field(default_factory=dict)
    """When the first report of each transaction was sent for the first time, and when it was acknowledged."""
    books: Books = field(init=False)
    """Once it was played."""


class World:
    """One stack. `play` sends a website's history; `decide` what persons decide."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.app = httpx.Client(base_url=stack.app, timeout=60)
        self.tracking = httpx.Client(base_url=stack.tracking, timeout=30)
        signed_in = self.app.post("/api/platform/login", json={"email": EMAIL, "password": PASSWORD})
        self.app.headers["Authorization"] = f"Bearer {signed_in.json()['token']}"
        for (base, quote), rate in RATES.items():
            day = "2020-01-01"
            self.command("/api/admin/exchange-rates", {"base": base, "quote": quote, "rate": rate, "on": day})

    def close(self) -> None:
        self.app.close()
        self.tracking.close()

    def command(self, path: str, body: dict[str, Any], method: str = "POST") -> dict[str, Any]:
        answer = self.app.request(method, path, json=body, headers={"Idempotency-Key": str(uuid4())})
        assert answer.status_code in (200, 201), (path, body, answer.status_code, answer.text)
        self.app.headers["X-Wait-For"] = answer.headers.get("X-Position", "")
        found: dict[str, Any] = answer.json()
        return found

    def set_up(self, history: History) -> list[Place]:
        partners = [self._partner(program) for program in history.programs]
        return [self._place(history, site, partners) for site in history.sites]

    def play(self, place: Place) -> None:
        """Sends everything in its order, and opens the books."""
        for number, call in enumerate(place.site.calls):
            if number in place.site.outages:
                self._stumble(place, number)
            self.send(place, call)
        for spent in place.site.spent:
            self._spend(place, spent)
        place.books = Books(place.history, place.site, self._told(place))

    def send(self, place: Place, call: Call) -> None:
        """Until it is acknowledged."""
        if isinstance(call, Report):
            self._report(place, call)
        elif isinstance(call, Event):
            answer = patiently(partial(self._send_event, place, call))
            assert answer.status_code == 202, (call, answer.status_code, answer.text)
        elif call.at is None:
            patiently(partial(self._follow, place, call))

    def decide(self, places: list[Place], decisions: list[Decision]) -> None:
        for decision in decisions:
            place = places[decision.site]
            part = place.books.part(decision)
            body: dict[str, Any] = {} if decision.action == "approve" else {"reason": "the oracle's"}
            if decision.action == "reverse" and part:
                body["amount"] = part
            path = f"/api/platform/conversions/{place.conversions[decision.txid]}/{decision.action}"
            answer = self.app.post(path, json=body)
            if place.books.decide(decision):
                assert answer.status_code == 200, (decision, answer.text)
                self.app.headers["X-Wait-For"] = answer.headers.get("X-Position", self.app.headers["X-Wait-For"])
            else:
                assert answer.status_code in (200, 409), (decision, answer.text)

    def accept_adjustments(self, place: Place) -> None:
        """Of sales that were approved before a better click came: the owner decides, and the books always accept."""
        found = self.read("/api/platform/conversions", {"websiteId": place.id, "status": "approved", "limit": 200})
        for conversion in found:
            if conversion["adjustment"] is not None:
                answer = self.app.post(f"/api/platform/conversions/{conversion['id']}/adjustment/accept")
                # 409: it is accepted, and the list does not show it yet.
                assert answer.status_code in (200, 409), (conversion, answer.text)

    def read(self, path: str, parameters: Mapping[str, Any]) -> Any:
        """Numbers as they are written, none of them as a double."""
        answer = self.app.get(path, params=dict(parameters))
        assert answer.status_code == 200, (path, parameters, answer.status_code, answer.text)
        return json.loads(answer.text, parse_float=Fraction)

    def read_csv(self, path: str, parameters: Mapping[str, Any]) -> list[dict[str, str]]:
        answer = self.app.get(path, params=dict(parameters))
        assert answer.status_code == 200, (path, parameters, answer.status_code, answer.text)
        return list(csv.DictReader(io.StringIO(answer.text)))

    def select(self, sql: str) -> list[list[Any]]:
        """Rows of an analyst's statement."""
        answer = self.app.post("/api/platform/sql", json={"sql": sql, "maxRows": 10_000})
        assert answer.status_code == 200 and not answer.json()["truncated"], (sql, answer.status_code, answer.text)
        rows: list[list[Any]] = answer.json()["rows"]
        return rows

    def audit(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.stack.run("audit", "--json").stdout)
        return told

    def _partner(self, program: Any) -> str:
        terms: dict[str, Any] = {"kind": "percent", "percent": program.rate_bp / 100}
        if program.flat:
            terms = {"kind": "flat", "amount": program.flat, "currency": "EUR"}
        body = {
            "name": program.name,
            "baseUrl": f"https://{program.name}.example",
            "terms": terms,
            "cookieDays": program.cookie_days,
        }
        return str(self.command("/api/admin/partners", body)["id"])

    def _place(self, history: History, site: Site, partners: list[str]) -> Place:
        made = self.command(
            "/api/platform/websites", {"domain": site.domain, "timezone": site.zone, "currency": site.currency}
        )
        if site.first_click:
            self.command(f"/api/platform/websites/{made['id']}", {"attributionModel": "first_click"}, "PATCH")
        links = []
        for link in site.links:
            name = history.programs[link.program].name
            # The values of the link's macros show the click's data in ingest, without any key of the product.
            destination = f"https://{name}.example/?id={{click_id}}&at={{timestamp}}&in={{country}}" + "".join(
                f"&{sub}={{{sub}}}" for sub in SUBS
            )
            body = {"websiteId": made["id"], "partnerId": partners[link.program], "destination": destination}
            split = [
                {
                    "destination": destination.replace(name, history.programs[program].name) + f"&v={number}",
                    "weight": number,
                    "partnerId": partners[program],
                }
                for number, program in enumerate(link.variants, 1)
            ]
            own = {"coupon": link.coupon} if link.coupon else {}
            links.append({**body, **link.subs, **own, **({"variants": split} if split else {})})
        site.coupons_since = datetime.now(UTC)
        listed = self.command("/api/platform/links/bulk", {"links": links})["links"]
        slugs, ids = [link["slug"] for link in listed], [link["id"] for link in listed]
        keys = made["siteKey"], made["secretKey"], made["postbackToken"]
        return Place(site, history, made["id"], *keys, slugs, ids, partners)

    def _told(self, place: Place) -> dict[str, datetime]:
        """The times of sales that no report names: when the first report was received, which the list tells."""
        untimed = {txid for txid, reports in reports_of(place.site).items() if time_of(place.site, reports) is None}
        listed: dict[str, datetime] = {}
        if not untimed:
            return listed

        def are_listed() -> bool:
            rows = self.read_csv("/api/platform/conversions.csv", {"websiteId": place.id})
            listed.update((row["transaction"], datetime.fromisoformat(row["occurredAt"])) for row in rows)
            return all(_is_between(listed.get(txid), place.received[txid]) for txid in untimed)

        try:
            wait_for(are_listed, "sales at the times when they were received", 30)
        except AssertionError:
            wrong = {txid: (listed.get(txid), place.received[txid]) for txid in untimed}
            raise AssertionError(f"{place.site.domain}: {wrong}") from None
        return {txid: listed[txid] for txid in untimed}

    def _spend(self, place: Place, spent: Spent) -> None:
        """Enters a cost, and does with it what the history says."""
        body: dict[str, Any] = {
            "websiteId": place.id,
            "from": str(spent.first),
            "to": str(spent.last),
            "amount": {"amount": spent.amount, "currency": spent.currency},
            "note": "the oracle's",
        }
        if spent.source:
            body["source"] = spent.source
        if spent.link is not None:
            body["link"] = place.links[spent.link]
        path = f"/api/platform/costs/{self.command('/api/platform/costs', body)['id']}"
        if spent.corrected is not None:
            self.command(path, {"amount": {"amount": spent.corrected, "currency": spent.currency}}, "PATCH")
        if spent.ends != "stands":
            assert self.app.delete(path).status_code == 204
        if spent.ends == "restored":
            self.command(f"{path}/restore", {})

    def _stumble(self, place: Place, number: int) -> None:
        """The next calls are tried once while something is broken, whatever comes of it; `play` sends them again."""
        outage, tried = place.site.outages[number], set[str]()
        with broken(self.stack, outage) as worsen:
            for place_in_line, call in enumerate(place.site.calls[number : number + 3]):
                with suppress(httpx.TransportError):
                    if isinstance(call, Event):
                        self._send_event(place, call, IMPATIENCE_S)
                    elif isinstance(call, Follow):
                        # Visitors are sent on although the log is away. They do not come again: this is their click.
                        if call.at is None and outage != "ingest killed":
                            self._follow(place, call)
                    elif call.txid not in tried and (call.click is None or call.click.at is not None):
                        tried.add(call.txid)
                        self._send_report(place, call, IMPATIENCE_S)
                if place_in_line == 0:
                    worsen()

    def _send_event(self, place: Place, event: Event, timeout_s: float | None = None) -> httpx.Response:
        body = {
            "id": str(event.id),
            "type": event.type,
            "visitor_id": event.visitor,
            "occurred_at": event.at.isoformat(),
            "ip": event.ip,
            "user_agent": BROWSERS[event.id.int % 2],
            **event.subs,
        }
        if event.link is not None:
            body["link"] = place.slugs[event.link]
        if event.source:
            body["url"] = f"https://{place.site.domain}/page?{urlencode({'utm_source': event.source})}"
        return self._post("/track", body, place.secret, timeout_s)

    def _follow(self, place: Place, follow: Follow) -> httpx.Response:
        answer = self.tracking.get(
            f"/go/{place.slugs[follow.link]}",
            params=dict(follow.subs),
            headers={"User-Agent": BROWSERS[0], "X-Forwarded-For": follow.ip, "Accept-Language": "en"},
        )
        if answer.status_code == 302:
            told = dict(parse_qsl(urlsplit(answer.headers["location"]).query, keep_blank_values=True))
            origin = origin_of(place.site, follow)
            expected = {"in": origin.country, **{name: origin.subs.get(name, "") for name in SUBS}}
            assert {name: told[name] for name in expected} == expected, (follow, told)
            follow.click_id, follow.at = told["id"], datetime.fromtimestamp(int(told["at"]), UTC)
            follow.variant = int(told.get("v", 0))
        return answer

    def _report(self, place: Place, report: Report) -> None:
        earlier = place.acknowledged.setdefault(report.txid, [])
        answer = patiently(partial(self._send_report, place, report))
        # What is refused is kept all the same: the report may say more than an amount.
        expected = (409,) if is_refused(earlier, report) else (200, 202)
        assert answer.status_code in expected, (report, earlier, answer.status_code, answer.text)
        place.received[report.txid][1:] = place.received[report.txid][1:] or [datetime.now(UTC)]
        if "id" in answer.json():
            place.conversions[report.txid] = answer.json()["id"]
        earlier.append(report)

    def _send_report(self, place: Place, report: Report, timeout_s: float | None = None) -> httpx.Response:
        place.received.setdefault(report.txid, [datetime.now(UTC)])
        # A second ago: a time that is that of receipt to the millisecond would not count as named.
        place.site.moments.setdefault(report.txid, now() - timedelta(seconds=1))
        said: dict[str, Any] = {
            "txid": report.txid,
            "status": report.status,
            "currency": report.currency,
            "amount": report.amount,
            "payout": report.payout,
            "coupon": report.coupon,
            "visitor_id": report.visitor,
            "click_id": report.click.click_id if report.click else "",
            "occurred_at": place.site.time_of(report).isoformat() if report.is_timed else "",
        }
        said = {name: value for name, value in said.items() if value not in ("", None)}
        if report.by == "network":
            for name in ("amount", "payout"):
                if name in said:
                    said[name] = _decimal(said[name], report.currency)
            return self.tracking.get("/postback", params={"token": place.token, **said}, **_timeout(timeout_s))
        if report.amount is None:  # what a lead may leave out, of the same event
            return self._post("/track/lead", {**said, "event": "sale"}, place.secret, timeout_s)
        return self._post("/track/sale", said, place.site_key if report.by == "page" else place.secret, timeout_s)

    def _post(self, path: str, body: dict[str, Any], key: str, timeout_s: float | None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {key}"}
        return self.tracking.post(path, json=body, headers=headers, **_timeout(timeout_s))


def _timeout(seconds: float | None) -> dict[str, Any]:
    return {} if seconds is None else {"timeout": seconds}


def _decimal(minor: int, currency: str) -> str:
    return str(Decimal(minor).scaleb(-DIGITS[currency]))


def _is_between(at: datetime | None, times: list[datetime]) -> bool:
    # The log has milliseconds.
    return at is not None and times[0] - timedelta(milliseconds=1) <= at <= times[1]
