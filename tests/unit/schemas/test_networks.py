"""The table of networks, and the click id that a link passes to them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import click_id
from schemas.click_id_links import passes_click_id, with_click_id
from schemas.networks import NETWORKS, NetworkKind, Reports, click_id_parameter, network_of_host

EARLIER = {"default", "voluum", "keitaro", "affise", "redtrack", "binom", "everflow", "tune", "affonso", "impact"}
EARLIER |= {"awin", "pap", "names"}


def test_presets_of_earlier_versions_keep_their_names() -> None:
    assert set(NETWORKS) >= EARLIER


def test_there_are_more_than_forty_networks_and_each_says_where_it_is_documented() -> None:
    named = [one for one in NETWORKS.values() if one.kind is not NetworkKind.GENERIC]
    assert len(named) >= 40
    assert [one.slug for one in named if not one.source] == []
    assert len({one.name for one in NETWORKS.values()}) == len(NETWORKS)


def test_every_click_id_parameter_takes_a_whole_click_id() -> None:
    too_short = [one.slug for one in NETWORKS.values() if one.max_length and one.max_length < click_id.LENGTH]
    assert too_short == []


def test_a_network_that_sends_no_postback_has_no_placeholders() -> None:
    assert [one.slug for one in NETWORKS.values() if one.reports is not Reports.POSTBACK and one.postback] == []


def test_every_postback_returns_the_click_id() -> None:
    for network in NETWORKS.values():
        ours = {network.names.get(name, name) for name in network.postback}
        assert not ours or "click_id" in ours, network.slug


def test_every_status_is_a_known_status() -> None:
    for network in NETWORKS.values():
        assert set(network.statuses.values()) <= {"pending", "approved", "rejected", "reversed", "hold"}, network.slug
        assert all(word == word.lower() for word in network.statuses), network.slug


def test_a_host_belongs_to_one_network() -> None:
    hosts = [host for network in NETWORKS.values() for host in network.hosts]
    assert len(hosts) == len(set(hosts))
    assert all(re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", host) for host in hosts)


def test_a_parameter_marks_the_links_of_one_network() -> None:
    marks = [mark for network in NETWORKS.values() for mark in network.marks]
    assert len(marks) == len(set(marks)) and all(re.fullmatch(r"[a-z_]+", mark) for mark in marks)


@pytest.mark.parametrize(
    ("host", "slug"),
    [
        ("www.awin1.com", "awin"),
        ("AWIN1.com.", "awin"),
        ("merchant.pxf.io", "impact"),
        ("a.b.linksynergy.com", "rakuten"),
        ("www.amazon.co.uk", "amazon"),
        ("notawin1.com", None),
        ("awin1.com.evil.example", None),
        ("com", None),
        ("", None),
    ],
)
def test_a_link_is_recognised_by_its_host(host: str, slug: str | None) -> None:
    found = network_of_host(host)
    assert (found.slug if found else None) == slug


def test_a_partner_has_its_own_parameter_or_its_networks() -> None:
    assert click_id_parameter(None, "awin") == "clickref"
    assert click_id_parameter("ref2", "awin") == "ref2"
    assert [click_id_parameter(None, preset) for preset in (None, "amazon", "gone")] == ["", "", ""]


@pytest.mark.parametrize(
    ("destination", "parameter", "expected"),
    [
        ("https://x.example", "sub1", "https://x.example?sub1={click_id}"),
        ("https://x.example/a?b=1", "sub1", "https://x.example/a?b=1&sub1={click_id}"),
        ("https://x.example/a?b=%20c#top", "sub1", "https://x.example/a?b=%20c&sub1={click_id}#top"),
        ("https://x.example/a?", "sub1", "https://x.example/a?sub1={click_id}"),
        ("https://x.example/#a?b", "sub1", "https://x.example/?sub1={click_id}#a?b"),
        ("https://x.example/?sub1=mine", "sub1", "https://x.example/?sub1=mine"),
        ("https://x.example/?sub1=&b=1", "sub1", "https://x.example/?b=1&sub1={click_id}"),
        ("https://x.example/?sub1", "sub1", "https://x.example/?sub1={click_id}"),
        ("https://x.example/?s%75b1=mine", "sub1", "https://x.example/?s%75b1=mine"),
        ("https://x.example/?Sub1=mine", "sub1", "https://x.example/?Sub1=mine&sub1={click_id}"),
        ("https://x.example/?c={click_id}", "sub1", "https://x.example/?c={click_id}"),
        ("https://x.example/{clickid}", "sub1", "https://x.example/{clickid}"),
        (
            "https://track.adtraction.com/t/t?a=1&url=https://shop.example/?p=2",
            "epi",
            "https://track.adtraction.com/t/t?a=1&epi={click_id}&url=https://shop.example/?p=2",
        ),
        (
            "https://www.awin1.com/cread.php?ued=https%3A%2F%2Fshop.example%2F&awinmid=1",
            "clickref",
            "https://www.awin1.com/cread.php?ued=https%3A%2F%2Fshop.example%2F&awinmid=1&clickref={click_id}",
        ),
        ("https://prf.hn/click/camref:1", "pubref:", "https://prf.hn/click/camref:1/pubref:{click_id}"),
        (
            "https://prf.hn/click/camref:1/destination:https://shop.example/?a=1",
            "pubref:",
            "https://prf.hn/click/camref:1/pubref:{click_id}/destination:https://shop.example/?a=1",
        ),
        ("https://prf.hn/click/camref:1/pubref:me", "pubref:", "https://prf.hn/click/camref:1/pubref:me"),
        ("https://x.example/links/1/dlg/https://y.example", "sid", "https://x.example/links/1/dlg/https://y.example"),
        ("https://x.example/a", "", "https://x.example/a"),
    ],
)
def test_the_click_id_is_added_once_and_in_its_place(destination: str, parameter: str, expected: str) -> None:
    assert with_click_id(destination, parameter) == expected
    assert with_click_id(expected, parameter) == expected
    assert passes_click_id(destination, parameter) is ("{click" in expected)


@given(st.text(alphabet="abc&=?#%/:.{}+", max_size=40), st.sampled_from(["sub1", "epi", "pubref:"]))
def test_nothing_of_the_destination_is_lost(rest: str, parameter: str) -> None:
    destination = "https://x.example/" + rest
    made = with_click_id(destination, parameter)
    added = f"{parameter}{{click_id}}" if parameter.endswith(":") else f"{parameter}={{click_id}}"
    if made != destination:
        assert made.count(added) == destination.count(added) + 1
        assert made.partition("#")[2] == destination.partition("#")[2]
        left = [part for part in re.split(r"[?&]|/(?=pubref:)", made.partition("#")[0]) if part != added]
        assert "".join(left).replace("/", "") == re.sub(r"[?&/]", "", destination.partition("#")[0])
