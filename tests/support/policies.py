"""Relay and policies at work: a `World` with a ClickHouse database of its own, whose leaders run in this process.

`command_policies` (`tests/api/conversions/conftest.py`) is a `Policies`: publish reports, put clicks where projectors
would, and wait for what is decided.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from itertools import count
from typing import Any
from uuid import UUID, uuid4

import orjson
import psycopg

from command_api.conversions import model
from command_api.conversions.attribution.repository import PENDING_ATTRIBUTION
from command_api.kernel.leader_election import running
from command_api.registry import open_container
from command_api.schema import create_schema as create_event_store
from command_api.service import leaders_of
from infra.kernel.clickhouse.client import ClientPool, client
from infra.kernel.config.settings import Settings
from infra.kernel.log import Record
from infra.kernel.postgres.pool import required_url
from infra.kernel.postgres.rows import PostgresRows
from infra.kernel.security.encryption import derived_key
from projectors import schema
from projectors.engine.postgres_worker import apply
from projectors.registry import REGISTRY
from projectors.rollups.conversion_rows import NAMES, row_of
from schemas import click_id
from schemas.envelope import decode
from schemas.identity import conversion_id
from schemas.tracking import log_time
from tests.support.command import World
from tests.support.databases import create_clickhouse_tables, create_text_key, own_databases
from tests.support.stack import wait_for


@dataclass(frozen=True)
class Shop:
    """A website with one link of one partner (10 %, 30 days)."""

    site: dict[str, Any]
    partner: dict[str, Any]
    link: dict[str, Any]

    @property
    def website_id(self) -> UUID:
        return UUID(self.site["id"])


@dataclass
class Policies:
    """A world whose conversions are decided while a test runs."""

    world: World
    clickhouse: Settings
    _offsets: Iterator[int] = field(default_factory=lambda: count(10**6))
    """Of the records that projected clicks would come from, behind all that are in the log."""
    _decided: int = 0
    """Records of topic `domain` that were projected."""

    @contextmanager
    def leading(self) -> Iterator[None]:
        """The leaders of a service run."""
        clients = ClientPool(self.clickhouse, 4)
        with closing(clients), running(leaders_of(self.world.core, self.world.log, clients)):
            yield

    @cached_property
    def _client(self) -> Any:
        return client(self.clickhouse)

    def shop(self, **website: Any) -> Shop:
        site, partner = self.world.website(**website), self.world.partner()
        return Shop(site, partner, self.world.link(site, partner))

    def click(
        self,
        shop: Shop,
        ago: timedelta = timedelta(minutes=5),
        *,
        is_in_page: bool = False,
        partner_place: int | None = None,
    ) -> str:
        """A genuine click id of the shop's link, or of a link in its pages. `partner_place`: the partner of the variant
        that it took."""
        code = self.world.postgres.execute(
            "SELECT code FROM lookup.link WHERE link_id = %s", (shop.link["id"],)
        ).fetchone()
        assert code is not None
        return click_id.mint(
            derived_key(self.world.settings, "click-id"),
            at=datetime.now(UTC) - ago,
            link_code=click_id.IN_PAGE if is_in_page else code[0],
            website_id=shop.website_id,
            country="DE",
            device="desktop",
            nonce=secrets.randbits(32),
            partner_place=partner_place,
        )

    def project_click(self, shop: Shop, ago: timedelta = timedelta(minutes=5), click: str = "", **row: Any) -> int:
        """What the projector makes of a click; gives the visitor."""
        at = datetime.now(UTC) - ago
        if click:
            at = click_id.read(derived_key(self.world.settings, "click-id"), click).at
        visitor: int = row.setdefault("visitor", secrets.randbits(63) | 1 << 63)
        full = {
            "website_id": shop.site["id"],
            "event_id": str(click_id.event_id(click) if click else uuid4()),
            "type": "click",
            "occurred_at": log_time(at),
            "received_at": log_time(at),
            "click_id": click,
            "link_id": shop.link["id"],
            "partner_id": shop.partner["id"],
            "country": "IS",
            "device": "mobile",
            "source": "news",
            "sub1": "banner",
            "_topic": "clicks",
            "_offset": next(self._offsets),
            **row,
        }
        self._client.raw_insert("events__g1", insert_block=orjson.dumps(full), fmt="JSONEachRow")
        return visitor

    def report(self, shop: Shop, **changes: Any) -> UUID:
        """Appends a report to topic `conversions` as ingest does; gives the conversion's id."""
        report = self.report_of(shop, **changes)
        self.publish([report])
        return UUID(report["conversion_id"])

    def report_of(self, shop: Shop, **changes: Any) -> dict[str, Any]:
        values = {"event": "sale", "txid": uuid4().hex, **changes}
        now = log_time(datetime.now(UTC))
        return {
            "report_id": str(uuid4()),
            "conversion_id": str(conversion_id(shop.website_id, values["event"], values["txid"])),
            "website_id": shop.site["id"],
            "kind": "sale",
            "reported_by": "sale",
            "occurred_at": now,
            "received_at": now,
            "amount": {"amount": 10_000, "currency": "USD"},
            **values,
        }

    def publish(self, reports: Sequence[dict[str, Any]]) -> None:
        records = [
            Record("conversions", f"{report['website_id']}{report['txid']}".encode(), orjson.dumps(report))
            for report in reports
        ]
        self.world.log.publish(records).result(15)

    def publish_raw(self, value: bytes) -> None:
        self.world.log.publish([Record("conversions", b"raw", value)]).result(15)

    def project_decisions(self) -> None:
        """What the projector makes of the decided conversions, as far as they are relayed; once for each."""
        for record in self.world.records("domain")[self._decided :]:
            self._decided += 1
            row = (
                row_of(decode(record.value, record.headers, self.world.core.keyring).event)
                if dict(record.headers).get("event") in NAMES
                else None
            )
            if row is not None:
                full = {**row, "_topic": "domain", "_offset": record.offset}
                self._client.raw_insert("events__g1", insert_block=orjson.dumps(full), fmt="JSONEachRow")

    def remark(self, visitor: int, sub1: str, *, is_bot: bool) -> None:
        """What a rebuild makes of a visitor's clicks after a traffic rule."""
        self._client.command(
            "ALTER TABLE events__g1 UPDATE is_bot = {is_bot:Bool}, bot_reason = if({is_bot:Bool}, 'remarked', '')"
            " WHERE visitor = {visitor:UInt64} AND sub1 = {sub1:String}",
            parameters={"is_bot": is_bot, "visitor": visitor, "sub1": sub1},
            settings={"mutations_sync": 2},
        )

    def searched(self, conversion: UUID) -> None:
        """Until the click of the conversion was searched for twice: once with everything that is projected now."""

        def due(before: object = None) -> object:
            sql = "SELECT due_at FROM kernel.timeout WHERE process = %s AND id = %s"
            row = self.world.postgres.execute(sql, (PENDING_ATTRIBUTION, conversion)).fetchone()
            return row if row != before else None

        for _ in range(2):
            wait_for(partial(due, due()), "another search")

    def put_off_searches(self) -> None:
        """For the end of a test: no conversion that exists now is searched for in the next day, once a second each."""
        due = self.world.postgres.execute("SELECT id FROM kernel.timeout WHERE process = %s", (PENDING_ATTRIBUTION,))
        for (id_,) in due.fetchall():  # each alone: the worker holds others while it waits for one
            self.world.postgres.execute(
                "UPDATE kernel.timeout SET due_at = due_at + interval '1 day' WHERE process = %s AND id = %s",
                (PENDING_ATTRIBUTION, id_),
            )

    def state(self, conversion: UUID) -> model.Conversion | None:
        return self.world.core.store.load(conversion, model.evolve)

    def decided(self, conversion: UUID, version: int = 1) -> model.Conversion:
        """The conversion once it has at least `version` events."""

        def found() -> model.Conversion | None:
            state = self.state(conversion)
            return state if state is not None and state.version >= version else None

        state: model.Conversion = wait_for(found, f"version {version} of conversion {conversion}")
        return state

    def caught_up(self) -> None:
        """Until every report that is in the log is decided."""

        def done() -> bool:
            query = "SELECT partition, next_offset FROM engine.position WHERE projection = 'policy:attribution'"
            rows = self.world.postgres.execute(query).fetchall()
            return len(rows) == 2 and all(self.world.log.end_offset("conversions", p) == offset for p, offset in rows)

        wait_for(done, "the policies to catch up")

    def relayed(self) -> None:
        """Until everything decided is in topic `domain`."""
        newest = self.world.count("SELECT coalesce(max(notification_id), 0) FROM events.stored_events")
        wait_for(lambda: self.world.count("SELECT coalesce(max(position), 0) FROM engine.relay") >= newest, "the relay")


@contextmanager
def policies(postgres: Settings, clickhouse: Settings, *, leading: bool = True) -> Iterator[Policies]:
    with own_databases(postgres, clickhouse, create_event_store, schema.create_schema, create_text_key) as found:
        settings = replace(found, log="postgres", admin_email=None, admin_password=None)
        create_clickhouse_tables(settings)
        with closing(World(settings, open_container(settings))) as world:
            made = Policies(world, settings)
            with made.leading() if leading else nullcontext():
                yield made


def project(world: World, *names: str, since: int = 0) -> int:
    """What the projectors do: takes topic `domain`, from record `since` on, into read models (`names`; none: all of
    them); gives how many records there are."""
    records = world.records("domain")
    with psycopg.connect(required_url(world.settings)) as connection:
        for each in REGISTRY.postgres:
            rows = PostgresRows(connection, each.table(1), each.key)
            for record in records[since:] if not names or each.name in names else ():
                apply(each, rows, record, world.core.keyring)
            rows.flush()
    return len(records)
