"""Plays a history on a running stack through its public interfaces, and reads its public numbers."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Any
from uuid import uuid4

import httpx

from tests.oracle.books import DIGITS, Books, major
from tests.oracle.history import BROWSERS, RATES, Click, Decision, History, Report, Site
from tests.support.stack import Stack

EMAIL, PASSWORD = "oracle@althing.example", "independent arithmetic 7"
SETTINGS = {
    "ALTHING_ADMIN_EMAIL": EMAIL,
    "ALTHING_ADMIN_PASSWORD": PASSWORD,
    # A random visitor clicks from anywhere at once, which real ones do not.
    "ALTHING_MARK_SUSPICIOUS": "0",
    "ALTHING_MARK_DATACENTRES": "0",
}


@dataclass
class Place:
    """A website of the history as the product knows it."""

    site: Site
    books: Books
    id: str
    secret: str
    token: str
    slugs: list[str]
    conversions: dict[str, str] = field(default_factory=dict)


class World:
    """One stack. `play` sends a history; `differences` compares every public number with the books."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.app = httpx.Client(base_url=stack.app, timeout=60)
        self.tracking = httpx.Client(base_url=stack.tracking, timeout=60)
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
        for call in place.site.calls:
            if isinstance(call, Click):
                self._click(place, call)
            else:
                self._report(place, call)

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

    def differences(self, place: Place, first: date, last: date) -> list[str]:
        """Every public number of the range that is not what the books say."""
        place_and_days = {"websiteId": place.id, "timeRange": "custom", "from": f"{first}", "to": f"{last}"}
        wrong: list[str] = []

        def same(what: str, said: Any, expected: Any) -> None:
            if said != expected:
                wrong.append(f"{place.site.domain} {first}..{last} {what}: {said}, the books say {expected}")

        expected, currency = place.books.overview(first, last), place.site.currency
        overview = self._read("/api/platform/analytics/overview", place_and_days)
        same("clicks", overview["clicks"]["total"], expected["clicks"])
        for status in ("pending", "approved", "rejected", "reversed"):
            same(status, overview["conversions"][status], expected[status])
        same("revenue", _fraction(overview["revenue"]["total"]), major(expected["revenue"], currency))
        same("taken back", _fraction(overview["revenue"]["reversed"]), major(expected["back"], currency))
        series = self._read("/api/platform/analytics/clicks", place_and_days)
        same("series of clicks", sum(row["clicks"] for row in series), expected["clicks"])
        same(
            "series of revenue", sum(_fraction(row["revenue"]) for row in series), major(expected["revenue"], currency)
        )
        countries = self._read("/api/platform/analytics/geographic", place_and_days)
        same("countries' clicks", sum(row["clicks"] for row in countries), expected["clicks"])
        partners = {
            row["partnerName"]: (row["clicks"], row["conversions"], _fraction(row["revenue"]))
            for row in self._read("/api/platform/analytics/partners", place_and_days)
        }
        programs = place.books.history.programs
        for program, (clicks, conversions, revenue) in place.books.by_program(first, last).items():
            name = programs[program].name
            same(name, partners.get(name, (0, 0, Fraction())), (clicks, conversions, major(revenue, currency)))
        return wrong

    def conversions_differ(self, place: Place) -> list[str]:
        """The list and its CSV, transaction by transaction."""
        answer = self.app.get("/api/platform/conversions.csv", params={"websiteId": place.id})
        rows = {row["transaction"]: row for row in csv.DictReader(io.StringIO(answer.text))}
        programs, wrong = place.books.history.programs, list[str]()
        for txid, sale in place.books.sales.items():
            row = rows.get(txid)
            expected = (
                sale.status,
                major(sale.amount, sale.currency),
                sale.currency,
                major(sale.net if sale.program is not None else 0, place.site.currency),
                programs[sale.program].name if sale.program is not None else "",
            )
            said = row and (
                row["status"],
                _fraction(row["amount"]),
                row["currency"],
                _fraction(row["commission"]),
                row["partner"],
            )
            if said != expected:
                wrong.append(f"{place.site.domain} {txid}: {said}, the books say {expected}")
        if len(rows) != len(place.books.sales):
            wrong.append(f"{place.site.domain}: {len(rows)} conversions, the books say {len(place.books.sales)}")
        return wrong

    def audit(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.stack.run("audit", "--json").stdout)
        return told

    def _read(self, path: str, parameters: dict[str, Any]) -> Any:
        answer = self.app.get(path, params=parameters)
        assert answer.status_code == 200, (path, parameters, answer.status_code, answer.text)
        return json.loads(answer.text, parse_float=Fraction)

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
        slugs = [
            self.command("/api/platform/links", {"websiteId": made["id"], "partnerId": partner})["slug"]
            for partner in partners
        ]
        return Place(site, Books(history, site), made["id"], made["secretKey"], made["postbackToken"], slugs)

    def _click(self, place: Place, click: Click) -> None:
        body = {
            "id": str(click.id),
            "type": "click",
            "link": place.slugs[click.program],
            "visitor_id": click.visitor,
            "occurred_at": click.at.isoformat(),
            "ip": f"81.2.{click.id.int % 250}.{click.id.int // 250 % 250}",
            "user_agent": BROWSERS[click.id.int % 2],
        }
        self._send("/track", body, place.secret, 202)

    def _report(self, place: Place, report: Report) -> None:
        if report.by == "postback":
            digits = DIGITS[report.currency]
            query = {"token": place.token, "txid": report.txid, "currency": report.currency, "status": report.status}
            query["occurred_at"] = report.at.isoformat()
            if report.payout is not None:
                query["payout"] = f"{report.payout / 10**digits:.{digits}f}"
            answer = self.tracking.get("/postback", params={name: value for name, value in query.items() if value})
        else:
            body = {
                "txid": report.txid,
                "amount": report.amount,
                "currency": report.currency,
                "occurred_at": report.at.isoformat(),
            }
            if report.visitor:
                body["visitor_id"] = report.visitor
            answer = self._post("/track/sale", body, place.secret)
        # Another amount of the shop is kept and refused: what was received first stands.
        assert answer.status_code in (200, 202, 409), (report, answer.status_code, answer.text)
        if "id" in answer.json():
            place.conversions[report.txid] = answer.json()["id"]

    def _send(self, path: str, body: dict[str, Any], key: str, status: int) -> None:
        answer = self._post(path, body, key)
        assert answer.status_code == status, (body, answer.status_code, answer.text)

    def _post(self, path: str, body: dict[str, Any], key: str) -> httpx.Response:
        for _ in range(100):
            answer = self.tracking.post(path, json=body, headers={"Authorization": f"Bearer {key}"})
            if answer.status_code != 503:  # the directory may not know a website that was just made
                return answer
        return answer


def _fraction(said: Any) -> Fraction:
    return Fraction(str(said)) if not isinstance(said, Fraction) else said
