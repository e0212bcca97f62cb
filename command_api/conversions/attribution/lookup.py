"""Data for a batch of reports, each item read once: websites, partners, links, rates, clicks, conversions.

A `BatchLookup` lives for one batch. It holds the conversions that the batch changes, so that a later report of the same
sale builds on them. `prefetch` reads for the whole batch at once; anything else is read on demand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, LiteralString, TypeVar
from uuid import UUID

from command_api.conversions import model, monthly_totals
from command_api.conversions.attribution.clicks import MAX_PAGES, PAGE_SIZE, ClickRow, Clicks, ClickVisit, VisitorQuery
from command_api.conversions.attribution.held import NOT_PROJECTED, Held, Place, VisitorClicks, read_places
from command_api.conversions.attribution.rules import (
    CLOCK_TOLERANCE,
    ReferencedLink,
    ResolvedTraces,
    attribute,
    click_of,
    details_of,
    of_click,
)
from command_api.conversions.lookups import ClaimCount, read_count, read_total
from command_api.conversions.merging import ReportedTraces
from command_api.conversions.tiers import MonthlyTotal, month_of
from command_api.kernel.decision import Evolve
from command_api.kernel.reader import Reader
from command_api.links.model import normal_coupon
from command_api.operations.exchange_rates.lookup import rate_on
from command_api.partners import model as partners
from command_api.websites import model as websites
from infra.domain.conversion_identity import candidates, chosen
from infra.domain.exchange_rates import DatedRate
from schemas import identity as identities
from schemas.base import DomainEvent
from schemas.click_id import IN_PAGE, Click, ForgedClickId, event_id
from schemas.click_id import read as read_click_id
from schemas.days import local_day
from schemas.events.conversions import AttributedBy, Attribution, ConversionRecorded, LogPosition, Reported
from schemas.events.websites import AttributionModel
from schemas.tracking import NO_ID, ConversionReported
from schemas.zones import ZoneInfo

State = TypeVar("State")

MAX_REFUSED_CLAIMS: Final = 100
"""Of one conversion, the first received: as many as it keeps reports."""


@dataclass(frozen=True, slots=True)
class ClickQuery:
    """The reported traces of one conversion, of one trust level."""

    website_id: UUID
    traces: ReportedTraces
    occurred_at: datetime


@dataclass
class _VisitorClicks:
    """The clicks of a visitor that were read so far, in one order."""

    visit: VisitorQuery
    rows: list[ClickRow]
    is_whole: bool


@dataclass
class BatchLookup:
    """Data for one batch. Not thread-safe."""

    reader: Reader
    clicks: Clicks
    click_key: bytes
    seen: tuple[LogPosition, ...] = ()
    """The click positions of this batch."""
    is_provisional: bool = False
    """Clicks that were received before the batch's reports may be missing."""
    awaiting_rate: set[UUID] = field(default_factory=set)
    """Conversions with a report that awaits an exchange rate: reports of their status wait, too."""
    _websites: dict[UUID, websites.Website | None] = field(default_factory=dict)
    _partners: dict[UUID, partners.Partner | None] = field(default_factory=dict)
    _rates: dict[tuple[str, str, date], DatedRate | None] = field(default_factory=dict)
    _conversions: dict[UUID, model.Conversion | None] = field(default_factory=dict)
    _decoded_click_ids: dict[str, Click | None] = field(default_factory=dict)
    _click_rows: dict[UUID, ClickRow | None] = field(default_factory=dict)
    _visits: dict[UUID, ClickVisit | None] = field(default_factory=lambda: {NOT_PROJECTED: None})
    _visitors: dict[tuple[UUID, int, bool], _VisitorClicks] = field(default_factory=dict)
    _links: dict[int, ReferencedLink | None] = field(default_factory=dict)
    _coupons: dict[tuple[UUID, str], tuple[ReferencedLink, datetime] | None] = field(default_factory=dict)
    _monthly_totals: dict[monthly_totals.TotalKey, MonthlyTotal] = field(default_factory=dict)
    _claims: dict[ClaimCount, int] = field(default_factory=dict)
    _refused_claims: dict[UUID, list[Reported]] = field(default_factory=dict)
    _passed_over: dict[UUID, frozenset[Place] | None] = field(default_factory=dict)
    """None: no click is searched for."""
    passed_over: set[Place] = field(default_factory=set)
    """Bots' clicks that the searches for a click passed over, since this was emptied."""
    _scoped: dict[UUID, list[UUID]] = field(default_factory=dict)
    """Of this batch."""

    def prefetch(self, wanted: Sequence[ClickQuery]) -> None:
        """Reads links, coupons and clicks for all queries at once."""
        opened = {
            (each.website_id, each.traces.click_id): self.decode_click(each.website_id, each.traces) for each in wanted
        }
        self._read_links({click.link_code for click in opened.values() if click is not None})
        self._read_coupons({(w.website_id, normal_coupon(w.traces.coupon)) for w in wanted if w.traces.coupon})
        self._read_click_rows({key: click for key, click in opened.items() if click is not None})
        for oldest_first in (False, True):
            visits = {
                (each.website_id, each.traces.visitor): VisitorQuery(
                    each.website_id, each.traces.visitor, each.occurred_at
                )
                for each in wanted
                if each.traces.visitor
                and opened[each.website_id, each.traces.click_id] is None
                and self._is_first_click(each.website_id) is oldest_first
            }
            self._read_visitors(list(visits.values()), oldest_first)
        people = [[row for row in known.rows if not row.bot_reason] for known in self._visitors.values()]
        likely = [rows[0] for rows in people if rows]
        self._read_visits([*filter(None, self._click_rows.values()), *likely])

    def prefetch_kept(self, reports: Iterable[ConversionReported]) -> None:
        """Reads the stored data of the conversions: reports that wait for an exchange rate, claims that were refused,
        and clicks that were passed over."""
        wanted = sorted({report.conversion_id for report in reports})
        self._read_passed_over(wanted)
        self.awaiting_rate.update(found for (found,) in self._rows(_AWAITING_RATE, (wanted,), wanted))
        self._read_refused_claims([found for found in wanted if found not in self._refused_claims])

    def attribution(
        self,
        website: websites.Website,
        named: Iterable[ReportedTraces],
        occurred_at: datetime,
        held: Held | None = None,
    ) -> Attribution | None:
        """The click that earns a conversion: the one of the most trusted traces that lead to a click.

        `held`: the attribution so far. Its attribution model stays, and so do the terms of an unchanged click; and all
        details, while the click's row is not there (`events` is built again) or marked otherwise than it was.
        """

        def partner_of(partner_id: UUID) -> partners.Partner | None:
            """None for a private partner of another account: a click that names it earns nothing by its terms."""
            partner = self.partner(partner_id)
            return partner if partner is not None and partner.is_for(website.account_id) else None

        named, attribution_model = tuple(named), website.attribution_model
        if held is not None and held.is_final and (named, occurred_at) == (held.traces, held.occurred_at):
            return held.attribution
        if held is not None and held.attribution.model:
            attribution_model = AttributionModel(held.attribution.model)
        for each in named:
            traces, clicks = self._traces(website.id, each, occurred_at, attribution_model, held)
            if held is not None and _is_row_missing(traces, held.attribution):
                return held.attribution
            found = attribute(website.id, occurred_at, traces, attribution_model, partner_of, self._visit_of)
            self.passed_over |= clicks.passed_over
            if found is not None:
                return found if held is None else self._unless_as_held(found, clicks, held)
        return None

    def held(self, state: model.Conversion) -> Held | None:
        """The attribution of a conversion, and what led to it."""
        if state.facts.attribution is None:
            return None
        if state.id not in self._passed_over:
            self._read_passed_over([state.id])
        stored, traces, occurred_at = self._passed_over[state.id], state.merged.traces, state.facts.occurred_at
        passed_over, is_final = stored or frozenset(), stored is None
        return Held(state.facts.attribution, state.seen, passed_over, traces, occurred_at, is_final=is_final)

    def set_passed_over(self, conversion_id: UUID, places: Iterable[Place]) -> None:
        """The clicks that a conversion, which is searched for from now on, passes over."""
        self._passed_over[conversion_id] = frozenset(places)

    def decode_click(self, website_id: UUID, named: ReportedTraces) -> Click | None:
        """The decoded click id; none if it is missing, forged or another website's."""
        click = self.open_click(named.click_id)
        return click if click is not None and click.is_of(website_id) else None

    def open_click(self, click_id: str) -> Click | None:
        """The decoded click id of any website; none if it is missing or forged."""
        if not click_id:
            return None
        if click_id not in self._decoded_click_ids:
            try:
                self._decoded_click_ids[click_id] = read_click_id(self.click_key, click_id)
            except ForgedClickId:
                self._decoded_click_ids[click_id] = None
        return self._decoded_click_ids[click_id]

    def link_of_click(self, click: Click) -> ReferencedLink | None:
        """The link that a click id names."""
        self._read_links({click.link_code})
        return self._links[click.link_code]

    def link(self, link_id: UUID) -> ReferencedLink | None:
        """A link by its id, deleted ones included."""
        rows = self.reader.select(_LINK, link_id)
        return ReferencedLink(*rows[0]) if rows else None

    def chosen_click(self, link: ReferencedLink, partner: partners.Partner, click_id: str, click: Click) -> Attribution:
        """The attribution to a click that a person chose."""
        self._read_click_rows({(link.website_id, click_id): click})
        traces = ResolvedTraces(click_id=click_id, click_row=self._click_rows[event_id(click_id)])
        return of_click(traces, click, link, partner, self._visit_of, AttributedBy.MANUAL)

    def with_details(self, website_id: UUID, held: Held) -> Attribution:
        """The attribution that a person chose, with the details of its click as far as they are projected."""
        chosen = held.attribution
        click = self.open_click(chosen.click_id)
        if click is None:
            return chosen
        self._read_click_rows({(website_id, chosen.click_id): click})
        row = self._click_rows[event_id(chosen.click_id)]
        if row is None or held.is_remarked(row):
            return chosen
        return chosen.model_copy(update={**details_of(row, self._visit_of), "bot_reason": row.bot_reason})

    def claim_count(self, website_id: UUID, click_id: str, hour: datetime) -> int:
        """How many claims of that click and hour are recorded, those of this batch included."""
        count = website_id, click_id, hour
        if count not in self._claims:
            self._claims[count] = read_count(self.reader, count)
        return self._claims[count]

    def add_claim(self, count: ClaimCount) -> None:
        """Counts a claim that is about to be recorded."""
        self._claims[count] = self.claim_count(*count) + 1

    def refused_claims(self, conversion_id: UUID) -> Sequence[Reported]:
        """The claims of a conversion that were refused, the first received first."""
        if conversion_id not in self._refused_claims:
            self._read_refused_claims([conversion_id])
        return self._refused_claims[conversion_id]

    def add_refused_claim(self, conversion_id: UUID, claim: Reported) -> None:
        """Keeps a claim that is refused now."""
        self.refused_claims(conversion_id)
        self._refused_claims[conversion_id].append(claim)

    def website(self, website_id: UUID) -> websites.Website | None:
        return self._load(self._websites, website_id, websites.evolve)

    def partner(self, partner_id: UUID) -> partners.Partner | None:
        return self._load(self._partners, partner_id, partners.evolve)

    def conversion(self, conversion_id: UUID) -> model.Conversion | None:
        return self._load(self._conversions, conversion_id, model.evolve)

    def identity_of(self, report: ConversionReported) -> UUID:
        """The recorded conversion that the report belongs to, else the id of a new one. Raises `AmbiguousTxid`."""

        def exists(identity: UUID) -> bool:
            return self.conversion(identity) is not None

        def names_click(identity: UUID, click_id: str) -> bool:
            state = self.conversion(identity)
            found = state.facts.attribution if state is not None else None
            return state is not None and (
                any(known.click_id == click_id for known in state.reports)
                or (found is not None and found.click_id == click_id)
            )

        wanted = candidates(report)
        if not wanted.are_several:
            return report.conversion_id
        found = chosen(report, wanted, exists, names_click, lambda: self.scoped(wanted.shared_id))
        return report.conversion_id if found is None else found

    def scoped(self, shared_id: UUID) -> list[UUID]:
        """The sales of single clicks that share a transaction id, those of this batch included."""
        stored = [found for (found,) in self.reader.select(_SCOPED, shared_id)]
        return list(dict.fromkeys([*stored, *self._scoped.get(shared_id, ())]))

    def _add_scoped(self, event: ConversionRecorded) -> None:
        shared_id = identities.conversion_id(event.facts.website_id, event.facts.event, event.facts.txid)
        if shared_id != event.originator_id:
            self._scoped.setdefault(shared_id, []).append(event.originator_id)

    def changed(self, conversion_id: UUID, events: Iterable[DomainEvent]) -> None:
        """Applies `events` that are about to be stored: later reports of the batch build on them."""
        state = self.conversion(conversion_id)
        for event in events:
            state = model.evolve(state, event)
            if isinstance(event, ConversionRecorded):
                self._add_scoped(event)
            if (moved := monthly_totals.delta(event)) is not None and moved[0] in self._monthly_totals:
                self._monthly_totals[moved[0]] += moved[1]
        self._conversions[conversion_id] = state

    def monthly_total(
        self,
        website_id: UUID,
        attribution: Attribution | None,
        occurred_at: datetime,
        without: model.Conversion | None = None,
    ) -> MonthlyTotal:
        """The total of the sale's month with its partner; zero unless the terms have tiers. `without`: the
        conversion to subtract."""
        if attribution is None or not attribution.terms.tiers:
            return MonthlyTotal()
        account = (website_id, attribution.partner_id, month_of(occurred_at))
        if account not in self._monthly_totals:
            self._monthly_totals[account] = read_total(self.reader, account)
        found = self._monthly_totals[account]
        if without is not None and monthly_totals.key_of(without.facts) == account:
            found = found - monthly_totals.total_of(model.contribution(without))
        return found

    def rates(
        self, currencies: Iterable[str | None], website: websites.Website, occurred_at: datetime
    ) -> dict[str, str]:
        """The latest rates to the website's currency on or before its day of a sale, for those of `currencies` that
        have one."""
        found: dict[str, str] = {}
        day = local_day(ZoneInfo(website.timezone), occurred_at)
        for currency in {currency for currency in currencies if currency not in (None, website.currency)}:
            key = currency, website.currency, day
            if key not in self._rates:
                self._rates[key] = rate_on(self.reader, *key)
            if (rate := self._rates[key]) is not None:
                found[currency] = rate.rate
        return found

    def _unless_as_held(self, found: Attribution, clicks: VisitorClicks, held: Held) -> Attribution:
        """What was found; of the held click, only if its row is there and marked as it was."""
        if click_of(found) != click_of(held.attribution):
            return found
        is_as_held = clicks.is_as_held if found.by is AttributedBy.VISITOR else False
        if found.by is AttributedBy.CLICK_ID and found.click_id:
            row = self._click_rows[event_id(found.click_id)]
            is_as_held = row is None or held.is_remarked(row)
        return held.attribution.model_copy(update={"terms": found.terms}) if is_as_held else found

    def _traces(
        self,
        website_id: UUID,
        named: ReportedTraces,
        occurred_at: datetime,
        attribution_model: AttributionModel,
        held: Held | None,
    ) -> tuple[ResolvedTraces, VisitorClicks]:
        click = self.decode_click(website_id, named)
        if click is not None:
            self._read_links({click.link_code})
            self._read_click_rows({(website_id, named.click_id): click})
        coupon: tuple[ReferencedLink, datetime] | None = None
        if named.coupon:
            key = website_id, normal_coupon(named.coupon)
            self._read_coupons({key})
            coupon = self._coupons[key]
        row = self._click_rows[event_id(named.click_id)] if click else None
        if row is not None and held is not None and held.attribution.click_id == named.click_id:
            row = replace(row, bot_reason=held.attribution.bot_reason) if held.is_remarked(row) else row
        oldest_first = attribution_model is AttributionModel.FIRST_CLICK
        visit = VisitorQuery(website_id, named.visitor, occurred_at)
        is_repeated = held is not None and held.repeats(named, occurred_at)
        rows = self._clicks_of(visit, oldest_first)
        clicks = VisitorClicks(website_id, named.visitor, rows, held, is_repeated, oldest_first)
        traces = ResolvedTraces(
            click_id=named.click_id,
            click=click,
            click_link=self._links.get(click.link_code) if click else None,
            click_row=row,
            coupon=normal_coupon(named.coupon) if named.coupon else "",
            coupon_link=coupon[0] if coupon and coupon[1] <= occurred_at + CLOCK_TOLERANCE else None,
            visitor_clicks=clicks,
            partner_hint=named.partner_id or NO_ID,
            is_claim=named.is_claim,
        )
        return traces, clicks

    def _load(self, known: dict[UUID, State | None], id_: UUID, evolve: Evolve[State]) -> State | None:
        if id_ not in known:
            known[id_] = self.reader.load(id_, evolve)
        return known[id_]

    def _is_first_click(self, website_id: UUID) -> bool:
        website = self.website(website_id)
        return website is not None and website.attribution_model is AttributionModel.FIRST_CLICK

    def _clicks_of(self, visit: VisitorQuery, oldest_first: bool) -> Iterator[ClickRow]:
        """All clicks of the visitor, page by page."""
        if not visit.visitor:
            return
        key = visit.website_id, visit.visitor, oldest_first
        if key not in self._visitors or self._visitors[key].visit.occurred_at != visit.occurred_at:
            self._read_visitors([visit], oldest_first)
        known = self._visitors[key]
        place = 0
        while True:
            while place < len(known.rows):
                yield known.rows[place]
                place += 1
            if known.is_whole or len(known.rows) >= MAX_PAGES * PAGE_SIZE:
                return
            more = self.clicks.next_page(known.visit, known.rows[-1], oldest_first=oldest_first)
            known.rows.extend(more)
            known.is_whole = len(more) < PAGE_SIZE

    def _read_visitors(self, visits: Sequence[VisitorQuery], oldest_first: bool) -> None:
        if not visits:
            return
        found = self.clicks.by_visitor(visits, oldest_first=oldest_first)
        for visit in visits:
            rows = found.get((visit.website_id, visit.visitor), [])
            known = _VisitorClicks(visit, rows, is_whole=len(rows) < PAGE_SIZE)
            self._visitors[visit.website_id, visit.visitor, oldest_first] = known

    def _visit_of(self, row: ClickRow) -> ClickVisit | None:
        self._read_visits([row])
        return self._visits[row.event_id]

    def _read_visits(self, rows: Iterable[ClickRow]) -> None:
        missing = {row.event_id: row for row in rows if row.event_id not in self._visits}
        if missing:
            self._visits.update(dict.fromkeys(missing))
            self._visits.update(self.clicks.visits(list(missing.values())))

    def _read_click_rows(self, opened: dict[tuple[UUID, str], Click]) -> None:
        wanted = {
            (website_id, event_id(text), day)
            for (website_id, text), click in opened.items()
            for day in _days_of(click)
            if event_id(text) not in self._click_rows
        }
        found = self.clicks.by_event(wanted)
        for _, wanted_id, _ in wanted:
            self._click_rows[wanted_id] = found.get(wanted_id)

    def _read_passed_over(self, conversion_ids: list[UUID]) -> None:
        self._passed_over.update(dict.fromkeys(conversion_ids))
        for conversion_id, places in self._rows(_PASSED_OVER, (conversion_ids,), conversion_ids):
            self._passed_over[conversion_id] = read_places(places)

    def _read_refused_claims(self, conversion_ids: list[UUID]) -> None:
        self._refused_claims.update((conversion_id, []) for conversion_id in conversion_ids)
        for conversion_id, claim in self._rows(_REFUSED_CLAIMS, (conversion_ids, MAX_REFUSED_CLAIMS), conversion_ids):
            self._refused_claims[conversion_id].append(Reported.model_validate(claim))

    def _read_links(self, codes: set[int]) -> None:
        missing = [code for code in codes if code not in self._links and code != IN_PAGE]
        self._links.update(dict.fromkeys(missing))
        for code, *link in self._rows(
            "SELECT code, link_id, website_id, partner_id FROM lookup.link WHERE code = ANY(%s)", (missing,), missing
        ):
            self._links[code] = ReferencedLink(*link)

    def _read_coupons(self, wanted: set[tuple[UUID, str]]) -> None:
        missing = [key for key in wanted if key not in self._coupons]
        self._coupons.update(dict.fromkeys(missing))
        sites, coupons = [site for site, _ in missing], [coupon for _, coupon in missing]
        rows = self._rows(
            "SELECT c.website_id, c.coupon, c.since, l.link_id, l.website_id, l.partner_id FROM lookup.coupon c"
            " JOIN lookup.link l USING (link_id) WHERE c.website_id = ANY(%s) AND c.coupon = ANY(%s)",
            (sites, coupons),
            missing,
        )
        for website_id, coupon, since, *link in rows:
            if (website_id, coupon) in self._coupons:
                self._coupons[(website_id, coupon)] = (ReferencedLink(*link), since)

    def _rows(self, query: LiteralString, values: tuple[Any, ...], wanted: Any) -> list[tuple[Any, ...]]:
        return self.reader.select(query, *values) if wanted else []


def _is_row_missing(traces: ResolvedTraces, current: Attribution) -> bool:
    """Whether only the row of a click in a page, which is not there at the moment, tells what `current` says."""
    is_in_page = traces.click is not None and traces.click.link_code == IN_PAGE
    return is_in_page and traces.click_row is None and current.click_id == traces.click_id


def _days_of(click: Click) -> Iterator[date]:
    """Days on which the click's event can be. The id of a click in a page is as old as the answer that brought it, and
    its event has the time of the visitor's clock."""
    day = click.at.astimezone(UTC).date()
    yield day
    if click.link_code == IN_PAGE:
        yield from (day - timedelta(days=1), day + timedelta(days=1))


_LINK: Final[LiteralString] = "SELECT link_id, website_id, partner_id FROM lookup.link WHERE link_id = %s"
_PASSED_OVER: Final[LiteralString] = (
    "SELECT conversion_id, passed_over FROM conversions.pending_attribution WHERE conversion_id = ANY(%s)"
)
_REFUSED_CLAIMS: Final[LiteralString] = (
    "SELECT conversion_id, claim FROM (SELECT conversion_id, claim, at, report_id,"
    " row_number() OVER (PARTITION BY conversion_id ORDER BY at, report_id) AS place FROM conversions.rejected_report"
    " WHERE conversion_id = ANY(%s) AND claim IS NOT NULL) AS refused WHERE place <= %s ORDER BY at, report_id"
)
_SCOPED: Final[LiteralString] = "SELECT conversion_id FROM lookup.scoped_transaction WHERE shared_id = %s LIMIT 10"
_AWAITING_RATE: Final[LiteralString] = (
    "SELECT DISTINCT conversion_id FROM conversions.awaiting_exchange_rate WHERE conversion_id = ANY(%s)"
)
