"""Shifts the weights of a split to the variant that earns more, step by step within bounds. Pure.

Nothing shifts unless `judging` names a winner: the split is looked at every day, which only its boundary survives, and
its comparison within days holds while weights change. The winner then gets up to `max_step` percentage points. The
others give them in proportion to what each has above `min_share`. Shares become whole percents.

A variant that has less than `min_share`, because a person wanted it so or a variant was added, gives nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Final

from infra.domain.splits.judging import SplitResult, Verdict
from schemas.events.links import Shifting, ShiftOutcome

WHOLE: Final = 100
"""The sum of weights that were shifted: they are percents."""
_NO_WINNER: Final = {
    Verdict.COLLECTING: ShiftOutcome.COLLECTING,
    Verdict.UNDECIDED: ShiftOutcome.UNDECIDED,
    Verdict.EQUAL: ShiftOutcome.EQUAL,
}


@dataclass(frozen=True, slots=True)
class ShiftDecision:
    """`weights`: by variant; as they were, unless the outcome is `SHIFTED`."""

    outcome: ShiftOutcome
    weights: Mapping[int, int]


def shift(result: SplitResult, weights: Mapping[int, int], bounds: Shifting) -> ShiftDecision:
    """Decides the weights of the next day. `weights`: of the variants that get traffic, which `result` is about."""
    if result.verdict in _NO_WINNER:
        return ShiftDecision(_NO_WINNER[result.verdict], weights)
    leader = result.leader
    if leader is None or leader not in weights or len(weights) < 2:
        return ShiftDecision(ShiftOutcome.COLLECTING, weights)
    shares = {number: Fraction(WHOLE * weight, sum(weights.values())) for number, weight in weights.items()}
    shifted = _shifted(shares, leader, min(bounds.min_share, WHOLE // len(weights)), bounds.max_step)
    if shifted[leader] <= shares[leader]:
        return ShiftDecision(ShiftOutcome.AT_BOUNDS, weights)
    return ShiftDecision(ShiftOutcome.SHIFTED, shifted)


def _shifted(shares: Mapping[int, Fraction], leader: int, min_share: int, max_step: int) -> dict[int, int]:
    """Whole percents of which `leader` has as many as it may."""
    spare = {number: max(share - min_share, Fraction()) for number, share in shares.items() if number != leader}
    room = sum(spare.values())
    wanted = floor(shares[leader] + min(Fraction(max_step), room))
    gain = max(wanted - shares[leader], Fraction())
    targets = {number: shares[number] - (gain * own / room if room else 0) for number, own in spare.items()}
    least = {number: max(1, floor(target), ceil(shares[number] - max_step)) for number, target in targets.items()}
    left = max(WHOLE - wanted, sum(least.values()))
    return {leader: WHOLE - left, **_rounded(targets, least, left)}


def _rounded(targets: Mapping[int, Fraction], least: Mapping[int, int], total: int) -> dict[int, int]:
    """Whole numbers that add up to `total`: those whose targets were cut most are rounded up."""
    found = dict(least)
    by_rest = sorted(targets, key=lambda number: (least[number] - targets[number], number))
    for place in range(total - sum(least.values())):
        found[by_rest[place % len(by_rest)]] += 1
    return found
