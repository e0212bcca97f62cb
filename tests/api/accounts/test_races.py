"""Many at once, several rounds: exactly as many win as may (invite uses, codes, addresses, the last admin).

`RACE_ROUNDS` (2) says how often; what is one statement of Postgres is raced for fifteen times always.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from statistics import median
from uuid import UUID, uuid4

import httpx2
import pytest

from command_api.accounts import passwords
from command_api.accounts.invites import codes as open_invites
from command_api.accounts.login_challenge import ProvenIdentity
from command_api.accounts.lookups import ROLES
from command_api.accounts.passwords import Passwords
from command_api.accounts.providers.login_flow import LoginFlows
from command_api.accounts.second_factor import SecondFactors, consume_recovery_code
from command_api.accounts.sign_in import SignInService
from command_api.kernel import inline_rebuild
from command_api.kernel.command_bus import CommandBus
from command_api.kernel.command_handlers import Command, CommandHandlers
from command_api.kernel.decision import CommandContext, event_metadata, system_context
from command_api.kernel.event_store import ConcurrencyConflict, EventStore, StoreTransaction
from command_api.kernel.unit_of_work import UnitOfWork
from infra.kernel.config.settings import Settings
from infra.kernel.security import sessions
from infra.kernel.security.client_info import Client
from infra.kernel.security.subject_keys import SubjectErased
from schemas.events.forum import ThreadFollowed
from tests.api.accounts.test_security import mails
from tests.api.kernel.test_command_races import ROUNDS, THREADS, at_once
from tests.support.command import World, command_world, world
from tests.support.mail_server import code_in
from tests.support.people import PASSWORD, Member, call, invite, member, register

__all__ = ["command_world"]
FIFTEEN = 15


@pytest.fixture(autouse=True)
def light_hashing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is raced for lies behind the hashing, whose bound would refuse half of 64 at once."""
    monkeypatch.setattr(passwords, "MEMORY_KIB", 8)
    monkeypatch.setattr(passwords, "PASSES", 1)
    monkeypatch.setattr(passwords, "QUEUE", THREADS)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_an_invite_is_used_as_often_as_it_may(command_world: World, _round: int) -> None:
    made = invite(command_world, maxUses=7)
    codes = Counter(
        answer.json().get("code", "registered") for answer in at_once(lambda _: register(command_world, made["code"]))
    )
    assert codes == {"registered": 7, "invite_used_up": 57}, codes
    assert command_world.events(made["id"]).count("invite.used.v1") == 7
    joined = (
        "SELECT count(*) FROM events.stored_events"
        " WHERE topic = 'account.registered.v1' AND convert_from(state, 'UTF8') LIKE %s"
    )
    assert command_world.count(joined, f"%{made['id']}%") == 7


def test_many_who_sign_in_to_one_account_do_not_get_in_each_others_way(
    command_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, conflicts = member(command_world), 0
    before, signed_in = command_world.events(ada.id), len(command_world.session_events(ada.id))
    begin = EventStore.transaction

    @contextmanager
    def counted(store: EventStore) -> Iterator[StoreTransaction]:
        nonlocal conflicts
        try:
            with begin(store) as transaction:
                yield transaction
        except ConcurrencyConflict:
            conflicts += 1
            raise

    monkeypatch.setattr(EventStore, "transaction", counted)
    statuses = Counter(answer.status_code for answer in at_once(lambda _: ada.sign_in()))
    assert set(statuses) <= {200, 429} and statuses[200] >= 10, statuses
    assert command_world.events(ada.id) == before
    assert len(command_world.session_events(ada.id)) == signed_in + statuses[200]
    assert conflicts == 0


def test_an_account_has_so_many_live_sessions_and_the_least_used_ends(
    command_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "MAX_SESSIONS", 3)
    ada = member(command_world)
    first, second, third = ada.headers, ada.again(), ada.again()
    for headers, ago in ((first, "1 hour"), (second, "3 hours"), (third, "2 hours")):
        command_world.postgres.execute(
            "UPDATE accounts.session SET last_seen_at = now() - %s::interval WHERE token_hash = %s",
            (ago, sessions.hashed(headers["Authorization"].removeprefix("Bearer "))),
        )
    fourth = ada.again()
    assert [ada.lives(headers) for headers in (first, second, third, fourth)] == [True, False, True, True]
    statuses = Counter(answer.status_code for answer in at_once(lambda _: ada.sign_in()))
    assert set(statuses) <= {200, 429} and statuses[200] > 3, statuses
    live = "SELECT count(*) FROM accounts.session WHERE account_id = %s AND revoked_at IS NULL"
    assert command_world.count(live, ada.id) == 3


def test_an_account_has_so_many_website_logins_and_the_least_used_ends(
    command_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "MAX_SESSIONS", 3)
    ada = member(command_world)
    site = ada.call("POST", "/api/platform/websites", json={"domain": "own.example"}).json()
    body = {"email": ada.email, "password": ada.password, "websiteApiKey": site["secretKey"]}
    answers = at_once(lambda _: call(command_world, "POST", "/api/auth/login", json=body), 16)
    assert {answer.status_code for answer in answers} <= {200, 429}
    live = "SELECT count(*) FROM accounts.website_session WHERE account_id = %s AND revoked_at IS NULL"
    assert command_world.count(live, ada.id) == 3 and ada.lives()
    newest = call(command_world, "POST", "/api/auth/login", json=body).json()
    out = call(command_world, "POST", "/api/auth/logout", headers={"Authorization": f"Bearer {newest['token']}"})
    assert out.status_code == 204 and command_world.count(live, ada.id) == 2


def test_an_account_has_so_many_open_invites_and_no_more(command_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """An invite that is withdrawn, used up or expired does not count."""
    monkeypatch.setattr(open_invites, "MAX_OPEN", 3)
    ada = member(command_world)

    def make(_: int = 0) -> httpx2.Response:
        return ada.call("POST", "/api/platform/invite-codes", json={"maxUses": 2})

    answers = at_once(make, 16)
    assert Counter(answer.status_code for answer in answers) == {201: 3, 409: 13}
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {"too_many_invites"}
    withdrawn, used, expired = (answer.json() for answer in answers if answer.status_code == 201)
    assert ada.call("DELETE", f"/api/platform/invite-codes/{withdrawn['id']}").status_code == 204
    assert [make().status_code for _ in range(2)] == [201, 409]
    assert register(command_world, used["code"]).status_code == 201
    assert make().status_code == 409  # it can be used once more
    assert register(command_world, used["code"]).status_code == 201
    assert [make().status_code for _ in range(2)] == [201, 409]
    command_world.postgres.execute(
        "UPDATE accounts.invite_code SET open_until = now() WHERE invite_id = %s", (expired["id"],)
    )
    assert [make().status_code for _ in range(2)] == [201, 409]


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_an_address_is_reserved_once(command_world: World, _round: int) -> None:
    made, email = invite(command_world, maxUses=64), f"{uuid4().hex}@example.com"
    statuses = Counter(answer.status_code for answer in at_once(lambda _: register(command_world, made["code"], email)))
    assert statuses[201] == 1 and set(statuses) <= {201, 400, 429}, statuses
    assert command_world.events(made["id"]).count("invite.used.v1") == 1


def test_an_address_is_moved_to_once(command_world: World) -> None:
    email = f"{uuid4().hex}@example.com"
    people = [member(command_world) for _ in range(8)]
    command_world.postgres.execute("DELETE FROM kernel.rate_limit")
    for one in people:
        one.call("POST", "/api/platform/email/change", json={"email": email, "password": PASSWORD})
        command_world.postgres.execute("DELETE FROM kernel.rate_limit")
    codes = [code_in(mails(command_world, one.id, "email_change")[0][1]) for one in people]

    def confirm(number: int) -> int:
        body = {"code": codes[number % len(codes)]}
        return call(command_world, "POST", "/api/platform/email/confirm", json=body).status_code

    statuses = Counter(at_once(confirm))
    assert statuses == {204: 1, 400: 63}, statuses
    assert sum(command_world.events(one.id).count("account.email_changed.v1") for one in people) == 1


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_a_code_is_used_once(command_world: World, _round: int) -> None:
    secured = member(command_world).set_up_factor()
    tickets = [secured.sign_in().json()["ticket"] for _ in range(8)]
    code = secured.code()
    with command_world.postgres.transaction():
        command_world.postgres.execute("DELETE FROM kernel.rate_limit")

    def enter(number: int) -> int:
        body = {"ticket": tickets[number % len(tickets)], "twoFactorCode": code}
        return call(command_world, "POST", "/api/platform/login/second-factor", json=body).status_code

    statuses = Counter(at_once(enter))
    assert statuses[200] == 1 and set(statuses) <= {200, 401, 429}, statuses


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_a_recovery_code_is_used_once(command_world: World, _round: int) -> None:
    secured = member(command_world).set_up_factor()
    tickets = [secured.sign_in().json()["ticket"] for _ in range(8)]
    command_world.postgres.execute("DELETE FROM kernel.rate_limit")

    def enter(number: int) -> int:
        body = {"ticket": tickets[number % len(tickets)], "recoveryCode": secured.recovery_codes[0]}
        return call(command_world, "POST", "/api/platform/login/second-factor", json=body).status_code

    statuses = Counter(at_once(enter))
    assert statuses[200] == 1 and set(statuses) <= {200, 401, 429}, statuses
    assert command_world.events(secured.id).count("account.recovery_code_used.v1") == 1


def test_codes_of_both_kinds_and_of_handing_over_have_one_winner_fifteen_times(command_world: World) -> None:
    """A correct code, a correct recovery code, and the handoff code of a returning browser."""
    core = command_world.core
    factors, ways = SecondFactors(core, Passwords()), LoginFlows(core)
    secured = member(command_world).set_up_factor()
    account = UUID(secured.id)
    identity = ProvenIdentity("google", "https://accounts.example", "1", "g@mail.example")

    def is_right(code: str, _: int) -> bool:
        return factors.is_valid_code(account, code)

    def spends(_: int) -> bool:
        with core.pool.connection() as connection:
            return consume_recovery_code(connection, account, 3)

    def redeems(handed: str, _: int) -> bool:
        return ways.redeem("cookie", handed) is not None

    for _ in range(FIFTEEN):
        code, handed = secured.code(), ways.create_handoff_code("cookie", identity, None)
        command_world.postgres.execute(
            "UPDATE accounts.recovery_code SET used_at = NULL WHERE account_id = %s", (account,)
        )
        assert at_once(partial(is_right, code)).count(True) == 1
        assert at_once(spends).count(True) == 1
        assert at_once(partial(redeems, handed)).count(True) == 1


def test_wrong_codes_are_five_for_a_ticket(command_world: World) -> None:
    secured = member(command_world).set_up_factor()
    ticket, wrong = secured.sign_in().json()["ticket"], secured.wrong_code()

    def guess(_: int) -> httpx2.Response:
        body = {"ticket": ticket, "twoFactorCode": wrong}
        return call(command_world, "POST", "/api/platform/login/second-factor", json=body)

    assert Counter(answer.json()["code"] for answer in at_once(guess)) == {"wrong_code": 5, "ticket_ended": 59}


def test_a_reset_link_works_once(command_world: World) -> None:
    ada = member(command_world)
    call(command_world, "POST", "/api/platform/password/forgot", json={"email": ada.email})
    code = code_in(mails(command_world, ada.id, "password_reset")[0][1])

    def reset(number: int) -> int:
        body = {"code": code, "password": f"a lighthouse, far out {number}"}
        return call(command_world, "POST", "/api/platform/password/reset", json=body).status_code

    assert Counter(at_once(reset)) == {204: 1, 400: 63}
    assert command_world.events(ada.id).count("account.password_changed.v1") == 1


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_one_admin_is_left(embedded_postgres: Settings, _round: int) -> None:
    with world(embedded_postgres) as made:
        link = SignInService(made.core, Passwords()).setup_link()
        assert link is not None
        body = {"token": link.partition("=")[2], "email": "one@example.com", "password": PASSWORD, "name": "One"}
        first = Member(made, "one@example.com", made.call("POST", "/api/platform/setup", json=body).json())
        admins = [first, *(member(made) for _ in range(7))]
        for one in admins[1:]:
            first.call("PUT", f"/api/admin/accounts/{one.id}/roles", json={"roles": ["admin"]})

        def leave(number: int) -> int:
            one = admins[number % len(admins)]
            if number % 3 == 0:
                return one.call("PUT", f"/api/admin/accounts/{one.id}/roles", json={"roles": []}).status_code
            if number % 3 == 1:
                path = f"/api/admin/accounts/{one.id}/disable"
                return one.call("POST", path, json={"reason": "leaving"}).status_code
            return one.call("POST", "/api/platform/erase", json={"password": PASSWORD}).status_code

        at_once(leave)
        assert made.count("SELECT count(*) FROM lookup.admin") == 1
        left = made.postgres.execute("SELECT account_id FROM lookup.admin").fetchone()
        [last] = [one for one in admins if left is not None and one.id == str(left[0])]
        refused = last.call("PUT", f"/api/admin/accounts/{last.id}/roles", json={"roles": []})
        assert (refused.status_code, refused.json()["code"]) == (409, "last_admin")
        with inline_rebuild.open_connection(made.settings) as connection:
            assert inline_rebuild.verify(made.settings, connection, ROLES).differences == []


def test_what_is_erased_takes_its_new_websites_along(command_world: World) -> None:
    ada = member(command_world)

    def one(number: int) -> int:
        if number == 5:
            return ada.call("POST", "/api/platform/erase", json={"password": PASSWORD}).status_code
        return ada.call("POST", "/api/platform/websites", json={"domain": f"s{number}.example"}).status_code

    statuses = Counter(at_once(one, 24))
    assert statuses[204] == 1, statuses
    connected = (
        "SELECT count(*) FROM events.stored_events WHERE topic = %s AND originator_id IN (SELECT originator_id"
        " FROM events.stored_events WHERE topic = 'website.connected.v1' AND convert_from(state, 'UTF8') LIKE %s)"
    )
    whose = f"%{ada.id}%"
    made = command_world.count(connected, "website.connected.v1", whose)
    assert made == statuses[201]
    assert command_world.count(connected, "website.disconnected.v1", whose) == made


def test_an_unknown_address_takes_as_long_as_a_known_one(
    embedded_postgres: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Medians of interleaved tries, in processor time, which others on the machine do not change."""
    monkeypatch.undo()
    with world(embedded_postgres) as made:
        ada = member(made)
        for path, body, status, tries in (
            ("/api/platform/login", {"password": "not that one"}, 401, 12),
            ("/api/platform/password/forgot", {}, 204, 24),
        ):
            taken: dict[str, list[float]] = {"known": [], "unknown": []}
            for _ in range(tries):
                for who, email in (("known", ada.email), ("unknown", f"{uuid4().hex}@example.com")):
                    made.postgres.execute("DELETE FROM kernel.rate_limit")
                    began = time.process_time()
                    answer = call(made, "POST", path, json={"email": email, **body})
                    taken[who].append(time.process_time() - began)
                    assert answer.status_code == status
            known, unknown = median(taken["known"]), median(taken["unknown"])
            print(f"{path}: {known * 1000:.2f} ms known, {unknown * 1000:.2f} ms unknown")
            assert abs(known - unknown) < 0.3 * known, path


class Follow(Command[None]):
    """Follows a thread."""


def test_who_was_erased_meanwhile_leaves_nothing_behind(command_world: World) -> None:
    """A command that was let in, and is decided while its account is erased."""
    ada = member(command_world)
    made = uuid4()

    handlers, core = CommandHandlers(), command_world.core

    @handlers.on(Follow, senders="accounts")
    def follow(_: Follow, uow: UnitOfWork) -> None:
        assert ada.call("POST", "/api/platform/erase", json={"password": PASSWORD}).status_code == 204
        event = ThreadFollowed(**event_metadata(made, 0, uow.context), thread_id=uuid4(), account_id=UUID(ada.id))
        uow.append(event)

    bus = CommandBus(core.store, core.pool, core.settings, handlers)
    with pytest.raises(SubjectErased):
        bus.dispatch(Follow(), CommandContext(system_context().at, UUID(ada.id)), Client())
    assert command_world.events(made) == []
