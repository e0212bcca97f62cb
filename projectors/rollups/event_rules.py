"""The inputs of rows of `events` beside their records: traffic rules, and visitors who were forgotten.

Both are parameters of a build (`ClickHouseProjection.parameters`): when they change, a new generation is built. Of an
erasure a build keeps its id; what it is about is read when a worker begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from psycopg import Connection

from projectors.rollups import forgotten, traffic_marks
from projectors.rollups.forgotten import Forgotten
from projectors.rollups.traffic_marks import Marks

ERASURE: Final = "erasure"


@dataclass(frozen=True, slots=True)
class EventRules:
    """The rules by website; `websites`: those that have any."""

    marks: Marks = field(default_factory=dict)
    forgotten: Forgotten = field(default_factory=dict)
    websites: frozenset[UUID] = frozenset()


def read_parameters(connection: Connection[Any]) -> list[Any]:
    """The traffic rules that hold, then the ids of erasures, as JSON."""
    erasures = [{ERASURE: erasure_id} for erasure_id in forgotten.read_ids(connection)]
    return [*traffic_marks.read_parameters(connection), *erasures]


def parse_parameters(parameters: Sequence[Any], connection: Connection[Any]) -> EventRules:
    """Returns the rules from what `read_parameters` gave."""
    rules = [each for each in parameters if ERASURE not in each]
    erasures = [each[ERASURE] for each in parameters if ERASURE in each]
    marks, erased = traffic_marks.parse_parameters(rules), forgotten.read_forgotten(erasures, connection)
    return EventRules(marks, erased, frozenset({*marks, *erased}))
