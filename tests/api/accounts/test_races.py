"""Many at once, several rounds: exactly as many win as may (invite uses, codes, addresses, the last admin).

`RACE_ROUNDS` (2) says how often; what is one statement of Postgres is raced for fifty times always.
"""

from __future__ import annotations

import time
from collections import Counter
from functools import partial
from statistics import median
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from command_api.accounts import open_invites, passwords
from command_api.accounts.half_signed_in import ProvenIdentity
from command_api.accounts.passwords import Passwords
from command_api.accounts.providers.ways import Ways
from command_api.accounts.second_factor import SecondFactors, spend
from command_api.accounts.sign_in import Accounts
from command_api.commands import Caller, Decided
from command_api.decision import by_system, step
from command_api.http import Nothing
from command_api.store import Conflict, DecisionStore
from infra import identity
from infra.client import Client
from infra.keyring import SubjectErased
from infra.settings import Settings
from schemas.events.forum import ThreadFollowed
from tests.api.test_accounts_security import code_in, mails
from tests.api.test_command_races import ROUNDS, THREADS, at_once
from tests.support.command import World, command_world, world
from tests.support.people import PASSWORD, Member, call, invite, member, register

__all__ = ["command_world"]
FIFTY = 50


@pytest.fixture(autouse=True)
def light_hashing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is raced for lies behind the hashing, whose bound would refuse half of 64 at once."""
    monkeypatch.setattr(passwords, "MEMORY_KIB", 8)
    monkeypatch.setattr(passwords, "PASSES", 1)
    monkeypatch.setattr(passwords, "QUEUE", THREADS)


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_an_invite_is_used_as_often_as_it_may(command_world: World, round_: int) -> None:
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
    before = len(command_world.events(ada.id))
    write = DecisionStore.write

    def counted(store: DecisionStore, *given: Any, **named: Any) -> int | None:
        nonlocal conflicts
        try:
            return write(store, *given, **named)
        except Conflict:
            conflicts += 1
            raise

    monkeypatch.setattr(DecisionStore, "write", counted)
    statuses = Counter(answer.status_code for answer in at_once(lambda _: ada.sign_in()))
    assert set(statuses) <= {200, 429} and statuses[200] >= 10, statuses
    assert len(command_world.events(ada.id)) == before + statuses[200]
    assert conflicts == 0


def test_an_account_has_so_many_live_sessions_and_the_least_used_ends(
    command_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity, "MAX_SESSIONS", 3)
    ada = member(command_world)
    first, second, third = ada.headers, ada.again(), ada.again()
    for headers, ago in ((first, "1 hour"), (second, "3 hours"), (third, "2 hours")):
        command_world.postgres.execute(
            "UPDATE auth.session SET last_seen_at = now() - %s::interval WHERE token_hash = %s",
            (ago, identity.hashed(headers["Authorization"].removeprefix("Bearer "))),
        )
    fourth = ada.again()
    assert [ada.lives(headers) for headers in (first, second, third, fourth)] == [True, False, True, True]
    statuses = Counter(answer.status_code for answer in at_once(lambda _: ada.sign_in()))
    assert set(statuses) <= {200, 429} and statuses[200] > 3, statuses
    live = "SELECT count(*) FROM auth.session WHERE account_id = %s AND revoked_at IS NULL"
    assert command_world.count(live, ada.id) == 3


def test_an_account_has_so_many_website_logins_and_the_least_used_ends(
    command_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity, "MAX_SESSIONS", 3)
    ada = member(command_world)
    site = ada.call("POST", "/api/platform/websites", json={"domain": "own.example"}).json()
    body = {"email": ada.email, "password": ada.password, "websiteApiKey": site["secretKey"]}
    answers = at_once(lambda _: call(command_world, "POST", "/api/auth/login", json=body), 16)
    assert {answer.status_code for answer in answers} <= {200, 429}
    live = "SELECT count(*) FROM auth.website_session WHERE account_id = %s AND revoked_at IS NULL"
    assert command_world.count(live, ada.id) == 3 and ada.lives()
    newest = call(command_world, "POST", "/api/auth/login", json=body).json()
    out = call(command_world, "POST", "/api/auth/logout", headers={"Authorization": f"Bearer {newest['token']}"})
    assert out.status_code == 204 and command_world.count(live, ada.id) == 2


def test_an_account_has_so_many_open_invites_and_no_more(command_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is withdrawn, used up or expired makes room."""
    monkeypatch.setattr(open_invites, "MAX_OPEN", 3)
    ada = member(command_world)

    def make(_: int = 0) -> httpx.Response:
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
        "UPDATE auth.invite_code SET open_until = now() WHERE invite_id = %s", (expired["id"],)
    )
    assert [make().status_code for _ in range(2)] == [201, 409]


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_an_address_is_claimed_once(command_world: World, round_: int) -> None:
    made, email = invite(command_world, maxUses=64), f"{uuid4().hex}@example.com"
    statuses = Counter(answer.status_code for answer in at_once(lambda _: register(command_world, made["code"], email)))
    assert statuses[201] == 1 and set(statuses) <= {201, 400, 429}, statuses
    assert command_world.events(made["id"]).count("invite.used.v1") == 1


def test_an_address_is_moved_to_once(command_world: World) -> None:
    email = f"{uuid4().hex}@example.com"
    people = [member(command_world) for _ in range(8)]
    command_world.postgres.execute("DELETE FROM auth.rate_limit")
    for one in people:
        one.call("POST", "/api/platform/email/change", json={"email": email, "password": PASSWORD})
        command_world.postgres.execute("DELETE FROM auth.rate_limit")
    codes = [code_in(mails(command_world, one.id, "email_change")[0][1]) for one in people]

    def confirm(number: int) -> int:
        body = {"code": codes[number % len(codes)]}
        return call(command_world, "POST", "/api/platform/email/confirm", json=body).status_code

    statuses = Counter(at_once(confirm))
    assert statuses == {204: 1, 400: 63}, statuses
    assert sum(command_world.events(one.id).count("account.email_changed.v1") for one in people) == 1


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_a_code_is_used_once(command_world: World, round_: int) -> None:
    secured = member(command_world).set_up_factor()
    tickets = [secured.sign_in().json()["ticket"] for _ in range(8)]
    code = secured.code()
    with command_world.postgres.transaction():
        command_world.postgres.execute("DELETE FROM auth.rate_limit")

    def enter(number: int) -> int:
        body = {"ticket": tickets[number % len(tickets)], "twoFactorCode": code}
        return call(command_world, "POST", "/api/platform/login/second-factor", json=body).status_code

    statuses = Counter(at_once(enter))
    assert statuses[200] == 1 and set(statuses) <= {200, 401, 429}, statuses


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_a_recovery_code_is_used_once(command_world: World, round_: int) -> None:
    secured = member(command_world).set_up_factor()
    tickets = [secured.sign_in().json()["ticket"] for _ in range(8)]
    command_world.postgres.execute("DELETE FROM auth.rate_limit")

    def enter(number: int) -> int:
        body = {"ticket": tickets[number % len(tickets)], "recoveryCode": secured.recovery_codes[0]}
        return call(command_world, "POST", "/api/platform/login/second-factor", json=body).status_code

    statuses = Counter(at_once(enter))
    assert statuses[200] == 1 and set(statuses) <= {200, 401, 429}, statuses
    assert command_world.events(secured.id).count("account.recovery_code_used.v1") == 1


def test_codes_of_both_kinds_and_of_handing_over_have_one_winner_fifty_times(command_world: World) -> None:
    """What stands behind a right code, a right recovery code, and the code with which a browser comes back."""
    core = command_world.core
    factors, ways = SecondFactors(core.pool, core.settings, Passwords()), Ways(core.pool, core.settings)
    secured = member(command_world).set_up_factor()
    account = UUID(secured.id)
    identity = ProvenIdentity("google", "https://accounts.example", "1", "g@mail.example")

    def is_right(code: str, _: int) -> bool:
        return factors.is_right(account, code)

    def spends(_: int) -> bool:
        with core.pool.connection() as connection:
            return spend(connection, account, 3)

    def redeems(handed: str, _: int) -> bool:
        return ways.redeem("cookie", handed) is not None

    for _ in range(FIFTY):
        code, handed = secured.code(), ways.hand_over("cookie", identity, None)
        command_world.postgres.execute("UPDATE auth.recovery_code SET used_at = NULL WHERE account_id = %s", (account,))
        assert at_once(partial(is_right, code)).count(True) == 1
        assert at_once(spends).count(True) == 1
        assert at_once(partial(redeems, handed)).count(True) == 1


def test_wrong_codes_are_five_for_a_ticket(command_world: World) -> None:
    secured = member(command_world).set_up_factor()
    ticket, wrong = secured.sign_in().json()["ticket"], secured.wrong_code()

    def guess(_: int) -> httpx.Response:
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


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_one_admin_is_left(embedded_postgres: Settings, round_: int) -> None:
    with world(embedded_postgres) as made:
        link = Accounts(made.core, Passwords()).ensure_first_admin()
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
        assert made.count("SELECT count(*) FROM auth.admin") == 1
        left = made.postgres.execute("SELECT account_id FROM auth.admin").fetchone()
        [last] = [one for one in admins if left is not None and one.id == str(left[0])]
        refused = last.call("PUT", f"/api/admin/accounts/{last.id}/roles", json={"roles": []})
        assert (refused.status_code, refused.json()["code"]) == (409, "last_admin")


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


def test_somebody_unknown_takes_as_long(embedded_postgres: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
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
                    made.postgres.execute("DELETE FROM auth.rate_limit")
                    began = time.process_time()
                    answer = call(made, "POST", path, json={"email": email, **body})
                    taken[who].append(time.process_time() - began)
                    assert answer.status_code == status
            known, unknown = median(taken["known"]), median(taken["unknown"])
            print(f"{path}: {known * 1000:.2f} ms known, {unknown * 1000:.2f} ms unknown")
            assert abs(known - unknown) < 0.3 * known, path


def test_who_was_erased_meanwhile_leaves_nothing_behind(command_world: World) -> None:
    """A command that was let in, and is decided while its account is erased."""
    ada = member(command_world)
    made = uuid4()

    def decide() -> Decided[Nothing]:
        assert ada.call("POST", "/api/platform/erase", json={"password": PASSWORD}).status_code == 204
        follow = ThreadFollowed(**step(made, 0, by_system()), thread_id=uuid4(), account_id=UUID(ada.id))
        return Decided([follow], Nothing())

    with pytest.raises(SubjectErased):
        command_world.core.commands.run(decide, status=204, caller=Caller(UUID(ada.id), Client()))
    assert command_world.events(made) == []
