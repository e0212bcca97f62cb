"""`althing events …`: any event with its place in the log and its chain: by id, by search, or as they come.

`show` follows a chain: click, conversion, commission, statement; offer, reservation, escrow.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final
from uuid import UUID

import orjson
from psycopg.rows import dict_row

from infra.domain.message_chain import Booking, ChainedEvent, Select, bookings, chain
from infra.kernel.log import StoredRecord, partitions
from infra.kernel.security.text_key_cache import TextOpener
from infra.kernel.security.text_keys import TextKeys
from projectors.cli.tools import DONE, FAILED, Tools, complain, say, write_json, write_table
from schemas import click_id, envelope, topics
from schemas.currencies import amount_text
from schemas.envelope import Decrypt
from schemas.message_ids import CORRELATION_ID
from schemas.tracking import NO_ID

_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
PLACE: Final = re.compile(r"([a-z]+)\[(\d+)\]@(\d+)")
READ_S: Final = 2.0


def add_arguments(parser: ArgumentParser) -> None:
    """The sub-commands of `events`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    show = actions.add_parser("show", help="one event and its chain: by id, or by place (topic[partition]@offset)")
    show.add_argument(
        "what",
        metavar="ID|PLACE",
        help="id of an event, click, conversion, offer or escrow, or a correlation id",
    )
    search = actions.add_parser("search", help="tracked events and conversions, newest first")
    search.add_argument("--website", type=UUID)
    search.add_argument("--type")
    search.add_argument("--from", dest="since", type=datetime.fromisoformat, metavar="TIME")
    search.add_argument("--to", dest="until", type=datetime.fromisoformat, metavar="TIME")
    search.add_argument("--limit", type=int, default=20)
    tail = actions.add_parser("tail", help="the log's last records, and those that come")
    tail.add_argument("--topic", choices=[topic.name for topic in topics.ALL], default=topics.CLICKS.name)
    tail.add_argument("-n", dest="last", type=int, default=10, help="how many of the last to show first")
    tail.add_argument("--no-follow", action="store_true")
    for added in (show, search, tail):
        added.add_argument("--json", action="store_true", help="one JSON object per line")


def run(arguments: Namespace, tools: Tools) -> int:
    return _ACTIONS[arguments.action](arguments, tools)


def _show(arguments: Namespace, tools: Tools) -> int:
    placed = PLACE.fullmatch(arguments.what)
    if placed is not None:
        if placed[1] not in topics.BY_NAME:
            complain(f"no topic is called {placed[1]!r}.")
            return FAILED
        record = _record(tools, placed[1], int(placed[2]), int(placed[3]))
        if record is None:
            complain(f"{arguments.what} is not in the log.")
            return FAILED
        write_json(decoded(record, _opener(tools)))
        return DONE
    identity = _id(arguments.what)
    rows = _rows(tools, identity) if identity is not None else []
    for row in rows:
        record = _record(tools, row["_topic"], row["_partition"], row["_offset"])
        if record is not None:
            row["record"] = decoded(record, _opener(tools))
        write_json(row)
    steps = _chain(tools, arguments.what, identity, rows)
    if arguments.json:
        for step in steps:
            write_json(step)
    elif steps:
        write_table([name.upper() for name in steps[0]], [list(step.values()) for step in steps])
    if not rows and not steps:
        complain(f"{arguments.what!r} is neither an id that occurs here nor a place like clicks[0]@12.")
        return FAILED
    return DONE


def _search(arguments: Namespace, tools: Tools) -> int:
    filters = {
        "website_id = {website:UUID}": ("website", arguments.website and str(arguments.website)),
        "type = {type:String}": ("type", arguments.type),
        "occurred_at >= {since:DateTime64(3, 'UTC')}": ("since", arguments.since and _utc(arguments.since)),
        "occurred_at < {until:DateTime64(3, 'UTC')}": ("until", arguments.until and _utc(arguments.until)),
    }
    conditions = ["1", *(condition for condition, (_, value) in filters.items() if value)]
    values = {name: value for name, value in filters.values() if value}
    order = "ORDER BY occurred_at DESC, _partition, _offset DESC LIMIT {limit:UInt32}"
    for row in _select(tools, f"events WHERE {' AND '.join(conditions)} {order}", values | {"limit": arguments.limit}):
        _write(arguments, row)
    return DONE


def _tail(arguments: Namespace, tools: Tools) -> int:
    topic = topics.BY_NAME[arguments.topic]
    came: SimpleQueue[StoredRecord | None] = SimpleQueue()
    number = partitions.counts(tools.connection)[topic.name]
    for partition in range(number):
        Thread(target=_follow, args=(tools, topic.name, partition, arguments, came), daemon=True).start()
    waiting_for, last, opener = number, list[StoredRecord](), _opener(tools)
    while waiting_for:
        record = came.get()
        if record is None:
            waiting_for -= 1
        else:
            last.append(record)
    last.sort(key=lambda record: (record.timestamp_ms, record.partition, record.offset))
    for record in last[len(last) - min(arguments.last, len(last)) :]:
        _write(arguments, decoded(record, opener))
    while not arguments.no_follow:
        following = came.get()
        if following is not None:
            _write(arguments, decoded(following, opener))
    return DONE


def _follow(
    tools: Tools, topic: str, partition: int, arguments: Namespace, came: SimpleQueue[StoredRecord | None]
) -> None:
    """Puts the partition's last records into `came`, then None, then new records."""
    end = tools.log.end_offset(topic, partition)
    at = max(0, end - arguments.last)
    source = tools.log.source(topic, partition, at)
    while at < end:
        records = source.read(1000, READ_S)
        for record in records:
            came.put(record)
        at = records[-1].offset + 1 if records else end
    came.put(None)
    while not arguments.no_follow:
        for record in source.read(1000, READ_S):
            came.put(record)


def _opener(tools: Tools) -> Decrypt:
    return TextOpener(lambda numbers: TextKeys(tools.settings).read(tools.connection, numbers))


def decoded(record: StoredRecord, decrypt: Decrypt) -> dict[str, Any]:
    """Returns a record as people read it: its place, time, key, headers and content. Personal fields of accounts stay
    closed, what is sealed for a website's visitor is shown until they are erased."""
    document: dict[str, Any] = {
        "place": f"{record.topic}[{record.partition}]@{record.offset}",
        "written_at": datetime.fromtimestamp(record.timestamp_ms / 1000, UTC).isoformat(),
        "key": record.key.decode("utf-8", "backslashreplace"),
    }
    if record.topic == topics.DOMAIN.name:
        try:
            enveloped = envelope.decode(record.value, record.headers, decrypt)
        except envelope.UndecodableEvent as error:
            return document | {"error": str(error), "value": record.value.decode("utf-8", "backslashreplace")}
        event = enveloped.event
        ids = {name: str(value) for name, value in asdict(enveloped.ids).items() if value}
        decided = {"event": event.NAME, "position": enveloped.position, "state": event.model_dump(mode="json")}
        return document | ids | decided
    document |= {name: value.decode() for name, value in record.headers if name == CORRELATION_ID}
    try:
        return document | {"value": orjson.loads(record.value)}
    except orjson.JSONDecodeError:
        return document | {"value": record.value.decode("utf-8", "backslashreplace")}


def _id(text: str) -> UUID | None:
    """The id of a tracked event, of an aggregate (also in a decided event's id), or of a click id's click."""
    try:
        return UUID(text.partition("@")[0])
    except ValueError:
        return click_id.event_id(text) if len(text) == click_id.LENGTH and text.isalnum() else None


def _chain(tools: Tools, text: str, wanted: UUID | None, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The chain in time order; empty without decided events. Tracked events have their id as correlation id."""
    with tools.connection.cursor(row_factory=dict_row) as cursor:

        def select(sql: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
            return cursor.execute(sql.encode(), values).fetchall()

        aggregates = {UUID(row["conversion_id"]) for row in found if row["conversion_id"] != str(NO_ID)}
        aggregates |= _conversions_of_clicks(tools, found)
        messages = chain(select, {*aggregates, *({wanted} if wanted else ())}, {text, str(wanted or text)})
        booked, clicks = bookings(select, messages), _clicks_of(select, messages)
    if not messages:
        return []
    tracked = {message.correlation_id for message in messages} | {str(click_id.event_id(click)) for click in clicks}
    steps = [
        *(_tracked_step(row) for row in _tracked(tools, tracked)),
        *(_decided_step(message) for message in messages),
        *(_booked_step(booking, messages) for booking in booked),
    ]
    return sorted(steps, key=lambda step: str(step["at"]))


def _clicks_of(select: Select, messages: Sequence[ChainedEvent]) -> set[str]:
    """The clicks that earned the conversions among the messages, now or earlier."""
    ids = list({message.aggregate_id for message in messages if message.name.startswith("conversion.")})
    return {row["click_id"] for row in (select(_CLICKS, {"conversions": ids}) if ids else ())}


def _tracked_step(row: Mapping[str, Any]) -> dict[str, Any]:
    place = f"{row['_topic']}[{row['_partition']}]@{row['_offset']}"
    return _step(f"{row['occurred_at'].replace(' ', 'T')}000+00:00", row["type"], row["event_id"], place, "visitor")


def _decided_step(message: ChainedEvent) -> dict[str, Any]:
    return _step(_at(message.at), message.name, message.id, f"domain@{message.position}", message.actor) | {
        "command_id": str(message.command_id or ""),
        "correlation_id": message.correlation_id,
        "causation_id": message.causation_id,
    }


def _booked_step(booking: Booking, messages: Sequence[ChainedEvent]) -> dict[str, Any]:
    cause = next(message for message in messages if message.id == booking.message_id)
    amount = amount_text(booking.earned, booking.currency)
    what = f"statement {booking.month} {amount}"
    return _step(_at(booking.at), what, "", f"partner {booking.partner_id}", "") | {
        "correlation_id": cause.correlation_id,
        "causation_id": booking.message_id,
    }


def _step(at: str, event: str, id: str, place: str, actor: str) -> dict[str, Any]:
    correlation_id = id if actor == "visitor" else ""
    row = {"at": at, "event": event, "id": id, "place": place, "actor": actor}
    return row | {"command_id": "", "correlation_id": correlation_id, "causation_id": ""}


def _tracked(tools: Tools, ids: Collection[str]) -> list[dict[str, Any]]:
    """The tracked events with these ids; those that are no ids are left out."""
    uuids = [one for one in ids if _UUID.fullmatch(one)]
    query = "events WHERE event_id IN {ids:Array(UUID)} AND _topic = 'clicks' ORDER BY occurred_at"
    return _select(tools, query, {"ids": uuids})


def _conversions_of_clicks(tools: Tools, found: Sequence[Mapping[str, Any]]) -> set[UUID]:
    """Conversions that the found clicks earn, also those whose report did not name the click."""
    conversions: set[UUID] = set()
    for row in found:
        if row["type"] == "click" and row["click_id"]:
            rows = tools.clickhouse.rows(
                "SELECT DISTINCT toString(conversion_id) FROM events WHERE website_id = {site:UUID}"
                " AND type = 'conversion' AND click_id = {click:String}",
                {"site": row["website_id"], "click": row["click_id"]},
            )
            conversions |= {UUID(one[0]) for one in rows}
    return conversions


def _at(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _record(tools: Tools, topic: str, partition: int, offset: int) -> StoredRecord | None:
    count = partitions.counts(tools.connection)[topic]
    if not 0 <= partition < count or offset >= tools.log.end_offset(topic, partition):
        return None
    with closing(tools.log.source(topic, partition, offset)) as source:
        records = source.read(1, READ_S)
    return records[0] if records and records[0].offset == offset else None


def _select(tools: Tools, query: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns complete rows; `query` follows FROM and is a text of this file."""
    rows = tools.clickhouse.rows(f"SELECT formatRowNoNewline('JSONEachRow', *) FROM {query}", parameters)  # noqa: S608
    return [orjson.loads(row[0]) for row in rows]


def _rows(tools: Tools, event_id: UUID) -> list[dict[str, Any]]:
    """Returns the rows of events, then of duplicates."""
    condition, parameters = "WHERE event_id = {id:UUID}", {"id": str(event_id)}
    duplicates = _select(tools, f"duplicates {condition}", parameters)
    return [*_select(tools, f"events {condition}", parameters), *({"duplicate": True, **row} for row in duplicates)]


def _utc(moment: datetime) -> str:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return f"{aware.astimezone(UTC):%Y-%m-%d %H:%M:%S}.{aware.microsecond // 1000:03d}"


def _write(arguments: Namespace, row: dict[str, Any]) -> None:
    if arguments.json:
        write_json(row)
        return
    if "place" in row:
        what = f"{row.get('event', '')} {_brief(row.get('state') or row.get('value'))}"
        say(f"{row['written_at']}  {row['place']:<22} {what}")
        return
    place = f"{row['_topic']}[{row['_partition']}]@{row['_offset']}"
    say(f"{row['occurred_at']}  {place:<22} {row['type']:<12} {row['website_id']}  {row['path']} {row['event_name']}")


def _brief(value: Any) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value, default=str).decode()
    return text if len(text) <= 160 else text[:159] + "…"


_CLICKS: Final = """
SELECT DISTINCT detail #>> '{facts,attribution,click_id}' AS click_id FROM read.conversion_steps
WHERE conversion_id = ANY(%(conversions)s::uuid[]) AND detail #>> '{facts,attribution,click_id}' <> ''"""

_ACTIONS: Final = {"show": _show, "search": _search, "tail": _tail}
