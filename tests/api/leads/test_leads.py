"""Newsletter, early access and inquiries over HTTP (spec §3, §7, §9): answers reveal no address, nothing is lost."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest

from command_api.accounts.invites.model import DEFAULT_DAYS
from command_api.kernel.decision import CommandRejected, system_context
from command_api.kernel.event_store import ConcurrencyConflict
from command_api.kernel.process_manager import ProcessWorker
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.leads import commands, contacts, early_access
from command_api.leads.early_access_handlers import PLACE_EXPIRY, MailLimitReached
from command_api.leads.public_routes import PER_VISITOR
from command_api.leads.schemas import Contact, EarlyAccess
from infra.domain import contacts as mail_contacts
from infra.domain.contacts import Kind, one_click_url
from infra.kernel.mail.outbox import decrypt_mail
from infra.ops.jobs.retention import delete_expired
from schemas.identity import early_access_places_id
from tests.api.kernel.test_command_races import THREADS, at_once
from tests.support.command import World, command_world
from tests.support.mail_server import code_in
from tests.support.people import call, member, register

__all__ = ["command_world"]
ROUNDS = int(os.environ.get("RACE_ROUNDS", "2"))
CONTACT = {
    "firstName": "Embla Rós",
    "lastName": "Jónsdóttir",
    "email": "embla@example.com",
    "serviceInterest": "Growth Acceleration",
    "message": "We sell wool.\nHow soon can you start?",
}


@pytest.fixture(autouse=True)
def from_the_start(command_world: World) -> Iterator[None]:
    command_world.postgres.execute("DELETE FROM kernel.mail")
    command_world.postgres.execute("DELETE FROM kernel.rate_limit")
    yield
    free_all(command_world)


def free_all(world: World) -> None:
    for (contact,) in world.postgres.execute("SELECT id FROM leads.contact WHERE kind = 'early_access'").fetchall():
        admin(world, "DELETE", f"/api/admin/early-access/{contact}", status=204)


def post(world: World, path: str, status: int = 200, **options: Any) -> dict[str, Any]:
    answer = call(world, "POST", f"/api/public/{path}", **options)
    assert answer.status_code == status, answer.text
    found: dict[str, Any] = answer.json()
    return found


def admin(world: World, method: str, path: str, status: int = 200, **options: Any) -> Any:
    answer = call(world, method, path, headers=world.admin.headers, **options)
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


def mails(world: World, kind: str) -> list[tuple[str, str]]:
    """Address and text, oldest first."""
    rows = world.postgres.execute(
        "SELECT id, recipient_sealed, text_sealed FROM kernel.mail WHERE kind = %s ORDER BY id", (kind,)
    )
    return [(to, text or "") for to, text in (decrypt_mail(world.settings, *row) for row in rows)]


def leaving(text: str) -> str:
    return code_in(text[text.index("/early-access/leave#") :])


def confirm(world: World) -> None:
    """Presses the button of the last mail about early access."""
    post(world, "early-access/confirm", json={"code": confirming(mails(world, "early_access")[-1][1])})


def confirming(text: str) -> str:
    return code_in(text[text.index("/early-access/confirm#") :])


def sign_up(world: World, email: str) -> None:
    """Signs up and confirms."""
    post(world, "early-access", json={"email": email})
    confirm(world)


def last_mails(world: World) -> dict[str, str]:
    """The last text about early access by address."""
    return dict(mails(world, "early_access"))


def somebody() -> str:
    return f"{uuid4().hex[:12]}@example.com"


def id_of(world: World, kind: Kind, email: str) -> UUID:
    return mail_contacts.id_of(world.settings, kind, email)


def stored_contact(world: World, contact: UUID) -> contacts.ContactDetails | None:
    with UnitOfWork(world.core.store, world.core.pool, world.settings, system_context()) as uow:
        return contacts.find(uow, contact)


def places(world: World) -> early_access.EarlyAccessState:
    stored = world.core.store.load(early_access_places_id(), early_access.evolve_places)
    return stored or early_access.EarlyAccessState()


def join(world: World, email: str) -> None:
    """Signs up and confirms."""
    signup_id = id_of(world, "early_access", email)
    with suppress(MailLimitReached):
        world.core.commands.dispatch(commands.JoinEarlyAccess(EarlyAccess(email=email)), system_context())
    world.core.commands.dispatch(commands.ConfirmSignup(signup_id), system_context())


def end_unconfirmed(world: World, at: datetime, most: int = 50) -> int:
    """Handles a batch of what is due at `at`; returns its size."""
    return ProcessWorker(world.core, [replace(PLACE_EXPIRY, batch_size=most)], now=lambda: at).run_once()


def test_a_subscription_counts_once_its_owner_confirmed_it(command_world: World) -> None:
    email = somebody()
    answer = post(command_world, "newsletter/subscribe", json={"email": email, "name": "Ada", "source": "home_page"})
    assert answer["ok"] is True
    contact = id_of(command_world, "newsletter", email)
    assert command_world.events(contact) == ["newsletter.requested.v1"]
    [(to, text)] = mails(command_world, "newsletter_confirm")
    assert to == email
    confirmed = post(command_world, "newsletter/confirm", json={"code": code_in(text)})
    assert confirmed == {"ok": True, "message": "You've been subscribed to our newsletter."}
    assert command_world.events(contact)[1:] == ["newsletter.confirmed.v1"]
    [(to, welcome)] = mails(command_world, "newsletter_welcome")
    assert to == email and "/newsletter/unsubscribe#code=" in welcome
    again = post(command_world, "newsletter/confirm", 400, json={"code": code_in(text)})
    assert (again["code"], again["message"]) == (
        "link_invalid",
        "This link is no longer valid. Please subscribe again.",
    )


def test_everybody_is_answered_the_same_whether_we_know_the_address_or_not(command_world: World) -> None:
    email = somebody()
    first = post(command_world, "newsletter/subscribe", json={"email": email, "source": "home_page"})
    pending = post(command_world, "newsletter/subscribe", json={"email": email.upper(), "source": "home_page"})
    post(command_world, "newsletter/confirm", json={"code": code_in(mails(command_world, "newsletter_confirm")[-1][1])})
    sent = len(mails(command_world, "newsletter_confirm"))
    known = post(command_world, "newsletter/subscribe", json={"email": email})
    assert first == pending == known
    assert len(mails(command_world, "newsletter_confirm")) == sent == 2
    place = post(command_world, "early-access", json={"email": email})
    assert place == post(command_world, "early-access", json={"email": email})
    assert len(mails(command_world, "early_access")) == 1


def test_nobody_floods_an_address_with_our_mails(command_world: World) -> None:
    email = somebody()
    for _ in range(6):
        post(command_world, "newsletter/subscribe", json={"email": email})
        post(command_world, "contact", 201, json={**CONTACT, "email": email})
    kinds = ("newsletter_confirm", "inquiry_received")
    assert [len(mails(command_world, kind)) for kind in kinds] == [3, 3]
    for _ in range(24 * 6 - 1):
        later(command_world, minutes=10)
        post(command_world, "newsletter/subscribe", json={"email": email})
        post(command_world, "contact", 201, json={**CONTACT, "email": email})
    assert [len(mails(command_world, kind)) for kind in kinds] == [10, 10]


def test_who_lost_the_mail_asks_again_and_gets_the_link_again(command_world: World) -> None:
    name = uuid4().hex[:12]
    first = post(command_world, "early-access", json={"email": f"{name}@example.com"})
    assert post(command_world, "early-access", json={"email": f"{name}@example.com"}) == first
    assert len(mails(command_world, "early_access")) == 1
    later(command_world, minutes=10)
    assert post(command_world, "early-access", json={"email": f"{name}+x@example.com"}) == first
    [_, (to, text)] = mails(command_world, "early_access")
    assert to == f"{name}@example.com"  # in the spelling that has the place
    assert "within 24 more hours" in text and "/early-access/leave#code=" in text
    assert len(places(command_world).taken) == 0
    confirm(command_world)
    assert len(places(command_world).taken) == 1
    later(command_world, minutes=10)
    assert post(command_world, "early-access", json={"email": f"{name}@example.com"}) == first
    assert len(mails(command_world, "early_access")) == 3  # that of the place; there is nothing left to confirm


def test_a_strangers_mailbox_gets_three_mails_about_early_access_a_day(command_world: World) -> None:
    email, answers, days = somebody(), [], []
    for day in range(2):
        command_world.postgres.execute("DELETE FROM kernel.mail")
        for _ in range(24 * 6):
            answers.append(post(command_world, "early-access", json={"email": email}))
            later(command_world, minutes=10)
        days.append(len(mails(command_world, "early_access")))
        if day == 0:  # nobody confirms, and the address is forgotten
            end_unconfirmed(command_world, datetime.now(UTC) + timedelta(hours=25), 50)
    assert days[0] == 3 and 1 <= days[1] <= 3
    assert all(answer == answers[0] for answer in answers)


def conflicting(_: object) -> None:
    raise ConcurrencyConflict("always")


def test_a_request_that_failed_is_no_mail(command_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    email = somebody()
    with monkeypatch.context() as broken:
        broken.setattr("command_api.kernel.command_bus.retried", conflicting)
        post(command_world, "early-access", 409, json={"email": email})
    post(command_world, "early-access", json={"email": email})
    assert [to for to, _ in mails(command_world, "early_access")] == [email]


def later(world: World, minutes: int) -> None:
    """As far as limits know."""
    world.postgres.execute("UPDATE kernel.rate_limit SET tat = tat - %s", (timedelta(minutes=minutes),))


def test_one_click_in_a_mail_program_ends_it_and_the_address_is_forgotten(command_world: World) -> None:
    email = somebody()
    post(command_world, "newsletter/subscribe", json={"email": email, "name": "Ada"})
    contact = id_of(command_world, "newsletter", email)
    stop = one_click_url(command_world.settings, contact).removeprefix(command_world.settings.app_url)
    found = stored_contact(command_world, contact)
    assert found is not None and (found.email, found.name) == (email, "Ada")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = call(command_world, "POST", stop, headers=form, content=b"List-Unsubscribe=One-Click")
    assert answer.status_code == 200, answer.text
    assert stored_contact(command_world, contact) is None
    assert command_world.events(contact) == ["newsletter.requested.v1", "newsletter.ended.v1"]
    assert call(command_world, "POST", stop, headers=form).status_code == 200  # mail programs try twice
    changed = f"{stop[:-1]}{'0' if stop[-1] != '0' else '1'}"
    assert call(command_world, "POST", changed, headers=form).status_code == 404
    post(command_world, "newsletter/unsubscribe", 400, json={"code": "nonsense"})
    post(command_world, "newsletter/subscribe", json={"email": email})  # and may come back
    assert command_world.events(contact)[2:] == ["newsletter.requested.v1"]


def test_the_page_of_a_mail_ends_it_as_well(command_world: World) -> None:
    email = somebody()
    post(command_world, "newsletter/subscribe", json={"email": email})
    post(command_world, "newsletter/confirm", json={"code": code_in(mails(command_world, "newsletter_confirm")[0][1])})
    code = code_in(mails(command_world, "newsletter_welcome")[0][1])
    refused = post(command_world, "early-access/leave", 400, json={"code": code})  # a token ends one thing alone
    assert refused["message"] == "This link is incomplete. Open the full link from the email."
    answer = post(command_world, "newsletter/unsubscribe", json={"code": code})
    assert answer["message"] == "You've been unsubscribed, and your address is deleted."
    assert stored_contact(command_world, UUID(code.partition(".")[0])) is None


def test_an_address_that_nobody_confirms_is_forgotten_after_a_week(command_world: World) -> None:
    unconfirmed, owner = somebody(), somebody()
    for email in (unconfirmed, owner):
        post(command_world, "newsletter/subscribe", json={"email": email})
    post(command_world, "newsletter/confirm", json={"code": code_in(mails(command_world, "newsletter_confirm")[1][1])})
    command_world.postgres.execute("UPDATE leads.contact SET created_at = created_at - interval '9 days'")
    command_world.postgres.execute("UPDATE leads.contact_link SET expires_at = now() - interval '1 day'")
    delete_expired(command_world.settings)
    assert stored_contact(command_world, id_of(command_world, "newsletter", unconfirmed)) is None
    assert stored_contact(command_world, id_of(command_world, "newsletter", owner)) is not None
    assert [to for to, _ in mails(command_world, "newsletter_confirm")] == [owner]  # nor is it in the outbox any more
    command_world.postgres.execute("DELETE FROM kernel.rate_limit")
    post(command_world, "newsletter/subscribe", json={"email": unconfirmed})  # and may ask again
    post(command_world, "newsletter/confirm", json={"code": code_in(mails(command_world, "newsletter_confirm")[1][1])})


def test_other_addresses_take_no_forms(command_world: World) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded", "Origin": "https://evil.example"}
    answer = call(command_world, "POST", "/api/public/newsletter/subscribe", headers=form, content=b"email=a@b.example")
    assert (answer.status_code, answer.json()["code"]) == (403, "cross_site")


@pytest.mark.parametrize("invented", [14, 59])
def test_invented_addresses_keep_nobody_out(command_world: World, invented: int) -> None:
    """As many as one network may send at once."""
    for _ in range(invented):
        post(command_world, "early-access", json={"email": somebody()})
    assert places(command_world).taken == {}
    command_world.postgres.execute("DELETE FROM kernel.rate_limit")
    honest = somebody()
    sign_up(command_world, honest)
    assert places(command_world).taken == {1: id_of(command_world, "early_access", honest)}
    assert "place 1 of 10" in last_mails(command_world)[honest]


def test_there_are_ten_places_and_a_line_behind_them(command_world: World) -> None:
    emails = [somebody() for _ in range(12)]
    for email in emails:
        sign_up(command_world, email)
    texts = [last_mails(command_world)[email] for email in emails]
    assert [f"place {number} of 10" in text for number, text in enumerate(texts, start=1)] == [True] * 10 + [False] * 2
    assert ["as number 1." in texts[10], "as number 2." in texts[11]] == [True, True]
    tenth, eleventh = (id_of(command_world, "early_access", emails[number]) for number in (9, 10))
    full = admin(command_world, "POST", f"/api/admin/early-access/{eleventh}/promote", 409, json={})
    assert (full["code"], full["message"]) == ("no_place_left", "All 10 places are taken.")
    admin(command_world, "DELETE", f"/api/admin/early-access/{tenth}", 204)
    assert stored_contact(command_world, tenth) is None
    assert places(command_world).taken[10] == eleventh
    last = mails(command_world, "early_access")[-1]
    assert last[0] == emails[10] and "place 10 of 10" in last[1]
    again = admin(command_world, "POST", f"/api/admin/early-access/{eleventh}/promote", 409, json={})
    assert again["code"] == "has_place"


def test_a_released_place_goes_to_the_first_in_line(command_world: World) -> None:
    emails = [somebody() for _ in range(12)]
    for email in emails:
        sign_up(command_world, email)
    texts = [last_mails(command_world)[email] for email in emails]
    command_world.postgres.execute("DELETE FROM kernel.rate_limit")
    left = post(command_world, "early-access/leave", json={"code": leaving(texts[3])})
    assert left["message"] == "You've left early access, and your address is deleted."
    assert post(command_world, "early-access/leave", json={"code": leaving(texts[3])}) == left
    told = mails(command_world, "early_access")
    assert told[-1][0] == emails[10] and "place 4 of 10" in told[-1][1]
    assert emails[3] not in [to for to, _ in told]  # nor does the outbox know the address any more
    assert places(command_world).free is None
    sign_up(command_world, somebody())
    assert "as number 2." in mails(command_world, "early_access")[-1][1]
    for number in (10, 11):  # who has the place now, and who waits first
        post(command_world, "early-access/leave", json={"code": leaving(texts[number])})
    assert "place 4 of 10" in mails(command_world, "early_access")[-1][1]
    post(command_world, "early-access/leave", json={"code": leaving(mails(command_world, "early_access")[-1][1])})
    assert places(command_world).free == 4  # nobody waits any more
    post(command_world, "newsletter/unsubscribe", 400, json={"code": code_in(texts[0])})


def test_one_mailbox_has_one_place_however_its_address_is_written(command_world: World) -> None:
    name = uuid4().hex[:12]
    written = (f"{name}@bücher.example", f"{name.upper()}@XN--BCHER-KVA.example", f"{name}+beta@bücher.example")
    for email in written:
        post(command_world, "early-access", json={"email": email})
    assert [to for to, _ in mails(command_world, "early_access")] == [written[0]]
    confirm(command_world)
    for email in written:
        post(command_world, "early-access", json={"email": email})
    assert len(places(command_world).taken) == 1
    for number in range(6):  # nor is it flooded by way of its aliases
        post(command_world, "newsletter/subscribe", json={"email": f"{name}+{number}@bücher.example"})
    assert len(mails(command_world, "newsletter_confirm")) == 3


def test_who_leaves_and_who_comes_at_the_same_moment_leave_no_place_empty_beside_a_line(command_world: World) -> None:
    leaving = [somebody() for _ in range(10)]
    for email in leaving:
        join(command_world, email)
    coming = [somebody() for _ in range(THREADS - 10)]
    for email in coming[:4]:
        join(command_world, email)

    def act(number: int) -> None:
        if number < 10:
            signup_id = id_of(command_world, "early_access", leaving[number])
            command_world.core.commands.dispatch(commands.LeaveEarlyAccess(signup_id), system_context())
        else:
            join(command_world, coming[number - 10])

    at_once(act)
    taken = places(command_world).taken
    assert len(set(taken.values())) == 10
    waiting = "SELECT id FROM leads.contact WHERE kind = 'early_access' AND place IS NULL"
    waits = {row[0] for row in command_world.postgres.execute(waiting).fetchall()}
    everybody = {id_of(command_world, "early_access", email) for email in coming}
    assert set(taken.values()) | waits == everybody and not set(taken.values()) & waits
    told = [to for to, text in mails(command_world, "early_access") if "of 10" in text]
    assert sorted(told) == sorted(email for email in coming if id_of(command_world, "early_access", email) not in waits)
    command_world.postgres.execute("TRUNCATE events.stored_events, events.snapshots")
    command_world.postgres.execute("DELETE FROM leads.contact")


def test_who_has_a_place_is_invited_once_and_can_register_with_it(command_world: World) -> None:
    email = somebody()
    sign_up(command_world, email)
    contact = id_of(command_world, "early_access", email)
    admin(command_world, "POST", f"/api/admin/early-access/{contact}/invite", json={})
    again = admin(command_world, "POST", f"/api/admin/early-access/{contact}/invite", 409, json={})
    assert again["code"] == "invited"
    [(to, text)] = mails(command_world, "early_access_invite")
    code = re.search(r"invite=(\S+)", text)
    assert code is not None and to == email and f"{DEFAULT_DAYS} days" in text
    assert "/early-access/leave#code=" in text  # each of our mails to them ends it
    command_world.postgres.execute("DELETE FROM kernel.mail")
    assert register(command_world, code[1], email).status_code == 201
    again = admin(command_world, "POST", f"/api/admin/early-access/{contact}/invite", 409, json={})
    assert again["code"] == "registered"


def test_who_let_an_invite_run_out_is_invited_again(command_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    email = somebody()
    sign_up(command_world, email)
    contact = id_of(command_world, "early_access", email)
    with monkeypatch.context() as yesterday:
        yesterday.setattr("command_api.accounts.invites.model.DEFAULT_DAYS", -1)
        admin(command_world, "POST", f"/api/admin/early-access/{contact}/invite", json={})
    admin(command_world, "POST", f"/api/admin/early-access/{contact}/invite", json={})
    [(_, old), (_, new)] = mails(command_world, "early_access_invite")
    codes = [found[1] for found in (re.search(r"invite=(\S+)", text) for text in (old, new)) if found]
    assert register(command_world, codes[0], email).json()["code"] == "invite_expired"
    assert register(command_world, codes[1], email).status_code == 201


def test_an_invite_that_nobody_used_ends_with_its_place(command_world: World) -> None:
    sign_up(command_world, email := somebody())
    contact = id_of(command_world, "early_access", email)
    admin(command_world, "POST", f"/api/admin/early-access/{contact}/invite", json={})
    code = re.search(r"invite=(\S+)", mails(command_world, "early_access_invite")[0][1])
    admin(command_world, "DELETE", f"/api/admin/early-access/{contact}", 204)
    assert code is not None
    refused = register(command_world, code[1], email)
    assert (refused.status_code, refused.json()["code"]) == (400, "invite_revoked")


def test_an_invite_to_early_access_is_one_of_the_admins_open_invites(
    command_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    decrypt_mail = "SELECT count(*) FROM accounts.invite_code WHERE account_id = %s AND open_until > now()"
    room = command_world.count(decrypt_mail, command_world.admin.account_id) + 1
    monkeypatch.setattr("command_api.accounts.invites.codes.MAX_OPEN", room)
    people = []
    for email in (somebody(), somebody()):
        sign_up(command_world, email)
        people.append(id_of(command_world, "early_access", email))
    first, second = (f"/api/admin/early-access/{one}" for one in people)
    admin(command_world, "POST", f"{first}/invite", json={})
    refused = admin(command_world, "POST", f"{second}/invite", 409, json={})
    assert refused["code"] == "too_many_invites" and len(mails(command_world, "early_access_invite")) == 1
    admin(command_world, "DELETE", first, 204)  # the invite ends with the place
    admin(command_world, "POST", f"{second}/invite", json={})


def test_however_many_ask_at_once_ten_places_are_given(command_world: World) -> None:
    for _ in range(ROUNDS):
        same = somebody()
        emails = [somebody() for _ in range(THREADS - 4)] + [same] * 4

        def act(number: int, emails: list[str] = emails) -> None:
            with suppress(CommandRejected):  # four at once confirm one address, of which one was first to sign up
                join(command_world, emails[number])

        at_once(act)
        taken = sorted(places(command_world).taken)
        assert taken == list(range(1, 11))
        assert len(set(places(command_world).taken.values())) == 10
        rows = command_world.postgres.execute("SELECT id FROM leads.contact WHERE kind = 'early_access'").fetchall()
        assert len(rows) == THREADS - 3
        command_world.postgres.execute("TRUNCATE events.stored_events, events.snapshots")
        command_world.postgres.execute("DELETE FROM leads.contact")


def test_an_address_that_nobody_confirms_is_forgotten(command_world: World) -> None:
    emails = [somebody() for _ in range(4)]
    at = datetime.now(UTC)
    for email in emails:
        post(command_world, "early-access", json={"email": email})
        if email in (emails[1], emails[3]):
            confirm(command_world)
    ids = [id_of(command_world, "early_access", email) for email in emails]
    assert places(command_world).taken == {1: ids[1], 2: ids[3]}
    for act in ("invite", "promote"):
        refused = admin(command_world, "POST", f"/api/admin/early-access/{ids[0]}/{act}", 409, json={})
        assert refused["code"] in ("not_confirmed", "no_place")
    unused = confirming(last_mails(command_world)[emails[0]])
    assert end_unconfirmed(command_world, at + timedelta(hours=23, minutes=59), 50) == 0
    while end_unconfirmed(command_world, at + timedelta(hours=24, minutes=1), 3):
        pass
    assert [stored_contact(command_world, one) is None for one in ids] == [True, False, True, False]
    late = post(command_world, "early-access/confirm", 400, json={"code": unused})
    assert late["code"] == "link_invalid" and "sign up again" in late["message"]
    later(command_world, minutes=60)
    sign_up(command_world, emails[0])  # signs up again, and is as any other
    assert "place 3 of 10" in mails(command_world, "early_access")[-1][1]


def test_confirming_as_the_time_ends_gets_a_place_or_none_and_each_place_has_one_owner(command_world: World) -> None:
    at = datetime.now(UTC) + timedelta(hours=24, minutes=1)
    for _ in range(ROUNDS):
        emails = [somebody() for _ in range(10)]
        for email in emails:
            post(command_world, "early-access", json={"email": email})
        codes = [confirming(text) for _, text in mails(command_world, "early_access")]
        kept: set[str] = set()

        def act(number: int, emails: list[str] = emails, codes: list[str] = codes, kept: set[str] = kept) -> None:
            if number >= 10:
                end_unconfirmed(command_world, at, 2)
                return
            try:
                signup_id = contacts.linked(command_world.core, "early_access", codes[number])
                if signup_id is None:
                    return
                command_world.core.commands.dispatch(commands.ConfirmSignup(signup_id), system_context())
            except CommandRejected:
                return
            kept.add(emails[number])

        at_once(act)
        while end_unconfirmed(command_world, at, 50):
            pass
        taken = places(command_world).taken
        assert len(set(taken.values())) == len(taken)
        assert set(taken.values()) == {id_of(command_world, "early_access", email) for email in kept}
        command_world.postgres.execute("TRUNCATE events.stored_events, events.snapshots")
        command_world.postgres.execute("DELETE FROM leads.contact")
        command_world.postgres.execute("DELETE FROM kernel.mail")
        command_world.postgres.execute("DELETE FROM kernel.rate_limit")


def test_an_inquiry_arrives_is_confirmed_and_answered_by_mail(command_world: World) -> None:
    answer = post(command_world, "contact", 201, json=CONTACT)
    assert answer == {"ok": True, "message": "Thank you for your inquiry. We will get back to you soon."}
    row = command_world.postgres.execute(
        "SELECT originator_id, convert_from(state, 'UTF8') FROM events.stored_events"
        " WHERE topic = 'inquiry.received.v1' ORDER BY notification_id DESC LIMIT 1"
    ).fetchone()
    assert row is not None
    # With a blank or an "@", which nothing sealed holds: any few letters it may hold by chance.
    assert not [words for words in ("Embla Rós", "Embla R", "sell wool", "embla@") if words in row[1]]
    [(to, receipt)] = mails(command_world, "inquiry_received")
    assert to == "embla@example.com" and "within 24 hours" in receipt
    assert "Embla" not in receipt and "wool" not in receipt  # else anyone could make Althing send their text
    path = f"/api/admin/inquiries/{row[0]}"
    admin(command_world, "POST", f"{path}/status", json={"status": "in_progress"})
    admin(command_world, "POST", f"{path}/notes", json={"text": "Big shop."})
    answered = admin(command_world, "POST", f"{path}/answer", json={"text": "On Monday."})
    assert answered == {"id": str(row[0]), "status": "answered", "assignedTo": None}
    [(to, text)] = mails(command_world, "inquiry_answer")
    quoted = "> We sell wool.\n> How soon can you start?\n"
    contact = f"{command_world.settings.app_url}/contact"
    hint = f"Replies to this email are not read. Write here: {contact}"
    assert (to, text) == ("embla@example.com", f"On Monday.\n\n{hint}\n\nYou wrote:\n\n{quoted}")
    assert hint in receipt
    step = command_world.count(
        "SELECT about_step FROM kernel.mail WHERE kind = 'inquiry_answer' AND about = %s", row[0]
    )
    assert command_world.events(row[0])[step - 1] == "inquiry.answered.v1"
    admin(command_world, "DELETE", path, 204)
    assert command_world.count("SELECT count(*) FROM kernel.mail") == 0  # the answer quotes what was written
    admin(command_world, "POST", f"{path}/notes", 404, json={"text": "Gone."})
    assert command_world.count(
        "SELECT count(*) FROM kernel.subject_key WHERE subject_id = %s AND key_wrapped IS NULL", row[0]
    )


def test_an_inquiry_is_assigned_to_admins_only(command_world: World) -> None:
    context, ada = system_context(), member(command_world)
    inquiry_id, fields = uuid4(), Contact.model_validate(CONTACT)
    command_world.core.commands.dispatch(commands.ReceiveInquiry(inquiry_id, fields, sends_receipt=False), context)

    def assign(account_id: UUID | None) -> UUID | None:
        command = commands.AssignInquiry(inquiry_id, account_id)
        return command_world.core.commands.dispatch(command, context).answer.assigned_to

    with pytest.raises(CommandRejected) as refused:
        assign(UUID(ada.id))
    assert (refused.value.code, refused.value.field) == ("not_an_admin", "accountId")
    admin(command_world, "PUT", f"/api/admin/accounts/{ada.id}/roles", json={"roles": ["member", "admin"]})
    assert (assign(UUID(ada.id)), assign(None)) == (UUID(ada.id), None)
    path = f"/api/admin/inquiries/{inquiry_id}/assign"
    assert admin(command_world, "POST", path, json={"accountId": ada.id})["assignedTo"] == ada.id


def test_an_inquiry_sent_twice_with_one_key_is_one(command_world: World) -> None:
    before = command_world.count("SELECT count(*) FROM events.stored_events WHERE topic = 'inquiry.received.v1'")
    key = {"Idempotency-Key": uuid4().hex}
    assert post(command_world, "contact", 201, json=CONTACT, headers=key) == post(
        command_world, "contact", 201, json=CONTACT, headers=key
    )
    after = command_world.count("SELECT count(*) FROM events.stored_events WHERE topic = 'inquiry.received.v1'")
    assert after - before == 1


def test_a_program_that_fills_in_the_hidden_field_changes_nothing(command_world: World) -> None:
    def stored() -> int:
        return command_world.count("SELECT count(*) FROM events.stored_events")

    before = stored()
    hidden = {"email": somebody(), "website": "https://spam.example"}
    post(command_world, "newsletter/subscribe", json=hidden)
    post(command_world, "early-access", json=hidden)
    post(command_world, "contact", 201, json={**CONTACT, "website": "x"})
    assert (stored(), command_world.count("SELECT count(*) FROM kernel.mail")) == (before, 0)


@pytest.mark.parametrize(
    ("path", "body", "field", "message"),
    [
        ("newsletter/subscribe", {"email": "nobody"}, "email", "Please enter a valid email"),
        ("newsletter/subscribe", {"email": "a@b.example", "name": "x" * 201}, "name", "at most 200 characters"),
        ("early-access", {"email": "a b@c.example"}, "email", "Please enter a valid email"),
        ("early-access", {"email": "a@b.example\r\nBcc: c@d.example"}, "email", "Please enter a valid email"),
        ("early-access", {"email": "=?utf-8?q?c=40d.example=2c?=@b.example"}, "email", "Please enter a valid email"),
        ("early-access", {"email": "a@b..example"}, "email", "Please enter a valid email"),
        ("contact", {**CONTACT, "firstName": " "}, "firstName", "Please enter a name"),
        ("contact", {**CONTACT, "firstName": "A\nB"}, "firstName", "one line"),
        ("contact", {**CONTACT, "message": "\x00"}, "message", "NUL"),
        ("contact", {**CONTACT, "message": "x" * 20_001}, "message", "20,000"),
        ("contact", {**CONTACT, "serviceInterest": "Something else"}, "serviceInterest", ""),
    ],
)
def test_what_is_wrong_is_named(
    command_world: World, path: str, body: dict[str, Any], field: str, message: str
) -> None:
    answer = post(command_world, path, 400, json=body)
    assert [error["field"] for error in answer["errors"]] == [field]
    assert message in answer["errors"][0]["message"]


def test_a_form_without_a_service_or_a_name_is_fine(command_world: World) -> None:
    post(command_world, "contact", 201, json={**CONTACT, "serviceInterest": ""})
    post(command_world, "newsletter/subscribe", json={"email": somebody(), "name": ""})


def test_one_address_cannot_send_forms_without_end(command_world: World) -> None:
    place = {"X-Forwarded-For": "203.0.113.9"}
    answers = [
        command_world.call("POST", "/api/public/early-access", headers=place, json={"email": "x"}).status_code
        for _ in range(3)
    ]
    assert answers == [400] * 3  # what is not even a form costs nothing

    def confirm() -> httpx2.Response:
        return command_world.call("POST", "/api/public/newsletter/confirm", headers=place, json={"code": "no"})

    assert [confirm().status_code for _ in range(PER_VISITOR.burst)] == [400] * PER_VISITOR.burst
    # One more comes free after a while, which a busy machine may take for the first ones.
    limited = next(answer for answer in (confirm() for _ in range(PER_VISITOR.burst)) if answer.status_code != 400)
    assert limited.status_code == 429 and int(limited.headers["Retry-After"]) > 0


def test_ids_of_nothing_and_of_something_else_are_not_there(command_world: World) -> None:
    post(command_world, "early-access", json={"email": (email := somebody())})
    signup = id_of(command_world, "early_access", email)
    admin(command_world, "DELETE", f"/api/admin/subscribers/{signup}", 404)
    assert stored_contact(command_world, signup) is not None
    for method, path in (("POST", "inquiries/{}/notes"), ("DELETE", "early-access/{}"), ("DELETE", "inquiries/{}")):
        admin(command_world, method, f"/api/admin/{path.format(uuid4())}", 404, json={"text": "x"})
    admin(command_world, "POST", f"/api/admin/inquiries/{signup}/notes", 404, json={"text": "x"})


def test_a_mail_provider_may_unsubscribe_all_its_users_at_once(command_world: World) -> None:
    post(command_world, "newsletter/subscribe", json={"email": (email := somebody())})
    contact = id_of(command_world, "newsletter", email)
    stop = one_click_url(command_world.settings, contact).removeprefix(command_world.settings.app_url)
    place = {"X-Forwarded-For": "203.0.113.10"}
    right = [command_world.call("POST", stop, headers=place).status_code for _ in range(PER_VISITOR.burst + 5)]
    assert right == [200] * (PER_VISITOR.burst + 5)

    def guess() -> int:
        return command_world.call("POST", f"{stop[:-1]}x", headers=place).status_code

    assert [guess() for _ in range(PER_VISITOR.burst)] == [404] * PER_VISITOR.burst
    assert 429 in (guess() for _ in range(PER_VISITOR.burst))


def test_only_admins_touch_leads(command_world: World) -> None:
    for method, path in (
        ("POST", f"inquiries/{uuid4()}/notes"),
        ("DELETE", f"inquiries/{uuid4()}"),
        ("POST", f"early-access/{uuid4()}/promote"),
        ("DELETE", f"subscribers/{uuid4()}"),
    ):
        answer = call(
            command_world, method, f"/api/admin/{path}", headers=command_world.owner.headers, json={"text": "x"}
        )
        assert answer.status_code == 403, (path, answer.text)
