"""When a key was last used: recorded by ingest without a write per event, kept while Postgres is unavailable."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from time import time
from uuid import uuid4

import pytest

from ingest.directory.directory import Directory, DirectoryListing, KeyRow, WebsiteRow
from ingest.directory.key_uses import KeyUses
from ingest.directory.lookup import lookup_in
from ingest.directory.postgres import Postgres
from ingest.errors import EventRejected, Unavailable
from ingest.steps.identify_site import MAY_READ, identify
from tests.support.ingest_service import IngestService, Site, bearer, running_ingest


class Clock:
    now = datetime(2026, 5, 17, 10, 5, 42, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
async def postgres(ingest_service: IngestService) -> AsyncIterator[Postgres]:
    made = Postgres(ingest_service.postgres.address)
    await made.open()
    yield made
    await made.close()


def written(ingest_service: IngestService, *keys: str) -> list[datetime | None]:
    found = dict(ingest_service.execute("SELECT key_hash, used_at FROM ingest.key_use"))
    return [found.get(sha256(key.encode()).digest()) for key in keys]


async def test_uses_are_written_together_to_the_minute_and_never_go_back(
    ingest_service: IngestService, site: Site, postgres: Postgres
) -> None:
    directory, clock = Directory(lookup_in(postgres)), Clock()
    uses = KeyUses(directory, postgres, now=clock)
    keys = (site.site_key, site.secret_key, site.token)
    await identify(directory, site.site_key, {})
    await identify(directory, site.token, {}, ("postback",))
    for refused in (site.token, "sk_unknown"):
        with pytest.raises(EventRejected):
            await identify(directory, refused, {}, MAY_READ)
    await uses.write()
    minute = clock.now.replace(second=0)
    assert written(ingest_service, *keys) == [minute, None, minute]

    clock.now += timedelta(minutes=3)
    await identify(directory, site.secret_key, {})
    await identify(directory, site.site_key, {})
    await uses.write()
    later = clock.now.replace(second=0)
    assert written(ingest_service, *keys) == [later, later, minute]

    clock.now -= timedelta(hours=1)  # another edge, whose clock is slow
    await identify(directory, site.site_key, {})
    await uses.write()
    assert written(ingest_service, *keys) == [later, later, minute]
    assert [
        row[0] for row in ingest_service.execute("SELECT website_id FROM ingest.key_use WHERE used_at = %s", later)
    ] == [
        site.id,
        site.id,
    ]


async def test_what_cannot_be_written_waits_with_its_time_and_ten_thousand_keys_are_two_statements(
    ingest_service: IngestService, postgres: Postgres
) -> None:
    website, clock = WebsiteRow(uuid4(), "own.example", "USD"), Clock()
    keys = [f"sk_{uuid4().hex}" for _ in range(10_000)]
    rows = tuple(KeyRow(website.id, sha256(key.encode()).hexdigest(), "secret", ()) for key in keys)
    away = Postgres(None)
    directory = Directory(lookup_in(away))
    directory.replace(DirectoryListing((website,), rows), time())
    uses = KeyUses(directory, away, now=clock)
    for key in keys:
        await identify(directory, key, {})
    with pytest.raises(Unavailable):
        await uses.write()
    minute = clock.now.replace(second=0)
    clock.now += timedelta(hours=2)
    await identify(directory, keys[0], {})
    statements = 0
    asked = postgres.rows

    async def counted(sql: str, params: list[object]) -> list[tuple[object, ...]]:
        nonlocal statements
        statements += 1
        return await asked(sql, params)

    away.rows = counted  # type: ignore[assignment,method-assign]  # Postgres is back
    await uses.write()
    assert statements == 2
    assert written(ingest_service, keys[0], keys[1], keys[-1]) == [clock.now.replace(second=0), minute, minute]
    await uses.write()
    assert statements == 2, "nothing is left"


def test_ingest_records_uses_of_keys_and_writes_the_rest_when_it_stops() -> None:
    with running_ingest() as ingest_service, ingest_service.client() as client:
        site = ingest_service.add_site("own.example")
        event, sale = {"type": "pageview", "site": site.site_key}, {"txid": "t", "amount": 1, "currency": "USD"}
        assert client.post("/track", json=event).status_code == 202
        assert client.get(f"/postback?txid=t2&amount=1&token={site.token}").status_code == 202
        assert client.post("/track/sale", json=sale, headers=bearer("sk_wrong")).status_code == 401
        began = datetime.now(UTC)
        assert ingest_service.stop() == 0
        ended = datetime.now(UTC)
        site_key, secret, token = written(ingest_service, site.site_key, site.secret_key, site.token)
        assert site_key is not None and token is not None and secret is None
        assert began - timedelta(minutes=2) < site_key <= ended
