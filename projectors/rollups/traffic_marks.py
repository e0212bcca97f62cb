"""Traffic rules: reclassify rows of `events` for whole periods.

Days whose events have expired keep the marks that they had: a rule applies to the rows that there were when it was
made, and one that is undone goes on to apply to what had expired by then.

A generation of `events` keeps the rules that it was begun with (`ClickHouseProjection.parameters`), so its rows follow
from the log and these rules alone. When rules are made or undone, a new generation is built.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from psycopg import Connection

from projectors.rollups.event_row import Row
from schemas.events.websites import TrafficMark
from schemas.tracking import Suspicion

REMARKED_BOT: Final = "remarked_bot"
_RESULTS: Final = {
    TrafficMark.BOT.value: (True, REMARKED_BOT),
    TrafficMark.SUSPICIOUS.value: (True, Suspicion.REMARKED.value),
    TrafficMark.GENUINE.value: (False, ""),
}
# Rows that had expired when a rule was made, or undone, are not there any more: their sums stay as they were.
_RULES: Final = (
    "with known as (select r.*, "
    "(select max(e.before)::timestamp at time zone 'UTC' from read.event_expiries as e "
    "where e.website_id = r.website_id and e.expired_at <= r.created_at) as kept_when_made, "
    "(select max(e.before)::timestamp at time zone 'UTC' from read.event_expiries as e "
    "where e.website_id = r.website_id and e.expired_at <= r.undone_at) as kept_when_undone "
    "from read.traffic_rules as r), "
    "held as (select id, website_id, position, mark, conditions, greatest(since, kept_when_made) as since, "
    "case when undone_at is null then until else least(until, kept_when_undone) end as until "
    "from known where undone_at is null or kept_when_undone is not null) "
    "select id::text, website_id::text, since, until, mark, conditions from held where since < until "
    "order by position, id"
)
_COLUMNS: Final = {"reason": "bot_reason"}


@dataclass(frozen=True, slots=True)
class Rule:
    """`result`: `is_bot` and `bot_reason` of rows that occurred in the period and have all `values` (as text)."""

    since: datetime
    until: datetime
    values: tuple[tuple[str, str], ...]
    result: tuple[bool, str]

    def fits(self, row: Row) -> bool:
        return self.since <= row.occurred_at < self.until and all(
            str(getattr(row, column)) == value for column, value in self.values
        )


Marks = Mapping[UUID, Sequence[Rule]]
"""The rules by website, the newest first."""


def read_parameters(connection: Connection[Any]) -> list[Any]:
    """The rules that hold, oldest first, as JSON; each for the days that it can concern."""
    return [
        {
            "id": rule_id,
            "website_id": website_id,
            "since": _text(since),
            "until": _text(until),
            "mark": mark,
            "conditions": conditions,
        }
        for rule_id, website_id, since, until, mark, conditions in connection.execute(_RULES).fetchall()
    ]


def parse_parameters(parameters: Sequence[Any]) -> Marks:
    """Returns the rules by website from what `read_parameters` gave."""
    marks: dict[UUID, list[Rule]] = {}
    for rule in reversed(parameters):
        values = tuple((_COLUMNS.get(name, name), str(value)) for name, value in rule["conditions"].items())
        parsed_rule = Rule(_moment(rule["since"]), _moment(rule["until"]), values, _RESULTS[rule["mark"]])
        marks.setdefault(UUID(rule["website_id"]), []).append(parsed_rule)
    return marks


def result_of(rules: Sequence[Rule], row: Row) -> tuple[bool, str] | None:
    """Returns the result of the newest rule that fits the row; none when none fits."""
    return next((rule.result for rule in rules if rule.fits(row)), None)


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def _moment(text: str) -> datetime:
    """Returns the moment without a zone, as rows have it: UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=None)
