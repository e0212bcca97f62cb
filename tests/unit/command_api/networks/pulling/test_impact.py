"""impact.com by its API: pages that change between two calls, the feed of updates, the limit that its headers name."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from functools import partial

from command_api.networks.pulling.position import CallsLimited, CredentialsRefused
from command_api.networks.reading.rows import ReportStatus
from tests.support.network_servers import CUT, ImpactServer, Sale
from tests.unit.command_api.networks.pulling.pulls import NOW, Clock, ids, pull_of, stored_names, total


def server_with(clock: Clock, count: int) -> ImpactServer:
    sales = [
        Sale(100 + number, NOW - timedelta(days=number % 60, hours=1 + number % 5), commission=f"{number + 2}.35")
        for number in range(count)
    ]
    return ImpactServer(clock, sales)


def test_every_page_of_every_stretch_is_read() -> None:
    clock = Clock()
    server = server_with(clock, 70)
    pull = pull_of(server, "impact", clock).run()
    assert not pull.problems
    assert ids(pull.rows()) == sorted(sale.id for sale in server.sales)
    assert total(pull.rows()) == sum(Decimal(sale.commission) for sale in server.sales)


def test_rows_that_leave_an_earlier_page_between_two_calls_hide_none() -> None:
    clock = Clock()
    server = server_with(clock, 30)

    def update() -> None:
        for sale in server.sales:
            if sale.id in (100, 101, 102):
                server.updates.append((NOW - timedelta(minutes=2), sale))
                sale.status, sale.changed_at = "approved", clock.at + timedelta(seconds=1)

    calls_for_updates = 3
    server.after_call = {calls_for_updates + 1: update}
    pull = pull_of(server, "impact", clock).run()
    read = ids(pull.rows())
    assert read == sorted(set(read))
    assert set(range(103, 130)) <= set(read)
    clock.at += timedelta(hours=1)
    later = pull_of(server, "impact", clock, pulled_until=NOW).run()
    assert {100, 101, 102} <= set(ids(later.rows()))


def test_an_update_stands_for_an_action_that_changed_again_meanwhile() -> None:
    clock = Clock()
    sale = Sale(7, NOW - timedelta(days=3), changed_at=NOW + timedelta(minutes=1), status="approved", commission="9.00")
    then = Sale(7, NOW - timedelta(days=3), commission="8.50")
    older = Sale(7, NOW - timedelta(days=3), commission="7.00")
    updates = [(NOW - timedelta(days=1), then), (NOW - timedelta(days=2), older)]
    server = ImpactServer(clock, [sale], updates=updates)
    [row] = pull_of(server, "impact", clock).run().rows()
    assert (row.txid, row.status, row.commission) == ("1000.4636.7", ReportStatus.PENDING, Decimal("8.50"))
    assert row.occurred_at == then.sold_at


def test_the_action_as_it_is_now_counts_and_not_an_earlier_update() -> None:
    clock = Clock()
    now = Sale(7, NOW - timedelta(days=3), changed_at=NOW - timedelta(minutes=5), status="approved")
    then = Sale(7, NOW - timedelta(days=3), status="reversed")
    server = ImpactServer(clock, [now], updates=[(NOW - timedelta(days=1), then)])
    [row] = pull_of(server, "impact", clock).run().rows()
    assert row.status is ReportStatus.APPROVED


def test_a_report_that_changes_with_every_call_is_read_in_ever_shorter_parts() -> None:
    clock = Clock()
    server = server_with(clock, 60)
    leaving = list(server.sales[:25])
    server.after_call = {2 + number: partial(server.sales.remove, sale) for number, sale in enumerate(leaving)}
    pull = pull_of(server, "impact", clock).run()
    assert not pull.problems
    read = ids(pull.rows())
    assert len(read) == len(set(read))
    assert {sale.id for sale in server.sales} <= set(read)


def test_no_call_follows_while_the_headers_say_that_none_is_left() -> None:
    clock = Clock()
    server = server_with(clock, 30)
    server.remaining = "0"
    pull_of(server, "impact", clock).run()
    gaps = {late - early for early, late in zip(server.calls, server.calls[1:], strict=False)}
    assert gaps == {timedelta(seconds=17)}


def test_a_limited_call_waits_and_a_cut_one_is_repeated() -> None:
    clock = Clock()
    server = server_with(clock, 30)
    server.faults = {2: 429, 4: CUT}
    pull = pull_of(server, "impact", clock).run()
    assert [type(problem) is CallsLimited for problem in pull.problems] == [True, False]
    assert ids(pull.rows()) == sorted(sale.id for sale in server.sales)


def test_a_token_without_the_permission_is_refused() -> None:
    clock = Clock()
    server = server_with(clock, 3)
    server.faults = {0: 403}
    assert [type(problem) for problem in pull_of(server, "impact", clock).run().problems] == [CredentialsRefused]


def test_nothing_of_a_customer_is_kept() -> None:
    clock = Clock()
    server = server_with(clock, 3)
    server.updates = [(sale.sold_at, sale) for sale in server.sales]
    names = stored_names(pull_of(server, "impact", clock).run())
    assert "Payout" in names and not names & {"CustomerCity", "Uri"}
