"""The table of networks' report files: complete, unambiguous, and what docs/networks.md promises of it."""

from __future__ import annotations

import re

import pytest

from schemas.network_reports import COMMON, MAPPED, NETWORK_REPORTS, read_layouts, reports_of
from schemas.networks import NETWORKS
from schemas.networks_docs import page
from schemas.zones import available_timezones

NECESSARY = {"txid", "occurred_at", "commission"}


@pytest.mark.parametrize("network", sorted(NETWORKS))
def test_every_network_has_the_necessary_columns(network: str) -> None:
    columns = reports_of(network).columns
    assert {field for field in NECESSARY if not columns.get(field)} <= ({"txid"} if network == "amazon" else set())


@pytest.mark.parametrize("network", sorted(NETWORK_REPORTS))
def test_a_list_has_no_header_twice(network: str) -> None:
    for field, headers in NETWORK_REPORTS[network].columns.items():
        assert len(headers) == len(set(headers)), field


def test_an_exact_layout_is_recognized_by_its_headers_and_a_zone_exists() -> None:
    for network, reports in NETWORK_REPORTS.items():
        assert bool(reports.marks) == bool(reports.layouts), network
        assert reports.timezone in available_timezones() | {""}
    assert not NETWORK_REPORTS[COMMON].layouts


def test_the_page_says_of_each_network_what_is_read() -> None:
    arrivals = dict(re.findall(r"(?m)^\|[^|]*\| `([\w-]+)` \|.*\| ([^|]+) \|$", page()))
    assert arrivals.keys() == NETWORKS.keys()
    for network, arrival in arrivals.items():
        assert arrival.endswith(", ".join(read_layouts(network)))
    assert arrivals["awin"] == f"postback, report API, Awin JSON, {MAPPED}"
    assert arrivals["rakuten"] == f"Rakuten Signature Orders file, {MAPPED}"
    assert "nothing yet" not in page()
