"""Translates the names that trackers and networks use in reports. A preset is chosen (by the partner or by `preset=`),
never guessed: `transaction_id` is the click in one system and the order in the next. The names are those of
`schemas.networks`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from ingest.errors import invalid
from schemas.networks import DEFAULT, NETWORKS


@dataclass(frozen=True)
class Preset:
    """The names of a network. `names`: their parameter -> Althing's. Althing's are understood too, unless the preset
    gives them another meaning."""

    names: Mapping[str, str] = field(default_factory=dict)
    statuses: Mapping[str, str] = field(default_factory=dict)
    """Their words (lower case) -> ours."""
    leads: frozenset[str] = frozenset({"lead"})
    """Event names that are leads; the others are sales."""
    slug: str = DEFAULT


FIELDS: Final = frozenset(
    {"click_id", "txid", "event", "status", "payout", "amount", "currency", "coupon", "customer_id", "occurred_at"}
    | {"token", "partner", "preset"}
    | {f"sub{number}" for number in range(1, 11)}
)
PRESETS: Final[Mapping[str, Preset]] = MappingProxyType(
    {slug: Preset(network.names, network.statuses, slug=slug) for slug, network in NETWORKS.items()}
)

TOKEN_NAMES: Final = frozenset(
    {"token", *(name for preset in PRESETS.values() for name, ours in preset.names.items() if ours == "token")}
)
"""The parameters that have the postback token in one preset or another."""


def preset_of(name: str) -> Preset:
    """The preset of that name; empty = ours. Raises `EventRejected` (unknown_preset)."""
    preset = PRESETS.get(name.lower() or DEFAULT)
    if preset is None:
        raise invalid("unknown_preset", "preset is unknown; docs/networks.md lists the presets")
    return preset


def translate(preset: Preset, sent: Mapping[str, str]) -> dict[str, str]:
    """The parameters under Althing's names, without unknown ones and empty ones; only an empty transaction id is one
    that was not filled in. Of two values for one field that differ both are kept, joined, so that they are read as
    neither. Raises `EventRejected` (repeated_field) where they would be another sale, sender or click."""
    fields: dict[str, str] = {}
    for name, value in sent.items():
        ours = preset.names.get(name, name)
        if ours not in FIELDS or (not value and ours != "txid"):
            continue
        if ours in fields and fields[ours] != value and value:
            if ours in _DECISIVE and fields[ours]:
                raise invalid("repeated_field", f"{ours} is given twice, with different values")
            value = f"{fields[ours]} | {value}" if fields[ours] else value
        fields[ours] = value or fields.get(ours, "")
    return fields


_DECISIVE: Final = frozenset({"txid", "token", "partner", "preset", "click_id"})
