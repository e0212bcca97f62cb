"""The canary's records: no rows follow from them, whatever their ids, and ingest accepts them by the key alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import httpx
import pytest

from infra.kernel.config.settings import Settings
from infra.kernel.log import StoredRecord
from infra.kernel.security.canary_key import key_text
from infra.ops.jobs import canary
from ingest.canary import canary_key as built_in
from ingest.directory.directory import Directory, DirectoryListing
from projectors.engine.projection import Batch, Duplicate
from projectors.rollups import event_rows
from schemas.canary import WEBSITE_ID
from schemas.tracking import HASH_HEADER
from tests.support.projection_bench import click

SETTINGS = Settings(master_key="ab" * 32, canary=True)


class Untouched:
    """The memory of ids: it must not hear of a canary."""

    def load(self, keys: object) -> None:
        raise AssertionError(f"unexpected request of {keys!r}")

    def elsewhere(self, record: object) -> int | None:
        raise AssertionError(f"unexpected request of {record!r}")

    def check(self, key: bytes, _offset: int, _content: bytes, _at: int) -> Duplicate | None:
        raise AssertionError(f"unexpected request of {key!r}")


def test_a_canary_is_no_event_and_leaves_the_memory_of_ids_alone() -> None:
    value = json.dumps({**click(1), "website_id": str(WEBSITE_ID)}).encode()
    batch = Batch()
    event_rows.to_rows([StoredRecord("clicks", 2, 9, 0, b"", value, ((HASH_HEADER, b"12345678"),))], Untouched(), batch)
    assert not batch.rows and not batch.offsets and not batch.bad and not batch.publish
    [line] = batch.others["duplicates"]
    row = json.loads(line)
    assert (row["website_id"], row["_offset"], row["first_offset"]) == (str(WEBSITE_ID), 9, 9)
    assert row["is_conflict"] is False


def test_ingest_keeps_the_canarys_key_over_every_refresh_and_no_other() -> None:
    async def nothing(_kind: str, _names: Sequence[str]) -> DirectoryListing:
        return DirectoryListing()

    async def look() -> None:
        directory = Directory(nothing, (built_in(SETTINGS),))
        for read_at in (4e9, 5e9):
            directory.replace(DirectoryListing(), read_at)
            found = await directory.key(key_text(SETTINGS))
            assert found is not None and found.website.id == WEBSITE_ID
            assert await directory.key(key_text(Settings(master_key="cd" * 32))) is None
        assert WEBSITE_ID not in directory.websites

    asyncio.run(look())


def test_it_can_be_switched_off() -> None:
    assert canary.send(Settings(canary=False)) is None


@pytest.mark.parametrize("status", [401, 503])
def test_a_refusal_by_ingest_is_a_lost_canary(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    monkeypatch.setattr(httpx, "post", lambda *_args, **_named: httpx.Response(status, text="no"))
    with pytest.raises(canary.CanaryLost, match=str(status)):
        canary._post(SETTINGS, WEBSITE_ID)
