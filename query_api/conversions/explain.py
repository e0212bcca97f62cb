"""`GET /api/platform/conversions/{id}/explain`: why a conversion earns what it earns, to the last cent.

The rule and since when it holds, the click, the rate, the rounding, and every event behind it with its place in the
log. The commission is recalculated here by independent code: `agrees` is whether the results are equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime
from fractions import Fraction
from operator import itemgetter
from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from infra.domain.exchange_rates import Derivation
from infra.domain.message_chain import bookings, chain
from infra.domain.report_reading import is_placeholder
from infra.kernel.http.problems import Problem
from query_api.conversions.ad_click_ids import AdClickId, ad_click_ids
from query_api.conversions.field_sources import FieldSource, ImportedLine, field_sources, imported_lines
from query_api.conversions.missing_click import MissingClick, missing_click
from query_api.conversions.routes import ConversionInFull, find_conversion
from query_api.kernel import clickhouse_reader
from query_api.kernel.authorization import Website
from query_api.kernel.clickhouse_reader import live_table
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context, Services
from query_api.kernel.postgres_reader import PostgresReader
from query_api.operations.exchange_rates import rate_on
from schemas.click_id import event_id
from schemas.currencies import amount_text, decimal_text, digits
from schemas.days import local_day
from schemas.events.conversions import AttributedBy, TierUsed
from schemas.events.partners import Terms, TermsKind, TiersBy
from schemas.http.money import Amount
from schemas.http.partners import TermsShape, paid_text, terms_shape
from schemas.http.responses import ResponseModel
from schemas.topics import CLICKS, DOMAIN

router = APIRouter(tags=["conversions"])

Row = Mapping[str, Any]


class LogPosition(ResponseModel):
    """Position of an event in the log."""

    topic: str
    partition: int
    offset: int


class CommissionRule(ResponseModel):
    """The basis of the commission: the payout in the report, else the partner's terms at the click."""

    by: str = Field(description="terms or payout")
    text: str
    terms: TermsShape
    version: int | None = Field(description="The partner's first terms are 1")
    effective_at: datetime | None
    tier: str | None = Field(description="The tier that was reached, in one sentence")


class ClickBehind(ResponseModel):
    """The click that earned it; a coupon has none."""

    by: str = Field(description="click_id, coupon, visitor, or manual: a person chose the click, or the link alone")
    at: datetime
    click_id: str | None
    link_id: UUID | None
    link: str | None = Field(description="The link's slug")
    country: str
    device: str
    source: str
    subs: dict[str, str]
    place: LogPosition | None
    ad_click_ids: list[AdClickId] | None = Field(
        description="Of the click's visit, if the website keeps them; null: they could not be read"
    )
    kept_from: date | None = Field(
        description="If the click itself has expired: the first UTC day whose single events are there"
    )


class RateUsed(ResponseModel):
    """How much one major unit of `of` was worth in `to`."""

    rate: str
    of_: str = Field(alias="of")
    to: str
    on: date | None = Field(description="The day of the rate, unless another one was recorded for that day since")
    derivation: Derivation | None = Field(
        description="own: recorded for this pair; inverse: of the pair the other way round; cross: of both rates "
        "against the euro; null as `on`"
    )


class Working(ResponseModel):
    """How the commission was calculated: exact fractions, one rounding at the end, halves to the even neighbour."""

    text: str
    exact: str = Field(description="In major units, before the rounding")
    rounded: str
    agrees: bool = Field(description="Whether the recalculation equals the recorded amount")


class StepBehind(ResponseModel):
    """One event of the conversion, and what it moved (minor units of the website's currency)."""

    version: int
    name: str
    text: str
    at: datetime
    by: str = Field(description="you, system or someone else")
    reason: str | None
    pending: Amount | None
    earned: Amount | None
    reversed: Amount | None
    position: int
    place: LogPosition


class Assignment(ResponseModel):
    """The decision of a person that this click or link earns the conversion."""

    by: str = Field(description="you or someone else")
    at: datetime
    reason: str


class ReportBehind(ResponseModel):
    """One report and what it brought. Of a report from before reports were recorded, the amount and payout alone are
    known."""

    amount: Amount | None
    payout: Amount | None
    status: str | None
    click_id: str | None
    coupon: str | None
    names_customer: bool
    unread: list[str] = Field(description="Its fields that could not be read")
    reported_by: str
    key_kind: str = Field(description="Kind of the key that sent it; site: a claim; empty: not recorded")
    at: datetime
    stands: bool | None = Field(
        description="Whether its amount is used; null: it names none, or reverses a part of the sale"
    )
    place: LogPosition | None = Field(description="Null: it waited for an exchange rate")


class UnreadValue(ResponseModel):
    """A field of a report that could not be read and was left empty."""

    report_id: UUID
    field: str
    text: str = Field(description="As it was sent; empty where it is about a person")
    is_placeholder: bool = Field(description="A placeholder that the sender did not fill in")
    reported_by: str
    at: datetime


class MessageBehind(ResponseModel):
    """One decided event of the chain that the conversion is part of, without its content."""

    id: str
    name: str
    at: datetime
    actor: str = Field(description="account or system")
    position: int
    command_id: UUID | None
    correlation_id: str = Field(description="The same for all that follows from one click or request; empty: older")
    causation_id: str = Field(description="The report or event that it follows from; empty: none")
    statement: str | None = Field(description="Month of the statement that it is booked in, YYYY-MM")


class Explanation(ResponseModel):
    """Everything behind a conversion's commission. Without a click there is neither rule nor working yet."""

    conversion: ConversionInFull
    rule: CommissionRule | None
    click: ClickBehind | None
    rate: RateUsed | None
    working: Working | None
    missing_click: MissingClick | None = Field(description="Why no click is credited; null: one is")
    assignment: Assignment | None = Field(description="Null: no person chose the click")
    reports: list[ReportBehind] = Field(
        description="Every report, in the order of arrival; of their amounts the most trusted is used, then the first"
    )
    sources: list[FieldSource] = Field(description="The report that each field comes from")
    lines: list[ImportedLine] = Field(description="Lines of networks' reports with the sale, the newest first")
    unread: list[UnreadValue] = Field(
        description="What reports say in a form that cannot be read, the first received first"
    )
    events: list[StepBehind]
    messages: list[MessageBehind] | None = Field(default=None, description="For admins only")


@router.get(
    "/api/platform/conversions/{id}/explain",
    dependencies=[READS_OWN_WRITES],
)
def explain_conversion(id: UUID, scope: CallerScope, context: Context) -> Explanation:
    """How the commission of this conversion was calculated, with every event behind it."""
    conversion = find_conversion(scope, id)
    steps = scope.reader.rows("SELECT * FROM read.conversion_steps WHERE conversion_id = %s ORDER BY version", (id,))
    earning = next((step for step in reversed(steps) if "facts" in step["detail"]), None)
    if earning is not None and not earning["partner_id"]:
        earning = None
    stating = next((step for step in reversed(steps) if step["name"] in _STATING), None)
    payout = _money(stating["detail"].get("payout")) if stating else None
    website = scope.website(conversion.website_id)
    return Explanation(
        conversion=conversion,
        rule=_rule(scope.reader, earning, payout) if earning else None,
        click=_click(scope.reader, context, conversion, earning, website.expired_before) if earning else None,
        rate=_rate(scope.reader, website, earning, payout) if earning else None,
        working=_working(earning, payout) if earning else None,
        missing_click=missing_click(scope, context, conversion, steps),
        assignment=_assignment(steps, scope.principal.account_id),
        reports=_reports(steps, conversion.amount),
        sources=field_sources(steps, conversion),
        lines=imported_lines(scope.reader, conversion),
        unread=_unread(steps),
        events=[_step(step, conversion, scope.principal.account_id) for step in steps],
        messages=_messages(scope.all_accounts().reader, id) if scope.principal.is_admin else None,
    )


def _messages(reader: PostgresReader, id: UUID) -> list[MessageBehind]:
    """The conversion's chain, as `althing events show` follows it."""
    messages = chain(reader.rows, [id])
    months = {booking.message_id: booking.month for booking in bookings(reader.rows, messages)}
    return [MessageBehind.of_row(asdict(one), statement=months.get(one.id)) for one in messages]


def _rule(reader: PostgresReader, earning: Row, payout: Amount | None) -> CommissionRule:
    attribution = earning["detail"]["facts"]["attribution"]
    held = reader.rows(
        "SELECT effective_at, terms FROM read.partner_terms WHERE partner_id = %s ORDER BY effective_at",
        (earning["partner_id"],),
    )
    clicked_at = datetime.fromisoformat(attribution["clicked_at"])
    terms, tier = Terms.model_validate(attribution["terms"]), _tier(earning)
    version = _version(held, terms, clicked_at)
    paying = tier or terms
    paid = paid_text(terms, paying.rate_bp, paying.flat_amount)
    return CommissionRule(
        by="payout" if payout else "terms",
        text=f"{amount_text(payout.amount, payout.currency)}, as the report says" if payout else paid,
        terms=terms_shape(attribution["terms"]),
        version=version,
        effective_at=held[version - 1]["effective_at"] if version else None,
        tier=_tier_text(tier, earning["currency"]) if tier else None,
    )


def _version(held: Sequence[Row], terms: Terms, clicked_at: datetime) -> int | None:
    """Returns which of the partner's terms, counted from 1, those are: the newest in force at the click that say the
    same.

    One that was being stored while the conversion was decided may have come too late for it.
    """
    by_then = [number for number, since in enumerate(held, 1) if since["effective_at"] <= clicked_at]
    numbers = by_then or [number for number, _ in enumerate(held[:1], 1)]
    same = [number for number in numbers if Terms.model_validate(held[number - 1]["terms"]) == terms]
    return max(same or numbers, default=None)


def _tier_text(tier: TierUsed, currency: str) -> str:
    def standing(value: int) -> str:
        return (
            f"{value} conversions"
            if tier.by is TiersBy.CONVERSIONS
            else f"{amount_text(value, currency)} of commission"
        )

    reached = f"below {standing(tier.below or 0)}" if tier.number == 0 else f"from {standing(tier.at_least)}"
    limit = f", below {standing(tier.below)}" if tier.number and tier.below is not None else ""
    return f"Tier {tier.number}: {reached}{limit} in {tier.month} when it was decided"


def _click(
    reader: PostgresReader, context: Services, conversion: ConversionInFull, earning: Row, kept_from: date | None
) -> ClickBehind:
    attribution = earning["detail"]["facts"]["attribution"]
    link = (
        reader.row("SELECT slug FROM read.links WHERE id = %s", (attribution["link_id"],))
        if attribution["link_id"]
        else None
    )
    place, ids = _tracked_click(reader, context, conversion, attribution) if attribution["click_id"] else (None, [])
    return ClickBehind.of_row(
        attribution,
        at=attribution["clicked_at"],
        click_id=attribution["click_id"] or None,
        link=link["slug"] if link else None,
        place=place,
        ad_click_ids=ids,
        kept_from=kept_from if kept_from is not None and _utc_day(attribution["clicked_at"]) < kept_from else None,
    )


def _utc_day(text: str) -> date:
    return datetime.fromisoformat(text).astimezone(UTC).date()


def _tracked_click(
    reader: PostgresReader, context: Services, conversion: ConversionInFull, told: Row
) -> tuple[LogPosition | None, list[AdClickId] | None]:
    """Returns where the click's record is, and the ad click ids of its visit."""
    at = datetime.fromisoformat(told["clicked_at"]).astimezone(UTC)
    sql = (
        f"SELECT visitor, _partition, _offset FROM {live_table('events')} WHERE website_id = {{site:UUID}}"  # noqa: S608 - bound
        " AND toDate(occurred_at) = {day:Date} AND type = 'click' AND event_id = {id:UUID} LIMIT 1"
    )
    click = event_id(told["click_id"])
    bound = {"site": str(conversion.website_id), "day": at.date().isoformat(), "id": str(click)}
    place: LogPosition | None = None
    try:
        [rows] = context.query_coalescer.all(clickhouse_reader.Query(sql, bound))
        if not rows:
            return None, []
        place = LogPosition(topic=CLICKS.name, partition=rows[0]["_partition"], offset=rows[0]["_offset"])
        return place, ad_click_ids(reader, context, conversion.website_id, click, rows[0]["visitor"], at.date())
    except Problem:  # the rest of the explanation does not need it
        return place, None


def _rate(reader: PostgresReader, website: Website, earning: Row, payout: Amount | None) -> RateUsed | None:
    """Returns the rate of the website's day of the sale, as the decision took it."""
    rate = earning["detail"].get("exchange_rate")
    if rate is None:
        return None
    of, to = _basis(earning, payout)[1], earning["currency"]
    dated = rate_on(reader, of, to, local_day(website.zone, earning["occurred_at"]))
    is_same = dated is not None and dated.rate == rate
    return RateUsed(
        rate=rate,
        of_=of,
        to=to,
        on=dated.on if dated and is_same else None,
        derivation=dated.derivation if dated and is_same else None,
    )


def _working(earning: Row, payout: Amount | None) -> Working:
    value, of, text = _basis(earning, payout)
    currency, rate = earning["currency"], earning["detail"].get("exchange_rate")
    exact = value / 10 ** digits(of) * (Fraction(rate) if rate else 1)
    again = round(exact * 10 ** digits(currency))
    recorded = earning["detail"]["commission"]
    exact_text = _decimal(exact)
    if rate:
        text = f"{text} × {rate} {currency} per {of}"
    return Working(
        text=f"{text} = {exact_text} {currency}, rounded {amount_text(again, currency)}",
        exact=exact_text,
        rounded=decimal_text(again, currency),
        agrees=recorded == {"amount": again, "currency": currency},
    )


def _basis(earning: Row, payout: Amount | None) -> tuple[Fraction, str, str]:
    """Minor units before any conversion, their currency, and how they come about."""
    facts, exact = earning["detail"]["facts"], earning["detail"].get("exact", {})
    if payout is not None:
        minor = Fraction(exact.get("payout", payout.amount))
        return minor, payout.currency, _amount_text(minor, payout.currency)
    terms = Terms.model_validate(facts["attribution"]["terms"])
    paying = _tier(earning) or terms
    if terms.kind is TermsKind.PERCENT:
        sale = facts["amount"]
        minor = Fraction(exact.get("amount", sale["amount"]))
        text = f"{_amount_text(minor, sale['currency'])} × {paying.rate_bp / 100:g}%"
        return minor * paying.rate_bp / 10_000, sale["currency"], text
    of = terms.flat_currency or earning["currency"]
    if terms.kind is TermsKind.PER_LEAD and facts["kind"] != "lead":
        return Fraction(0), earning["currency"], "Sales earn nothing under these terms"
    return Fraction(paying.flat_amount), of, amount_text(paying.flat_amount, of)


def _amount_text(minor: Fraction, currency: str) -> str:
    """Formats an amount, with more decimals than the currency has where a report named them."""
    if minor.denominator == 1:
        return amount_text(minor.numerator, currency)
    return f"{_decimal(minor / 10 ** digits(currency))} {currency}"


def _reports(steps: Sequence[Row], stands: Amount) -> list[ReportBehind]:
    """Returns the reports in the order in which they came."""
    return [_report(step, stands) for step in steps if step["name"] in _REPORTING]


def _report(step: Row, stands: Amount) -> ReportBehind:
    detail = step["detail"]
    said: Row = detail.get("reported") or _said_before(detail)
    amount, place = _money(said["amount"]), said["place"]
    is_part = said.get("status") == "reversed" and step["name"] == "conversion.report_merged" and amount != stands
    return ReportBehind(
        amount=amount,
        payout=_money(said.get("payout")),
        status=said.get("status") or None,
        click_id=said.get("click_id") or None,
        coupon=said.get("coupon") or None,
        names_customer=bool(said.get("customer")),
        unread=sorted(said.get("unread", ())),
        reported_by=said["reported_by"],
        key_kind=said.get("key_kind", ""),
        at=step["at"],
        stands=None if amount is None or is_part else amount == stands,
        place=LogPosition(**place) if place else None,
    )


def _said_before(detail: Row) -> Row:
    """Returns the facts about its report that an event from before reports were recorded has."""
    amount = detail.get("amount") or detail["facts"]["amount"]
    facts = {"amount": amount, "payout": detail.get("payout"), "place": detail.get("report")}
    return {**facts, "reported_by": detail["reported_by"], "customer": detail.get("customer")}


def _unread(steps: Sequence[Row]) -> list[UnreadValue]:
    reports = [said for step in steps if (said := step["detail"].get("reported")) and said.get("unread")]
    return [
        UnreadValue(
            report_id=said["report_id"],
            field=name,
            text=text,
            is_placeholder=is_placeholder(text),
            reported_by=said["reported_by"],
            at=said["received_at"],
        )
        for said in sorted(reports, key=itemgetter("received_at"))
        for name, text in sorted(said["unread"].items())
    ]


_REPORTING: Final = frozenset({"conversion.recorded", "conversion.report_merged", "conversion.report_conflicted"})
_STATING: Final = frozenset({"conversion.recorded", "conversion.restated"})
"""Events that say which payout holds."""


def _step(step: Row, conversion: ConversionInFull, account_id: UUID) -> StepBehind:
    currency = step["currency"]

    def money(minor: int) -> Amount | None:
        return Amount(amount=minor, currency=currency) if currency and minor else None

    return StepBehind.of_row(
        step,
        text=_text(step, conversion.kind),
        by=_actor(step, account_id),
        reason=step["detail"].get("reason"),
        pending=money(step["pending"]),
        earned=money(step["earned"]),
        reversed=money(step["reversed"]),
        place=LogPosition(topic=DOMAIN.name, partition=0, offset=step["log_offset"]),
    )


def _actor(step: Row, account_id: UUID) -> str:
    return "system" if step["actor_id"] is None else "you" if step["actor_id"] == account_id else "someone else"


def _assignment(steps: Sequence[Row], account_id: UUID) -> Assignment | None:
    step = next((step for step in steps if step["name"] == "conversion.assigned"), None)
    if step is None:
        return None
    return Assignment.of_row(step, by=_actor(step, account_id), reason=step["detail"]["reason"])


def _text(step: Row, kind: str) -> str:
    detail = step["detail"]
    match step["name"]:
        case "conversion.recorded":
            waits = "" if step["partner_id"] else "; its click was not known"
            return f"The {kind} was reported ({detail['reported_by']}){waits}"
        case "conversion.restated":
            return _restated_text(detail)
        case "conversion.report_merged":
            return f"Reported again ({_reporter(detail['reported'])})"
        case "conversion.attributed":
            chosen = detail["facts"]["attribution"]["by"] == AttributedBy.MANUAL
            return "It now counts" if chosen else "Its click was found"
        case "conversion.assigned":
            return f"Assigned by hand to a {'click' if detail['click_id'] else 'link'}"
        case "conversion.approved":
            return "Approved automatically" if detail.get("automatic") else "Approved"
        case "conversion.reversed":
            back = amount_text(detail["amount"]["amount"], detail["amount"]["currency"])
            return "Reversed" if detail["whole"] else f"{back} of the sale reversed"
        case name:
            return _PLAIN_TEXTS.get(name) or _conflicted_text(detail)


_PLAIN_TEXTS: Final = {
    "conversion.reopened": "Pending again",
    "conversion.withdrawn": "Removed from the totals, to be counted again",
    "conversion.adjustment_proposed": "A click that came after the approval would have earned it",
    "conversion.adjustment_dismissed": "The approved amount is kept",
    "conversion.rejected": "Rejected",
    "conversion.forgotten": "The person behind it was erased; what earned it stays",
}


def _conflicted_text(detail: Row) -> str:
    said = detail.get("reported")
    by = _reporter(said) if said else detail["reported_by"]
    amount = detail.get("amount")
    if amount is not None and "amount" in detail.get("fields", ["amount"]):
        other = amount_text(amount["amount"], amount["currency"])
        return f"Reported again ({by}) with another amount, {other}"
    named = " and ".join(name.replace("_", " ") for name in detail.get("fields", ()))
    return f"Reported again ({by}) with another {named}"


def _reporter(said: Row) -> str:
    return f"{said['reported_by']}, by {_KEYS[said['key_kind']]}" if said["key_kind"] else str(said["reported_by"])


_KEYS: Final = {"site": "site key", "secret": "secret key", "postback": "postback token", "import": "import"}


def _restated_text(detail: Row) -> str:
    before, after = detail["before"], detail["facts"]
    match detail["cause"]:
        case "click":
            return "Another click earns it"
        case "details":
            return "The click's details became known"
        case "adjustment":
            return "The proposed click was accepted"
        case _ if before["amount"] != after["amount"]:
            was = amount_text(before["amount"]["amount"], before["amount"]["currency"])
            now = amount_text(after["amount"]["amount"], after["amount"]["currency"])
            return f"The amount is {now} by a more trusted report; it was {was}"
        case _:
            return "Counted again with the data of another report"


def _tier(earning: Row) -> TierUsed | None:
    stored = earning["detail"].get("tier")
    return TierUsed.model_validate(stored) if stored else None


def _money(stored: Any) -> Amount | None:
    return Amount(amount=stored["amount"], currency=stored["currency"]) if stored else None


_PLACES: Final = 8


def _decimal(value: Fraction) -> str:
    """Formats the value as a decimal number; with … where it goes on for more than eight places."""
    scaled = value * 10**_PLACES
    whole, part = divmod(abs(int(scaled)), 10**_PLACES)
    tail = f"{part:0{_PLACES}d}".rstrip("0")
    return f"{'-' if value < 0 else ''}{whole}{'.' if tail else ''}{tail}{'' if scaled.denominator == 1 else '…'}"
