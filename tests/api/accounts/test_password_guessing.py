"""Password guessing: the limits that count each try, its cost, and the notification of the owner."""

from __future__ import annotations

from datetime import timedelta
from itertools import count
from uuid import uuid4

import httpx2
import pytest

from command_api.accounts import devices, login_attempts
from command_api.accounts.login_attempts import FREE_AT_ACCOUNT, FREE_PER_ADDRESS, NOTICED, PER_ACCOUNT
from command_api.kernel import rate_limits
from tests.api.accounts.test_security import mails
from tests.support.command import World, command_world
from tests.support.mail_server import code_in
from tests.support.password_guessing import LOGIN, solved
from tests.support.people import PASSWORD, Member, member
from tests.support.stack import wait_for

__all__ = ["command_world"]
SECOND = "/api/platform/login/second-factor"
FORGOT = "/api/platform/password/forgot"
_networks = count(1)


def address() -> str:
    """An address of a network that nobody used before."""
    return f"10.{next(_networks)}.0.1"


def post(world: World, path: str, body: object, at: str, **headers: str) -> httpx2.Response:
    return world.call("POST", path, json=body, headers={"X-Forwarded-For": at, **headers})


def guess(world: World, email: str, at: str, **headers: str) -> httpx2.Response:
    return post(world, LOGIN, {"email": email, "password": f"not that one {uuid4().hex}"}, at, **headers)


def enter(one: Member, at: str, **headers: str) -> httpx2.Response:
    return post(one.world, LOGIN, {"email": one.email, "password": one.password}, at, **headers)


def device_of(answer: httpx2.Response) -> str:
    """The `Cookie` header of the known device that a sign-in made."""
    [found] = [text for text in answer.headers.get_list("set-cookie") if text.startswith("device=")]
    assert "HttpOnly" in found and "SameSite=Strict" in found
    return found.partition(";")[0]


def strangers_failed(one: Member, times: int) -> None:
    """As if so many tries from elsewhere had failed lately."""
    who = one.world.http.app.state.accounts.email_hash(one.email)  # type: ignore[attr-defined]  # a FastAPI
    one.world.postgres.execute(
        "INSERT INTO kernel.rate_limit (bucket, tat) VALUES (%s, now() + %s)"
        " ON CONFLICT (bucket) DO UPDATE SET tat = excluded.tat",
        (f"{PER_ACCOUNT.name}:{who}", PER_ACCOUNT.every * times + timedelta(seconds=20)),
    )


def test_a_known_device_has_tries_of_its_own(command_world: World) -> None:
    ada, bea, shared = member(command_world), member(command_world), address()
    known = device_of(enter(ada, address()))
    assert {guess(command_world, ada.email, shared).status_code for _ in range(10)} == {401}
    assert enter(ada, shared).status_code == 429
    assert enter(ada, shared, Cookie=known).status_code == 200
    forged = known[:-6] + ("AAAAAA" if not known.endswith("AAAAAA") else "BBBBBB")
    for cookie in (device_of(enter(bea, address())), forged, "device=made-up", "device=" + "." * 2000):
        assert enter(ada, shared, Cookie=cookie).status_code == 429, cookie
    assert {guess(command_world, ada.email, address(), Cookie=known).status_code for _ in range(10)} == {401}
    limited = enter(ada, address(), Cookie=known)
    assert (limited.status_code, limited.json()["code"]) == (429, "too_many_attempts")
    assert enter(ada, address()).status_code == 200


def test_a_new_password_revokes_known_devices_and_time_does(
    command_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, shared = member(command_world), address()
    known = device_of(enter(ada, address()))
    for _ in range(10):
        guess(command_world, ada.email, shared)
    with monkeypatch.context() as later:
        later.setattr(devices, "LIFE", timedelta(seconds=-1))
        assert enter(ada, shared, Cookie=known).status_code == 429
    assert enter(ada, shared, Cookie=known).status_code == 200
    body = {"currentPassword": PASSWORD, "newPassword": "a lighthouse, far out"}
    assert ada.call("POST", "/api/platform/password/change", json=body).status_code == 204
    ada.password = "a lighthouse, far out"
    assert enter(ada, shared, Cookie=known).status_code == 429


def test_one_browser_is_known_to_a_few_accounts(command_world: World) -> None:
    people, cookie = [member(command_world) for _ in range(devices.MAX_ACCOUNTS + 1)], ""
    for one in people:
        cookie = device_of(enter(one, address(), Cookie=cookie))
    shared = address()
    for one in people[:2]:
        for _ in range(10):
            guess(command_world, one.email, shared)
    assert [enter(one, shared, Cookie=cookie).status_code for one in people] == [429, 200, 200, 200, 200]


def test_during_an_attack_unknown_devices_need_a_proof_of_work_per_try(command_world: World) -> None:
    ada, stranger = member(command_world), address()
    strangers_failed(ada, NOTICED)
    assert {guess(command_world, ada.email, stranger).status_code for _ in range(FREE_PER_ADDRESS)} == {401}
    asked = enter(ada, stranger)
    assert (asked.status_code, asked.json()["code"]) == (429, "proof_of_work_needed")
    assert int(asked.headers["Retry-After"]) > 0
    proof = {"Proof-Of-Work": solved(asked.json()["work"])}
    assert enter(ada, address(), **proof).status_code == 200  # not needed there
    elsewhere = address()
    for _ in range(FREE_PER_ADDRESS):
        guess(command_world, ada.email, elsewhere)
    assert enter(ada, elsewhere, **proof).status_code == 429
    for wrong in ("", "x", "x;1", f"{asked.json()['work']['challenge']};" + ",".join("0" * 16)):
        answer = enter(ada, stranger, **{"Proof-Of-Work": wrong})
        assert answer.status_code == 429, wrong
    assert enter(ada, stranger, **proof).status_code == 200
    assert enter(ada, stranger, **proof).status_code == 429, "a proof works once"


def test_work_grows_and_everybody_works_when_hundreds_failed(command_world: World) -> None:
    ada = member(command_world)
    strangers_failed(ada, NOTICED)
    at, bits = address(), []
    for _ in range(6):
        answer = guess(command_world, ada.email, at)
        if answer.status_code == 429:
            bits.append(answer.json()["work"]["bits"])
            guess(command_world, ada.email, at, **{"Proof-Of-Work": solved(answer.json()["work"])})
    assert bits == sorted(set(bits)) and len(bits) >= 3
    known = device_of(enter(member(command_world), address()))
    strangers_failed(ada, FREE_AT_ACCOUNT)
    asked = enter(ada, at := address(), Cookie=known)
    assert asked.json()["code"] == "proof_of_work_needed"
    assert enter(ada, at, **{"Proof-Of-Work": solved(asked.json()["work"])}).status_code == 200


def test_an_account_that_does_not_exist_is_counted_alike(command_world: World) -> None:
    ada, unknown = member(command_world), f"{uuid4().hex}@example.com"
    seen = []
    for email in (ada.email, unknown):
        ways = [address() for _ in range(3)]
        answers = [guess(command_world, email, at).json() for at in ways for _ in range(9)]
        seen.append([(answer["code"], answer.get("work", {}).get("bits")) for answer in answers])
    assert seen[0] == seen[1] and ("proof_of_work_needed", 11) in seen[0]


def test_the_owner_gets_one_mail_a_day(command_world: World) -> None:
    ada = member(command_world)
    for _ in range(3):
        strangers_failed(ada, NOTICED)
        assert guess(command_world, ada.email, address()).status_code == 401
    wait_for(lambda: mails(command_world, ada.id, "guessing_noticed"), "the mail to the owner")
    noted = "SELECT count(*) FROM kernel.audit WHERE account_id = %s AND action = 'account.guessing_noticed'"
    wait_for(lambda: command_world.count(noted, ada.id) == 1, "the entry in the audit trail")
    strangers_failed(ada, NOTICED)
    guess(command_world, ada.email, address())
    command_world.http.app.state.accounts._guessing_notifier._pool.submit(int).result(10)  # type: ignore[attr-defined]  # a FastAPI
    [(_, text)] = mails(command_world, ada.id, "guessing_noticed")
    assert "wrong passwords" in text and command_world.count(noted, ada.id) == 1


def test_wrong_codes_of_others_leave_the_owner_codes(command_world: World) -> None:
    """An attacker who knows the password uses up the codes of an address, then those of all unknown devices."""
    ada = member(command_world).set_up_factor()
    known = device_of(post(command_world, LOGIN, {**_all(ada), "twoFactorCode": ada.code()}, address()))

    def wrong(at: str) -> int:
        ticket = enter(ada, at).json()["ticket"]
        body = {"ticket": ticket, "twoFactorCode": ada.wrong_code()}
        return post(command_world, SECOND, body, at).status_code

    attacker = address()
    assert [wrong(attacker) for _ in range(11)] == [401] * 10 + [429]
    assert post(command_world, LOGIN, {**_all(ada), "twoFactorCode": ada.code()}, address()).status_code == 200
    more = [wrong(at) for at in (address(), address()) for _ in range(10)]
    assert set(more) == {401}
    stranger = address()
    assert wrong(stranger) == 429
    recovery = {**_all(ada), "recoveryCode": ada.recovery_codes[0]}
    assert post(command_world, LOGIN, recovery, stranger).status_code == 200
    with_code = {**_all(ada), "twoFactorCode": ada.code()}
    assert post(command_world, LOGIN, with_code, address(), Cookie=known).status_code == 200


def test_proofs_are_counted_by_session(command_world: World) -> None:
    ada = member(command_world)
    stolen = ada.again()
    wrong, right = {"password": "not that one"}, {"password": PASSWORD}
    answers = [ada.call("POST", "/api/platform/2fa/setup", json=wrong, headers=stolen) for _ in range(11)]
    assert [answer.status_code for answer in answers] == [403] * 10 + [429]
    assert ada.call("POST", "/api/platform/2fa/setup", json=right).status_code == 200


def test_asking_for_reset_mails_denies_the_owner_none(command_world: World) -> None:
    ada = member(command_world)
    burst = rate_limits.RESET_MAILS.burst
    statuses = [
        post(command_world, FORGOT, {"email": ada.email}, at).status_code
        for at in [address() for _ in range(burst)]
        for _ in range(3)
    ]
    assert set(statuses) == {204}
    assert post(command_world, FORGOT, {"email": ada.email}, address()).status_code == 204
    sent = mails(command_world, ada.id, "password_reset")
    assert len(sent) == burst
    body = {"code": code_in(sent[-1][1]), "password": "a lighthouse, far out"}
    assert post(command_world, "/api/platform/password/reset", body, address()).status_code == 204


@pytest.mark.parametrize(
    ("of_address", "of_network", "of_strangers", "bits"),
    [
        (10, 10, 10, 0),
        (2, 2, 400, 0),
        (2.1, 3, 20.1, 11),
        (9, 9, 100, 14),
        (1, 81, 81, 12),
        (1, 1, 501, 12),
        (1, 1, 1000, 13),
    ],
)
def test_what_a_try_costs(of_address: float, of_network: float, of_strangers: float, bits: int) -> None:
    assert login_attempts.bits_needed(of_address, of_network, of_strangers) == bits


def _all(one: Member) -> dict[str, str]:
    return {"email": one.email, "password": one.password}
