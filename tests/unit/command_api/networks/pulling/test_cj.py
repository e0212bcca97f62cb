"""CJ by its API: answers that are incomplete, two feeds, the currency."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from command_api.networks.pulling.report_api import PullAccount
from command_api.networks.reading.rows import ReportStatus
from tests.support.network_servers import CUT, CjServer, Sale
from tests.unit.command_api.networks.pulling.pulls import NOW, Clock, ids, pull_of, total


def server_with(clock: Clock, count: int) -> CjServer:
    sales = [
        Sale(500 + number, NOW - timedelta(days=number % 80, hours=number % 7 + 1), commission=f"{number + 1}.05")
        for number in range(count)
    ]
    return CjServer(clock, sales)


def test_incomplete_answers_are_continued_until_nothing_is_missing() -> None:
    clock = Clock()
    server = server_with(clock, 50)
    pull = pull_of(server, "cj", clock).run()
    assert not pull.problems and server.too_fast == 0
    assert ids(pull.rows()) == sorted(sale.id for sale in server.sales)
    assert total(pull.rows()) == sum(Decimal(sale.commission) for sale in server.sales)


def test_an_incomplete_answer_that_does_not_say_where_it_goes_on_is_a_failure() -> None:
    clock = Clock()
    server = server_with(clock, 50)
    server.names_end = False
    server.after_call = {4: lambda: setattr(server, "names_end", True)}
    pull = pull_of(server, "cj", clock).run()
    assert {str(problem) for problem in pull.problems} == {
        "CJ's answer is incomplete and does not say where it goes on."
    }
    assert ids(pull.rows()) == sorted(sale.id for sale in server.sales)


def test_a_commission_that_is_posted_between_two_answers_is_not_missed() -> None:
    clock = Clock()
    server = server_with(clock, 50)
    server.after_call = {2: lambda: server.sales.append(Sale(900, NOW - timedelta(days=45)))}
    pull = pull_of(server, "cj", clock).run()
    assert ids(pull.rows()) == sorted(sale.id for sale in server.sales)


def test_cut_connections_lose_and_double_nothing() -> None:
    clock = Clock()
    server = server_with(clock, 50)
    server.faults = {1: CUT, 4: CUT, 9: 502}
    pull = pull_of(server, "cj", clock).run()
    assert len(pull.problems) == 3
    assert ids(pull.rows()) == sorted(sale.id for sale in server.sales)


def test_a_commission_that_is_locked_later_is_found_by_that_day() -> None:
    clock = Clock()
    locked = Sale(1, NOW - timedelta(days=150), status="approved", changed_at=NOW - timedelta(days=2))
    server = CjServer(clock, [locked])
    [row] = pull_of(server, "cj", clock, pulled_until=NOW - timedelta(hours=1)).run().rows()
    assert row.status is ReportStatus.APPROVED


def test_amounts_are_in_usd_unless_the_accounts_currency_is_known() -> None:
    clock = Clock()
    server = server_with(clock, 1)
    pull = pull_of(server, "cj", clock)
    assert [row.currency for row in pull.run().rows()] == ["USD"]
    own = pull_of(server, "cj", clock)
    own.account = PullAccount(own.account.credentials, "SEK")
    assert [row.currency for row in own.run().rows()] == ["SEK"]


def test_a_query_that_the_network_does_not_answer_is_a_failure_and_not_an_empty_report() -> None:
    clock = Clock()
    server = server_with(clock, 5)
    server.longest = timedelta(days=7)
    server.after_call = {2: lambda: setattr(server, "longest", timedelta(days=31))}
    pull = pull_of(server, "cj", clock).run()
    assert len(pull.problems) == 3
    assert ids(pull.rows()) == sorted(sale.id for sale in server.sales)
