"""The SQL of costs as rows of traffic: each has the dimensions of a visit or a click, and what it cost. Pure text.

An entry's amount is spread in two steps, each by largest remainder, so that the parts add up to the cent:

- in equal parts over its days; the first ones have one minor unit more
- within a day in equal parts over the visits that it was for. Each visit's part lies on its first click of that day, or
  on its first event if it has none; an entry for a link or a place is spread over the clicks there instead. The minor
  units that are left over lie evenly among them, in order of time

So every visit and click has a whole number of minor units, and every report adds up the same ones, whatever it is by.
A day's cost without such traffic is a row of its own at the day's begin, with the dimensions that the entry names, and
so is that of days whose single events have expired.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from infra.domain.visits.statement import TYPES
from query_api.analytics import cost_shapes
from query_api.analytics.cost_shapes import CONDITIONS, OF_CLICKS, CostDays, CostShape
from schemas.tracking import NO_ID_TEXT

SPAN: Final = "cost_"
"""Before the names of the parameters of the days' first and last instant."""
MATCHED: Final = frozenset(("event_id", "type", "occurred_at", "visit", "is_bot", *CONDITIONS.values()))
"""The columns of traffic that are needed to spread costs."""

_CELL: Final = ("mask", "edge", *CONDITIONS)
_NO_TRAFFIC: Final = f"u.event_id = toUUID('{NO_ID_TEXT}')"
_WITHOUT_TRAFFIC: Final[Mapping[str, str]] = {
    "occurred_at": "toDateTime64(cell_edge, 3, 'UTC')",
    **{column: f"cell_{name}" for name, column in CONDITIONS.items()},
    "link_id": f"toUUID(if(cell_link_id = '', '{NO_ID_TEXT}', cell_link_id))",
}
"""The columns of a cost without traffic that have a value."""


def bound(days: CostDays, shapes: Iterable[CostShape]) -> dict[str, Any]:
    """The parameters of `rows`, but for the website."""
    values = {_named(shape, name): list(values) for shape in shapes for name, values in shape.values.items()}
    return {
        **values,
        "cost_first": str(days.first),
        "cost_last": str(days.last),
        "cost_edges": days.starts,
        f"{SPAN}start": int(days.start.timestamp()),
        f"{SPAN}end": int(days.end.timestamp()),
    }


def rows(traffic: str, shapes: Sequence[CostShape], columns: Collection[str]) -> str:
    """A SELECT of `columns` and `cost`. `traffic`: a SELECT of the rows of the days with `MATCHED` and `columns`; empty
    if there are none."""
    if not traffic:
        nothing = {name: f"defaultValueOfTypeName('{TYPES[name]}')" for name in columns}
        alone = nothing | {name: value for name, value in _WITHOUT_TRAFFIC.items() if name in columns}
        return f"SELECT {_listed(alone)}, amount AS cost FROM ({_cells()})"
    shared = (
        "SELECT c.*, u.*, count() OVER (PARTITION BY cell) AS units,"
        " row_number() OVER (PARTITION BY cell ORDER BY u.occurred_at, u.event_id) AS place"
        f" FROM ({_units(traffic, shapes, columns)}) AS u"
        f" RIGHT JOIN (SELECT *, tuple({', '.join(f'cell_{name}' for name in _CELL)}) AS cell FROM ({_cells()})) AS c"
        " ON u.part_of = c.cell"
    )
    placed = {
        name: f"if({_NO_TRAFFIC}, {_WITHOUT_TRAFFIC[name]}, u.{name})" if name in _WITHOUT_TRAFFIC else f"u.{name}"
        for name in columns
    }
    until, from_ = (f"intDiv(2 * abs(toInt128(amount)) * {place} + units, 2 * units)" for place in _PLACES)
    return f"SELECT {_listed(placed)}, sign(amount) * ({until} - {from_}) AS cost FROM ({shared}) AS u"


_PLACES: Final = ("place", "(place - 1)")


def _listed(values: Mapping[str, str]) -> str:
    return ", ".join(f"CAST({value} AS {TYPES[name]}) AS {name}" for name, value in values.items())


def _cells() -> str:
    """A SELECT of what was spent on each day for the same traffic: `cell_mask`, `cell_edge` (the day's begin), the
    conditions as text, and `amount`."""
    day = "dateDiff('day', {cost_first:Date}, first) + day"
    length = "toInt64(dateDiff('day', first, last) + 1)"
    part = f"sign(amount) * (intDiv(abs(amount), {length}) + (day < abs(amount) % {length}))"
    texts = {name: f"toString({name})" for name in CONDITIONS}
    texts["link_id"] = f"if(link_id = toUUID('{NO_ID_TEXT}'), '', toString(link_id))"
    parts = (
        f"SELECT toUInt8({cost_shapes.MASK}) AS cell_mask,"
        f" toUInt32({{cost_edges:Array(UInt32)}}[{day} + 1]) AS cell_edge,"
        f" {', '.join(f'{text} AS cell_{name}' for name, text in texts.items())}, {part} AS part"
        f" FROM {cost_shapes.CHANGES} ARRAY JOIN range(toUInt32(dateDiff('day', first, last) + 1)) AS day"
        f" WHERE {cost_shapes.WITHIN} AND {day} BETWEEN 0 AND length({{cost_edges:Array(UInt32)}}) - 1"
    )
    keys = ", ".join(f"cell_{name}" for name in _CELL)
    return f"SELECT {keys}, sum(part) AS amount FROM ({parts}) GROUP BY {keys} HAVING amount <> 0"


def _units(traffic: str, shapes: Sequence[CostShape], columns: Collection[str]) -> str:
    """A SELECT of the visits and clicks that bear costs: `columns`, and the cell that they bear a part of."""
    needed = ", ".join(sorted({*columns, *MATCHED}))
    edge = "toUInt32(roundDown(toUnixTimestamp(t.occurred_at), {cost_edges:Array(UInt32)}))"
    chosen = f"NOT t.is_bot AND ({' OR '.join(_may_be_paid(shape) for shape in shapes)})"
    dated = f"SELECT {needed}, {edge} AS edge FROM ({traffic}) AS t WHERE {chosen}"
    if all(shape.is_of_clicks for shape in shapes):
        marked = f"SELECT *, type = 'click' AS is_click, 0 AS is_visit FROM ({dated})"
    else:
        whose = "PARTITION BY edge, if(visit = 0, cityHash64(event_id), visit)"
        is_first = f"row_number() OVER ({whose} ORDER BY type = 'click' DESC, occurred_at, event_id) = 1"
        is_visit = f"(visit <> 0 OR type IN ('click', 'pageview')) AND {is_first}"
        marked = f"SELECT *, type = 'click' AS is_click, {is_visit} AS is_visit FROM ({dated})"
    cells = ", ".join(_cell(shape) for shape in shapes)
    bears = f"arrayFilter(each -> if(bitAnd(each.1, {OF_CLICKS}) > 0, is_click, is_visit), [{cells}])"
    return f"SELECT {needed}, arrayJoin({bears}) AS part_of FROM ({marked})"


def _cell(shape: CostShape) -> str:
    """The cell of this shape that a row of traffic belongs to."""
    values = (f"toString({column})" if shape.names(name) else "''" for name, column in CONDITIONS.items())
    return f"tuple(toUInt8({shape.mask}), edge, {', '.join(values)})"


def _may_be_paid(shape: CostShape) -> str:
    """A condition that leaves out rows of traffic that no cost of this shape was for, and no part of a visit."""
    types = {"link_id": "UUID"}
    conditions = [
        f"t.{CONDITIONS[name]} IN {{{_named(shape, name)}:Array({types.get(name, 'String')})}}" for name in shape.values
    ]
    return f"({' AND '.join(conditions)})" if conditions else "1"


def _named(shape: CostShape, condition: str) -> str:
    """The parameter of the values of a condition."""
    return f"cost_{shape.mask}_{condition}"
