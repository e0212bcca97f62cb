"""Money from reports to statements: policies, relay and the query service over one set of databases."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import zip_longest
from typing import Any
from uuid import UUID, uuid4

import httpx
import httpx2
import psycopg

from command_api.conversions import decisions, model, monthly_totals
from command_api.conversions.tiers import MonthlyTotal, month_of
from command_api.kernel.decision import CommandContext, CommandRejected
from infra.kernel.postgres.pool import required_url
from infra.kernel.postgres.rows import PostgresRows
from projectors.read_models.conversions.conversion_steps import CONVERSION_STEPS
from projectors.read_models.conversions.conversions import CONVERSIONS
from projectors.read_models.conversions.statement_months import STATEMENT_MONTHS
from projectors.rollups.conversion_rows import row_of
from query_api.kernel import money
from schemas.base import DomainEvent, Money
from schemas.currencies import decimal_text
from schemas.events.conversions import (
    AttributedBy,
    Attribution,
    ConversionApproved,
    ConversionAttributed,
    ConversionFacts,
    Reported,
)
from schemas.events.partners import Terms, Tier
from tests.support.command import Person
from tests.support.policies import Policies, Shop, project
from tests.support.query import QueryService

MONTHS = [f"2025-{month:02d}" for month in range(1, 13)]
RATES = {"USD": {"EUR": "1.0832"}, "JPY": {"EUR": "163.37"}, "KWD": {"EUR": "0.33219"}}


class Accounting:
    """Policies, relay and the query service over one set of databases; `project` does what projectors do."""

    def __init__(self, made: Policies, query: QueryService) -> None:
        self.made, self.world, self.query = made, made.world, query
        self._seen = 0
        self.place = 10**6
        """In commit order: behind all that is really decided."""

    def shop(self, **terms: Any) -> Shop:
        site = self.world.website()
        partner = self.world.partner(terms={"kind": "percent", "percent": 10, **terms})
        return Shop(site, partner, self.world.link(site, partner))

    def sales(self, shop: Shop, count: int, **changes: Any) -> list[UUID]:
        """Sales of 100.00 USD with a click, decided and projected."""
        click = self.made.click(shop)
        self.made.project_click(shop, click=click)
        reports = [self.made.report_of(shop, click_id=click, **changes) for _ in range(count)]
        self.made.publish(reports)
        found = [UUID(report["conversion_id"]) for report in reports]
        for conversion in found:
            self.made.decided(conversion)
        self.project()
        return found

    def project(self) -> None:
        self.made.relayed()
        self._seen = project(self.world, since=self._seen)

    def post(self, path: str, body: Any, person: Person | None = None, **options: Any) -> httpx2.Response:
        answer = self.world.call(
            "POST", f"/api/platform/conversions/{path}", person or self.world.owner, json=body, **options
        )
        self.project()
        return answer

    def get(self, path: str, person: Person | None = None, **parameters: Any) -> httpx.Response:
        headers = (person or self.world.owner).headers
        return self.query.get(path, headers=headers, params=parameters)

    def statement(self, shop: Shop, month: str | None = None) -> dict[str, Any]:
        """Of this month, unless one is named."""
        place = {"websiteId": shop.site["id"], "month": month or this_month()}
        found: dict[str, Any] = self.get("/api/platform/statements", **place).json()
        return found


def this_month() -> str:
    """Computed when it is needed: a module is imported long before its tests run."""
    return datetime.now(UTC).strftime("%Y-%m")


class PastMonths:
    """A website's random year with three partners, as the policies would have decided it."""

    def __init__(self, books: Accounting, rng: random.Random, currency: str) -> None:
        self.books, self.rng, self.currency = books, rng, currency
        self.website = books.query.website(books.query.person(), "Pacific/Auckland", currency)
        books.world.postgres.execute(
            "UPDATE read.websites__g1 SET account_id = %s WHERE id = %s", (books.world.owner.account_id, self.website)
        )
        self.move("Pacific/Auckland", datetime(2024, 12, 1, tzinfo=UTC))
        self.partners = [books.query.partner(f"P{number}") for number in range(3)]
        self.standings: defaultdict[monthly_totals.TotalKey, MonthlyTotal] = defaultdict(MonthlyTotal)
        self.states: list[model.Conversion] = []
        self.events: list[DomainEvent] = []
        # Whatever the dice say, one commission is earned in one month and reversed in a later one.
        self._live(amount=10**6, attributed=True, steps=("approve", "whole"))
        for _ in range(100):
            self._live()
        self.events.sort(key=lambda event: event.timestamp)

    def move(self, timezone: str, since: datetime) -> None:
        self.books.place += 1
        row = {"website_id": self.website, "since": since, "timezone": timezone, "position": self.books.place}
        self.books.query.insert("website_zones", row)
        self.books.world.postgres.execute(
            "UPDATE read.websites__g1 SET timezone = %s WHERE id = %s", (timezone, self.website)
        )

    def project(self, events: list[DomainEvent]) -> None:
        """What the projectors do. Sums by months come last: until then statements do without them."""
        with psycopg.connect(required_url(self.books.world.settings)) as connection:
            for each in (CONVERSIONS, CONVERSION_STEPS, STATEMENT_MONTHS):
                before = self.statements() if each is STATEMENT_MONTHS else None
                rows = PostgresRows(connection, each.table(1), each.key)
                for rows.position, event in enumerate(events, start=self.books.place):
                    if type(event) in each.handlers:
                        each.handlers[type(event)](rows, event)
                rows.flush()
                connection.commit()
            self.books.place += len(events)
            self.books.query.advance("statement_months", "domain", 0, self.books.place, self.books.place - 1)
            assert self.statements() == before
        self.books.query.events([row for event in events if (row := row_of(event)) is not None])

    def statements(self) -> dict[str, list[dict[str, Any]]]:
        return {
            month: self.books.get("/api/platform/statements", websiteId=str(self.website), month=month).json()[
                "statements"
            ]
            for month in MONTHS
        }

    def files(self, statements: list[dict[str, Any]], month: str) -> list[str]:
        place: dict[str, Any] = {"websiteId": str(self.website), "month": month}
        return [
            self.books.get(f"/api/platform/statements/{one['partnerId']}.{kind}", **place).text
            for one in statements
            for kind in ("csv", "html")
        ]

    def compare_accountant_file(self, statements: dict[str, list[dict[str, Any]]]) -> None:
        """The file of the whole year has the lines of all statements."""
        query: dict[str, Any] = {"websiteId": str(self.website), "month": MONTHS[0], "until": MONTHS[-1]}
        text = self.books.get("/api/platform/statements.csv", **query).text
        rows = [row for row in csv.DictReader(io.StringIO(text)) if row["line"] == "partner"]
        shown = [(month, one) for month in MONTHS for one in statements[month]]
        names = ("opening", "approved", "adjustments", "closing", "held", "payable")
        found = [(row["month"], row["partnerId"], *(row[name] for name in (*names, "reversed"))) for row in rows]
        wanted = [
            (month, one["partnerId"], *(decimal_text(one[name]["amount"], self.currency) for name in names),
             decimal_text(one["takenBack"]["amount"], self.currency))
            for month, one in shown
        ]  # fmt: skip
        assert found == wanted, [pair for pair in zip_longest(found, wanted) if pair[0] != pair[1]]

    def approvals(self) -> int:
        """Conversions that were earned: approved, with a click by then or later."""
        earned = set()
        for event in self.events:
            if isinstance(event, ConversionApproved | ConversionAttributed) and event.change.approved:
                earned.add(event.originator_id)
        return len(earned)

    def sums(self, states: Iterable[model.Conversion]) -> dict[str, int]:
        found: Counter[str] = Counter()
        for state in states:
            assert state.facts.attribution is not None
            found[str(state.facts.attribution.partner_id)] += state.net_commission
        return {partner: total for partner, total in found.items() if total}

    def compare_dashboard(self, states: list[model.Conversion]) -> None:
        year: dict[str, Any] = {
            "websiteId": str(self.website),
            "timeRange": "custom",
            "from": "2024-12-31",
            "to": "2026-01-01",
        }
        overview, conversions, partners = (
            json.loads(self.books.get(f"/api/platform/analytics/{call}", **year).text, parse_float=Decimal)
            for call in ("overview", "conversions", "partners")
        )
        counts = Counter(state.status.value for state in states)
        open_ = [state for state in states if state.is_open]
        total = sum(state.net_commission for state in open_)
        back = sum(state.reversed_commission for state in states)
        assert {name: overview["conversions"][name] for name in counts} == counts
        assert overview["conversions"]["total"] == len(open_)
        assert overview["revenue"]["total"] == money.major(total, self.currency)
        assert overview["revenue"]["reversed"] == money.major(back, self.currency)
        assert sum(one["revenue"] for one in conversions) == money.major(total, self.currency)
        assert {one["partnerId"]: one["revenue"] for one in partners if one["revenue"]} == {
            partner: money.major(total, self.currency) for partner, total in self.sums(open_).items()
        }

    def _live(
        self, amount: int | None = None, attributed: bool | None = None, steps: Sequence[str] | None = None
    ) -> None:
        """A sale of early 2025, and its outcome within months; what is not given is chance."""
        rng = self.rng
        if amount is None:
            amount = rng.choice([0, 1, 3, rng.randrange(1, 10**6)])
        if attributed is None:
            attributed = rng.random() < 0.8
        at = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=rng.random() * 150)
        tiers = rng.choice([(), (Tier(at_least=2, rate_bp=3_333), Tier(at_least=6, rate_bp=777))])
        terms = Terms(
            rate_bp=rng.randrange(1, 3000), hold_days=rng.choice([0, 14, 60]), tiers=tiers, auto_approve_days=9
        )
        partner = rng.choice(self.partners)
        click = Attribution(by=AttributedBy.CLICK_ID, partner_id=partner, clicked_at=at, terms=terms)
        facts = ConversionFacts(
            website_id=self.website,
            kind="sale",
            event="sale",
            txid=f"{rng.random()}<i>",
            amount=Money(amount=amount, currency=rng.choice(["EUR", self.currency])),
            occurred_at=at,
            attribution=click if attributed else None,
        )
        rates, account = RATES[self.currency], (self.website, partner, month_of(at))
        first = decisions.record(
            uuid4(), facts, decisions.Basis(rates, self.standings[account]), received_at=at, reported_by="sale",
            payout=None, customer="", currency=self.currency, context=CommandContext(at),
        )  # fmt: skip
        state = self._take(None, first)
        given = steps is not None
        for step in steps if steps is not None else rng.choices(STEPS, k=rng.randrange(7)):
            at += timedelta(days=31 if given else rng.random() * 30)
            with suppress(CommandRejected):
                for event in _step(step, rng, state, click, rates, self.standings[account], CommandContext(at)):
                    state = self._take(state, event)
        self.states.append(state)

    def _take(self, state: model.Conversion | None, event: DomainEvent) -> model.Conversion:
        self.events.append(event)
        if (moved := monthly_totals.delta(event)) is not None:
            self.standings[moved[0]] += moved[1]
        return model.evolve(state, event)


STEPS = ("approve", "in time", "attribute", "assign", "part", "part", "whole", "reject", "report", "restate")


def _step(
    step: str,
    rng: random.Random,
    state: model.Conversion,
    click: Attribution,
    rates: dict[str, str],
    standing: MonthlyTotal,
    asked: CommandContext,
) -> list[DomainEvent]:
    left = state.facts.amount.amount - state.reversed_amount
    match step:
        case "approve":
            return decisions.approve(state, asked)
        case "in time":
            return decisions.approve_automatically(state, click.terms, asked)
        case "attribute":
            return decisions.attribute(state, click, decisions.Basis(rates, standing), asked)
        case "assign":
            chosen = click.model_copy(update={"by": AttributedBy.MANUAL, "link_id": uuid4()})
            return decisions.assign(state, chosen, decisions.Basis(rates, standing), "told by phone", asked)
        case "part":
            return decisions.reverse(state, "one item", rng.randint(1, max(left, 1)), asked)
        case "whole":
            return decisions.reverse(state, "sent back", None, asked)
        case "report":
            other = Reported(
                report_id=uuid4(),
                key_kind="postback",
                reported_by="postback",
                received_at=asked.at,
                kind="sale",
                amount=Money(amount=7, currency="EUR"),
                occurred_at=asked.at,
            )
            return decisions.merge_report(state, other, asked)
        case "restate":
            amount = Money(amount=rng.randrange(1, 10**6), currency=state.facts.amount.currency)
            found = state.facts.model_copy(update={"amount": amount})
            if state.is_attributed:
                standing = standing - monthly_totals.total_of(model.contribution(state))
            return decisions.restate(
                state,
                found,
                decisions.Basis(rates, standing),
                payout=None,
                customer="",
                cause="report",
                context=asked,
            )
        case _:
            return decisions.reject(state, "fraud", asked)
