"""Why a conversion has no click, from its reports and the clicks that they name.

The attribution decides (`command_api.conversions.attribution.rules`); this follows its order, the most trusted reports
first, and names what the first trace of the reports lacks, with what a person needs to fix it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal
from uuid import UUID

from pydantic import Field

from infra.domain.report_reading import is_placeholder
from infra.kernel.http.problems import Problem
from query_api.conversions.routes import ConversionInFull
from query_api.kernel.authorization import AccountScope
from query_api.kernel.clickhouse_reader import Query, live_table
from query_api.kernel.clickhouse_reader import Row as Event
from query_api.kernel.dependencies import Services
from query_api.operations.exchange_rates import rate_on
from schemas import click_id
from schemas.days import local_day
from schemas.http.responses import ResponseModel
from schemas.networks import click_id_parameter

CLOCK_TOLERANCE: Final = timedelta(seconds=60)
"""As the attribution allows between the clocks of website and tracking."""
SEARCH_TIME: Final = timedelta(days=30)
"""As long as the attribution looks for a visitor's click."""

Reason = Literal[
    "no_click_id",
    "placeholder",
    "unknown_click_id",
    "click_expired",
    "other_website",
    "click_after_sale",
    "outside_window",
    "bot_click",
    "no_exchange_rate",
    "unknown_coupon",
    "no_click_of_visitor",
]
Row = Mapping[str, Any]


class MissingClick(ResponseModel):
    """Why no click is credited. What does not concern the reason, or is not known, is null."""

    reason: Reason
    click_id: str | None = Field(default=None, description="As it was reported")
    clicked_at: datetime | None = None
    window_days: int | None = Field(default=None, description="Days after a click in which the partner credits sales")
    domain: str | None = Field(default=None, description="The other website, if it is theirs")
    coupon: str | None = None
    currencies: list[str] | None = Field(default=None, description="Without an exchange rate for the day of the sale")
    searched_until: datetime | None = Field(default=None, description="A click may still arrive until then")
    partner_id: UUID | None = Field(default=None, description="The click's partner, or the one that the report names")
    partner_name: str | None = None
    postback_preset: str | None = Field(default=None, description="The partner's network")
    click_id_parameter: str | None = Field(default=None, description="In which the partner's links pass the click ID")


def missing_click(
    scope: AccountScope, context: Services, conversion: ConversionInFull, steps: Sequence[Row]
) -> MissingClick | None:
    """Returns why no click is credited; none once a click, a coupon or a person's choice is credited."""
    if conversion.partner_id is not None:
        return None
    traces = _traces(steps)
    reason = _MissingClickSearch(scope, context, conversion, traces).reason()
    return reason.model_copy(update=_partner(scope, reason.partner_id or traces.partner_id))


@dataclass(slots=True)
class _Traces:
    """The click, coupon and visitor that the reports of one trust level name, the first received first."""

    is_claim: bool = False
    click_id: str = ""
    unread: str = ""
    """The text that a report names and that is no click id of the website."""
    coupon: str = ""
    visitor: bool = False
    partner_id: UUID | None = None
    payout: str = ""
    """Its currency."""


def _traces(steps: Sequence[Row]) -> _Traces:
    """Returns the traces of the most trusted reports that name a click in some way, else of all of them together."""
    reports = [said for step in steps if (said := step["detail"].get("reported"))]
    reports.sort(key=lambda said: said["received_at"])
    trusted = [said for said in reports if said["key_kind"] != "site"]
    claims = [said for said in reports if said["key_kind"] == "site"]
    for group in (trusted, claims):
        traces = _merged(group)
        if traces.click_id or traces.unread or traces.coupon or traces.visitor:
            return traces
    return _merged(trusted or claims)


def _merged(reports: Sequence[Row]) -> _Traces:
    traces = _Traces(is_claim=bool(reports) and reports[0]["key_kind"] == "site")
    for said in reports:
        if not traces.click_id or (_is_click_id(said["click_id"]) and not _is_click_id(traces.click_id)):
            traces.click_id = said["click_id"]
        traces.unread = traces.unread or said.get("unread", {}).get("click_id", "")
        traces.coupon = traces.coupon or said["coupon"]
        traces.visitor = traces.visitor or bool(said["visitor"])
        traces.partner_id = traces.partner_id or (UUID(said["partner_id"]) if said["partner_id"] else None)
        traces.payout = traces.payout or (said["payout"]["currency"] if said["payout"] else "")
    return traces


def _is_click_id(text: str) -> bool:
    try:
        click_id.unverified(text)
    except click_id.ForgedClickId:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _MissingClickSearch:
    scope: AccountScope
    context: Services
    conversion: ConversionInFull
    traces: _Traces

    def reason(self) -> MissingClick:
        if self.traces.click_id:
            return self._of_click(self.traces.click_id)
        if self.traces.unread:
            return self._of_click(self.traces.unread)
        if self.traces.coupon:
            return self._of_coupon(self.traces.coupon)
        if self.traces.visitor:
            until = self.conversion.recorded_at + SEARCH_TIME
            is_searched = until > datetime.now(UTC)
            return MissingClick(reason="no_click_of_visitor", searched_until=until if is_searched else None)
        return MissingClick(reason="no_click_id")

    def _of_click(self, text: str) -> MissingClick:
        facts: dict[str, Any] = {"click_id": text}
        try:
            click = click_id.unverified(text)
        except click_id.ForgedClickId:
            is_unfilled = is_placeholder(text) or _PLACEHOLDER.search(text) is not None
            return MissingClick(reason="placeholder" if is_unfilled else "unknown_click_id", **facts)
        link = self.scope.reader.row(_LINK, (click.at, click.link_code))
        if link is None and self._has_expired(click.at):
            return MissingClick(reason="click_expired", clicked_at=click.at, **facts)
        if link is None or not click.is_of(link["website_id"]):
            return MissingClick(reason="unknown_click_id", **facts)
        facts |= {"clicked_at": click.at, "partner_id": link["partner_id"]}
        if link["website_id"] != self.conversion.website_id:
            return MissingClick(reason="other_website", domain=link["domain"], **facts)
        sold = self.conversion.occurred_at
        if click.at > sold + CLOCK_TOLERANCE:
            return MissingClick(reason="click_after_sale", **facts)
        return self._of_known_click(text, click, link["partner_id"], facts)

    def _of_known_click(self, text: str, click: click_id.Click, partner_id: UUID, told: dict[str, Any]) -> MissingClick:
        sql = "SELECT cookie_days, terms FROM read.partners WHERE id = %s"
        partner = self.scope.reader.row(sql, (partner_id,))
        if partner is not None and self.conversion.occurred_at - click.at > timedelta(days=partner["cookie_days"]):
            return MissingClick(reason="outside_window", window_days=partner["cookie_days"], **told)
        row = self._row(text, click)
        if self.traces.is_claim and row is not None and row["is_bot"]:
            return MissingClick(reason="bot_click", **told)
        lacking = self._without_rate(partner["terms"] if partner else {})
        if lacking:
            return MissingClick(reason="no_exchange_rate", currencies=lacking, **told)
        return MissingClick(reason="unknown_click_id", click_id=text)

    def _has_expired(self, at: datetime) -> bool:
        """Returns whether single events of that time were deleted: their event had the meaning of the id of a click in
        a page."""
        expired_before = self.scope.website(self.conversion.website_id).expired_before
        return expired_before is not None and at.astimezone(UTC).date() < expired_before

    def _of_coupon(self, coupon: str) -> MissingClick:
        return MissingClick(reason="unknown_coupon", coupon=coupon.strip().upper())

    def _row(self, text: str, click: click_id.Click) -> Event | None:
        sql = (
            f"SELECT is_bot FROM {live_table('events')} WHERE website_id = {{site:UUID}}"  # noqa: S608 - values are bound
            " AND toDate(occurred_at) = {day:Date} AND type = 'click' AND event_id = {id:UUID} LIMIT 1"
        )
        day = click.at.astimezone(UTC).date().isoformat()
        bound = {"site": str(self.conversion.website_id), "day": day, "id": str(click_id.event_id(text))}
        try:
            [rows] = self.context.query_coalescer.all(Query(sql, bound))
        except Problem:  # the other reasons do not need it
            return None
        return rows[0] if rows else None

    def _without_rate(self, terms: Row) -> list[str]:
        """The currencies of the sale and of the terms that have no exchange rate for the day of the sale."""
        website = self.scope.website(self.conversion.website_id)
        sold_in = self.traces.payout or self.conversion.amount.currency
        needed: set[str | None] = {sold_in, terms.get("flat_currency"), terms.get("tiers_currency")}
        day, quote = local_day(website.zone, self.conversion.occurred_at), website.currency
        foreign = {currency for currency in needed if currency and currency != quote}
        return sorted(one for one in foreign if rate_on(self.scope.reader, one, quote, day) is None)


def _partner(scope: AccountScope, partner_id: UUID | None) -> dict[str, Any]:
    if partner_id is None:
        return {}
    sql = "SELECT name, postback_preset, click_id_parameter FROM read.partners WHERE id = %s"
    row = scope.reader.row(sql, (partner_id,))
    if row is None:
        return {}
    return {
        "partner_id": partner_id,
        "partner_name": row["name"],
        "postback_preset": row["postback_preset"],
        "click_id_parameter": click_id_parameter(row["click_id_parameter"], row["postback_preset"]) or None,
    }


_LINK: Final = (
    # The partner to which the link led at the time of the click.
    "SELECT coalesce((SELECT f.partner FROM unnest(l.former_partners, l.led_until) WITH ORDINALITY"
    " AS f (partner, until, place) WHERE f.until > %s ORDER BY f.place LIMIT 1), l.partner_id) AS partner_id,"
    " l.website_id, w.domain FROM read.links AS l"
    " JOIN read.websites AS w ON w.id = l.website_id WHERE l.code = %s"
)
_PLACEHOLDER: Final = re.compile(r"[^0-9A-Za-z_.~:-]")
"""No click id of any kind has such characters."""
