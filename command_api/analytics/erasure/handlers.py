"""Erasure of a website's visitor: finds the person as `query_api.analytics.visitor_data` does, and decides it.

`visitor.forgotten` names the person by pseudonyms. It is the one source of what follows: the projections `events` and
`refusals` are built again without the person, and every later rebuild does the same. In its transaction the
conversions lose what leads to them (`conversion.forgotten`), the keys of the ad click ids are deleted, and what the log
has of the person's texts becomes unreadable (`infra.kernel.security.text_keys`). What a context stores itself is
deleted by its handler of the event (`CommandHandlers.before`).
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

import orjson

from command_api.analytics.erasure import commands
from command_api.analytics.erasure.commands import FoundVisitor
from command_api.analytics.erasure.schemas import ErasedVisitor
from command_api.analytics.erasure.sealed_texts import sealed_texts
from command_api.kernel import account_usage
from command_api.kernel.aggregates import first_event
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.container import Container
from command_api.kernel.decision import invalid, system_context
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.websites import model as websites
from infra.domain.visitor_data.letters import find_letters
from infra.domain.visitor_data.person import ROWS_OF_PERSON, SEALED, Identifier, Row, find_person, too_large
from infra.domain.visitor_data.samples import MAX_SAMPLES, SAMPLES, bound_samples
from infra.kernel.clickhouse.client import ClickHouseError, ClientPool
from infra.kernel.http.problems import Problem
from infra.kernel.log.sealed_texts import TextReader
from infra.kernel.security import visitor_keys
from infra.kernel.security.pseudonyms import Pseudonyms
from infra.kernel.security.text_keys import PUNCTURE_BYTES, TextKeys
from schemas.click_id import event_id
from schemas.events.analytics import VisitorForgotten
from schemas.topics import REJECTED

HANDLERS: Final = CommandHandlers()
QUERY_TIMEOUT_S: Final = 10
_COUNTED: Final = (
    "SELECT countIf(type = 'pageview') AS pageviews, countIf(type = 'click') AS clicks,"
    " countIf(type NOT IN ('pageview', 'click', 'conversion')) AS events"
    f" FROM events WHERE {ROWS_OF_PERSON}"
)
_NOTE_ON_LETTERS: Final = "UPDATE engine.dead_letter SET erasure_id = %s WHERE id = ANY(%s) AND state = 'open'"


@dataclass(frozen=True, slots=True)
class WriteSideStores:
    """`infra.domain.visitor_data.person.Stores` of the write side, which reads every website: statements name one."""

    container: Container
    clickhouse_clients: ClientPool

    def postgres(self, sql: str, values: Mapping[str, Any]) -> Sequence[Row]:
        with self.container.pool.connection() as connection:
            cursor = connection.execute(sql.encode(), values)
            names = [column.name for column in cursor.description or ()]
            return [row if isinstance(row, dict) else dict(zip(names, row, strict=True)) for row in cursor]

    def clickhouse(self, sql: str, values: Mapping[str, Any]) -> Sequence[Row]:
        settings = {"max_execution_time": QUERY_TIMEOUT_S}
        with self.clickhouse_clients.use() as client:
            result = client.query(sql.replace("{events}", "events"), parameters=dict(values), settings=settings)
        return [dict(zip(result.column_names, row, strict=True)) for row in result.result_rows]


def find(container: Container, clients: ClientPool, website_id: UUID, identifier: Identifier) -> FoundVisitor:
    """Raises `Problem` 422 `too_much_data`, and 503 while analytics do not answer."""
    stores = WriteSideStores(container, clients)
    try:
        pseudonyms = Pseudonyms.of(container.settings)
        person = find_person(stores, pseudonyms, website_id, identifier)
        [counts] = stores.clickhouse(_COUNTED, person.bound)
        samples = bound_samples(person)
        rows = stores.clickhouse(SAMPLES.format(refusals="refusals"), samples) if samples is not None else []
        sealed = stores.clickhouse(SEALED, person.bound)
        texts, recent = sealed_texts(stores, person, identifier, pseudonyms, [row["id"] for row in rows])
    except (ClickHouseError, OSError) as error:
        message = "The analytics store is unavailable. Please try again in a moment."
        raise Problem(503, "analytics_unavailable", message, headers={"Retry-After": "2"}) from error
    if len(rows) > MAX_SAMPLES:
        raise too_large("samples of refused requests", MAX_SAMPLES)
    letters = find_letters(stores, person, TextReader(TextKeys(container.settings).reading(container.pool)))
    waiting = {UUID(letter.record_id) for letter in letters if letter.topic == REJECTED.name and letter.record_id}
    refusals = tuple({row["id"] for row in rows} | waiting)
    key_ids = frozenset(visitor_keys.key_ids(row["ad_ids"] for row in sealed))
    more = {
        "ad_click_ids": len(sealed),
        "conversions": len(person.conversion_ids - person.undecided),
        "undecided_reports": len(person.undecided),
        "samples": len(refusals),
        "dead_letters": len(letters),
    }
    ids = tuple(letter.id for letter in letters)
    return FoundVisitor(person, refusals, key_ids, texts, recent, {**counts, **more}, ids)


@HANDLERS.on(commands.ForgetVisitor, senders="accounts")
def forget_visitor(command: commands.ForgetVisitor, uow: UnitOfWork) -> ErasedVisitor:
    """Raises `CommandRejected` (missing) for another's website, and `nothing_stored`."""
    website = websites.require_owned(uow.load(command.website_id, websites.evolve), uow.context)
    person, counts = command.found.person, {name: count for name, count in command.found.counts.items() if count}
    if not counts:
        raise invalid("nothing_stored", "Nothing is stored under this ID.", "value")
    keys = TextKeys(uow.settings)
    last_key = _last_key(keys, uow)
    texts = {**command.found.texts}
    if last_key:
        texts[last_key] = texts.get(last_key, frozenset()) | command.found.recent
    keys.erase(uow.cursor, texts)
    if uow.context.account_id is not None:
        size = PUNCTURE_BYTES * sum(map(len, texts.values()))
        account_usage.charge_bytes(uow.cursor.connection, uow.context.account_id, size)
    uow.append(
        VisitorForgotten(
            **first_event(command.erasure_id, uow.context),
            website_id=website.id,
            named_by=str(command.named_by),
            salt=secrets.token_hex(32),
            visitors=tuple(sorted(person.visitors)),
            sessions=tuple(sorted(person.sessions)),
            clicks=tuple(sorted(map(event_id, person.click_ids))),
            conversions=tuple(sorted(person.conversion_ids)),
            refusals=command.found.refusals,
            counts=counts,
            last_text_key=last_key,
            texts={number: tuple(sorted(leaf.hex() for leaf in leaves)) for number, leaves in sorted(texts.items())},
        )
    )
    visitor_keys.erase(uow.cursor, command.found.key_ids)
    note_on_letters(uow, command.erasure_id, command.found.letters)
    return ErasedVisitor(id=command.erasure_id, counts=counts)


def note_on_letters(uow: UnitOfWork, erasure_id: UUID, letter_ids: Sequence[UUID]) -> None:
    """Notes the erasure on dead letters that name the person: who processes one repeats it."""
    uow.cursor.execute(_NOTE_ON_LETTERS, (erasure_id, list(letter_ids)))


def _last_key(keys: TextKeys, uow: UnitOfWork) -> int:
    """Begins the next key of texts; returns the number of the one before. 0: texts are not sealed yet."""
    newest = keys.newest(uow.cursor)
    if newest is None:
        return 0
    keys.create(uow.cursor)
    return newest.number


@HANDLERS.on(commands.RepeatErasure, senders="system")
def repeat_erasure(command: commands.RepeatErasure, uow: UnitOfWork) -> None:
    """Repeats an erasure on a restored backup. Conversions that are newer than the backup are not there, and need
    nothing; nor do keys of texts."""
    if uow.event(command.erasure_id, 1) is None:
        head = {"originator_id": str(command.erasure_id), "originator_version": 1}
        decided = VisitorForgotten.model_validate_json(orjson.dumps({**command.decided, **head}))
        keys = TextKeys(uow.settings)
        keys.erase(uow.cursor, {number: map(bytes.fromhex, leaves) for number, leaves in decided.texts.items()})
        _last_key(keys, uow)
        uow.append(decided)
    uow.cursor.execute("DELETE FROM operations.visitor_to_erase WHERE erasure_id = %s", (command.erasure_id,))


def repeat_erasures(container: Container) -> int:
    """Repeats erasures of visitors that are newer than the restored backup (`operations.visitor_to_erase`), before the
    first request; returns their number. Resumable: what is done is removed from the list."""
    waiting = container.select("SELECT erasure_id, decided FROM operations.visitor_to_erase")
    for erasure_id, decided in waiting:
        command = commands.RepeatErasure(erasure_id, decided)
        container.commands.dispatch(command, system_context(datetime.now(UTC)))
    return len(waiting)
