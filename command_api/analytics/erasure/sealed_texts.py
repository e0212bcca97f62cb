"""The sealed texts of a person in the log: the leaves of `infra.kernel.security.text_keys` that an erasure removes."""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from infra.domain.visitor_data.person import ROWS_OF_PERSON, Identifier, IdKind, Person, Row, Stores
from infra.domain.visitor_data.sealing import leaf_of_event, leaf_of_refusal, leaf_of_report
from infra.kernel.security.pseudonyms import Pseudonyms

Texts = Mapping[int, frozenset[bytes]]
"""Leaves by key."""

_EVENTS: Final = (
    "SELECT _text_key, visitor, session, click_id, own_id, max(received_at) > now() - INTERVAL 1 DAY AS is_recent"
    " FROM (SELECT _text_key, visitor, session, click_id, received_at,"
    " if(visitor = 0 AND session = 0 AND click_id = '', toString(event_id), '') AS own_id"
    f" FROM {{events}} WHERE {ROWS_OF_PERSON} AND type <> 'conversion')"
    " GROUP BY _text_key, visitor, session, click_id, own_id"
)
_REPEATS: Final = (
    "SELECT DISTINCT d._text_key AS _text_key, e.visitor AS visitor, e.session AS session, e.click_id AS click_id,"
    " if(e.visitor = 0 AND e.session = 0 AND e.click_id = '', toString(e.event_id), '') AS own_id"
    " FROM duplicates AS d INNER JOIN (SELECT event_id, visitor, session, click_id FROM {events}"
    f" WHERE {ROWS_OF_PERSON} AND type <> 'conversion') AS e ON d.event_id = e.event_id"
    " WHERE d.website_id = {site:UUID} AND d._text_key > 0"
)
_REPORT_IDS: Final = (
    "SELECT detail -> 'reported' ->> 'report_id' AS id FROM read.conversion_steps"
    " WHERE website_id = %(site)s AND conversion_id = ANY(%(ids)s) AND detail -> 'reported' ->> 'report_id' IS NOT NULL"
    " UNION SELECT report_id::text FROM conversions.awaiting_exchange_rate"
    " WHERE website_id = %(site)s AND conversion_id = ANY(%(ids)s)"
    " UNION SELECT report_id::text FROM conversions.rejected_report"
    " WHERE website_id = %(site)s AND conversion_id = ANY(%(ids)s)"
)
_REPORTS: Final = (
    "SELECT DISTINCT report_id, _text_key FROM conversion_reports WHERE website_id = {site:UUID}"
    " AND report_id IN {ids:Array(UUID)} AND _text_key > 0"
)
_REFUSALS: Final = (
    "SELECT DISTINCT id, _text_key FROM refusals WHERE website_id = {site:UUID} AND id IN {ids:Array(UUID)}"
    " AND _text_key > 0"
)


def sealed_texts(
    stores: Stores, person: Person, identifier: Identifier, pseudonyms: Pseudonyms, refusals: Sequence[UUID]
) -> tuple[Texts, frozenset[bytes]]:
    """The leaves of the person's events, reports and refused requests by key; and those of the visitors who may have
    sent something that no table has yet."""
    leaves_by_key: dict[int, set[bytes]] = defaultdict(set)
    recent: set[int] = set()
    if identifier.kind is IdKind.VISITOR:
        recent.add(pseudonyms.visitor(person.website_id.bytes, identifier.value))
    for row in stores.clickhouse(_EVENTS, person.bound):
        if not _is_of(row, person):
            continue
        if row["_text_key"]:
            leaves_by_key[row["_text_key"]].add(_leaf(row, person))
        if row["is_recent"] and row["visitor"]:
            recent.add(row["visitor"])
    for row in stores.clickhouse(_REPEATS, person.bound):
        if _is_of(row, person):
            leaves_by_key[row["_text_key"]].add(_leaf(row, person))
    for row in _by_id(stores, person, _REPORTS, _report_ids(stores, person)):
        leaves_by_key[row["_text_key"]].add(leaf_of_report(row["report_id"]))
    for row in _by_id(stores, person, _REFUSALS, refusals):
        leaves_by_key[row["_text_key"]].add(leaf_of_refusal(row["id"]))
    texts = {number: frozenset(leaves) for number, leaves in leaves_by_key.items()}
    return texts, frozenset(leaf_of_event(person.website_id.bytes, visitor, 0, "", "") for visitor in recent)


def _is_of(row: Row, person: Person) -> bool:
    """Returns whether the leaf is the person's: another person may send an event that names their click."""
    if row["visitor"]:
        return row["visitor"] in person.visitors
    return row["session"] in person.sessions if row["session"] else True


def _leaf(row: Row, person: Person) -> bytes:
    return leaf_of_event(person.website_id.bytes, row["visitor"], row["session"], row["click_id"], row["own_id"])


def _report_ids(stores: Stores, person: Person) -> list[UUID]:
    if not person.conversion_ids:
        return []
    bound = {"site": person.website_id, "ids": list(person.conversion_ids)}
    return [UUID(row["id"]) for row in stores.postgres(_REPORT_IDS, bound)]


def _by_id(stores: Stores, person: Person, sql: str, ids: Sequence[UUID]) -> Sequence[Row]:
    return stores.clickhouse(sql, {"site": str(person.website_id), "ids": list(map(str, ids))}) if ids else []
