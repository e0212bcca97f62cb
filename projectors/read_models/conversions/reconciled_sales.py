"""`read.reconciled_sales`: each sale twice: as it was tracked, and as its network's reports state it.

Tracked is what every report but the network's own account says (postbacks, the pixel, the shop), by the merge that
decides conversions. Reconciliation (`query_api.conversions.reconciliation`) compares both. A side that nothing tells of
has nulls. Amounts are what the partner owes by that side: nothing of a sale that was declined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

from infra.domain.commissions import commission_basis, terms_of_tier
from infra.domain.exchange_rates import convert
from infra.domain.report_merging import REVERSED, first_report, merge, split_network_sale
from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.base import DomainEvent, Money
from schemas.events import conversions
from schemas.events.conversions import Reported, TierUsed
from schemas.events.partners import Terms

RECONCILED_SALES: Final = ReadModel(
    name="reconciled_sales",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "partner_id uuid",
        "txid text not null",
        # Which trace led to its click; null: none is credited.
        "attributed_by text",
        # The website's.
        "currency text not null",
        "tracked_at timestamptz",
        # Minor units of the currency that reports and terms name.
        "tracked_amount bigint",
        "tracked_currency text",
        # In the website's currency; null: no event of the sale has the rate.
        "tracked_worth bigint",
        "tracked_declined boolean not null default false",
        "network text",
        "stated_at timestamptz",
        "stated_amount bigint",
        "stated_currency text",
        "stated_worth bigint",
        "stated_declined boolean not null default false",
        # The network says that it paid the sale.
        "stated_paid boolean not null default false",
        # What both sides follow from: reports without what leads to a person, terms, tier, rates.
        "basis jsonb not null",
    ),
    key=("id",),
    fixed=("website_id",),
    readers=OWN_WEBSITES,
    indexes=("website_id, partner_id",),
)
_GONE: Final = frozenset({"rejected", REVERSED})
_KEPT: Final = {
    "report_id", "key_kind", "reported_by", "received_at", "kind", "amount", "payout", "status", "occurred_at",
    "time_named", "amount_refused", "exact", "network_sale",
}  # fmt: skip
"""Of a report: none of it leads to a person."""

Crediting = conversions.ConversionRecorded | conversions.ConversionAttributed | conversions.ConversionRestated
Reporting = conversions.ConversionReportMerged | conversions.ConversionReportConflicted


@RECONCILED_SALES.on(conversions.ConversionRecorded)
def recorded(rows: Rows, event: conversions.ConversionRecorded) -> None:
    reported = event.reported or first_report(event)
    basis = {"kind": event.facts.kind, "reports": _with(reported, []), **_credited(event), "is_declined": False}
    _put(rows, event, {"currency": event.change.currency, "basis": basis, "txid": event.facts.txid})


@RECONCILED_SALES.on(conversions.ConversionAttributed, conversions.ConversionRestated)
def credited(rows: Rows, event: conversions.ConversionAttributed | conversions.ConversionRestated) -> None:
    if row := rows.get(id=event.originator_id):
        basis = row["basis"]
        _put(rows, event, {**row, "basis": {**basis, "kind": event.facts.kind, **_credited(event, basis)}})


@RECONCILED_SALES.on(conversions.ConversionReportMerged, conversions.ConversionReportConflicted)
def reported_again(rows: Rows, event: Reporting) -> None:
    row = rows.get(id=event.originator_id) if event.reported is not None else None
    if row is not None and event.reported is not None:
        basis = row["basis"]
        changed = {**basis, "reports": _with(event.reported, basis["reports"])}
        rows.update({"id": event.originator_id}, basis=changed, **_sides(changed, row["currency"]))


@RECONCILED_SALES.on(conversions.ConversionRejected)
def rejected(rows: Rows, event: conversions.ConversionRejected) -> None:
    if event.actor_id is not None:
        _decline(rows, event, is_declined=True)


@RECONCILED_SALES.on(conversions.ConversionReversed)
def reversed_(rows: Rows, event: conversions.ConversionReversed) -> None:
    if event.actor_id is not None and event.whole:
        _decline(rows, event, is_declined=True)


@RECONCILED_SALES.on(conversions.ConversionReopened)
def reopened(rows: Rows, event: conversions.ConversionReopened) -> None:
    _decline(rows, event, is_declined=False)


def _decline(rows: Rows, event: DomainEvent, *, is_declined: bool) -> None:
    """The owner's own decision counts for the tracked side, beside what reports say."""
    row = rows.get(id=event.originator_id)
    if row is not None and row["basis"]["is_declined"] != is_declined:
        basis = {**row["basis"], "is_declined": is_declined}
        rows.update({"id": event.originator_id}, basis=basis, **_sides(basis, row["currency"]))


def _put(rows: Rows, event: Crediting, row: Mapping[str, Any]) -> None:
    attribution = event.facts.attribution
    rows.put(
        id=event.originator_id,
        website_id=event.facts.website_id,
        txid=row["txid"],
        currency=row["currency"],
        partner_id=attribution.partner_id if attribution else None,
        attributed_by=attribution.by.value if attribution else None,
        basis=row["basis"],
        **_sides(row["basis"], row["currency"]),
    )


def _credited(event: Crediting, held: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
    """Terms, tier and rates as of the event. A sale that a report's payout pays keeps the tier that it had."""
    attribution, tier, rates = event.facts.attribution, held.get("tier"), dict(held.get("rates", {}))
    if event.tier is not None:
        tier = event.tier.model_dump(mode="json")
    if attribution is not None and event.exchange_rate is not None:
        payout = event.payout if not isinstance(event, conversions.ConversionAttributed) else _payout_of(held)
        terms = terms_of_tier(attribution.terms, event.tier)
        of = commission_basis(event.facts.amount, payout, terms, "", event.exact, kind=event.facts.kind)[1]
        rates[of] = event.exchange_rate
    terms_now = attribution.terms.model_dump(mode="json") if attribution is not None else None
    return {"terms": terms_now, "tier": tier, "rates": rates}


def _payout_of(basis: Mapping[str, Any]) -> Money | None:
    return merge(_reports(basis)).payout


def _with(reported: Reported, reports: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The reports with a further one; a network's account replaces the one before."""
    kept = [each for each in reports if reported.network_sale is None or each["network_sale"] is None]
    return [*kept, reported.model_dump(mode="json", include=_KEPT)]


def _reports(basis: Mapping[str, Any]) -> list[Reported]:
    return [Reported.model_validate(each) for each in basis["reports"]]


def _sides(basis: Mapping[str, Any], currency: str) -> dict[str, Any]:
    """Columns of both sides."""
    stated, others = split_network_sale(_reports(basis))
    return {**_tracked(others, basis, currency), **_stated(stated, basis, currency)}


def _tracked(others: Sequence[Reported], basis: Mapping[str, Any], currency: str) -> dict[str, Any]:
    if not others:
        return _side("tracked", None, None, basis, currency, is_declined=False)
    merged = merge(others)
    is_declined = basis["is_declined"] or (merged.status is not None and merged.status.status in _GONE)
    named = _named(merged.amount, merged.payout, merged.exact, basis, currency)
    left = (named[0] * (1 - merged.returned), named[1]) if named is not None else None
    return _side("tracked", merged.occurred_at, left, basis, currency, is_declined=is_declined)


def _stated(stated: Reported | None, basis: Mapping[str, Any], currency: str) -> dict[str, Any]:
    sale = stated.network_sale if stated is not None else None
    if stated is None or sale is None or sale.is_gone:
        nothing = _side("stated", None, None, basis, currency, is_declined=False)
        return {**nothing, "network": None, "stated_paid": False}
    named = _named(stated.amount, stated.payout, stated.exact, basis, currency)
    is_declined = stated.status in _GONE and not sale.is_reversal_only
    if named is not None and sale.is_reversal_only:
        named = (-named[0], named[1])
    side = _side("stated", stated.occurred_at, named, basis, currency, is_declined=is_declined)
    return {**side, "network": sale.network, "stated_paid": sale.is_paid}


def _named(
    amount: Money | None, payout: Money | None, exact: Mapping[str, str], basis: Mapping[str, Any], currency: str
) -> tuple[Fraction, str] | None:
    """The commission and the currency in which it is named; none: the partner's terms are not known."""
    if payout is None and basis["terms"] is None:
        return None
    tier = TierUsed.model_validate(basis["tier"]) if basis["tier"] else None
    terms = terms_of_tier(Terms.model_validate(basis["terms"] or {}), tier)
    sale = amount or Money(amount=0, currency=currency)
    return commission_basis(sale, payout, terms, currency, exact, kind=basis["kind"])


def _side(
    side: str,
    at: datetime | None,
    named: tuple[Fraction, str] | None,
    basis: Mapping[str, Any],
    currency: str,
    *,
    is_declined: bool,
) -> dict[str, Any]:
    value, of = named if named is not None else (None, None)
    if value is not None and is_declined:
        value = Fraction(0)
    return {
        f"{side}_at": at,
        f"{side}_amount": round(value) if value is not None else None,
        f"{side}_currency": of,
        f"{side}_worth": _worth(value, of, basis["rates"], currency),
        f"{side}_declined": is_declined,
    }


def _worth(value: Fraction | None, of: str | None, rates: Mapping[str, str], currency: str) -> int | None:
    if value is None or of is None:
        return None
    if not value or of == currency:
        return round(value)
    return convert(value, of, currency, Fraction(rates[of])) if of in rates else None
