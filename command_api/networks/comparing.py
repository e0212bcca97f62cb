"""Compares the lines of an import with their sales: the preview, and the reports to publish once they count.

lines of a sale, before and with the import -> `SaleComparison` -> kinds of rows and the difference of commissions
(preview), or the report to publish (apply, undo). `process` reads and writes around it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from command_api.conversions.model import REJECTED, REVERSED, Conversion
from command_api.networks.sales import NetworkFigures, SaleLine, sale_of
from schemas.currencies import MINOR_DIGITS

Found = Sequence[tuple[UUID, bool, SaleLine]]
"""Lines of a sale: the import, whether it counts, the line."""


@dataclass(frozen=True, slots=True)
class SaleComparison:
    """A sale before and after."""

    txid: str
    before: NetworkFigures | None
    after: NetworkFigures | None

    @property
    def is_changed(self) -> bool:
        """Returns whether what the network states changes."""
        return _said(self.before) != _said(self.after)


def compared(
    txid: str, found: Found, import_id: UUID, before: Mapping[str, int], after: Mapping[str, int], *, applies: bool
) -> SaleComparison:
    """The sale by the lines that count, and by those that count once the import does (`applies`) or does not any more.
    `before`, `after`: the import that counts for each group."""
    held = [line for _, is_applied, line in found if is_applied and _counts(line, before)]
    then = [
        line
        for of_import, is_applied, line in found
        if (applies if of_import == import_id else is_applied) and _counts(line, after)
    ]
    return SaleComparison(txid, sale_of(held), sale_of(then))


def kind_of(comparison: SaleComparison, known: Conversion | None) -> str:
    """Returns the kind of the sale's rows. `known`: the conversion of a sale that no import has stated so far."""
    if comparison.before is not None:
        return "changed" if comparison.is_changed else "unchanged"
    if known is None or known.merged.is_void:
        return "new"
    after = comparison.after
    return "unchanged" if after is None or _agrees(after, known) else "changed"


def difference(comparison: SaleComparison, known: Conversion | None) -> list[tuple[str, Decimal]]:
    """Returns the difference of commissions, by currency, in major units."""
    parts: list[tuple[str, Decimal]] = []
    if comparison.after is not None:
        parts.append((comparison.after.currency, comparison.after.counted))
    if comparison.before is not None:
        parts.append((comparison.before.currency, -comparison.before.counted))
    elif known is not None and known.is_open and known.is_attributed:
        held = known.payout
        if held is not None and not known.reversed_commission:
            parts.append((held.currency, -_major(held.amount, held.currency)))
        else:
            parts.append((known.currency, -_major(known.net_commission, known.currency)))
    return parts


def _counts(line: SaleLine, newest: Mapping[str, int]) -> bool:
    return not line.group or newest.get(line.group) == line.order


def _said(figures: NetworkFigures | None) -> tuple[object, ...] | None:
    if figures is None:
        return None
    return figures.counted, figures.sale, figures.currency, figures.status, figures.is_paid


def _agrees(after: NetworkFigures, known: Conversion) -> bool:
    payout = known.payout
    same = payout is not None and (payout.currency, _major(payout.amount, payout.currency)) == (
        after.currency,
        after.commission,
    )
    status = {REJECTED: "rejected", REVERSED: "reversed"}.get(known.status, "")
    said = after.status if after.status in ("rejected", "reversed") else ""
    is_late = after.status == "approved" and known.status.value == "pending"
    return same and status == said and not is_late


def _major(amount: int, currency: str) -> Decimal:
    return Decimal(amount).scaleb(-MINOR_DIGITS[currency])
