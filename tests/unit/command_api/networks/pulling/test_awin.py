"""Awin by its API: windows, feeds, the rate, and what fails on the way."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from random import Random

import pytest

from command_api.networks.pulling.position import CallsLimited, CredentialsRefused
from command_api.networks.reading.rows import ReportStatus
from tests.support.network_servers import CUT, MINUTE, AwinServer, Sale
from tests.unit.command_api.networks.pulling.pulls import NOW, Clock, ids, pull_of, stored_names, total


def server_with(clock: Clock, days: int, *, seed: int = 1) -> AwinServer:
    """Some sales of each of the last days; the older ones are decided."""
    random = Random(seed)
    sales: list[Sale] = []
    for number in range(days * 3):
        sold_at = NOW - timedelta(days=random.uniform(0, days), microseconds=7)
        is_decided = sold_at < NOW - timedelta(days=20)
        sales.append(
            Sale(
                1_000_000_000_000 + number,
                sold_at,
                commission=f"{random.randrange(1, 9_999) / 100:.2f}",
                status=random.choice(["approved", "declined"]) if is_decided else "pending",
                changed_at=sold_at + timedelta(days=19) if is_decided else None,
            )
        )
    return AwinServer(clock, sales)


def test_a_first_pull_has_every_sale_of_the_last_ninety_days_once() -> None:
    clock = Clock()
    server = server_with(clock, 89)
    pull = pull_of(server, "awin", clock).run()
    assert not pull.problems
    assert ids(pull.rows()) == sorted(sale.id for sale in server.sales)
    assert total(pull.rows()) == sum(Decimal(sale.commission) for sale in server.sales)


def test_times_are_read_in_the_zone_that_was_requested() -> None:
    clock = Clock()
    sold_at = NOW - timedelta(days=40)
    server = AwinServer(clock, [Sale(1, sold_at)], zone="Asia/Tokyo")
    [row] = pull_of(server, "awin", clock).run().rows()
    assert row.occurred_at == sold_at


def test_amounts_are_kept_as_they_are_written() -> None:
    clock = Clock()
    server = AwinServer(clock, [Sale(1, NOW - timedelta(days=1), commission="0.1", amount="1234567.89")])
    [row] = pull_of(server, "awin", clock).run().rows()
    assert (row.commission, row.sale) == (Decimal("0.1"), Decimal("1234567.89"))


def test_nothing_of_a_person_is_kept() -> None:
    clock = Clock()
    pull = pull_of(AwinServer(clock, [Sale(1, NOW - timedelta(days=1))]), "awin", clock).run()
    assert "id" in stored_names(pull) and not stored_names(pull) & {"ipHash", "url"}


def test_a_later_pull_has_sales_that_were_decided_since_however_old() -> None:
    clock = Clock()
    old = Sale(1, NOW - timedelta(days=300), status="approved", changed_at=NOW - timedelta(hours=1))
    seen = Sale(2, NOW - timedelta(days=100), status="approved", changed_at=NOW - timedelta(days=70))
    server = AwinServer(clock, [old, seen])
    pull = pull_of(server, "awin", clock, pulled_until=NOW - timedelta(hours=2)).run()
    [row] = pull.rows()
    assert (row.txid, row.status) == ("1", ReportStatus.APPROVED)


def test_an_amended_sale_is_found_by_the_time_of_its_amendment() -> None:
    clock = Clock()
    server = AwinServer(
        clock, [Sale(5, NOW - timedelta(days=200), changed_at=NOW - timedelta(hours=2), is_amended=True)]
    )
    pull = pull_of(server, "awin", clock, pulled_until=NOW - timedelta(hours=3)).run()
    assert ids(pull.rows()) == [5]
    assert sorted(target.rpartition("dateType=")[2] for target in server.targets) == [
        "amendment",
        "transaction",
        "validation",
    ]


def test_a_sale_that_the_network_adds_late_is_in_the_next_pull() -> None:
    clock = Clock()
    server = AwinServer(clock)
    pull_of(server, "awin", clock).run()
    before = clock.at
    server.sales.append(Sale(9, NOW - timedelta(days=1)))
    clock.at += timedelta(hours=1)
    assert ids(pull_of(server, "awin", clock, pulled_until=before).run().rows()) == [9]


def test_a_sale_that_is_decided_between_two_calls_is_in_the_file_once_as_decided() -> None:
    clock = Clock()
    sale = Sale(3, NOW - timedelta(hours=5))
    server = AwinServer(clock, [sale])

    def decide() -> None:
        sale.status, sale.changed_at = "approved", NOW - timedelta(seconds=1)

    calls_for_new_ones = 3
    server.after_call = {calls_for_new_ones - 1: decide}
    [row] = pull_of(server, "awin", clock).run().rows()
    assert row.status is ReportStatus.APPROVED


def test_the_documented_rate_is_never_exceeded() -> None:
    clock = Clock()
    server = server_with(clock, 89)
    for _ in range(4):
        assert not pull_of(server, "awin", clock).run().problems
    assert server.too_fast == 0
    assert len(server.calls) > 20
    assert all(late - early > MINUTE for early, late in zip(server.calls, server.calls[20:], strict=False))


def test_calls_limited_without_a_time_wait_a_minute_and_nothing_is_missing() -> None:
    clock = Clock()
    server = server_with(clock, 89)
    server.faults = {2: 429}
    pull = pull_of(server, "awin", clock).run()
    [problem] = pull.problems
    assert isinstance(problem, CallsLimited) and problem.wait == MINUTE
    assert server.calls[3] - server.calls[2] >= MINUTE
    assert ids(pull.rows()) == sorted(sale.id for sale in server.sales)


@pytest.mark.parametrize("fault", [CUT, 500, 503, 302])
def test_a_pull_that_fails_goes_on_where_it_stopped(fault: int | str) -> None:
    clock = Clock()
    server = server_with(clock, 89)
    server.faults = {1: fault, 2: fault, 5: fault}
    pull = pull_of(server, "awin", clock).run()
    assert len(pull.problems) == 3
    assert ids(pull.rows()) == sorted(sale.id for sale in server.sales)
    assert len(server.calls) == len(set(server.targets)) + 3


def test_a_token_that_expires_in_the_middle_ends_the_calls_and_a_new_one_goes_on() -> None:
    clock = Clock()
    server = server_with(clock, 89)

    def expire() -> None:
        server.token = "the next token"

    server.after_call = {3: expire}
    pull = pull_of(server, "awin", clock)
    pull.run()
    assert isinstance(pull.problems[-1], CredentialsRefused)
    assert len(server.calls) == 5
    pull.account = pull_of(server, "awin", clock).account
    pull.run()
    assert ids(pull.rows()) == sorted(sale.id for sale in server.sales)


def test_what_is_too_large_for_a_call_is_requested_in_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("command_api.networks.pulling.client.MAX_BYTES", 20_000)
    clock = Clock()
    server = server_with(clock, 89)
    pull = pull_of(server, "awin", clock).run()
    assert not pull.problems
    assert len(server.calls) > 9
    assert ids(pull.rows()) == sorted(sale.id for sale in server.sales)


def test_the_same_sales_make_the_same_file() -> None:
    clock = Clock()
    server = server_with(clock, 30)
    first = pull_of(server, "awin", clock).run()
    server.sales.reverse()
    second = pull_of(server, "awin", clock, pulled_until=None).run()
    assert first.content() == second.content()


def test_credentials_are_in_no_address_and_no_text_of_a_failure() -> None:
    clock = Clock()
    server = AwinServer(clock, token="t0p-secret")
    server.faults = {0: 401}
    pull = pull_of(server, "awin", clock).run()
    assert "t0p-secret" not in "".join([*server.targets, *map(str, pull.problems), repr(pull.account)])
