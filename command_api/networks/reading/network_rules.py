"""Rules of single networks for a row, beyond headers and words: corrections, ids, tests, payment.

`row_reader` builds each row from the fields that all networks share; then the network's rule makes it what it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Final

from command_api.networks.reading.identities import Identities
from command_api.networks.reading.rows import NetworkRow, ReportStatus
from command_api.networks.reading.statuses import YES, word
from schemas.zones import ZoneInfo

Values = Mapping[str, str]
"""Field -> text of the row."""
Rule = Callable[[Values, NetworkRow], NetworkRow]

_CJ_BONUSES: Final = frozenset({"bonus", "performance incentive"})
_CJ_LEADS: Final = frozenset({"lead", "sim lead", "advanced lead", "item lead"})
_CLICKBANK_RETURNS: Final = frozenset({"rfnd", "cgbk", "insf"})
_TRADEDOUBLER_LEAD: Final = "4"
_AMAZON_IDENTITY: Final = ("asin", "seller", "price", "quantity", "returns", "link_type", "device")


def rule_of(network: str, zone: ZoneInfo) -> Rule:
    """The network's rule, with a state of its own for one file. `zone`: of its days."""
    return _Amazon(zone) if network == "amazon" else _RULES.get(network, _unchanged)


def _unchanged(_: Values, row: NetworkRow) -> NetworkRow:
    return row


def _awin(values: Values, row: NetworkRow) -> NetworkRow:
    """A deleted transaction was reversed if it had been validated before."""
    if word(row.raw_status) == "deleted" and values.get("validated_at"):
        return replace(row, status=ReportStatus.REVERSED)
    return row


def _cj(values: Values, row: NetworkRow) -> NetworkRow:
    """Rows of one `originalActionId` add up; all but the original are corrections."""
    kind, original = word(values.get("kind", "")), values.get("original", "").casefold()
    is_correction = original not in YES if original else row.is_correction
    if is_correction == row.is_correction and kind not in _CJ_BONUSES and kind not in _CJ_LEADS:
        return row
    return replace(
        row,
        is_correction=is_correction,
        is_bonus=row.is_bonus or kind in _CJ_BONUSES,
        is_lead=row.is_lead or kind in _CJ_LEADS,
    )


def _impact(values: Values, row: NetworkRow) -> NetworkRow:
    intended = values.get("intended", "")
    is_test = "TEST_ACTION" in (values.get("reason_code"), values.get("state_detail"), row.decline_reason)
    if not is_test and not intended:
        return row
    return replace(row, is_test=row.is_test or is_test, is_amended=row.is_amended or _differs(intended, row))


def _differs(intended: str, row: NetworkRow) -> bool:
    """Returns whether the payout is another one than was intended at first."""
    try:
        return bool(intended) and Decimal(intended) != row.commission
    except InvalidOperation:
        return False


def _rakuten(values: Values, row: NetworkRow) -> NetworkRow:
    """There is no status: an event is tracked only; a processed row is payable, a negative one takes back."""
    if values.get("is_event", "").casefold() in YES:
        return replace(row, status=ReportStatus.PENDING, raw_status=values["is_event"])
    return row


def _shareasale(values: Values, row: NetworkRow) -> NetworkRow:
    is_voided, is_locked = values.get("voided", "") in YES, values.get("locked", "") in YES
    reference = values.get("reference", "")
    is_reference = reference not in ("", "0") and reference != row.txid
    if is_voided:
        status = ReportStatus.REVERSED if is_locked else ReportStatus.REJECTED
    elif row.status is ReportStatus.PAID:
        status = ReportStatus.PAID
    else:
        status = ReportStatus.APPROVED if is_locked else ReportStatus.PENDING
    return replace(
        row,
        status=status,
        raw_status=f"Voided={values.get('voided', '')} Locked={values.get('locked', '')}",
        decline_reason=row.decline_reason if is_voided else "",
        txid=reference if is_reference else row.txid,
        line_key=row.txid if is_reference else row.line_key,
        is_correction=row.is_correction or is_reference,
    )


def _tradedoubler(values: Values, row: NetworkRow) -> NetworkRow:
    order = row.order_ref or values.get("lead_ref", "")
    is_lead = values.get("kind", "") == _TRADEDOUBLER_LEAD
    if order == row.order_ref and is_lead == row.is_lead:
        return row
    return replace(row, order_ref=order, is_lead=is_lead)


def _clickbank(values: Values, row: NetworkRow) -> NetworkRow:
    kind = word(values.get("status", ""))
    is_test, kind = kind.startswith("test "), kind.removeprefix("test ")
    if kind in _CLICKBANK_RETURNS:
        return replace(
            row,
            line_key=f"{kind.upper()} {row.line_key}".strip(),
            sale=None if row.sale is None else -abs(row.sale),
            commission=-abs(row.commission),
            is_correction=True,
            is_test=is_test,
        )
    return replace(row, is_test=True) if is_test else row


class _Amazon:
    """Rows have no id and no click: a day of a tracking id is replaced as a whole; equal rows are separate sales."""

    def __init__(self, zone: ZoneInfo) -> None:
        self._zone = zone
        self._identities = Identities()

    def __call__(self, values: Values, row: NetworkRow) -> NetworkRow:
        is_bounty = "asin" not in values
        at = row.occurred_at
        day = f"{at.astimezone(self._zone) if isinstance(at, datetime) else at:%Y-%m-%d}"
        says = [values.get(name, "") for name in _AMAZON_IDENTITY]
        name, sign = row.product if is_bounty else "", "-" if row.commission < 0 else "+"
        return replace(
            row,
            txid=self._identities.of(row.tracking_id, day, name, sign, *says),
            replaces=f"{day} {row.tracking_id}{' bounty' if is_bounty else ''}",
            is_bonus=is_bounty,
        )


_RULES: Final[Mapping[str, Rule]] = {
    "awin": _awin,
    "cj": _cj,
    "clickbank": _clickbank,
    "impact": _impact,
    "rakuten": _rakuten,
    "shareasale": _shareasale,
    "tradedoubler": _tradedoubler,
}
