"""The totals that choose tiers can be compared with the events and built again from them."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from threading import Event
from typing import LiteralString
from unittest.mock import patch
from uuid import uuid4

import orjson
import psycopg
import pytest

from command_api.conversions.lookups import MONTHLY_TOTALS
from command_api.inline_projections import INLINE_PROJECTIONS
from command_api.kernel import inline_rebuild
from infra.ops import projections
from infra.ops.audit.inline_projections import audit_inline_projections
from infra.ops.audit.report import DefectKind
from infra.ops.projections import InlineCommands
from projectors.registry import REGISTRY
from tests.support.accounting import Accounting
from tests.support.child_process import environment
from tests.support.policies import Shop

FAULTS: dict[str, LiteralString] = {
    "changed": "UPDATE lookup.monthly_total SET conversions = 1 WHERE website_id = %(website)s",
    "deleted": "DELETE FROM lookup.monthly_total WHERE website_id = %(website)s",
    "invented": "INSERT INTO lookup.monthly_total VALUES (%(other)s, %(other)s, '2026-01', 9, 9)",
}
TIERS = [{"atLeast": 5, "percent": 20}]


@dataclass(frozen=True)
class Ended:
    """What a command printed, and its exit code."""

    returncode: int
    stdout: str
    stderr: str


def althing(books: Accounting, *arguments: str) -> Ended:
    """`althing projections …` in the test's own process, which spares it two seconds of imports each time."""
    out, err = (TextIOWrapper(BytesIO(), write_through=True) for _ in range(2))
    with (
        patch.dict(os.environ, environment(books.world.settings), clear=True),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = projections.main(["projections", *arguments])
    return Ended(code, *(stream.detach().getvalue().decode() for stream in (out, err)))


def commission(books: Accounting, shop: Shop) -> int:
    """The partner's pending commission of this month, by the events."""
    states = [books.made.decided(conversion) for conversion in books.sales(shop, 1)]
    return sum(state.commission for state in states)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_row_changed_by_hand_is_found_and_rebuilt_and_pays_as_before(books: Accounting, fault: str) -> None:
    shop = books.shop(tiers=TIERS)
    books.sales(shop, 6)
    settings, postgres = books.world.settings, books.world.postgres
    assert audit_inline_projections(settings).is_clean
    total = "SELECT conversions, revenue FROM lookup.monthly_total WHERE website_id = %s"
    before, statement = postgres.execute(total, (shop.website_id,)).fetchall(), books.statement(shop)
    assert before == [(6, 7000)]
    match fault:
        case "changed":
            postgres.execute(
                "UPDATE lookup.monthly_total SET conversions = 1 WHERE website_id = %s", (shop.website_id,)
            )
        case "deleted":
            postgres.execute("DELETE FROM lookup.monthly_total WHERE website_id = %s", (shop.website_id,))
        case _:
            postgres.execute("INSERT INTO lookup.monthly_total VALUES (%s, %s, '2026-01', 9, 9)", (uuid4(), uuid4()))

    found = audit_inline_projections(settings)
    assert found.counts == {DefectKind.MISSING if fault == "deleted" else DefectKind.WRONG: 1}, found.as_text()
    verified = althing(books, "verify", "monthly_totals", "--json")
    assert (verified.returncode, orjson.loads(verified.stdout)["equal"]) == (2, False), verified.stderr
    rebuilt = althing(books, "rebuild", "monthly_totals", "--reason", "a row was changed by hand")
    assert rebuilt.returncode == 0, rebuilt.stderr
    assert "was rebuilt as generation" in rebuilt.stdout
    assert althing(books, "verify", "monthly_totals").returncode == 0

    assert audit_inline_projections(settings).is_clean
    assert postgres.execute(total, (shop.website_id,)).fetchall() == before
    assert books.statement(shop) == statement
    assert commission(books, shop) == 2000  # the seventh sale is still paid by the second tier


def test_a_rebuild_beside_live_decisions_misses_none(books: Accounting, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small batches, so that decisions come between them and before the swap."""
    monkeypatch.setattr(inline_rebuild, "BATCH_EVENTS", 3)
    shop, stop = books.shop(tiers=TIERS), Event()
    books.sales(shop, 5)

    def rebuild() -> int:
        rounds = 0
        with inline_rebuild.open_connection(books.world.settings) as connection:
            while not stop.is_set():
                inline_rebuild.rebuild(books.world.settings, connection, MONTHLY_TOTALS)
                rounds += 1
        return rounds

    with ThreadPoolExecutor(1) as beside:
        rounds = beside.submit(rebuild)
        states = [books.made.decided(conversion) for _ in range(4) for conversion in books.sales(shop, 5)]
        stop.set()
        assert rounds.result(60) > 1
    assert {state.commission for state in states} == {2000}
    assert audit_inline_projections(books.world.settings).is_clean


def test_an_interrupted_rebuild_leaves_the_tables_in_use(books: Accounting, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = books.shop()
    books.sales(shop, 2)

    def fail(*_: object) -> None:
        raise psycopg.OperationalError("the connection was lost")

    with inline_rebuild.open_connection(books.world.settings) as connection, monkeypatch.context() as patched:
        patched.setattr(inline_rebuild, "_swap", fail)
        with pytest.raises(psycopg.OperationalError):
            inline_rebuild.rebuild(books.world.settings, connection, MONTHLY_TOTALS)
    assert audit_inline_projections(books.world.settings).is_clean
    with inline_rebuild.open_connection(books.world.settings) as connection:
        before = inline_rebuild.tables_in_use(connection)["monthly_totals"].generation
        inline_rebuild.rebuild(books.world.settings, connection, MONTHLY_TOTALS)
        assert inline_rebuild.tables_in_use(connection)["monthly_totals"].generation == before + 1


def test_every_inline_projection_is_listed_under_a_name_of_its_own(books: Accounting) -> None:
    listed = [row["name"] for row in InlineCommands().rows(books.world.postgres)]
    assert listed == [projection.name for projection in INLINE_PROJECTIONS.projections]
    assert not set(listed) & {*REGISTRY.projections, *REGISTRY.rollups}
    refused = althing(books, "pause", "monthly_totals")
    assert refused.returncode == 1
    assert "is an inline projection" in refused.stderr
