"""DNS as the checks ask it, against real name servers on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from ipaddress import ip_address, ip_network

import pytest

import infra.kernel.net.authoritative_dns
from command_api.domains.dns_check import DnsVerdict, judge
from infra.kernel.config.settings import Settings
from infra.kernel.net import dns_resolvers
from infra.kernel.net.authoritative_dns import AuthoritativeServers
from infra.kernel.net.dns_resolvers import LookupFailed, Resolvers, Texts
from tests.support.dns_server import DnsServer, dns_server

PATIENCE_S = 60.0
NAME, TOKEN = "_affiliate-challenge.go.example.com", "5a" * 20


@pytest.fixture(scope="module")
def running() -> Iterator[list[DnsServer]]:
    with ExitStack() as stack:
        resolving = [stack.enter_context(dns_server()) for _ in range(3)]
        owning = [stack.enter_context(dns_server(f"127.0.0.{last}", resolving[0].port)) for last in (2, 3)]
        yield [*resolving, *owning]


@pytest.fixture
def servers(running: list[DnsServer], monkeypatch: pytest.MonkeyPatch) -> list[DnsServer]:
    """They answer at once, however long that lasts on a busy machine; nobody asks them twice for an answer."""
    for module in (dns_resolvers, infra.kernel.net.authoritative_dns):
        monkeypatch.setattr(module, "LIFETIME_S", PATIENCE_S)
        monkeypatch.setattr(module, "_TRY_S", PATIENCE_S)
    for server in running:
        server.records.clear()
        server.asked.clear()
        server.failing = None
        server.is_authority = True
    return running


def asked(*servers: DnsServer) -> Resolvers:
    return Resolvers(Settings(dns_resolvers=tuple(server.address for server in servers)))


def verdict(*servers: DnsServer) -> DnsVerdict:
    return judge(NAME, TOKEN, asyncio.run(asked(*servers).texts(NAME)))[0]


def test_all_resolvers_see_the_token_among_other_records(servers: list[DnsServer]) -> None:
    for server in servers[:3]:
        server.set(NAME, "TXT", "v=spf1 -all", TOKEN)
    assert verdict(*servers[:3]) is DnsVerdict.PROVEN


@pytest.mark.parametrize("value", [TOKEN.upper(), f" {TOKEN}", f"{TOKEN} ", TOKEN[:-1], f"token={TOKEN}", f"{TOKEN}a"])
def test_only_the_exact_token_counts(servers: list[DnsServer], value: str) -> None:
    servers[0].set(NAME, "TXT", value)
    assert verdict(servers[0]) is DnsVerdict.MISSING


def test_a_record_in_several_strings_is_one_text(servers: list[DnsServer]) -> None:
    servers[0].set(NAME, "TXT", f'"{TOKEN[:10]}" "{TOKEN[10:]}"')
    assert verdict(servers[0]) is DnsVerdict.PROVEN


def test_one_that_sees_nothing_stands_against_all_others(servers: list[DnsServer]) -> None:
    for server in servers[:2]:
        server.set(NAME, "TXT", TOKEN)
    assert verdict(*servers[:3]) is DnsVerdict.DISPUTED
    servers[2].set(NAME, "TXT", "another")
    assert verdict(*servers[:3]) is DnsVerdict.DISPUTED


def test_one_that_cannot_tell_counts_for_nothing(servers: list[DnsServer]) -> None:
    servers[0].set(NAME, "TXT", TOKEN)
    servers[1].failing = "SERVFAIL"
    assert verdict(*servers[:2]) is DnsVerdict.PROVEN
    servers[0].set(NAME, "TXT")
    assert verdict(*servers[:2]) is DnsVerdict.MISSING
    servers[0].failing = "REFUSED"
    assert verdict(*servers[:2]) is DnsVerdict.UNANSWERED


def test_a_silent_server_is_a_timeout(servers: list[DnsServer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dns_resolvers, "LIFETIME_S", 0.3)
    servers[0].failing = "silent"
    [texts] = asyncio.run(asked(servers[0]).texts(NAME))
    assert texts.failure == "timeout"


def test_aliases_lead_to_the_record_up_to_a_limit(servers: list[DnsServer]) -> None:
    servers[0].set(NAME, "CNAME", "proof.dns-host.example")
    servers[0].set("proof.dns-host.example", "TXT", TOKEN)
    assert verdict(servers[0]) is DnsVerdict.PROVEN
    for number in range(6):
        servers[0].set(f"a{number}.example", "CNAME", f"a{number + 1}.example")
    servers[0].set("a6.example", "TXT", TOKEN)
    servers[0].set(NAME, "CNAME", "a0.example")
    [texts] = asyncio.run(asked(servers[0]).texts(NAME))
    assert texts.failure == "too many aliases"


def test_a_long_answer_comes_by_tcp(servers: list[DnsServer]) -> None:
    servers[0].set(NAME, "TXT", *(f"{number:03d}{'x' * 200}" for number in range(20)), TOKEN)
    assert verdict(servers[0]) is DnsVerdict.PROVEN


def test_nobody_answers_when_there_is_no_resolver() -> None:
    assert judge(NAME, TOKEN, ())[0] is DnsVerdict.UNANSWERED
    assert judge(NAME, TOKEN, (Texts("a", failure="timeout"),))[0] is DnsVerdict.UNANSWERED


@pytest.fixture
def zone(servers: list[DnsServer]) -> tuple[DnsServer, list[DnsServer], AuthoritativeServers]:
    """A resolver that knows the zone `example.com`, and the zone's two servers."""
    resolver, owners = servers[0], servers[3:]
    resolver.set("example.com", "SOA", "ns1.dns-host.example. admin.example.com. 1 3600 600 86400 60")
    resolver.set("example.com", "NS", "ns1.dns-host.example.", "ns2.dns-host.example.")
    resolver.set("ns1.dns-host.example", "A", "127.0.0.2")
    resolver.set("ns2.dns-host.example", "A", "127.0.0.3")
    return resolver, owners, AuthoritativeServers(asked(resolver), [ip_network("127.0.0.0/8")], resolver.port)


def told(authorities: AuthoritativeServers) -> list[Texts]:
    return sorted(asyncio.run(authorities.texts(NAME)), key=lambda texts: texts.server)


def test_the_zones_own_servers_are_asked_themselves(
    zone: tuple[DnsServer, list[DnsServer], AuthoritativeServers],
) -> None:
    resolver, (first, second), authorities = zone
    resolver.set(NAME, "TXT", TOKEN)
    assert [texts.values for texts in told(authorities)] == [(), ()], "what only resolvers remember is gone"
    first.set(NAME, "TXT", TOKEN, "else")
    second.set(NAME, "TXT", TOKEN)
    assert [set(texts.values) for texts in told(authorities)] == [{TOKEN.encode(), b"else"}, {TOKEN.encode()}]
    assert {texts.server for texts in told(authorities)} == {"ns1.dns-host.example.", "ns2.dns-host.example."}
    assert first.asked[-1] == (NAME, "TXT") and ("example.com", "NS") not in first.asked
    first.set(NAME, "TXT", *(f"{number:03d}{'x' * 200}" for number in range(20)), TOKEN)
    assert len(told(authorities)[0].values) == 21, "by TCP"


def test_servers_that_say_nothing_of_use_count_for_nothing(
    zone: tuple[DnsServer, list[DnsServer], AuthoritativeServers],
) -> None:
    _, (first, second), authorities = zone
    first.failing, second.is_authority = "REFUSED", False
    second.set(NAME, "TXT", TOKEN)
    assert [texts.failure for texts in told(authorities)] == ["no authority", "no authority"]
    first.failing, second.is_authority = None, True
    first.set(NAME, "CNAME", "elsewhere.example")
    assert [texts.failure for texts in told(authorities)] == ["an alias", None]


def test_a_record_that_is_an_alias_is_asked_of_the_zone_where_it_lies(
    zone: tuple[DnsServer, list[DnsServer], AuthoritativeServers],
) -> None:
    resolver, (first, _), authorities = zone
    resolver.set(NAME, "CNAME", "proof.dns-host.example")
    resolver.set("dns-host.example", "SOA", "ns1.dns-host.example. admin.example.com. 1 3600 600 86400 60")
    resolver.set("dns-host.example", "NS", "ns1.dns-host.example.")
    first.set("proof.dns-host.example", "TXT", TOKEN)
    assert [texts.values for texts in told(authorities)] == [(TOKEN.encode(),)]


def test_only_public_servers_are_asked_and_few_of_them(
    zone: tuple[DnsServer, list[DnsServer], AuthoritativeServers],
) -> None:
    resolver, (first, second), authorities = zone
    walled = AuthoritativeServers(asked(resolver), (), resolver.port)
    assert {texts.failure for texts in told(walled)} == {"no public address"}
    assert not first.asked and not second.asked
    resolver.set("example.com", "NS", *(f"ns{number}.many.example." for number in range(40)))
    for number in range(40):
        resolver.set(f"ns{number}.many.example", "A", "127.0.0.2")
    assert len(told(authorities)) == len(first.asked) == 4


def test_without_a_zone_or_in_too_long_a_time_nobody_is_asked(
    zone: tuple[DnsServer, list[DnsServer], AuthoritativeServers], monkeypatch: pytest.MonkeyPatch
) -> None:
    resolver, (first, second), authorities = zone
    monkeypatch.setattr(infra.kernel.net.authoritative_dns, "LIFETIME_S", 0.3)
    monkeypatch.setattr(infra.kernel.net.authoritative_dns, "_TRY_S", 1.0)
    first.failing = second.failing = "silent"
    assert told(authorities) == []
    resolver.set("example.com", "SOA")
    assert told(authorities) == []
    resolver.failing = "SERVFAIL"
    assert told(authorities) == []


def test_addresses_are_of_both_families_or_not_told(servers: list[DnsServer]) -> None:
    servers[0].set("go.example.com", "A", "192.0.2.1")
    servers[0].set("go.example.com", "AAAA", "2001:db8::1")
    found = asyncio.run(asked(servers[0]).addresses("go.example.com"))
    assert list(found) == [ip_address("192.0.2.1"), ip_address("2001:db8::1")]
    servers[1].failing = "SERVFAIL"
    assert asyncio.run(asked(servers[1], servers[0]).addresses("go.example.com")) == found
    with pytest.raises(LookupFailed):
        asyncio.run(asked(servers[1]).addresses("go.example.com"))
