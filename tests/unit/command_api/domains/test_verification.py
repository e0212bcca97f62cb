"""Custom domains: given this history and this look, then these events, this pause, this mail."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from command_api.domains import model
from command_api.domains.dns_check import DnsResult, DnsVerdict
from command_api.domains.model import Domain, Host
from command_api.domains.verification import CheckOutcome, CheckRecord, OwnerNotice, evaluate, unverified_interval
from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.websites.model import Website
from schemas.events.domains import HostClaimed
from schemas.identity import domain_id, host_id
from tests.support.events import names
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 5, 17, 10, tzinfo=UTC)
DAY = timedelta(days=1)
ACCOUNT, OTHER, WEBSITE = uuid4(), uuid4(), uuid4()
NAME, TOKEN = "go.example.com", "5a" * 20
ID = domain_id(ACCOUNT, NAME)
SITE = Website(WEBSITE, 1, ACCOUNT, "example.com", "UTC", "USD", NOW)


def context(at: datetime = NOW, account: UUID | None = ACCOUNT) -> CommandContext:
    return CommandContext(at, account)


def pending() -> Domain:
    return model.evolve(None, model.add(ID, None, SITE, domain=NAME, token=TOKEN, context=context()))


def verified() -> Domain:
    domain = pending()
    return model.evolve(domain, model.verify(domain, None, context())[0])


def seen(verdict: DnsVerdict, tls_problem: str | None = "no TLS", token: str = TOKEN) -> DnsResult:
    return DnsResult(token, verdict, None if verdict is DnsVerdict.PROVEN else "problem", tls_problem)


def settled(
    domain: Domain,
    record: CheckRecord,
    verdict: DnsVerdict,
    at: datetime = NOW,
    tls_problem: str | None = "no TLS",
    token: str = TOKEN,
) -> CheckOutcome:
    return evaluate(domain, held_by(domain), record, seen(verdict, tls_problem, token), context(at, None))


def held_by(domain: Domain) -> Host | None:
    return Host(1, domain.id) if domain.is_verified else None


def test_a_domain_begins_with_a_token_and_a_week() -> None:
    domain = pending()
    assert (domain.token, domain.expires_at, domain.state(NOW)) == (TOKEN, NOW + 7 * DAY, "pending")
    assert domain.state(NOW + 7 * DAY) == "expired"
    assert len(model.new_token()) == 40 and model.new_token() != model.new_token()


def test_the_same_name_is_added_once_until_it_is_over() -> None:
    given().when(model.add, ID, pending(), SITE, domain=NAME, token="other" * 8, context=context(NOW + 6 * DAY)).then(
        rejected("domain_exists")
    )
    again = model.add(ID, pending(), SITE, domain=NAME, token="other" * 8, context=context(NOW + 8 * DAY))
    assert (again.originator_version, again.token) == (2, "other" * 8)


def test_websites_of_others_are_not_there() -> None:
    for action in (
        lambda: model.add(ID, None, SITE, domain=NAME, token=TOKEN, context=context(account=OTHER)),
        lambda: model.require_owned_domain(pending(), context(account=OTHER)),
    ):
        with pytest.raises(CommandRejected) as refused:
            action()
        assert refused.value.kind == "missing"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "bad_host"),
        ("127.0.0.1", "bad_host"),
        ("2130706433", "bad_host"),
        ("0x7f.1", "bad_host"),
        ("[::1]", "bad_host"),
        ("co.uk", "bad_host"),
        ("github.io", "bad_host"),
        ("localhost", "bad_host"),
        ("go.example.com/path", "bad_host"),
        ("go.example.com:8080", "bad_host"),
        ("user@example.com", "bad_host"),
        ("shop.internal", "bad_host"),
        (".".join(["a" * 60] * 4) + ".com", "bad_host"),
        ("app.althing.example", "own_host"),
        ("www.app.althing.example", "own_host"),
    ],
)
def test_names_that_cannot_be_a_publishers(text: str, code: str) -> None:
    given().when(model.checked_name, text, {"app.althing.example"}).then(rejected(code))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("https://Go.Example.COM/", "go.example.com"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("a.co.uk", "a.co.uk"),
    ],
)
def test_names_take_one_form(text: str, name: str) -> None:
    assert model.checked_name(text, {"althing.example"}) == name


def test_a_proven_one_is_verified_and_has_its_name() -> None:
    found = settled(pending(), CheckRecord(), DnsVerdict.PROVEN)
    assert names(list(found.events)) == ["domain.verified", "host.claimed"]
    reserved = found.events[1]
    assert isinstance(reserved, HostClaimed)
    assert (reserved.originator_id, reserved.domain_id) == (host_id(NAME), ID)
    assert found.domain.is_verified and found.record.next_at == NOW + timedelta(seconds=10)


def test_a_name_that_another_has_stays_with_the_other() -> None:
    found = evaluate(pending(), Host(1, uuid4()), CheckRecord(), seen(DnsVerdict.PROVEN), context(account=None))
    assert found.events == () and not found.domain.is_verified
    assert found.record.problem == f"{NAME} is in use by another website."
    after = evaluate(pending(), Host(2, None), CheckRecord(), seen(DnsVerdict.PROVEN), context(account=None))
    assert after.events[1].originator_version == 3


@pytest.mark.parametrize("verdict", [DnsVerdict.MISSING, DnsVerdict.DISPUTED, DnsVerdict.UNANSWERED])
def test_an_unproven_one_waits_ever_longer_and_ends(verdict: DnsVerdict) -> None:
    pauses = [unverified_interval(timedelta(seconds=age)) for age in (0, 700, 8000, 90000)]
    assert pauses == sorted(set(pauses))
    found = settled(pending(), CheckRecord(), verdict, NOW + timedelta(days=6, hours=23))
    assert (found.events, found.record.next_at) == ((), NOW + 7 * DAY)
    over = settled(pending(), CheckRecord(), DnsVerdict.PROVEN, NOW + 7 * DAY)
    assert (over.events, over.record.next_at) == ((), None)


def test_a_look_for_an_older_token_decides_nothing() -> None:
    found = settled(pending(), CheckRecord(), DnsVerdict.PROVEN, token="older" * 8)
    assert (found.events, found.record.next_at) == ((), NOW)


def daily(domain: Domain, verdicts: list[DnsVerdict], record: CheckRecord | None = None) -> list[CheckOutcome]:
    """One look a day."""
    record, found = record or CheckRecord(), list[CheckOutcome]()
    for day, verdict in enumerate(verdicts):
        found.append(settled(domain, record, verdict, NOW + day * DAY))
        domain, record = found[-1].domain, found[-1].record
    return found


def test_a_verified_domain_is_lost_after_seven_days_and_its_owner_is_notified_before_and_after() -> None:
    days = daily(verified(), [DnsVerdict.MISSING] * 8)
    assert [bool(day.events) for day in days] == [False] * 7 + [True]
    assert names(list(days[7].events)) == ["domain.verification_lost", "host.released"]
    assert [day.news for day in days] == [None, OwnerNotice.MISSING, *[None] * 5, OwnerNotice.LOST]
    assert days[7].domain.state(NOW + 7 * DAY) == "lost"
    back = settled(days[7].domain, days[7].record, DnsVerdict.PROVEN, NOW + 8 * DAY)
    assert names(list(back.events)) == ["domain.verified", "host.claimed"]


def test_a_restored_record_restarts_the_week() -> None:
    days = daily(verified(), [*[DnsVerdict.MISSING] * 6, DnsVerdict.PROVEN, *[DnsVerdict.DISPUTED] * 7])
    assert not any(day.events for day in days)
    assert [number for number, day in enumerate(days) if day.news] == [1, 8]


def test_a_dns_that_does_not_answer_takes_nothing_away() -> None:
    days = daily(verified(), [DnsVerdict.UNANSWERED] * 60)
    assert not any(day.events or day.news for day in days)


def test_looking_often_does_not_make_it_sooner() -> None:
    domain, record = verified(), CheckRecord()
    for minute in range(600):
        found = settled(domain, record, DnsVerdict.MISSING, NOW + timedelta(minutes=minute))
        record = found.record
        assert not found.events
    assert record.misses == 1


@pytest.mark.parametrize("jump", [30 * DAY, -30 * DAY])
def test_a_clock_that_jumps_takes_nothing_away(jump: timedelta) -> None:
    domain, record = verified(), CheckRecord()
    for at in (NOW, NOW + DAY, NOW + DAY + jump, NOW + 2 * DAY, NOW + 3 * DAY):
        found = settled(domain, record, DnsVerdict.MISSING, at)
        domain, record = found.domain, found.record
        assert not found.events
    back = settled(domain, record, DnsVerdict.PROVEN, NOW + 4 * DAY)
    assert back.record == replace(
        CheckRecord(),
        checked_at=NOW + 4 * DAY,
        next_at=back.record.next_at,
        problem="no TLS",
        tls_failures=back.record.tls_failures,
    )


def test_a_look_from_before_it_was_verified_says_nothing_of_tls() -> None:
    early = replace(seen(DnsVerdict.PROVEN, None), tls_checked=False)
    for domain in (verified(), settled(verified(), CheckRecord(), DnsVerdict.PROVEN, tls_problem=None).domain):
        found = evaluate(domain, held_by(domain), CheckRecord(), early, context(account=None))
        assert (found.events, found.domain, found.record.problem) == ((), domain, None)
        assert found.record.next_at == NOW + timedelta(seconds=10)


def test_ssl_comes_with_the_first_good_look_and_goes_after_three_bad_ones() -> None:
    domain = verified()
    good = settled(domain, CheckRecord(), DnsVerdict.PROVEN, tls_problem=None)
    assert names(list(good.events)) == ["domain.tls_seen"] and good.domain.ssl
    assert (good.record.next_at, good.record.problem) == (NOW + DAY, None)
    domain, record = good.domain, good.record
    for number in range(3):
        bad = settled(domain, record, DnsVerdict.PROVEN, tls_problem="It has expired.")
        domain, record = bad.domain, bad.record
        assert names(list(bad.events)) == (["domain.tls_lost"] if number == 2 else [])
    assert not domain.ssl and record.problem == "It has expired."
    assert settled(domain, record, DnsVerdict.PROVEN, tls_problem="It has expired.").events == []


def test_a_removed_one_frees_its_name_and_only_its_own() -> None:
    given(verified()).when(model.remove, Host(1, ID), context()).then("domain.removed", "host.released")
    given(pending()).when(model.remove, Host(1, uuid4()), context()).then("domain.removed")
