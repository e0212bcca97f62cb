"""Merges the reports of one transaction field by field, independent of their order. Pure.

reports (`conversion.recorded`, `conversion.report_merged`, `conversion.report_conflicted`) -> this -> figures, traces
and status of the conversion. Each field has one winner among the reports that name it:

- `amount`: the shop's server before a network before the public site key, then the first received; what a reversal
  names counts only while no trusted report of the sale itself names one, and a claim above its limit never;
- `payout`: a network before the shop's server, then the first received; of reversals as `amount`;
- time of the sale: named with a secret before the time of the first receipt; a site key's own word counts while nothing
  but claims reports the sale;
- click id, coupon, visitor: every trusted report's before any claim's (`Merged.traces`), then the first received; a
  text that cannot be a click id only while no report names a click id;
- status: the newest that a trusted report names; `pending` and `hold` decide nothing. A reversal is of the whole
  sale, unless its sender named a larger payout or amount of the sale: then the part that it names (`Merged.returned`),
  and the status of the sale stays. A part stays reversed until a newer reversal.

The network's own account of a sale (`Reported.network_sale`) is one report, that of the highest revision. Its payout
counts before a postback's, its amount and time where no other report names them, its status as `_status` says.
Once it is gone, the merge is that of the other reports; without any the sale is void.

Winners are chosen by a total order, so the merge is commutative, associative and idempotent: a report that wins no
field may be forgotten, and any order of the same reports ends alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from operator import attrgetter
from typing import Any, Final
from uuid import UUID

from schemas import click_id
from schemas.base import Money
from schemas.events.conversions import ConversionRecorded, Reported

CLAIM: Final = "site"
"""Kind of key whose reports are claims: anybody can read it in a page's source."""
REVERSED: Final = "reversed"
_FINALITY: Final = {"approved": 1, "rejected": 2, REVERSED: 3}
_SHOP: Final = frozenset({"sale", "lead"})


@dataclass(frozen=True, slots=True)
class ReportedTraces:
    """The references to the click that reports of one trust level name."""

    click_id: str = ""
    coupon: str = ""
    visitor: int = 0
    partner_id: UUID | None = None
    is_claim: bool = False
    network_partner_id: UUID | None = None
    """The partner that pays the sale, by the network's own account."""


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
    """The key kind of the most trusted report; `site`: nothing but claims."""
    status: Reported | None
    """The report whose status counts; none: no report decides."""
    returned: Fraction
    """The part of the sale that a report reversed while its status stays; below 1."""
    exact: Mapping[str, str]
    """The exact values of amount and payout, where they are no whole minor units, as decimals of minor units."""
    unread: tuple[str, ...]
    """Fields that a report names, but that could not be read, and that no other report gives."""
    winners: tuple[UUID, ...]
    """The reports that the fields come from. A report that is not among them adds nothing."""
    sources: Mapping[str, UUID] = field(default_factory=dict)
    """The report that each field comes from, by its name; without those that no report names."""
    is_void: bool = False
    """No report is left: the import that had the sale was undone."""

    @property
    def is_claim(self) -> bool:
        return self.key_kind == CLAIM


def merge(reports: Iterable[Reported]) -> Merged:
    """The merge of at least one report."""
    stated, others = split_network_sale(reports)
    if stated is None:
        return _merge(others, None)
    if not _is_gone(stated):
        merged = _merge([*others, stated], stated)
        # The network's account may go: what counts without it is kept.
        return replace(merged, winners=_union(merged, _merge(others, None))) if others else merged
    if not (left := _without_account(others)):
        return _void(stated)
    merged = _merge(left, None)
    return replace(merged, winners=tuple(sorted({*merged.winners, stated.report_id})))


def first_report(event: ConversionRecorded) -> Reported:
    """The report of a conversion that was recorded before reports were stored."""
    facts, click = event.facts, event.facts.attribution
    return Reported(
        report_id=event.originator_id,
        reported_by=event.reported_by,
        received_at=event.received_at,
        place=event.report,
        kind=facts.kind,
        amount=facts.amount if facts.amount.amount else None,
        payout=event.payout,
        occurred_at=facts.occurred_at,
        time_named=True,
        click_id=click.click_id if click else "",
        visitor=click.visitor if click else 0,
        customer=event.customer,
    )


def split_network_sale(reports: Iterable[Reported]) -> tuple[Reported | None, list[Reported]]:
    """The network's own account of the sale by now, if there is one, and the other reports."""
    found = list(reports)
    stated = [report for report in found if report.network_sale is not None]
    return max(stated, key=_revision, default=None), [report for report in found if report.network_sale is None]


def _without_account(others: Sequence[Reported]) -> Sequence[Reported]:
    """Returns the reports that count once the network's account is gone. A claim above the limit is kept only beside
    something trusted: without that it is none."""
    is_trusted = any(one.key_kind != CLAIM for one in others)
    return others if is_trusted else [one for one in others if not one.amount_refused]


def _merge(reports: Iterable[Reported], stated: Reported | None) -> Merged:
    """The merge of at least one report; `stated`: the one that is the network's own account."""
    ordered = sorted(reports, key=_first)
    trusted = [report for report in ordered if report.key_kind != CLAIM]
    claims = [report for report in ordered if report.key_kind == CLAIM]
    own = _Figures.named_in(trusted)
    within_limits = [claim for claim in claims if not claim.amount_refused]
    amount = own.shop_amount or _naming(stated, _amount) or own.amount
    amount = amount or _best([*trusted, *within_limits], _amount, amount_rank)
    payout = _naming(stated, _payout) or own.payout or _best(trusted, _payout, _payout_rank)
    timed = _timed([report for report in trusted or claims if report is not stated], stated)
    customer = _best(trusted, lambda report: report.customer) or _best(claims, lambda report: report.customer)
    said = [report for report in ordered if report is not stated] or ordered
    sale = next((report for report in said if report.kind == "sale"), said[0])
    deciding = [report for report in trusted if report is not stated or _is_part_only(report)]
    decided = _newest(deciding, "approved", "rejected")
    reversal = _newest(deciding, REVERSED)
    returned = own.returned_by(reversal) if reversal is not None else None
    if returned is not None and not own.agrees_with(stated):
        reversal = returned = None  # the network's account has the rest
    status = decided if returned is not None else max(filter(None, (decided, reversal)), key=_decided, default=None)
    if stated is not None and not _is_part_only(stated):
        status = _status(stated, status)
        returned = None if status is stated and stated.status == REVERSED else returned
    ranked = min(ordered, key=lambda report: (-_trust(report), *_first(report)))
    groups = [(group, _traces(group)) for group in (trusted, claims) if group]
    winners = (amount, payout, timed, customer, sale, decided, reversal, ranked, *own.sources)
    kept = {report.report_id for report in winners if report is not None}
    kept.update(source.report_id for _, (_, named) in groups for source in named.values())
    if stated is not None:
        kept.add(stated.report_id)
    traced = {name: source for _, (_, named) in reversed(groups) for name, source in named.items()}
    return Merged(
        kind=sale.kind,
        amount=amount.amount if amount else None,
        payout=payout.payout if payout else None,
        occurred_at=timed.occurred_at if timed is not None else said[0].received_at,
        customer=customer.customer if customer else "",
        traces=tuple(traces for _, (traces, _) in groups),
        key_kind=ranked.key_kind,
        status=status,
        returned=returned or Fraction(0),
        exact=_exact(amount=amount, payout=payout),
        unread=_unread(ordered, amount, payout, status),
        winners=tuple(sorted(kept | {ordered[0].report_id})),
        sources=_sources(
            amount=amount, payout=payout, status=status, occurred_at=timed or said[0], customer=customer, **traced
        ),
    )


def contradictions(report: Reported, reports: Sequence[Reported], merged: Merged) -> tuple[str, ...]:
    """The fields in which `report`, one of `reports`, differs from the merged value. Statuses may change and are
    ignored, and so is the part of the sale that a reversal names."""
    own = _Figures.named_in([each for each in reports if each.key_kind != CLAIM])
    stands = _standing(merged)
    named = _said(report, own, is_superseded=_is_superseded(report, reports))
    return tuple(name for name, said in named.items() if said != stands[name])


def is_part(report: Reported, reports: Sequence[Reported]) -> bool:
    """Returns whether `report` reverses a part of the sale."""
    own = _Figures.named_in([each for each in reports if each.key_kind != CLAIM])
    return report.key_kind != CLAIM and own.returned_by(report) is not None


def names_first(report: Reported, earlier: Sequence[Reported]) -> bool:
    """Returns whether no earlier report of the sale itself names the amount or payout of `report`. A reversal that
    names the same does not count: once a larger amount is known, it is a part of the sale."""
    of_sale = [each for each in earlier if each.status != REVERSED]
    return report.status != REVERSED and any(
        said(report) is not None and all(said(each) != said(report) for each in of_sale) for said in (_amount, _payout)
    )


def count_conflicts(reports: Sequence[Reported], merged: Merged) -> int:
    """Returns how many different amounts, payouts, click ids and coupons are named beside those that count. It does not
    count the reports that name one: a report that repeats one may be forgotten, also a claim that repeats what the
    network's own account replaces."""
    stated, others = split_network_sale(reports)
    if stated is not None and _is_gone(stated):
        reports = [*_without_account(others), stated]
    own = _Figures.named_in([report for report in reports if report.key_kind != CLAIM])
    superseded = [report for report in reports if _is_superseded(report, reports)]
    replaced = {said for report in superseded for said in _said(report, own).items()}
    named = {
        said
        for report in reports
        for said in _said(report, own, is_superseded=report in superseded).items()
        if report.key_kind != CLAIM or said not in replaced
    }
    return len(named - set(_standing(merged).items()))


@dataclass(frozen=True, slots=True)
class _Figures:
    """The reports whose amount and payout count, among trusted reports of the sale itself, not of its reversal."""

    shop_amount: Reported | None
    network_amount: Reported | None
    shop_payout: Reported | None
    network_payout: Reported | None

    @classmethod
    def named_in(cls, trusted: Sequence[Reported]) -> _Figures:
        said = [report for report in trusted if report.status != REVERSED and report.network_sale is None]
        shop = [report for report in said if report.reported_by in _SHOP]
        network = [report for report in said if report.reported_by not in _SHOP]
        return cls(_best(shop, _amount), _best(network, _amount), _best(shop, _payout), _best(network, _payout))

    @property
    def sources(self) -> tuple[Reported | None, ...]:
        return self.shop_amount, self.network_amount, self.shop_payout, self.network_payout

    @property
    def amount(self) -> Reported | None:
        return self.shop_amount or self.network_amount

    @property
    def payout(self) -> Reported | None:
        return self.network_payout or self.shop_payout

    def agrees_with(self, stated: Reported | None) -> bool:
        """Returns whether the network's own account, if there is one, has the payout that its other reports named: what
        they reverse is then not yet in it."""
        paid = self.network_payout and self.network_payout.payout
        return stated is None or stated.payout is None or stated.payout == paid or _is_part_only(stated)

    def returned_by(self, report: Reported) -> Fraction | None:
        """The part of the sale that the report reverses, by its payout, else by its amount; none: the whole sale, or it
        is no reversal."""
        stated = report.network_sale
        if report.status != REVERSED or (stated is not None and not stated.is_reversal_only):
            return None
        is_shop = report.reported_by in _SHOP
        payout = self.shop_payout if is_shop else self.network_payout
        amount = self.shop_amount if is_shop else self.network_amount
        for whole, part in ((payout and payout.payout, report.payout), (amount and amount.amount, report.amount)):
            if whole and part and whole.currency == part.currency:
                return Fraction(part.amount, whole.amount) if 0 < part.amount < whole.amount else None
        return None


def _is_superseded(report: Reported, reports: Sequence[Reported]) -> bool:
    """Returns whether the network's own account of the sale replaces the figures of the report."""
    stated, _ = split_network_sale(reports)
    if report.network_sale is not None:
        return report is not stated
    return stated is not None and not _is_gone(stated) and report.reported_by not in _SHOP


def _said(report: Reported, own: _Figures, *, is_superseded: bool = False) -> dict[str, object]:
    """Returns the values of a report that another may contradict."""
    said: dict[str, object] = {"click_id": _click_id(report), "coupon": report.coupon}
    if not is_superseded and (report.key_kind == CLAIM or own.returned_by(report) is None):
        said |= {"amount": _money(report.amount), "payout": _money(report.payout)}
    return {name: value for name, value in said.items() if value}


def _standing(merged: Merged) -> dict[str, object]:
    named = {name: next((v for t in merged.traces if (v := getattr(t, name))), "") for name in ("click_id", "coupon")}
    return {**named, "amount": _money(merged.amount), "payout": _money(merged.payout)}


def _money(amount: Money | None) -> tuple[int, str] | None:
    return (amount.amount, amount.currency) if amount is not None else None


def _amount(report: Reported) -> Money | None:
    return report.amount


def _payout(report: Reported) -> Money | None:
    return report.payout


def _click_id(report: Reported) -> str:
    """The click id, if the text can be one."""
    try:
        click_id.unverified(report.click_id)
    except click_id.ForgedClickId:
        return ""
    return report.click_id


def _newest(reports: Sequence[Reported], *statuses: str) -> Reported | None:
    return max((report for report in reports if report.status in statuses), key=_decided, default=None)


def _naming(stated: Reported | None, said: Callable[[Reported], object]) -> Reported | None:
    return stated if stated is not None and not _is_part_only(stated) and said(stated) is not None else None


def _is_part_only(stated: Reported) -> bool:
    return stated.network_sale is not None and stated.network_sale.is_reversal_only


def _timed(others: Sequence[Reported], stated: Reported | None) -> Reported | None:
    """The report that names the time of the sale. A network that names the day alone tells less than the receipt of
    another report."""
    named = next((report for report in others if report.time_named), None)
    if named is not None or stated is None:
        return named
    has_time = stated.network_sale is not None and stated.network_sale.has_time
    return stated if has_time or not others else None


def _status(stated: Reported, other: Reported | None) -> Reported | None:
    """The report whose status counts, beside the network's own account. The account, if it was made after the other
    report came; else the one that leaves less: an approval is older than a reversal. `None`: the sale is pending."""
    own = stated if stated.status else None
    if other is None:
        return own
    sale = stated.network_sale
    if sale is not None and sale.is_dated and sale.as_of > other.received_at:
        return own
    return max(filter(None, (own, other)), key=lambda report: (_FINALITY[report.status], *_decided(report)))


def _is_gone(stated: Reported) -> bool:
    return stated.network_sale is not None and stated.network_sale.is_gone


def _void(gone: Reported) -> Merged:
    """Returns the merge of a sale that only an undone import had: nothing counts."""
    return Merged(
        kind=gone.kind,
        amount=None,
        payout=None,
        occurred_at=gone.occurred_at,
        customer="",
        traces=(),
        key_kind=gone.key_kind,
        status=None,
        returned=Fraction(0),
        exact={},
        unread=(),
        winners=(gone.report_id,),
        is_void=True,
    )


def _union(*merged: Merged) -> tuple[UUID, ...]:
    return tuple(sorted({winner for one in merged for winner in one.winners}))


def _sources(**winners: Reported | None) -> dict[str, UUID]:
    return {name: winner.report_id for name, winner in winners.items() if winner is not None}


def _exact(**winners: Reported | None) -> dict[str, str]:
    return {name: winner.exact[name] for name, winner in winners.items() if winner is not None and name in winner.exact}


def _unread(
    reports: Sequence[Reported], amount: Reported | None, payout: Reported | None, status: Reported | None
) -> tuple[str, ...]:
    values = {"amount": amount, "payout": payout, "status": status, "currency": amount or payout}
    values |= {name: _best(reports, attrgetter(name)) for name in ("click_id", "coupon", "customer")}
    return tuple(sorted({name for report in reports for name in report.unread if values.get(name) is None}))


def amount_rank(report: Reported) -> int:
    """Returns the trust in the reported amount: the shop 3, a network 2, a claim 1."""
    if report.key_kind == CLAIM:
        return 1
    return 3 if report.reported_by in _SHOP else 2


def _payout_rank(report: Reported) -> int:
    return 1 if report.reported_by in _SHOP else 2


def _trust(report: Reported) -> int:
    """Returns the trust in a report. Reports from before key kinds were recorded keep their trust."""
    if report.key_kind == CLAIM:
        return 0
    return 2 if report.key_kind in ("secret", "") else 1


def _first(report: Reported) -> tuple[datetime, UUID]:
    return report.received_at, report.report_id


def _decided(report: Reported) -> tuple[datetime, UUID]:
    """When its status was said: a network's account says it as of its latest change."""
    stated = report.network_sale
    return (report.received_at if stated is None else stated.as_of), report.report_id


def _revision(report: Reported) -> int:
    return report.network_sale.revision if report.network_sale is not None else 0


def _best(
    reports: Sequence[Reported], said: Callable[[Reported], object], rank: Callable[[Reported], int] = lambda _: 0
) -> Reported | None:
    named = [report for report in reports if said(report) not in (None, "", 0)]
    return min(named, key=lambda report: (-rank(report), *_first(report)), default=None)


def _traces(reports: Sequence[Reported]) -> tuple[ReportedTraces, dict[str, Reported]]:
    names = ("click_id", "coupon", "visitor", "partner_id")
    best = {name: chosen for name in names if (chosen := _best(reports, attrgetter(name), _ranks(name))) is not None}
    named: dict[str, Any] = {name: getattr(report, name) for name, report in best.items()}
    stated = next((report for report in reports if report.network_sale is not None), None)
    named["network_partner_id"] = stated.partner_id if stated is not None else None
    return ReportedTraces(**named, is_claim=reports[0].key_kind == CLAIM), best


def _ranks(name: str) -> Callable[[Reported], int]:
    return (lambda report: int(bool(_click_id(report)))) if name == "click_id" else (lambda _: 0)
