"""Reports of networks' sales for topic `conversions`: each has `network_sale`. Pure."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Final
from uuid import UUID, uuid5

from command_api.networks.sales import NetworkFigures
from infra.domain.report_reading import to_minor
from schemas.base import Money
from schemas.currencies import MINOR_DIGITS
from schemas.identity import conversion_id
from schemas.network_sales import NetworkSale
from schemas.tracking import NO_ID, ConversionReported, log_time

KIND: Final = "import"


def report_of(
    website_id: UUID, network: str, txid: str, figures: NetworkFigures, revision: int, now: datetime
) -> ConversionReported:
    """The report of a sale as its network states it by now."""
    event = "lead" if figures.is_lead else "sale"
    identity = conversion_id(website_id, event, txid)
    money, exact = dict[str, Money](), dict[str, str]()
    for name, value in (("amount", figures.sale), ("payout", figures.commission)):
        if value is not None:
            minor = to_minor(Fraction(value), figures.currency)
            if minor is None:
                raise ValueError(f"{name} of {txid} is too large")
            money[name] = Money(amount=minor.amount, currency=figures.currency)
            if minor.exact:
                exact[name] = minor.exact
    return ConversionReported(
        report_id=uuid5(identity, f"network\n{network}\n{revision}"),
        conversion_id=identity,
        website_id=website_id,
        kind="lead" if figures.is_lead else "sale",
        event=event,
        txid=txid,
        reported_by=KIND,
        occurred_at=log_time(min(figures.occurred_at, now)),
        received_at=log_time(now),
        click_id=figures.click_id,
        partner_id=figures.partner_id or NO_ID,
        amount=money.get("amount"),
        payout=money.get("payout"),
        status=figures.status,
        key_kind=KIND,
        time_named=True,
        exact=exact,
        network_sale=NetworkSale(
            network=network,
            txid=txid,
            revision=revision,
            as_of=min(figures.as_of, now),
            is_dated=figures.is_dated,
            has_time=figures.has_time,
            is_paid=figures.is_paid,
            is_reversal_only=figures.is_reversal_only,
            order_ref=figures.order_ref[:255],
        ),
    )


def without_sale(report: ConversionReported, revision: int, now: datetime) -> ConversionReported:
    """The report that withdraws the sale: no applied import has it any more."""
    sale = report.network_sale
    if sale is None:
        raise TypeError("only what a network stated can be withdrawn")
    network_sale = sale.model_copy(update={"revision": revision, "is_gone": True, "as_of": now, "is_paid": False})
    return report.model_copy(
        update={
            "report_id": uuid5(report.conversion_id, f"network\n{sale.network}\n{revision}"),
            "received_at": log_time(now),
            "click_id": "",
            "amount": None,
            "payout": None,
            "status": "",
            "exact": {},
            "network_sale": network_sale,
        }
    )


def is_same(one: ConversionReported, other: ConversionReported) -> bool:
    """Returns whether both state the same about the sale."""
    own = {"report_id", "received_at"}
    first, second = one.model_dump(exclude=own), other.model_dump(exclude=own)
    for stated in (first, second):
        stated["network_sale"].pop("revision")
    return first == second


def minor_units(value: Decimal, currency: str) -> int:
    """The amount in minor units, rounded once, half to even."""
    return int(round(Fraction(value) * 10 ** MINOR_DIGITS[currency], 0))


def end_of_day(moment: datetime) -> datetime:
    """The last moment of the day of `moment`, in UTC: a click of that day was before a sale of it."""
    return moment.replace(hour=23, minute=59, second=59, microsecond=0).astimezone(UTC)
