"""Recomputes the traffic rules: the expected marks of the live generation of `events`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import psycopg

from infra.kernel.clickhouse.reader import Reader
from infra.ops.audit.report import AuditReport, DefectKind

Fields = dict[str, Any]
_CHECK: Final = "traffic rules"
_MARKED: Final = {"bot": (True, "remarked_bot"), "suspicious": (True, "remarked"), "genuine": (False, "")}


def generation_of(clickhouse: Reader) -> int:
    """The generation that view `events` shows."""
    [view] = clickhouse.rows(
        "SELECT as_select AS text FROM system.tables WHERE database = currentDatabase() AND name = 'events'"
    )
    return int(view["text"].rpartition("__g")[2].strip("`"))


class Rules:
    """The traffic rules that a generation was built by."""

    def __init__(self, postgres: psycopg.Connection[Any], generation: int, report: AuditReport) -> None:
        row = postgres.execute(
            "SELECT progress -> 'parameters' FROM engine.build WHERE name = 'events' AND generation = %s",
            (generation,),
        ).fetchone()
        parameters = (row[0] if row is not None else None) or []
        self._rules: list[Fields] = [each for each in parameters if "erasure" not in each]
        expiries: dict[str, list[tuple[datetime, datetime]]] = defaultdict(list)
        for website_id, at, kept_from in postgres.execute(
            "SELECT website_id::text, expired_at, before::timestamp AT TIME ZONE 'UTC' FROM read.event_expiries"
        ):
            expiries[website_id].append((at, kept_from))
        made = {
            row[0]: _held(row[1:], row[6:], expiries.get(row[1], ()))
            for row in postgres.execute(
                "SELECT id::text, website_id::text, since, until, mark, conditions, created_at, undone_at"
                " FROM read.traffic_rules"
            )
        }
        for rule in self._rules:
            report.checked["rules that events follow"] += 1
            form = (
                rule["website_id"],
                datetime.fromisoformat(rule["since"]),
                datetime.fromisoformat(rule["until"]),
                rule["mark"],
                rule["conditions"],
            )
            if form not in made.get(rule["id"], ()):
                report.found(
                    DefectKind.WRONG, _CHECK, f"events follows rule {rule['id']}, which does not exist in this form"
                )

    def applied(self, fields: Fields) -> Fields:
        """A record's fields as a row must have them: the newest rule that fits it holds."""
        for rule in reversed(self._rules):
            if rule["website_id"] == fields["website_id"] and fits(rule, fields):
                is_bot, reason = _MARKED[rule["mark"]]
                return {**fields, "is_bot": is_bot, "bot_reason": reason}
        return fields


def _held(
    rule: Sequence[Any], times: Sequence[Any], expiries: Sequence[tuple[datetime, datetime]]
) -> tuple[tuple[Any, ...], ...]:
    """The forms in which events may follow a rule: for the days that were there when it was made, and, after it was
    undone, for those of them that had expired by then. Until `events` is built again it is still as before."""
    website_id, since, until, mark, conditions = rule[:5]
    made_at, undone_at = times
    since = max([since, *(kept_from for at, kept_from in expiries if at <= made_at)])
    forms = [(website_id, since, until, mark, conditions)]
    if undone_at is not None:
        gone = [kept_from for at, kept_from in expiries if at <= undone_at]
        forms += [(website_id, since, min(until, max(gone)), mark, conditions)] if gone else []
    return tuple(forms)


def fits(rule: Fields, fields: Fields) -> bool:
    """Returns whether the rule applies to the record."""
    at = datetime.fromisoformat(fields["occurred_at"] + "+00:00")
    if not datetime.fromisoformat(rule["since"]) <= at < datetime.fromisoformat(rule["until"]):
        return False
    defaults = {"country": "ZZ", "link_id": _NO_ID, "partner_id": _NO_ID}
    for name, wanted in rule["conditions"].items():
        column = "bot_reason" if name == "reason" else name
        if fields.get(column, defaults.get(column, "")) != wanted:
            return False
    return True


_NO_ID: Final = "00000000-0000-0000-0000-000000000000"
