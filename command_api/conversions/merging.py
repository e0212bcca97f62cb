"""Merges the reports of one transaction field by field, independent of their order. Pure.

reports (`conversion.recorded`, `conversion.report_merged`, `conversion.report_conflicted`) -> this -> figures, traces
and status of the conversion. Each field has one winner among the reports that name it:

- `amount`: the shop's server before a network before the public site key, then the first received;
- `payout`: a network before the shop's server, then the first received;
- time of the sale: named with a secret before the time of the first receipt; a site key's own word counts while nothing
  but claims reports the sale;
- click id, coupon, visitor: every trusted report's before any claim's (`Merged.traces`), then the first received;
- status: the newest that a trusted report names; `pending` and `hold` decide nothing. `reversed` beside another amount
  than the one that stands may mean a part of the sale: it is kept and shown, and takes nothing back.

Winners are chosen by a total order, so the merge is commutative, associative and idempotent: a report that wins no
field may be forgotten, and any order of the same reports ends alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any, Final
from uuid import UUID

from schemas.base import Money
from schemas.events.conversions import Reported

CLAIM: Final = "site"
"""Kind of key whose reports are claims: anybody can read it in a page's source."""
DECIDING: Final = frozenset({"approved", "rejected", "reversed"})
_SHOP: Final = frozenset({"sale", "lead"})


@dataclass(frozen=True, slots=True)
class ReportedTraces:
    """The references to the click that reports of one trust level name."""

    click_id: str = ""
    coupon: str = ""
    visitor: int = 0
    partner_id: UUID | None = None
    is_claim: bool = False


@dataclass(frozen=True, slots=True)
class Merged:
    """The conversion that the reports make together."""

    kind: str
    amount: Money | None
    payout: Money | None
    occurred_at: datetime
    customer: str
    traces: tuple[ReportedTraces, ...]
    """The most trusted first."""
    key_kind: str
    """Of the most trusted report; `site`: nothing but claims."""
    status: Reported | None
    """The report whose status counts; none: no report decides."""
    winners: tuple[UUID, ...]
    """The reports that the fields come from. A report that is not among them adds nothing."""

    @property
    def is_claim(self) -> bool:
        return self.key_kind == CLAIM


def merge(reports: Iterable[Reported]) -> Merged:
    """The merge of at least one report."""
    known = sorted(reports, key=_first)
    trusted = [report for report in known if report.key_kind != CLAIM]
    claims = [report for report in known if report.key_kind == CLAIM]
    amount = _best(known, lambda report: report.amount, amount_rank)
    payout = _best(trusted, lambda report: report.payout, _payout_rank)
    timed = next((report for report in trusted or claims if report.time_named), None)
    customer = _best(trusted, lambda report: report.customer) or _best(claims, lambda report: report.customer)
    sale = next((report for report in known if report.kind == "sale"), known[0])
    deciding = [report for report in trusted if _decides(report, amount.amount if amount else None)]
    status = max(deciding, key=_first, default=None)
    ranked = min(known, key=lambda report: (-_trust(report), *_first(report)))
    groups = [(group, _traces(group)) for group in (trusted, claims) if group]
    found = (amount, payout, timed, customer, sale, status, ranked)
    sources = {report.report_id for report in found if report is not None}
    sources.update(source.report_id for _, (_, named) in groups for source in named)
    return Merged(
        kind=sale.kind,
        amount=amount.amount if amount else None,
        payout=payout.payout if payout else None,
        occurred_at=timed.occurred_at if timed is not None else known[0].received_at,
        customer=customer.customer if customer else "",
        traces=tuple(traces for _, (traces, _) in groups),
        key_kind=ranked.key_kind,
        status=status,
        winners=tuple(sorted(sources | {known[0].report_id})),
    )


def contradictions(report: Reported, merged: Merged) -> tuple[str, ...]:
    """The fields in which `report` differs from the merged value. Statuses may change and are ignored."""
    found = []
    if report.amount is not None and report.amount != merged.amount:
        found.append("amount")
    if report.payout is not None and report.payout != merged.payout:
        found.append("payout")
    for name in ("click_id", "coupon"):
        said, stands = getattr(report, name), next((v for t in merged.traces if (v := getattr(t, name))), "")
        if said and said != stands:
            found.append(name)
    return tuple(found)


def conflicting_amounts(reports: Iterable[Reported], merged: Merged) -> int:
    """How many different amounts are named beside the one that stands. Not by how many: a report that repeats an amount
    may be forgotten."""
    named = {(report.amount.amount, report.amount.currency) for report in reports if report.amount is not None}
    stands = merged.amount
    return len(named - {(stands.amount, stands.currency)} if stands is not None else named)


def _decides(report: Reported, stands: Money | None) -> bool:
    if report.status == "reversed" and report.amount is not None and report.amount != stands:
        return False
    return report.status in DECIDING


def amount_rank(report: Reported) -> int:
    """Trust in the reported amount: the shop 3, a network 2, a claim 1."""
    if report.key_kind == CLAIM:
        return 1
    return 3 if report.reported_by in _SHOP else 2


def _payout_rank(report: Reported) -> int:
    return 1 if report.reported_by in _SHOP else 2


def _trust(report: Reported) -> int:
    """Reports from before key kinds were recorded keep their trust."""
    if report.key_kind == CLAIM:
        return 0
    return 2 if report.key_kind in ("secret", "") else 1


def _first(report: Reported) -> tuple[datetime, UUID]:
    return report.received_at, report.report_id


def _best(
    reports: Sequence[Reported], said: Callable[[Reported], object], rank: Callable[[Reported], int] = lambda _: 0
) -> Reported | None:
    named = [report for report in reports if said(report) not in (None, "", 0)]
    return min(named, key=lambda report: (-rank(report), *_first(report)), default=None)


def _traces(reports: Sequence[Reported]) -> tuple[ReportedTraces, list[Reported]]:
    names = ("click_id", "coupon", "visitor", "partner_id")
    best = {name: found for name in names if (found := _best(reports, attrgetter(name))) is not None}
    named: dict[str, Any] = {name: getattr(report, name) for name, report in best.items()}
    return ReportedTraces(**named, is_claim=reports[0].key_kind == CLAIM), list(best.values())
