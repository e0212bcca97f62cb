"""One sale as its network states it: the sum of the lines that applied imports have of it. Pure.

staged lines of a sale -> `sale_of` -> `NetworkFigures` -> the report that goes into topic `conversions`

The result depends on the set of lines alone, not on the order of imports:

- Of each line the newest statement counts: by the latest change that it names, then by its status (a decided sale is
  not pending again), then the one that says it is amended, then that of the later file.
- Corrections add to their sale. The same correction in two files is one; twice in one file it is two.
- A sale of which nothing is left has what it was worth and the status `reversed` (`rejected`, if it never was
  approved).
- Of a group that a network states as a whole only the newest import counts (Amazon: a day and tracking id).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final
from uuid import UUID

from command_api.networks.reading.rows import ReportStatus

_PROGRESS: Final = {
    ReportStatus.PENDING: 0,
    ReportStatus.APPROVED: 1,
    ReportStatus.REJECTED: 2,
    ReportStatus.PAID: 2,
    ReportStatus.REVERSED: 3,
}
_GONE: Final = frozenset({ReportStatus.REJECTED, ReportStatus.REVERSED})
_EARNED: Final = frozenset({ReportStatus.APPROVED, ReportStatus.PAID})


@dataclass(frozen=True, slots=True, kw_only=True)
class SaleLine:
    """A line of an applied import. `order`: of the import, later ones are greater; `stated_at`: when the import's
    report was made, if that is known; `group`: what its file replaces as a whole."""

    order: int
    line: int
    line_key: str
    occurred_at: datetime
    has_time: bool
    commission: Decimal
    currency: str
    status: ReportStatus
    updated_at: datetime | None = None
    stated_at: datetime | None = None
    file_at: datetime | None = None
    """The latest time in its file: of two that do not differ otherwise, the line of the later one counts."""
    sale: Decimal | None = None
    is_correction: bool = False
    processed_at: datetime | None = None
    """Of a correction: when the network processed it, where that tells it from others of the line."""
    is_amended: bool = False
    is_lead: bool = False
    group: str = ""
    order_ref: str = ""
    partner_id: UUID | None = None
    click_id: str = ""

    @property
    def as_of(self) -> datetime:
        """The latest time of which the line tells."""
        return max(filter(None, (self.stated_at, self.updated_at, self.occurred_at)))


@dataclass(frozen=True, slots=True)
class NetworkFigures:
    """A sale as its network states it. `status`: empty while it is pending; `is_dated`: it is known when the report was
    made; `is_reversal_only`: the network named only
    a reversed part: `commission` is that part."""

    commission: Decimal
    sale: Decimal | None
    currency: str
    status: str
    is_paid: bool
    as_of: datetime
    is_dated: bool
    occurred_at: datetime
    has_time: bool
    is_lead: bool
    order_ref: str
    partner_id: UUID | None
    click_id: str
    is_reversal_only: bool = False

    @property
    def counted(self) -> Decimal:
        """Returns its part of the website's commissions: nothing once it is rejected or reversed."""
        return Decimal(0) if self.status in ("rejected", "reversed") else self.commission


def newest_of_groups(lines: Iterable[SaleLine]) -> dict[str, int]:
    """The import that counts for each group of these lines."""
    best: dict[str, tuple[datetime, int]] = {}
    for line in lines:
        if line.group:
            stated = line.stated_at or line.as_of
            best[line.group] = max(best.get(line.group, (stated, line.order)), (stated, line.order))
    return {group: order for group, (_, order) in best.items()}


def sale_of(lines: Sequence[SaleLine]) -> NetworkFigures | None:
    """The sale that these lines make together; none without any."""
    if not lines:
        return None
    currency = lines[0].currency if len(lines) == 1 else max(lines, key=_newness).currency
    own = [line for line in lines if line.currency == currency]
    originals, corrections = _originals(own), _corrections(own)
    live = [line for line in originals if line.status not in _GONE]
    counted = live or originals
    named = sorted(own, key=lambda line: (line.occurred_at, line.line_key, line.order, line.line))
    base, taken = _sum(counted), _sum(corrections)
    sale, commission = _amount(counted, ()), base
    status, is_paid = _status(counted), bool(live) and all(line.status is ReportStatus.PAID for line in live)
    if not originals:
        commission, sale = abs(taken), None
        status = "reversed" if taken < 0 else "approved"
    elif corrections and live:
        if base + taken <= 0:
            status = "reversed" if any(line.status in _EARNED for line in live) else "rejected"
        else:
            commission, sale = base + taken, _amount(counted, corrections)
    first = next((line for line in named if not line.is_correction), named[0])
    return NetworkFigures(
        commission=commission,
        sale=sale,
        currency=currency,
        status=status,
        is_paid=is_paid,
        as_of=max(line.as_of for line in (*counted, *corrections)),
        is_dated=any(line.stated_at is not None for line in counted),
        occurred_at=first.occurred_at,
        has_time=first.has_time,
        is_lead=all(line.is_lead for line in named),
        order_ref=next((line.order_ref for line in named if line.order_ref), ""),
        partner_id=next((line.partner_id for line in named if line.partner_id), None),
        click_id=next((line.click_id for line in named if line.click_id), ""),
        is_reversal_only=not originals and taken < 0,
    )


def _originals(lines: Iterable[SaleLine]) -> list[SaleLine]:
    """The newest statement of each line that is no correction."""
    newest: dict[str, SaleLine] = {}
    for line in lines:
        if not line.is_correction:
            held = newest.get(line.line_key)
            newest[line.line_key] = line if held is None else max(held, line, key=_newness)
    return list(newest.values())


def _corrections(lines: Iterable[SaleLine]) -> list[SaleLine]:
    """Each correction once: as often as the import says that has it most often."""
    by_import: defaultdict[int, Counter[tuple[object, ...]]] = defaultdict(Counter)
    found: dict[tuple[object, ...], SaleLine] = {}
    for line in lines:
        if line.is_correction:
            what = (line.line_key, line.processed_at or line.occurred_at, line.commission, line.sale)
            by_import[line.order][what] += 1
            found[what] = max(found.get(what, line), line, key=_newness)
    times = {what: max(counts[what] for counts in by_import.values()) for what in found}
    return [line for what, line in found.items() for _ in range(times[what])]


def _newness(line: SaleLine) -> tuple[object, ...]:
    file_at = line.file_at or line.as_of
    return line.as_of, _PROGRESS[line.status], line.is_amended, file_at, line.order, line.line


def _status(lines: Sequence[SaleLine]) -> str:
    statuses = {line.status for line in lines}
    if not statuses:
        return ""
    if statuses <= _GONE:
        return "reversed" if ReportStatus.REVERSED in statuses else "rejected"
    return "" if ReportStatus.PENDING in statuses else "approved"


def _sum(lines: Iterable[SaleLine]) -> Decimal:
    return sum((line.commission for line in lines), Decimal(0))


def _amount(lines: Sequence[SaleLine], corrections: Sequence[SaleLine]) -> Decimal | None:
    """The sales of the lines together; none if one names none."""
    named = [line.sale for line in lines]
    if not named or any(sale is None for sale in named):
        return None
    total = sum((sale for sale in named if sale is not None), Decimal(0))
    return max(total + sum((line.sale for line in corrections if line.sale is not None), Decimal(0)), Decimal(0))
