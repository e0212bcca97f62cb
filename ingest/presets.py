"""How trackers and networks name what they report. A preset is chosen (by the partner or by `preset=`), never guessed:
`transaction_id` is the click in one system and the order in the next.

Sources: each system's public documentation of its postback macros.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from ingest.errors import invalid


@dataclass(frozen=True)
class Preset:
    """`names`: their parameter -> ours. Ours are understood too, unless the preset gives them another meaning."""

    names: Mapping[str, str] = field(default_factory=dict)
    statuses: Mapping[str, str] = field(default_factory=dict)
    """Their words (lower case) -> ours."""
    leads: frozenset[str] = frozenset({"lead"})
    """Event names that are leads; the others are sales."""


FIELDS: Final = frozenset(
    {"click_id", "txid", "event", "status", "payout", "amount", "currency", "coupon", "customer_id", "occurred_at"}
    | {"token", "partner", "preset"}
    | {f"sub{number}" for number in range(1, 11)}
)
_DECLINED: Final = {"declined": "rejected", "canceled": "rejected", "cancelled": "rejected", "trash": "rejected"}


def _numbered(prefix: str, count: int) -> dict[str, str]:
    return {f"{prefix}{number}": f"sub{number}" for number in range(1, count + 1)}


PRESETS: Final[Mapping[str, Preset]] = MappingProxyType(
    {
        "default": Preset(),
        "voluum": Preset({"cid": "click_id", "et": "event", **_numbered("param", 10)}),
        "keitaro": Preset(
            {"subid": "click_id", "tid": "txid", **_numbered("sub_id_", 10)},
            {"lead": "pending", "sale": "approved", "rebill": "approved", **_DECLINED},
        ),
        "affise": Preset(
            {"clickid": "click_id", "action_id": "txid", "transactionid": "txid", "sum": "payout", "goal": "event"},
            {"confirmed": "approved", **_DECLINED},
        ),
        "redtrack": Preset(
            {"clickid": "click_id", "type": "event", "sum": "payout", "rdtk_event_id": "txid"}, _DECLINED
        ),
        "binom": Preset(
            {"cnv_id": "click_id", "clickid": "click_id", "cnv_status": "status", "cnv_currency": "currency"}, _DECLINED
        ),
        "everflow": Preset(
            {
                "transaction_id": "click_id",
                "order_id": "txid",
                "event_id": "event",
                "adv_event_id": "event",
                "coupon_code": "coupon",
                "verification_token": "token",
                **_numbered("adv", 5),
            },
            _DECLINED,
        ),
        "tune": Preset(
            {
                "transaction_id": "click_id",
                "adv_sub": "txid",
                "goal_id": "event",
                "promo_code": "coupon",
                "security_token": "token",
                "adv_sub2": "sub2",
                "adv_sub3": "sub3",
                "adv_sub4": "sub4",
                "adv_sub5": "sub5",
            },
            _DECLINED,
        ),
        "affonso": Preset(
            {
                "tracking_id": "click_id",
                "transaction_id": "txid",
                "event_type": "event",
                "sale_amount": "amount",
                "sale_currency": "currency",
                "commission_amount": "payout",
            },
            {"paid": "approved", "refunded": "reversed", **_DECLINED},
        ),
        "impact": Preset(
            {
                "subId1": "click_id",
                "ClickId": "click_id",
                "ActionId": "txid",
                "OrderId": "txid",
                "Amount": "amount",
                "Payout": "payout",
                "Currency": "currency",
                "Status": "status",
                "PromoCode": "coupon",
            },
        ),
        "awin": Preset(
            {
                "clickRef": "click_id",
                "clickref": "click_id",
                "transactionId": "txid",
                "transactionAmount": "amount",
                "saleAmount": "amount",
                "commission": "payout",
                "transactionCurrency": "currency",
                "voucherCode": "coupon",
            },
            {"bonus": "approved", **_DECLINED},
        ),
        "pap": Preset(
            {"visitorId": "click_id", "o": "txid", "orderid": "txid", "t": "amount", "cr": "currency", "s": "status"},
            {"a": "approved", "p": "pending", "d": "rejected"},
        ),
        "names": Preset(
            {
                "clickid": "click_id",
                "cid": "click_id",
                "subid": "click_id",
                "transaction_id": "txid",
                "tid": "txid",
                "order_id": "txid",
                "sum": "amount",
                "revenue": "amount",
                "goal": "event",
                "et": "event",
            },
            _DECLINED,
        ),
    }
)


def preset_of(name: str) -> Preset:
    """The preset of that name; empty = ours. Raises `EventRejected` (unknown_preset)."""
    preset = PRESETS.get(name.lower() or "default")
    if preset is None:
        raise invalid("unknown_preset", f"preset is one of {', '.join(PRESETS)}")
    return preset


def translate(preset: Preset, sent: Mapping[str, str]) -> dict[str, str]:
    """The parameters under Althing's names without unknown ones. Raises `EventRejected` (repeated_field) when two
    parameters mean the same and differ."""
    found: dict[str, str] = {}
    for name, value in sent.items():
        ours = preset.names.get(name, name)
        if ours not in FIELDS or not value:
            continue
        if found.setdefault(ours, value) != value:
            raise invalid("repeated_field", f"{ours} is said twice, with different values")
    status = found.get("status", "").lower()
    if status in preset.statuses:
        found["status"] = preset.statuses[status]
    return found
