"""To which conversion a report belongs, where its transaction id alone does not tell. Pure.

Ingest gives a report its id (`schemas.identity.conversion_id`). Where ids are unique within a click only, the same sale
may have another one: it was reported before its network had that scope, or by the shop, whose ids are unique. Then the
sale that names the same click is meant. The attribution policy decides by this; ingest answers by it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from schemas.identity import conversion_id
from schemas.networks import TxidScope
from schemas.tracking import NO_ID, ConversionReported


class AmbiguousTxid(Exception):
    """Several sales have this transaction id, and the report names no click that tells which one it is about."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """`ids`: where the report may belong, the first that exists counts. `shared_id`: the id without any click.
    `is_scoped`: the sale is one of a click, and the report does not say of which."""

    ids: tuple[UUID, ...]
    shared_id: UUID
    is_scoped: bool

    @property
    def are_several(self) -> bool:
        return len(self.ids) > 1 or self.is_scoped


def shared_id(report: ConversionReported) -> UUID:
    """The id of the sale if its transaction id is unique within the website."""
    return conversion_id(report.website_id, report.event, report.txid)


def candidates(report: ConversionReported) -> Candidates:
    """Every id under which the report's sale may be recorded."""
    shared = shared_id(report)
    ids = [report.conversion_id]
    if report.other_id != NO_ID:
        ids.append(report.other_id)
    if "txid" not in report.unread and "event" not in report.unread:
        ids.append(shared)
        if report.click_id:
            ids.append(conversion_id(report.website_id, report.event, report.txid, click_id=report.click_id))
    is_scoped = report.txid_scope == TxidScope.CLICK and report.conversion_id == shared and not report.click_id
    return Candidates(tuple(dict.fromkeys(ids)), shared, is_scoped)


def chosen(
    report: ConversionReported,
    wanted: Candidates,
    exists: Callable[[UUID], bool],
    names_click: Callable[[UUID, str], bool],
    scoped: Callable[[], Sequence[UUID]],
) -> UUID | None:
    """The recorded conversion that the report belongs to; `None`: it is a new one. `names_click`: whether a report of
    that conversion named that click; `scoped`: the sales of single clicks that have the transaction id. Raises
    `AmbiguousTxid`."""
    if exists(report.conversion_id):
        return report.conversion_id
    is_same_id = report.txid_scope != TxidScope.CLICK and "txid" not in report.unread
    for other in wanted.ids[1:]:
        if exists(other) and (
            (other == report.other_id and is_same_id) or (report.click_id and names_click(other, report.click_id))
        ):
            return other
    if not wanted.is_scoped:
        return None
    sales = scoped()
    if len(sales) > 1:
        raise AmbiguousTxid(f"{len(sales)} sales have the transaction id {report.txid!r}; name the click")
    return sales[0] if sales else None
