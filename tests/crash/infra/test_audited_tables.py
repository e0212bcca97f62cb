"""Every table of the engines is compared by the audit, or has a reason why not; and what is compared is compared: a
changed, a lost and a doubled row of each is found under the name of its own check."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, Final
from uuid import uuid5

import psycopg
import pytest

from command_api.conversions.attribution.repository import NAME, PENDING_ATTRIBUTION
from command_api.inline_projections import INLINE_PROJECTIONS
from command_api.kernel import inline_rebuild, snapshots
from command_api.registry import open_container
from command_api.schema import create_schema as create_event_store
from command_api.websites import model as websites
from infra.domain.visits.dimensions import DAILY
from infra.kernel.clickhouse.reader import Reader
from infra.kernel.log import Record
from infra.ops.audit.beside_events.comparison import FOLDS
from infra.ops.audit.built_visits import DIMENSIONS, audit_built_visits
from infra.ops.audit.command import audit
from infra.ops.audit.log_reader import ends_of
from infra.ops.audit.pending_searches import audit_pending_searches
from infra.ops.audit.quiescence import wait_until_quiescent
from infra.ops.audit.report import AuditReport
from infra.ops.audit.reported_sales import PENDING
from projectors.engine.clickhouse import HttpClickHouse
from projectors.engine.ownership import Ownership
from projectors.registry import REGISTRY
from projectors.visits import builder as visit_builder
from projectors.visits.builder import VisitBuilder
from schemas import envelope
from schemas.base import DomainEvent
from schemas.events.conversions import ConversionRecorded, PayoutFileAttached, Reported
from schemas.events.websites import KeyKind
from schemas.topics import CONVERSIONS, REJECTED
from schemas.tracking import ConversionReported, Outcome, Refusal
from tests.support.audit_history import a_sale, decided, domain_records, refused_badly, reported, send, store
from tests.support.audited_tables import CLICKHOUSE, POSTGRES, UNJUDGED_COLUMNS, WITHOUT_CHECK
from tests.support.decisions import ACCOUNT, NOW, WEBSITE
from tests.support.decryption import Opening
from tests.support.pipeline import Pipeline
from tests.support.rounds import first_of
from tests.support.rows_beside_events import PAYOUT_FILE, PICTURE_HASHES, PICTURES, write_rows_beside_events
from tests.support.subscriptions import notify

ROOT: Final = Path(__file__).parents[3]
pytestmark = pytest.mark.timeout(900)
SYNC: Final = {"mutations_sync": 2, "lightweight_deletes_sync": 2, "insert_deduplicate": 0}
HELD_ELSEWHERE: Final = {
    "duplicates": "events",
    "conversions.rejected_report": "conversions",
    "conversions.awaiting_exchange_rate": "conversions",
    "publishing.site_image": "publishing.site_file",
    "engine.dead_letter": "refusals",
}
"""Where a lost row leaves a record without any, or a page without its picture: the check of those says so."""
MAY_BE_LOST: Final = {
    "notifications.notification",
    "ingest.conversion_key",
    "marketplace.escrow_call",
    "events.snapshots",
}
"""Members, retention and erasure delete notifications, and no event says so; without a conversion key a report that is
sent again is published again, and merged; a call that the provider has accepted is deleted; a snapshot is a cache."""
SAME_TWICE: Final = {"visitors_15m", "kernel.subject_key"}
"""A state twice is the same state; nothing is encrypted with a further key."""


@dataclass(frozen=True)
class Tables:
    """Tables of the engines without their generation, with the name that they are stored under."""

    postgres: dict[str, str]
    clickhouse: dict[str, str]


def unjudged(table: str) -> list[str]:
    """Columns of the table that follow from no event."""
    return [column for tables in UNJUDGED_COLUMNS.values() for column in tables.get(table, ())]


def tables_of(way: Pipeline) -> Tables:
    with psycopg.connect(way.settings.postgres_url or "") as postgres, Reader(way.settings) as clickhouse:
        rows = postgres.execute(
            "SELECT relnamespace::regnamespace::text || '.' || relname FROM pg_class WHERE relkind IN ('r', 'p', 'm')"
            " AND relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        stored = clickhouse.rows(
            "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'"
        )
    names = [name for (name,) in rows], [row["name"] for row in stored]
    return Tables(*({name.partition("__g")[0]: name for name in some} for some in names))


def test_every_table_is_compared_or_has_a_reason(way: Pipeline) -> None:
    create_event_store(way.settings)
    found = tables_of(way)
    reasons = [name for names in WITHOUT_CHECK.values() for name in names]
    assert len(reasons) == len(set(reasons)) and not POSTGRES.keys() & set(reasons)
    assert found.postgres.keys() == POSTGRES.keys() | set(reasons)
    assert found.clickhouse.keys() == CLICKHOUSE.keys()
    assert DIMENSIONS.keys() == DAILY.keys()


def test_every_column_beside_the_events_is_compared_or_has_a_reason(way: Pipeline) -> None:
    create_event_store(way.settings)
    stored = tables_of(way)
    with psycopg.connect(way.settings.postgres_url or "") as postgres:
        for table in (table for fold in FOLDS for table in fold.tables):
            found = {
                name
                for name, _, is_key, _ in postgres.execute(_COLUMNS_OF, (stored.postgres[table.name],))
                if not is_key
            }
            compared = set(re.findall(r"\w+", f"{table.statement} {' '.join(table.key)}"))
            assert found - compared - {"body"} <= set(unjudged(table.name)) <= found, table.name


@contextmanager
def filled(way: Pipeline, ledger: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[psycopg.Connection[Any]]:
    """Every table has rows, and the audit finds nothing."""
    monkeypatch.setattr("infra.ops.audit.report.EXAMPLES", 10_000)
    monkeypatch.setattr(visit_builder, "MIN_EVENTS", 1)
    send(way, ledger)
    way.log.publish([refused_badly()]).result(10)
    create_event_store(way.settings)
    container = open_container(way.settings)
    url = way.settings.postgres_url or ""
    with way.projecting(), psycopg.connect(url, autocommit=True) as postgres:
        report_sales(way, postgres)
        store(postgres, domain_records(way))
        for projection in INLINE_PROJECTIONS.projections:
            inline_rebuild.rebuild(way.settings, postgres, projection)
        notify(container, postgres)
        monkeypatch.setattr(snapshots, "INTERVAL", 1)
        container.store.load(uuid5(WEBSITE, "sample website"), websites.evolve)
        container.close()
        write_rows_beside_events(way.settings, postgres)
        add_picture(postgres)
        wait_until_quiescent(way.log, postgres, 60)
        build_visits(way)
        sound = audit(way.settings)
        assert sound.is_clean, sound.as_text()
        postgres.execute("SET session_replication_role = replica")  # no trigger refuses what is planted
        yield postgres


def add_picture(postgres: psycopg.Connection[Any]) -> None:
    """To each published site: no event says so."""
    postgres.execute(
        "INSERT INTO publishing.site_image (site_id, hash, width, height, body)"
        " SELECT site_id, %s, 1, 1, %s FROM publishing.served_site",
        (PICTURE_HASHES[0], PICTURES[PICTURE_HASHES[0]]),
    )


def report_sales(way: Pipeline, postgres: psycopg.Connection[Any]) -> None:
    """Two reports that were refused, one of them for now, and a sale whose click is looked for; each has its row."""
    refused, awaiting, late = (reported(name) for name in ("refused", "awaiting", "late"))
    records = [Record(CONVERSIONS.name, b"key", each.model_dump_json().encode()) for each in (refused, awaiting)]
    way.log.publish(records).result(10)
    for each, code in ((refused, "claim_limit"), (awaiting, "currency_unknown")):
        refusal = Refusal(
            id=each.report_id,
            website_id=each.website_id,
            at=each.received_at,
            outcome=Outcome.INVALID,
            code=code,
            message="for a test",
            endpoint="/track/sale",
            report_id=each.report_id,
        )
        way.log.publish([Record(REJECTED.name, b"key", refusal.model_dump_json().encode())]).result(10)
        postgres.execute(
            "INSERT INTO conversions.rejected_report VALUES (%s, %s, %s, %s, 'for a test', %s)",
            (each.report_id, each.conversion_id, WEBSITE, code, each.received_at + "+00"),
        )
    postgres.execute(
        "INSERT INTO conversions.awaiting_exchange_rate (report_id, conversion_id, report) VALUES (%s, %s, %s)",
        (awaiting.report_id, awaiting.conversion_id, awaiting.model_dump_json()),
    )
    postgres.execute(
        "INSERT INTO ingest.conversion_key (conversion_id, website_id, first_report_id, acked, published)"
        " VALUES (%s, %s, %s, true, %s)",
        (refused.conversion_id, refused.website_id, refused.report_id, [refused.report_id.bytes]),
    )
    now = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=10)
    events = [*more_decisions(), a_claim(now), a_late_sale(late, now)]
    way.log.publish([decided(event, place) for place, event in enumerate(events, start=1_000)]).result(10)
    postgres.execute(
        "INSERT INTO conversions.pending_attribution (conversion_id, received_at, until)"
        " VALUES (%s, %s, %s::timestamptz + interval '30 days')",
        (late.conversion_id, now, now),
    )
    postgres.execute(
        "INSERT INTO kernel.timeout (process, id, due_at) VALUES (%s, %s, now() + interval '1 hour')",
        (PENDING_ATTRIBUTION, late.conversion_id),
    )
    for (topic, partition), end in ends_of(way.log, postgres, CONVERSIONS).items():  # the policy has read them
        postgres.execute(
            "INSERT INTO engine.position (projection, generation, topic, partition, next_offset)"
            " VALUES (%s, 0, %s, %s, %s)",
            (NAME, topic, partition, end),
        )


def a_late_sale(report: ConversionReported, now: datetime) -> DomainEvent:
    recorded = the_sale()
    facts = recorded.facts.model_copy(update={"attribution": None, "txid": "late"})
    told = Reported(
        report_id=report.report_id,
        key_kind="secret",
        reported_by="sale",
        received_at=now,
        kind="sale",
        occurred_at=now,
        visitor=7,
        unread={"status": "gebucht"},
    )
    change = recorded.change.model_copy(update={"pending": 0, "commission_pending": 0})
    update = {"originator_id": report.conversion_id, "facts": facts, "reported": told, "change": change}
    return recorded.model_copy(update={**update, "commission": None, "received_at": now})


def the_sale() -> ConversionRecorded:
    recorded = a_sale()[0]
    assert isinstance(recorded, ConversionRecorded)
    return recorded


def a_claim(now: datetime) -> DomainEvent:
    """A sale that the public key of a page reported."""
    recorded = the_sale()
    told = Reported(
        report_id=uuid5(WEBSITE, "claim"),
        key_kind="site",
        reported_by="sale",
        received_at=now,
        kind="sale",
        occurred_at=NOW,
    )
    facts = recorded.facts.model_copy(update={"txid": "claim"})
    return recorded.model_copy(update={"originator_id": uuid5(WEBSITE, "claim"), "facts": facts, "reported": told})


def build_visits(way: Pipeline) -> None:
    """Of all days, as two hours ago, and of their weeks."""
    ownership = Ownership(way.settings.postgres_url or "")
    builder = VisitBuilder(HttpClickHouse(way.settings), ownership, lambda: datetime.now(UTC) - timedelta(hours=2))
    while not builder.build():
        pass  # a day rests before it is built
    ownership.close()


def sampled(name: str, stream: str, number: int, version: int = 1) -> DomainEvent:
    """An event as its golden sample has it."""
    headers = envelope.headers(name, version, 1, uuid5(WEBSITE, f"sample {stream}"), number)
    sample = (ROOT / "schemas" / "samples" / f"{name}.v{version}.json").read_bytes()
    return envelope.decode(sample, tuple(headers), Opening(lambda _subject, _field, _text: "sealed")).event


def more_decisions() -> list[DomainEvent]:
    """What leaves a row in the tables that the history leaves empty: there, what began has ended."""
    key = {"kind": KeyKind.POSTBACK, "is_readable": True}
    attached = sampled("payout.file_attached", "payout", 1)
    assert isinstance(attached, PayoutFileAttached)
    file = attached.file.model_copy(update={"sha256": sha256(PAYOUT_FILE).hexdigest()})
    picture = {"picture": PICTURE_HASHES[0]}
    return [
        sampled("account.sign_in_linked", "account", 1),
        sampled("website.key_issued", "key", 1).model_copy(update=key),
        sampled("social_channel.added", "channel", 1),
        sampled("social_channel.connected", "channel", 2),
        sampled("social_post.added", "post", 1),
        sampled("social_post.picture_changed", "post", 2).model_copy(update=picture),
        sampled("saved_search.saved", "search", 1),
        sampled("forum.thread_followed", "follower", 1),
        attached.model_copy(update={"file": file}),
        sampled("website.connected", "website", 1),
        sampled("site.created", "site", 1),
        sampled("page.saved", "page", 1),
        sampled("site.published", "site", 2),
        sampled("site_subscription.requested", "subscription", 1),
        sampled("link.created", "link", 1),
        sampled("offer.sent", "offer", 1),
        sampled("partner.registered", "partner", 1, version=2),
        sampled("partner_request.made", "request", 1),
        sampled("conversion_decision.scheduled", "decision", 1),
        sampled("visitor.forgotten", "visitor", 1),
    ]


@dataclass(frozen=True)
class Column:
    """A column of a stored table. `is_key`: it says which row it is; `is_unique`: so does it in another index."""

    name: str
    type: str
    is_key: bool
    is_unique: bool = False


class PostgresRows:
    """Plants faults in the first row of a table that events name."""

    def __init__(self, postgres: psycopg.Connection[Any], table: str) -> None:
        self._postgres, self._table, self._name = postgres, table, table.partition("__g")[0]
        rows = postgres.execute(_COLUMNS_OF, (table,)).fetchall()
        self._columns = [Column(*row) for row in rows]
        self._not_compared = {*_PERSONAL.get(self._name, ()), *unjudged(self._name), *_ELSEWHERE.get(self._name, ())}
        self._first = _FIRST.format(table, _NAMED.get(self._name, "true"))
        assert self._rows(), f"{table} has no row"

    def change(self) -> None:
        """Not what is personal: while a person is being erased, either text is right."""
        self._first_that_is_taken(
            f"UPDATE {self._table} SET {each.name} = {_other(each)} {self._first}"
            for each in sorted(self._columns, key=lambda column: column.is_key)
            if each.type in _OTHERS and each.name not in self._not_compared
        )

    def lose(self) -> None:
        self._first_that_is_taken([f"DELETE FROM {self._table} {self._first}"])

    def double(self) -> None:
        """Once more, under another key."""
        names = ", ".join(each.name for each in self._columns)
        self._first_that_is_taken(
            f"INSERT INTO {self._table} ({names}) OVERRIDING SYSTEM VALUE SELECT {self._with_other(key, changed)}"
            f" FROM {self._table} {self._first}"
            for key in self._columns
            if key.is_key and key.type in _OTHERS
            for changed in ([each for each in self._columns if each.is_unique], *([each] for each in self._columns))
        )

    def _with_other(self, key: Column, changed: Sequence[Column]) -> str:
        others = {each.name: _other(each, far=1_000) for each in (key, *changed) if each.type in _OTHERS}
        if "notification_id" in others:
            others["notification_id"] = "900"  # the relay has passed it
        return ", ".join(others.get(each.name, each.name) for each in self._columns)

    def _first_that_is_taken(self, statements: Iterable[str]) -> None:
        """A constraint may refuse some."""
        refused = []
        for statement in statements:
            try:
                assert self._postgres.execute(statement.encode()).rowcount == 1, statement
            except psycopg.Error as error:
                refused.append(f"{statement}: {error}")
            else:
                return
        pytest.fail(f"{self._table}: {refused}")

    def _rows(self) -> int:
        [(count,)] = self._postgres.execute(f"SELECT count(*) FROM {self._table}".encode()).fetchall()
        return int(count)


_PERSONAL: Final = {f"read.{model.name}": model.personal for model in REGISTRY.postgres}
_OTHERS: Final = {
    "text": "coalesce({0}, '') || 'x'",
    "uuid": "gen_random_uuid()",
    "integer": "coalesce({0}, 0) + {1}",
    "bigint": "coalesce({0}, 0) + {1}",
    "smallint": "coalesce({0}, 0) + {1}",
    "numeric": "coalesce({0}, 0) + {1}",
    "boolean": "NOT coalesce({0}, false)",
    "timestamp with time zone": "coalesce({0}, now()) + interval '1 hour'",
    "date": "coalesce({0}, current_date) + 1",
    "jsonb": """'{{"planted": 1}}'""",
    "text[]": "'{{planted}}'",
    "bytea": "'planted'",
}
"""Another value of each type."""
_ELSEWHERE: Final = {
    "leads.contact": ("confirmed_at",),
    "engine.dead_letter": ("projection", "generation", "topic", "partition", '"offset"'),
}
"""Of the first, only that it is set follows from events. With another of the others a letter is another letter, and
that its own is lost is found where its record has no row."""
_NAMED: Final = {"kernel.subject_key": f"subject_id = '{ACCOUNT}'"}
"""Rows that an event names; a key of a person whom none names may be lost."""
_FIRST: Final = "WHERE ctid = (SELECT min(ctid) FROM {} WHERE {})"
_COLUMNS_OF: Final = """
SELECT quote_ident(attname), format_type(atttypid, NULL),
    EXISTS (SELECT FROM pg_index WHERE indrelid = attrelid AND indisprimary AND attnum = ANY (indkey)),
    EXISTS (SELECT FROM pg_index WHERE indrelid = attrelid AND indisunique AND NOT indisprimary
        AND attnum = ANY (indkey))
FROM pg_attribute
WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum"""


def _other(column: Column, far: int = 1) -> str:
    return _OTHERS[column.type].format(column.name, far)


_WHICH: Final = {"events": "type != 'conversion'", "partner_15m": "clicks > 0", "country_15m": "clicks > 0"}
"""Rows of conversions have a check of their own; a row of zeros is as good as none."""


class ClickHouseRows:
    """Plants faults in the rows of a table that come first in its order."""

    def __init__(self, way: Pipeline, table: str) -> None:
        self._clickhouse, self._table = HttpClickHouse(way.settings), table
        found = self._clickhouse.rows(
            "SELECT name, type, is_in_sorting_key OR is_in_partition_key FROM system.columns"
            f" WHERE database = currentDatabase() AND table = '{table}' ORDER BY position"
        )
        self.columns = [Column(name, kind, bool(is_key)) for name, kind, is_key in found]
        keys = ", ".join(each.name for each in self.columns if each.is_key)
        which = _WHICH.get(table.partition("__g")[0], "1")
        self._keys = f"({keys})"
        self._ordered = f"SELECT {keys} FROM {table} WHERE {which} GROUP BY {keys} ORDER BY {keys}"

    @contextmanager
    def kept(self) -> Iterator[None]:
        """After the block the table is as it was."""
        kept = f"kept_{self._table}"
        self._clickhouse.run(f"CREATE TABLE {kept} ENGINE = MergeTree ORDER BY tuple() AS SELECT * FROM {self._table}")
        yield
        self._clickhouse.run(f"TRUNCATE TABLE {self._table}")
        self._clickhouse.run(f"INSERT INTO {self._table} SELECT * FROM {kept}", SYNC)
        self._clickhouse.run(f"DROP TABLE {kept}")

    def change(self) -> None:
        self.change_column(next(each for each in self.columns if not each.is_key), 0)

    def change_column(self, column: Column, number: int) -> None:
        """In the row at this place of the order."""
        self._run(f"ALTER TABLE {self._table} UPDATE {column.name} = {_other_value(column)} WHERE {self._at(number)}")

    def lose(self) -> None:
        self._run(f"DELETE FROM {self._table} WHERE {self._at(0)}")

    def double(self) -> None:
        self._run(f"INSERT INTO {self._table} SELECT * FROM {self._table} WHERE {self._at(0)} LIMIT 1")

    def _at(self, number: int) -> str:
        return f"{self._keys} IN ({self._ordered} LIMIT 1 OFFSET {number})"

    def _run(self, statement: str) -> None:
        before = self._contents()
        self._clickhouse.run(statement, SYNC)
        assert self._contents() != before, f"nothing was changed by {statement}"

    def _contents(self) -> Any:
        plain = [each.name for each in self.columns if not each.type.startswith("AggregateFunction")]
        states = [f"finalizeAggregation({each.name})" for each in self.columns if each.name not in plain]
        named = ", ".join(f"toString({name})" for name in (*plain, *states))
        return self._clickhouse.rows(f"SELECT count(), sum(cityHash64({named})) FROM {self._table}")


def _other_value(column: Column) -> str:
    name, kind = column.name, column.type
    if kind.startswith("AggregateFunction"):
        return "(SELECT uniqCombinedState(12)(toUInt64(number + 1)) FROM numbers(50))"
    if kind.startswith("Map"):
        return f"mapFromArrays(mapKeys({name}), arrayMap(value -> value + 1, mapValues({name})))"
    if "String" in kind:
        return f"concat({name}, 'x')"
    if kind == "UUID":
        return f"toUUID('{uuid5(WEBSITE, 'planted')}')"
    return f"NOT {name}" if kind == "Bool" else f"{name} + 1"


def found_by(report: AuditReport) -> Counter[str]:
    return Counter(check for _, check, _ in report.examples)


@pytest.mark.parametrize("fault", first_of("change", "lose", "double"))
def test_a_fault_of_each_table_is_found_by_the_check_of_the_table(
    way: Pipeline, ledger: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """Tables from which others are made come last: the checks of the others find such a fault, too. Therefore each of
    those in ClickHouse is alone with one of Postgres, from which nothing in ClickHouse is made."""
    with filled(way, ledger, monkeypatch) as postgres:
        stored = tables_of(way)
        derived_from = [("visit_events", "kernel.subject_key"), ("visit_builds", "events.stored_events"), ("events",)]
        together = [name for name in (*POSTGRES, *CLICKHOUSE) if name not in chain(*derived_from)]
        before, missed = Counter[str](), list[str]()
        for names in (together, *derived_from):
            for name in names:
                plant = PostgresRows(postgres, stored.postgres[name]) if name in POSTGRES else None
                if fault == "double" and name in SAME_TWICE:
                    continue
                getattr(plant or ClickHouseRows(way, stored.clickhouse[name]), fault)()
            found = found_by(audit(way.settings))
            for name in names:
                check = {**POSTGRES, **CLICKHOUSE}[name]
                if fault == "lose":
                    check = HELD_ELSEWHERE.get(name, check)
                is_allowed = name in {"lose": MAY_BE_LOST, "double": SAME_TWICE}.get(fault, frozenset())
                if not is_allowed and found[check] <= before[check]:
                    missed.append(f"{fault} {name}: nothing more by check {check}")
            before = found
        assert not missed, "\n".join(missed)


def test_what_a_search_has_found_out_and_every_column_of_built_visits_is_compared(
    way: Pipeline, ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each column is changed in a row of its own, but for those that say which row it is: such a row would be lost."""
    with filled(way, ledger, monkeypatch) as postgres, Reader(way.settings) as clickhouse:
        for change in ("needs_rate = NOT needs_rate", "passed_over = '[[0, 1]]'", "passed_over = '{}'::jsonb || '1'"):
            postgres.execute(f"UPDATE conversions.pending_attribution SET {change}".encode())
            report = audit_pending_searches(way.settings, clickhouse, postgres)
            assert report.checked["searches for clicks"] and found_by(report)[PENDING], report.as_text()
            postgres.execute("UPDATE conversions.pending_attribution SET needs_rate = false, passed_over = NULL")
        assert audit_pending_searches(way.settings, clickhouse, postgres).is_clean
        for name in ("visit_builds", "breakdown", "visit_events"):
            assert audit_built_visits(clickhouse).is_clean
            rows = ClickHouseRows(way, tables_of(way).clickhouse[name])
            columns = [each for each in rows.columns if not each.is_key]
            with rows.kept():
                for number, column in enumerate(columns):
                    rows.change_column(column, number)
                report = audit_built_visits(clickhouse)
                assert found_by(report)[CLICKHOUSE[name]] >= len(columns), report.as_text()
