"""DNS as the checks ask it, against real name servers on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from ipaddress import ip_address

import pytest

from command_api.domains.looking import Verdict, judge
from infra import resolvers
from infra.resolvers import LookupFailed, Resolvers, Texts
from infra.settings import Settings
from tests.support.dns_server import DnsServer, dns_server

NAME, TOKEN = "_affiliate-challenge.go.example.com", "5a" * 20


@pytest.fixture(scope="module")
def running() -> Iterator[list[DnsServer]]:
    with ExitStack() as stack:
        yield [stack.enter_context(dns_server()) for _ in range(3)]


@pytest.fixture
def servers(running: list[DnsServer]) -> list[DnsServer]:
    for server in running:
        server.records.clear()
        server.asked.clear()
        server.failing = None
    return running


def asked(*servers: DnsServer) -> Resolvers:
    return Resolvers(Settings(dns_resolvers=tuple(server.address for server in servers)))


def verdict(*servers: DnsServer) -> Verdict:
    return judge(NAME, TOKEN, asyncio.run(asked(*servers).texts(NAME)))[0]


def test_all_resolvers_see_the_token_among_other_records(servers: list[DnsServer]) -> None:
    for server in servers:
        server.set(NAME, "TXT", "v=spf1 -all", TOKEN)
    assert verdict(*servers) is Verdict.PROVEN


@pytest.mark.parametrize("value", [TOKEN.upper(), f" {TOKEN}", f"{TOKEN} ", TOKEN[:-1], f"token={TOKEN}", f"{TOKEN}a"])
def test_only_the_exact_token_counts(servers: list[DnsServer], value: str) -> None:
    servers[0].set(NAME, "TXT", value)
    assert verdict(servers[0]) is Verdict.MISSING


def test_a_record_in_several_strings_is_one_text(servers: list[DnsServer]) -> None:
    servers[0].set(NAME, "TXT", f'"{TOKEN[:10]}" "{TOKEN[10:]}"')
    assert verdict(servers[0]) is Verdict.PROVEN


def test_one_that_sees_nothing_stands_against_all_others(servers: list[DnsServer]) -> None:
    for server in servers[:2]:
        server.set(NAME, "TXT", TOKEN)
    assert verdict(*servers) is Verdict.DISPUTED
    servers[2].set(NAME, "TXT", "another")
    assert verdict(*servers) is Verdict.DISPUTED


def test_one_that_cannot_tell_counts_for_nothing(servers: list[DnsServer]) -> None:
    servers[0].set(NAME, "TXT", TOKEN)
    servers[1].failing = "SERVFAIL"
    assert verdict(*servers[:2]) is Verdict.PROVEN
    servers[0].set(NAME, "TXT")
    assert verdict(*servers[:2]) is Verdict.MISSING
    servers[0].failing = "REFUSED"
    assert verdict(*servers[:2]) is Verdict.UNANSWERED


def test_silence_ends(servers: list[DnsServer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolvers, "LIFETIME_S", 0.3)
    servers[0].failing = "silent"
    [texts] = asyncio.run(asked(servers[0]).texts(NAME))
    assert texts.failure == "timeout"


def test_aliases_lead_to_the_record_but_not_for_ever(servers: list[DnsServer]) -> None:
    servers[0].set(NAME, "CNAME", "proof.dns-host.example")
    servers[0].set("proof.dns-host.example", "TXT", TOKEN)
    assert verdict(servers[0]) is Verdict.PROVEN
    for number in range(6):
        servers[0].set(f"a{number}.example", "CNAME", f"a{number + 1}.example")
    servers[0].set("a6.example", "TXT", TOKEN)
    servers[0].set(NAME, "CNAME", "a0.example")
    [texts] = asyncio.run(asked(servers[0]).texts(NAME))
    assert texts.failure == "too many aliases"


def test_a_long_answer_comes_by_tcp(servers: list[DnsServer]) -> None:
    servers[0].set(NAME, "TXT", *(f"{number:03d}{'x' * 200}" for number in range(20)), TOKEN)
    assert verdict(servers[0]) is Verdict.PROVEN


def test_nobody_answers_when_there_is_no_resolver() -> None:
    assert judge(NAME, TOKEN, ())[0] is Verdict.UNANSWERED
    assert judge(NAME, TOKEN, (Texts("a", failure="timeout"),))[0] is Verdict.UNANSWERED


def test_addresses_are_of_both_families_or_not_told(servers: list[DnsServer]) -> None:
    servers[0].set("go.example.com", "A", "192.0.2.1")
    servers[0].set("go.example.com", "AAAA", "2001:db8::1")
    found = asyncio.run(asked(servers[0]).addresses("go.example.com"))
    assert list(found) == [ip_address("192.0.2.1"), ip_address("2001:db8::1")]
    servers[1].failing = "SERVFAIL"
    assert asyncio.run(asked(servers[1], servers[0]).addresses("go.example.com")) == found
    with pytest.raises(LookupFailed):
        asyncio.run(asked(servers[1]).addresses("go.example.com"))
