"""`althing dlq …`: lists, retries and skips the records that projections could not process."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from base64 import b64encode
from collections.abc import Sequence
from time import monotonic, sleep
from typing import Any, Final
from uuid import UUID

from psycopg.rows import dict_row

from infra.kernel.subscriptions import dead_letters
from projectors.cli.tools import (
    DONE,
    FAILED,
    FOUND,
    Tools,
    complain,
    operator,
    say,
    tell_if_unrecorded,
    write_json,
    write_pairs,
    write_table,
)
from projectors.engine.status import is_running

WAIT_S: Final = 30.0
POLL_S: Final = 0.2
SHOWN_BYTES: Final = 2000
_COLUMNS: Final = (
    'id, projection, generation, topic, partition, "offset", reason, error, state, attempts, first_at, decided_at,'
    f" {dead_letters.CORRELATION_SQL} as correlation_id"
)


def add_arguments(parser: ArgumentParser) -> None:
    """The sub-commands of `dlq`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    texts = {
        "list": "open dead letters",
        "show": "one dead letter with its content",
        "retry": "hand dead letters to their projection again",
        "skip": "skip dead letters permanently",
        "export": "every chosen dead letter with its content, one JSON object per line",
    }
    for name, text in texts.items():
        added = actions.add_parser(name, help=text, description=text)
        if name != "export":
            added.add_argument("--json", action="store_true", help="machine output")
        if name == "show":
            added.add_argument("id", type=UUID)
            continue
        if name in ("retry", "skip"):
            added.add_argument("id", type=UUID, nargs="*")
            added.add_argument("--why", default="", help="is recorded with the action")
        added.add_argument("--projection", help="only this projection's")
        added.add_argument("--reason", help="only those with this reason")
        if name in ("list", "export"):
            added.add_argument("--state", choices=("open", "retried", "skipped", "superseded", "all"), default="open")
            added.add_argument("--limit", type=int, default=100 if name == "list" else 1_000_000)


def run(arguments: Namespace, tools: Tools) -> int:
    return _ACTIONS[arguments.action](arguments, tools)


def _list(arguments: Namespace, tools: Tools) -> int:
    rows = _select(arguments, tools, _COLUMNS)
    if arguments.json:
        write_json(rows)
        return DONE
    for row in rows:
        row["place"] = f"{row['topic']}[{row['partition']}]@{row['offset']}"
        row["first_at"] = f"{row['first_at']:%Y-%m-%d %H:%M}"
        row["error"] = row["error"][:80]
    names = ("id", "projection", "generation", "place", "reason", "state", "attempts", "first_at", "correlation_id")
    write_table(
        ["ID", "PROJECTION", "GEN", "PLACE", "REASON", "STATE", "TRIES", "FIRST", "CORRELATION", "ERROR"],
        [[row[name] for name in (*names, "error")] for row in rows],
    )
    return DONE


def _show(arguments: Namespace, tools: Tools) -> int:
    with tools.connection.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(
            f"select {_COLUMNS}, key, value, headers from engine.dead_letter where id = %s",  # noqa: S608 - own text
            (arguments.id,),
        ).fetchone()
    if row is None:
        complain(f"no dead letter has the id {arguments.id}.")
        return FAILED
    _write_down("reveal", "", tools, [arguments.id])
    if arguments.json:
        write_json(_whole(row))
    else:
        value = bytes(row.pop("value"))
        row["key"] = bytes(row["key"]).decode("utf-8", "backslashreplace")
        write_pairs(row)
        say("")
        say(value[:SHOWN_BYTES].decode("utf-8", "backslashreplace"))
    return DONE


def _retry(arguments: Namespace, tools: Tools) -> int:
    """Requests a retry from the running service and waits for the result. Returns 2 when some fail again."""
    ids = _chosen(arguments, tools)
    if not ids:
        complain("no open dead letter is chosen: name ids, or --projection.")
        return FAILED
    if not is_running(tools.connection):
        complain("no projectors are running to take them; start `althing up` or `althing serve projectors`.")
        return FAILED
    with tools.connection.transaction():
        rows = tools.connection.execute(
            "update engine.dead_letter set retry_requested_at = now() where id = any(%s) and state = 'open' "
            "returning id",
            (ids,),
        ).fetchall()
        _write_down(arguments.action, arguments.why, tools, [row[0] for row in rows])
    deadline = monotonic() + WAIT_S
    while _waiting(tools, ids) and monotonic() < deadline:
        sleep(POLL_S)
    states = tools.connection.execute(
        "select id, state, error from engine.dead_letter where id = any(%s)", (ids,)
    ).fetchall()
    left = [row for row in states if row[1] == "open"]
    tell_if_unrecorded(tools.connection)
    if arguments.json:
        write_json([{"id": row[0], "state": row[1], "error": row[2] if row[1] == "open" else ""} for row in states])
    else:
        say(f"{len(states) - len(left)} retried, {len(left)} still open.")
    return FOUND if left else DONE


def _skip(arguments: Namespace, tools: Tools) -> int:
    """Skipped letters stay on record. Events parked behind one are retried when it is skipped."""
    ids = _chosen(arguments, tools)
    if not ids:
        complain("no open dead letter is chosen: name ids, or --projection.")
        return FAILED
    with tools.connection.transaction():
        ids = [one for one in ids if dead_letters.hold(tools.connection, one)]
        dead_letters.decide(tools.connection, ids, "skipped")
        tools.connection.execute(
            "update engine.dead_letter p set retry_requested_at = now() from engine.dead_letter s "
            "where s.id = any(%s) and p.state = 'open' and p.reason = %s and p.projection = s.projection "
            "and p.generation = s.generation and p.topic = s.topic and p.partition = s.partition and p.key = s.key",
            (ids, dead_letters.PARKED),
        )
        _write_down(arguments.action, arguments.why, tools, ids)
    tell_if_unrecorded(tools.connection)
    if arguments.json:
        write_json({"skipped": ids})
    else:
        say(f"{len(ids)} skipped.")
    return DONE


def _write_down(action: str, why: str, tools: Tools, ids: Sequence[UUID]) -> None:
    """Writes one request per dead letter, done already: the command service makes an event of each."""
    tools.connection.execute(
        "insert into engine.request (id, projection, action, reason, dead_letter_id, operator, state, finished_at) "
        "select gen_random_uuid(), projection, %s, %s, id, %s, 'done', now() from engine.dead_letter "
        "where id = any(%s)",
        (action, why, operator(), list(ids)),
    )


def _export(arguments: Namespace, tools: Tools) -> int:
    rows = _select(arguments, tools, f"{_COLUMNS}, key, value, headers")
    _write_down("reveal", "exported", tools, [row["id"] for row in rows])
    for row in rows:
        write_json(_whole(row))
    return DONE


def _select(arguments: Namespace, tools: Tools, columns: str) -> list[dict[str, Any]]:
    with tools.connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(
            f"select {columns} from engine.dead_letter where (%(state)s = 'all' or state = %(state)s) "  # noqa: S608 - own text
            "and (%(projection)s::text is null or projection = %(projection)s) "
            "and (%(reason)s::text is null or reason = %(reason)s) "
            'order by projection, generation, topic, partition, "offset" limit %(limit)s',
            {"state": "open", "limit": 1_000_000} | vars(arguments),
        ).fetchall()


def _chosen(arguments: Namespace, tools: Tools) -> Sequence[UUID]:
    if not arguments.id and not (arguments.projection or arguments.reason):
        return []
    ids = [row["id"] for row in _select(arguments, tools, "id")]
    return [one for one in ids if not arguments.id or one in arguments.id]


def _waiting(tools: Tools, ids: Sequence[UUID]) -> bool:
    row = tools.connection.execute(
        "select exists (select 1 from engine.dead_letter where id = any(%s) and state = 'open' "
        "and retry_requested_at is not null)",
        (ids,),
    ).fetchone()
    return bool(row and row[0])


def _whole(row: dict[str, Any]) -> dict[str, Any]:
    key, value = bytes(row["key"]), bytes(row["value"])
    text: str | None
    try:
        text = value.decode()
    except UnicodeDecodeError:
        text = None
    return row | {
        "key": key.decode("utf-8", "backslashreplace"),
        "value": text,
        "value_base64": b64encode(value).decode(),
    }


_ACTIONS: Final = {"list": _list, "show": _show, "retry": _retry, "skip": _skip, "export": _export}
