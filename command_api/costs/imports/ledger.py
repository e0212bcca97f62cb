"""The costs of a day and platform that count, by the lines that applied imports have of it. Pure.

The newest import counts first. A line of an older one counts beside it unless both are about the same traffic: the same
campaign and ad, or one names less than the other (a campaign and one of its ads). So an overlapping export replaces
amounts, and the same money is never counted at two levels. The result depends on the set of imports alone, not on the
order in which they were applied.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import combinations, groupby
from operator import attrgetter
from uuid import UUID

from command_api.costs.imports.cost_rows import PaidTraffic
from schemas.base import Money
from schemas.events.costs import CostDayChange, CostEntry


@dataclass(frozen=True, slots=True)
class StatedCost:
    """The cost of a day's traffic, as one import states it. Ids of imports are in the order of their uploads."""

    import_id: UUID
    target: PaidTraffic
    amount: Money
    worth: Money
    rate: str | None
    line: int = field(default=0, compare=False)
    lines: int = field(default=1, compare=False)
    """Of the file that add up to it."""

    def entry(self, day: date) -> CostEntry | None:
        """The entry that is booked; none: nothing was spent."""
        if not self.amount.amount:
            return None
        return CostEntry(
            first=day, last=day, **self.target._asdict(), amount=self.amount, worth=self.worth, rate=self.rate
        )


Day = Mapping[PaidTraffic, StatedCost]
"""The costs that count, by traffic."""


def counting(stated: Iterable[StatedCost]) -> Day:
    """Returns those that count of a day's costs on one platform."""
    counted: dict[PaidTraffic, StatedCost] = {}
    covered = _Covered()
    newest_first = sorted(stated, key=attrgetter("import_id"), reverse=True)
    for _, lines in groupby(newest_first, key=attrgetter("import_id")):
        own = {line.target: line for line in lines if not covered.has(line.target)}
        for target in own:
            covered.add(target)
        counted |= own
    return counted


def kind_of(stated: StatedCost, before: Day, after: Day) -> str:
    """Returns what the import does to the cost of its line's traffic: new, changed or unchanged."""
    if after.get(stated.target) != stated:
        return "unchanged"  # a newer import has it
    held = before.get(stated.target)
    if held is not None:
        return "unchanged" if held.amount == stated.amount else "changed"
    replaced = _Covered()
    replaced.add(stated.target)
    if any(replaced.has(target) for target in before):
        return "changed"
    return "new" if stated.amount.amount else "unchanged"


def difference(before: Day, after: Day) -> dict[str, int]:
    """The change of costs by currency, in minor units."""
    sums: defaultdict[str, int] = defaultdict(int)
    for day, sign in ((after, 1), (before, -1)):
        for stated in day.values():
            sums[stated.amount.currency] += sign * stated.amount.amount
    return dict(sums)


def changes_of(day: date, before: Day, after: Day) -> Iterator[CostDayChange]:
    """Yields what has to be booked, so that `after` counts instead of `before`."""
    for target in sorted(before.keys() | after.keys()):
        replaced, entry = (held.entry(day) if (held := of.get(target)) is not None else None for of in (before, after))
        if entry != replaced:
            yield CostDayChange(entry=entry, replaced=replaced)


class _Covered:
    """Targets, to be asked whether another one is about some of the same traffic: each field is equal, or any."""

    def __init__(self) -> None:
        self._by_fields: dict[tuple[int, ...], dict[tuple[int, ...], set[tuple[str, ...]]]] = {}
        """By the fields that a target names: its values of each part of them."""

    def add(self, target: PaidTraffic) -> None:
        named = _named(target)
        parts = self._by_fields.setdefault(named, defaultdict(set))
        for count in range(len(named) + 1):
            for fields in combinations(named, count):
                parts[fields].add(_values(target, fields))

    def has(self, target: PaidTraffic) -> bool:
        own = _named(target)
        for named, parts in self._by_fields.items():
            common = tuple(field for field in own if field in named)
            if _values(target, common) in parts[common]:
                return True
        return False


def _named(target: PaidTraffic) -> tuple[int, ...]:
    return tuple(field for field, text in enumerate(target) if text)


def _values(target: PaidTraffic, fields: Sequence[int]) -> tuple[str, ...]:
    return tuple(target[field] for field in fields)
