"""Given what a statement reads, a request waits for these projections and says up to where it has read."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.datastructures import MutableHeaders

from query_api.analytics.annotations import _ANNOTATIONS
from query_api.kernel.own_writes import OwnWrites, projections_of
from query_api.kernel.positions import MAX_WAIT_S, PositionToken, parse
from query_api.leads import admin as leads
from query_api.marketplace import listings


class Reached:
    """Positions of projections that do not move; remembers for what it was asked to wait."""

    def __init__(self, **positions: int) -> None:
        self.positions = positions
        self.waits: list[tuple[set[str], float]] = []

    def wait(self, tokens: Iterable[PositionToken], projections: Iterable[str], timeout_s: float) -> bool:
        names = set(projections)
        self.waits.append((names, timeout_s))
        return all(self.positions[name] >= token.offset for token in tokens for name in names)

    def domain_position(self, projections: Iterable[str]) -> int:
        return min(self.positions[name] for name in projections)


def begun(reached: Reached, wait_for: str) -> tuple[OwnWrites, MutableHeaders]:
    headers = MutableHeaders()
    return OwnWrites(reached, parse(wait_for), headers), headers


def test_a_statement_reads_the_tables_in_its_text() -> None:
    joined = (
        "SELECT * FROM read.links AS l JOIN read.partners AS p USING (partner_id) WHERE l.id = any(read.reader_deals())"
    )
    assert projections_of(joined) == {"links", "partners"}
    assert projections_of("SELECT count() FROM {visitors_15m:Identifier}, {refusals:Identifier}") == {
        "events",
        "refusals",
    }
    assert projections_of("SELECT 1 FROM engine.build") == set()


def test_each_projection_is_waited_for_once_and_the_last_one_says_where_the_answer_ends() -> None:
    reached = Reached(links=12, partners=9)
    own_writes, headers = begun(reached, "domain@8")
    own_writes.wait(frozenset({"links"}))
    assert headers["X-Position"] == "domain@12"
    own_writes.wait(frozenset({"links", "partners"}))
    assert [names for names, _ in reached.waits] == [{"links"}, {"partners"}]
    assert (headers["X-Position"], "X-Stale" in headers) == ("domain@9", False)


def test_what_is_not_there_in_time_makes_the_answer_stale() -> None:
    own_writes, headers = begun(Reached(links=12, partners=7), "domain@8")
    own_writes.wait(frozenset({"links"}))
    assert "X-Stale" not in headers
    own_writes.wait(frozenset({"partners"}))
    assert (headers["X-Position"], headers["X-Stale"]) == ("domain@7", "1")


def test_all_statements_together_wait_no_longer_than_one_may() -> None:
    reached = Reached(links=1, partners=1)
    own_writes, _ = begun(reached, "domain@8")
    own_writes.wait(frozenset({"links"}))
    own_writes.wait(frozenset({"partners"}))
    [(_, first), (_, second)] = reached.waits
    assert first == MAX_WAIT_S and 0 <= second < first


def test_who_has_written_nothing_waits_for_nothing() -> None:
    reached = Reached(links=3)
    own_writes, headers = begun(reached, "")
    own_writes.wait(frozenset({"links"}))
    assert (reached.waits, headers["X-Position"]) == ([], "domain@3")


def test_pages_that_did_not_wait_for_what_they_join_read_it_in_their_statements() -> None:
    assert "partners" in projections_of(_ANNOTATIONS)
    assert "accounts" in projections_of(leads._INQUIRY)
    assert {"listing_watches", "offers"} <= projections_of(listings._MINE)
