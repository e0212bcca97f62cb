"""The load generator's traffic is seeded, and its ledger reads back whatever moment it was killed at."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from infra.kernel.postgres.memory_rows import MemoryRows
from infra.ops.audit.load_ledger import read_ledger
from infra.ops.audit.reference_projections import REFERENCES, Place
from projectors.read_models.partners.partners import PARTNERS
from schemas.events.partners import CommissionChanged, PartnerRegistered, Terms
from tests.support.load import Ledger, _outcomes, main
from tests.support.traffic import Target, Traffic

WEBSITE = "0192f3a0-0000-7000-8000-000000000002"
TARGET = Target("http://127.0.0.1:1", WEBSITE, "pk_site", "sk_secret", "pb_token", ("slug",))


def test_the_same_seed_makes_the_same_requests() -> None:
    first, second, other = Traffic(TARGET, 1), Traffic(TARGET, 1), Traffic(TARGET, 2)
    calls = [first.next() for _ in range(300)]
    assert calls == [second.next() for _ in range(300)]
    assert calls != [other.next() for _ in range(300)]
    assert {call.name for call in calls} > {"single", "beacon", "batch", "ndjson", "gzip", "sale", "lead", "postback"}


def test_what_is_written_to_the_ledger_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"

    async def write() -> None:
        ledger = Ledger(path)
        sent = [{"id": str(n), "website": "w", "kind": "event", "expect": {"value": n}} for n in range(50)]
        await asyncio.gather(*(ledger.write([line]) for line in sent))
        await ledger.write([{"id": str(n), "website": "w", "answer": "accepted"} for n in range(0, 50, 2)])
        ledger.close()

    asyncio.run(write())
    found = read_ledger(path)
    assert len(found) == 50
    assert found["w", "4"].answers == {"accepted"} and not found["w", "5"].answers
    assert found["w", "7"].expect == {"value": 7}


def test_a_repeat_keeps_what_was_expected_first_and_a_torn_last_line_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    first = '{"id":"a","website":"w","kind":"event","expect":{"value":1}}\n'
    path.write_text(first + first.replace(":1}", ":2}") + '{"id":"a","webs')
    assert read_ledger(path)["w", "a"].expect == {"value": 1}
    path.write_text('{"id":"a","webs\n' + first)
    with pytest.raises(ValueError, match="line 1"):
        read_ledger(path)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_no_clear_answer_means_sending_again(status: int) -> None:
    assert _outcomes(Traffic(TARGET, 1).next(), httpx.Response(status)) is None


def test_a_batch_is_answered_item_by_item() -> None:
    traffic = Traffic(TARGET, 3)
    call = next(call for call in (traffic.next() for _ in range(500)) if call.name == "mixed")
    answer = httpx.Response(202, json={"accepted": 4, "rejected": [{"index": 1}, {"index": 4}]})
    assert _outcomes(call, answer) == ["accepted", "refused", "accepted", "accepted", "refused", "accepted"]
    assert _outcomes(call, httpx.Response(401)) == ["refused"] * 6


def test_announced_terms_are_rows_of_their_own_and_not_yet_the_programs() -> None:
    at, begin, partner = datetime(2026, 5, 17, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC), uuid4()
    step: dict[str, Any] = {"originator_id": partner, "timestamp": at, "actor_id": None}
    home, terms = {"name": "P", "slug": "p", "base_url": "https://p.example"}, Terms(rate_bp=1000)
    events = [
        PartnerRegistered(**step, originator_version=1, **home, terms=terms),
        CommissionChanged(**step, originator_version=2, terms=Terms(rate_bp=2000), effective_from=begin),
        CommissionChanged(**step, originator_version=3, terms=Terms(rate_bp=3000), effective_from=begin),
    ]
    partners = MemoryRows(PARTNERS.key)
    over_time: dict[Any, Any] = {}
    for position, event in enumerate(events):
        PARTNERS.handlers[type(event)](partners, event)
        REFERENCES["partner_terms"](over_time, event, Place(position, position))
    assert partners.rows[(partner,)]["terms"]["rate_bp"] == 1000
    assert {key[1]: row["terms"]["rate_bp"] for key, row in over_time.items()} == {at: 1000, begin: 3000}


def test_the_command_says_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([])
    assert "--website" in capsys.readouterr().err
