"""Calls of networks' report APIs over real connections: a server that the settings name, and what it does wrong."""

from __future__ import annotations

from datetime import timedelta

import pytest

from command_api.networks.pulling.apis import REPORT_APIS
from command_api.networks.pulling.awin import AwinTransactions
from command_api.networks.pulling.client import ReportClient, read_page
from command_api.networks.pulling.position import CallsLimited, CredentialsRefused, PullFailed, PullPosition, begin
from command_api.networks.pulling.report_api import PullAccount
from infra.kernel.config.settings import Settings
from tests.support.network_servers import CUT, AwinServer, CjServer, ImpactServer, NetworkServer, Sale, listening, utc

NOW = utc("2026-11-29T12:00:00")
CREDENTIALS = {"publisherId": "4711", "accountSid": "IRabc", "token": "a-token", "authToken": "a-token"}


def servers() -> list[tuple[str, NetworkServer]]:
    sales = [Sale(number, NOW - timedelta(days=number)) for number in range(1, 9)]
    return [
        ("awin", AwinServer(lambda: NOW, sales)),
        ("cj", CjServer(lambda: NOW, sales, publisher="4711", limit=100)),
        ("impact", ImpactServer(lambda: NOW, sales, page_size=100)),
    ]


def position_of(network: str, feed: str) -> PullPosition:
    plan = REPORT_APIS[network].plan(NOW - timedelta(days=20), NOW, is_deep=False)
    return begin(tuple(each for each in plan if each.feed == feed), NOW)


def client_of(network: str, url: str) -> ReportClient:
    return ReportClient.of(Settings(network_urls=((network, url),)))


def test_each_network_is_read_over_a_connection() -> None:
    for (network, server), feed in zip(servers(), ("transaction", "posting", "Actions"), strict=True):
        with listening(server) as url:
            account = PullAccount(CREDENTIALS)
            page, pause = read_page(client_of(network, url), REPORT_APIS[network], account, position_of(network, feed))
        assert (len(page.records), page.position.left, pause) == (8, (), timedelta(0)), network


def test_a_cut_connection_and_errors_are_failures() -> None:
    awin = REPORT_APIS["awin"]
    _, server = servers()[0]
    server.faults = {0: CUT, 1: 500, 2: 401, 3: 429}
    with listening(server) as url:
        client = client_of("awin", url)
        for kind in (PullFailed, PullFailed, CredentialsRefused, CallsLimited):
            with pytest.raises(kind):
                read_page(client, awin, PullAccount(CREDENTIALS), position_of("awin", "transaction"))


def test_an_inner_address_is_called_only_if_the_settings_name_it() -> None:
    _, server = servers()[0]
    with listening(server) as url:
        there = AwinTransactions(origin=url)
        with pytest.raises(PullFailed, match="cannot be reached"):
            read_page(client_of("cj", url), there, PullAccount(CREDENTIALS), position_of("awin", "transaction"))
    assert not server.calls
