"""`althing events …`: any event with its place in the log: by id, by search, or as they come."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final
from uuid import UUID

import orjson

from infra.log import StoredRecord
from projectors.commands.tools import DONE, FAILED, Tools, complain, say, write_json
from schemas import envelope, topics

PLACE: Final = re.compile(r"([a-z]+)\[(\d+)\]@(\d+)")
READ_S: Final = 2.0


def add_arguments(parser: ArgumentParser) -> None:
    """The sub-commands of `events`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    show = actions.add_parser("show", help="one event, by its id or its place (topic[partition]@offset)")
    show.add_argument("what", metavar="ID|PLACE")
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
        write_json(decoded(record))
        return DONE
    try:
        wanted = UUID(arguments.what)
    except ValueError:
        complain(f"{arguments.what!r} is neither an id nor a place like clicks[0]@12.")
        return FAILED
    found = [*_rows(tools, wanted), *_duplicates(tools, wanted)]
    for row in found:
        record = _record(tools, row["_topic"], row["_partition"], row["_offset"])
        if record is not None:
            row["record"] = decoded(record)
        write_json(row)
    if not found:
        complain(f"no event has the id {wanted}.")
    return DONE if found else FAILED


def _search(arguments: Namespace, tools: Tools) -> int:
    conditions, values = ["1"], dict[str, Any]()
    if arguments.website:
        conditions.append("website_id = {website:UUID}")
        values["website"] = str(arguments.website)
    if arguments.type:
        conditions.append("type = {type:String}")
        values["type"] = arguments.type
    if arguments.since:
        conditions.append("occurred_at >= {since:DateTime64(3, 'UTC')}")
        values["since"] = _utc(arguments.since)
    if arguments.until:
        conditions.append("occurred_at < {until:DateTime64(3, 'UTC')}")
        values["until"] = _utc(arguments.until)
    query = (
        "SELECT formatRowNoNewline('JSONEachRow', *) FROM events "  # noqa: S608 - conditions are texts of this file
        f"WHERE {' AND '.join(conditions)} ORDER BY occurred_at DESC, _partition, _offset DESC "
        "LIMIT {limit:UInt32}"
    )
    for row in tools.clickhouse.rows(query, {**values, "limit": arguments.limit}):
        _write(arguments, orjson.loads(row[0]))
    return DONE


def _tail(arguments: Namespace, tools: Tools) -> int:
    topic = topics.BY_NAME[arguments.topic]
    came: SimpleQueue[StoredRecord | None] = SimpleQueue()
    for partition in range(topic.partitions):
        Thread(target=_follow, args=(tools, topic.name, partition, arguments, came), daemon=True).start()
    waiting_for, last = topic.partitions, list[StoredRecord]()
    while waiting_for:
        record = came.get()
        if record is None:
            waiting_for -= 1
        else:
            last.append(record)
    last.sort(key=lambda record: (record.timestamp_ms, record.partition, record.offset))
    for record in last[len(last) - min(arguments.last, len(last)) :]:
        _write(arguments, decoded(record))
    while not arguments.no_follow:
        following = came.get()
        if following is not None:
            _write(arguments, decoded(following))
    return DONE


def _follow(
    tools: Tools, topic: str, partition: int, arguments: Namespace, came: SimpleQueue[StoredRecord | None]
) -> None:
    """Puts the partition's last records, then none, then what comes."""
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


def decoded(record: StoredRecord) -> dict[str, Any]:
    """A record as people read it: its place, time, key, headers and content; personal fields stay closed."""
    shown: dict[str, Any] = {
        "place": f"{record.topic}[{record.partition}]@{record.offset}",
        "written_at": datetime.fromtimestamp(record.timestamp_ms / 1000, UTC).isoformat(),
        "key": record.key.decode("utf-8", "backslashreplace"),
    }
    if record.topic == topics.DOMAIN.name:
        try:
            enveloped = envelope.decode(record.value, record.headers)
        except envelope.UndecodableEvent as error:
            return shown | {"error": str(error), "value": record.value.decode("utf-8", "backslashreplace")}
        event = enveloped.event
        return shown | {"event": event.NAME, "position": enveloped.position, "state": event.model_dump(mode="json")}
    try:
        return shown | {"value": orjson.loads(record.value)}
    except orjson.JSONDecodeError:
        return shown | {"value": record.value.decode("utf-8", "backslashreplace")}


def _record(tools: Tools, topic: str, partition: int, offset: int) -> StoredRecord | None:
    if not 0 <= partition < topics.BY_NAME[topic].partitions or offset >= tools.log.end_offset(topic, partition):
        return None
    source = tools.log.source(topic, partition, offset)
    try:
        found = source.read(1, READ_S)
    finally:
        source.close()
    return found[0] if found and found[0].offset == offset else None


def _rows(tools: Tools, event_id: UUID) -> list[dict[str, Any]]:
    rows = tools.clickhouse.rows(
        "SELECT formatRowNoNewline('JSONEachRow', *) FROM events WHERE event_id = {id:UUID}", {"id": str(event_id)}
    )
    return [orjson.loads(row[0]) for row in rows]


def _duplicates(tools: Tools, event_id: UUID) -> list[dict[str, Any]]:
    rows = tools.clickhouse.rows(
        "SELECT formatRowNoNewline('JSONEachRow', *) FROM duplicates WHERE event_id = {id:UUID}", {"id": str(event_id)}
    )
    return [{"duplicate": True, **orjson.loads(row[0])} for row in rows]


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


_ACTIONS: Final = {"show": _show, "search": _search, "tail": _tail}
