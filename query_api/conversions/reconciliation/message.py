"""A month's reconciliation as a text for the partner. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Final

from query_api.conversions.reconciliation.sales import DifferenceReason, MonthDifference, Side
from schemas.currencies import amount_text

MAX_LINES: Final = 200
"""Differences in a text; the CSV has them all."""

_TITLES: Final = {
    DifferenceReason.NOT_REPORTED: "Sales that we tracked and you do not report",
    DifferenceReason.NOT_TRACKED: "Sales that you report and we did not track",
    DifferenceReason.DECLINED: "Sales that one of us declined",
    DifferenceReason.AMOUNT: "Sales with another amount",
    DifferenceReason.CURRENCY: "Sales in another currency",
    DifferenceReason.RATE: "Sales at another exchange rate",
    DifferenceReason.MONTH: "Sales that you report in another month",
    DifferenceReason.PAID_SHORT: "Due and not paid",
    DifferenceReason.PAID_OVER: "Paid beyond what you report",
}


def message(
    *, website: str, partner: str, month: str, sums: Iterable[tuple[str, str]], currency: str, since: date | None,
    differences: Sequence[MonthDifference], count: int,
) -> str:  # fmt: skip
    """The text. `count`: of all differences, of which `differences` may be the first."""
    lines = [f"Reconciliation {month}: {website} and {partner}", ""]
    lines += [f"{name}: {value}" for name, value in sums]
    if since is not None:
        lines.append(f"Due since: {since.isoformat()}")
    if not differences:
        return "\n".join([*lines, "", "There are no differences.", ""])
    by_reason: defaultdict[DifferenceReason, list[MonthDifference]] = defaultdict(list)
    for one in differences[:MAX_LINES]:
        by_reason[one.reason].append(one)
    for reason in _TITLES:
        lines += _section(reason, by_reason[reason], currency)
    if count > MAX_LINES:
        lines += ["", f"{count - MAX_LINES:,} further differences are in the CSV."]
    return "\n".join([*lines, "", "Please check these differences and tell us what you find.", ""])


def _section(reason: DifferenceReason, found: Sequence[MonthDifference], currency: str) -> Iterator[str]:
    if not found:
        return
    yield ""
    total = amount_text(sum(one.amount for one in found), currency)
    if reason in (DifferenceReason.PAID_SHORT, DifferenceReason.PAID_OVER):
        yield f"{_TITLES[reason]}: {total.removeprefix('-')}"
        return
    yield f"{_TITLES[reason]} ({len(found)}, difference {total}):"
    for one in found:
        if (sale := one.sale) is not None:
            tracked, reported = _side(sale.tracked, reason), _side(sale.reported, reason)
            yield f"- {sale.transaction}: tracked {tracked}, reported {reported}"


def _side(side: Side | None, reason: DifferenceReason) -> str:
    if side is None:
        return "nothing"
    amount = "declined" if side.is_declined else amount_text(side.amount, side.currency)
    return f"{amount} in {side.month}" if reason is DifferenceReason.MONTH else amount
