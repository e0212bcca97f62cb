"""The canary's records: kept apart where rows are made, whatever their ids, and known to the edge by its key alone."""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest

from infra import canary
from infra.canary_key import key_text
from infra.log import StoredRecord
from infra.settings import Settings
from ingest.canary import canary as built_in
from ingest.directory import Directory, Listing
from projectors.clickhouse import event_rows
from projectors.engine.projection import Batch, Seen
from schemas.canary import WEBSITE_ID
from schemas.tracking import HASH_HEADER
from tests.support.projecting import click

SETTINGS = Settings(master_key="ab" * 32, canary=True)


class Untouched:
    """The memory of ids: it must not hear of a canary."""

    def load(self, keys: object) -> None:
        raise AssertionError(f"asked for {keys!r}")

    def check(self, key: bytes, offset: int, content: bytes, at: int) -> Seen | None:
        raise AssertionError(f"asked for {key!r}")


def test_a_canary_is_no_event_and_leaves_the_memory_of_ids_alone() -> None:
    value = json.dumps({**click(1), "website_id": str(WEBSITE_ID)}).encode()
    batch = Batch()
    event_rows.make_rows(
        [StoredRecord("clicks", 2, 9, 0, b"", value, ((HASH_HEADER, b"12345678"),))], Untouched(), batch
    )
    assert not batch.rows and not batch.places and not batch.bad and not batch.publish
    [line] = batch.others["duplicates"]
    row = json.loads(line)
    assert (row["website_id"], row["_offset"], row["first_offset"]) == (str(WEBSITE_ID), 9, 9)
    assert row["is_conflict"] is False


def test_the_edge_knows_its_key_over_every_refresh_and_nobody_elses() -> None:
    async def nothing(_kind: str, _name: str) -> Listing:
        return Listing()

    async def look() -> None:
        directory = Directory(nothing, (built_in(SETTINGS),))
        for read_at in (4e9, 5e9):
            directory.replace(Listing(), read_at)
            found = await directory.key(key_text(SETTINGS))
            assert found is not None and found.website.id == WEBSITE_ID
            assert await directory.key(key_text(Settings(master_key="cd" * 32))) is None
        assert WEBSITE_ID not in directory.websites

    asyncio.run(look())


def test_it_can_be_switched_off() -> None:
    assert canary.send(Settings(canary=False)) is None


@pytest.mark.parametrize("status", [401, 503])
def test_a_refusal_of_the_edge_is_a_lost_canary(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    monkeypatch.setattr(httpx, "post", lambda *_args, **_named: httpx.Response(status, text="no"))
    with pytest.raises(canary.CanaryLost, match=str(status)):
        canary._post(SETTINGS, WEBSITE_ID)
