"""A key that the read models do not have is unknown only once they have everything that was written before."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from time import time
from uuid import uuid4

import pytest

from ingest.directory import directory as subject
from ingest.directory.directory import Directory, DirectoryListing, KeyRow, PartnerRow, WebsiteRow
from ingest.errors import Unavailable

WEBSITE = WebsiteRow(uuid4(), "own.example", "USD")
PARTNER = PartnerRow(uuid4(), "", "acme", "Acme", "", 30, True)
PARTNER = replace(PARTNER, id_text=str(PARTNER.id))
KEY = KeyRow(WEBSITE.id, sha256(b"sk_new").hexdigest(), "secret", ())
KNOWN = DirectoryListing((WEBSITE,), (KEY,), partners=(PARTNER,))


class Source:
    """Read models at `reached` of `written`; they have the key from `reached` >= `made_at` on."""

    def __init__(self, reached: int, written: int, made_at: int = 10**9, step: int = 0) -> None:
        self.reached, self.written, self.made_at, self.step = reached, written, made_at, step
        self.lookups = 0

    async def lookup(self, _kind: str, _names: Sequence[str]) -> DirectoryListing:
        self.lookups += 1
        return KNOWN if self.reached >= self.made_at else DirectoryListing()

    async def progress(self, _kind: str) -> tuple[int, int]:
        self.reached += self.step
        return self.reached, self.written

    def directory(self) -> Directory:
        return Directory(self.lookup, progress=self.progress)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "POLL_INTERVAL_S", 0.0)
    monkeypatch.setattr(subject, "CATCH_UP_S", 0.02)


def test_while_they_are_behind_the_answer_is_to_try_again_and_costs_one_look_up() -> None:
    source = Source(5, 6)
    directory = source.directory()
    for _ in range(10):
        with pytest.raises(Unavailable) as caught:
            asyncio.run(directory.key("sk_new"))
        assert caught.value.code == "directory_behind" and caught.value.retry_after >= 1
    assert source.lookups == 2


def test_a_key_that_comes_while_the_request_waits_is_good() -> None:
    source = Source(5, 8, made_at=7, step=1)
    key = asyncio.run(source.directory().key("sk_new"))
    assert key is not None and key.website == WEBSITE


def test_a_write_after_the_first_miss_blocks_no_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "BEHIND_S", 0.0)
    source = Source(5, 6)
    directory = source.directory()
    with pytest.raises(Unavailable):
        asyncio.run(directory.key("sk_typo"))
    source.reached, source.written = 6, 9
    assert asyncio.run(directory.key("sk_typo")) is None


def test_when_nothing_is_outstanding_it_is_unknown_at_once() -> None:
    source = Source(6, 6)
    assert asyncio.run(source.directory().key("sk_typo")) is None
    assert asyncio.run(source.directory().link("no-link")) is None
    assert asyncio.run(source.directory().partner("no-partner")) is None


def test_a_partner_is_looked_up_only_when_it_is_not_known() -> None:
    source = Source(5, 6, made_at=5)
    directory = source.directory()
    for _ in range(3):
        found = asyncio.run(directory.partner("ACME"))
        assert found is not None and found.id == PARTNER.id
    assert source.lookups == 3  # what is held is too old to be believed
    directory.replace(KNOWN, time())
    for named in ("acme", "Acme", PARTNER.id_text, PARTNER.id_text.upper()):
        assert asyncio.run(directory.partner(named)) == PARTNER
    assert source.lookups == 3
    source.made_at = 10**9
    with pytest.raises(Unavailable) as caught:
        asyncio.run(directory.partner("fresh"))
    assert caught.value.code == "directory_behind"


def test_a_name_that_nothing_can_have_is_neither_looked_up_nor_remembered() -> None:
    """Else 10,000 events of 32 KB each would stay in memory as names of links."""
    source = Source(5, 6, made_at=10**9)
    directory = source.directory()
    assert asyncio.run(directory.link("x" * 129)) is None and asyncio.run(directory.partner("x" * 129)) is None
    assert source.lookups == 0 and not directory._missing
