"""Invites, profiles, factors and addresses of accounts: given events, when a command, then events."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from command_api.accounts import model
from command_api.accounts.codes import normalized
from command_api.accounts.invites import model as invites
from command_api.accounts.mails import confirm_email, password_reset
from command_api.kernel.aggregates import state_after
from command_api.kernel.audit_log import entries
from command_api.kernel.decision import CommandContext
from infra.kernel.security.client_info import Client
from schemas.base import DomainEvent
from schemas.events.accounts import (
    AccountRegistered,
    AccountRenamed,
    DisplayNameChanged,
    EmailChanged,
    EmailClaimed,
    EmailReleased,
    InviteRevoked,
    InviteUsed,
    ProfileChanged,
    Role,
    RolesChanged,
    SignedIn,
    SignedOut,
)
from schemas.events.websites import KeyKind, WebsiteKeyIssued
from schemas.evolution import UnexpectedEvent
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ADA, EVE, INVITE, GUARD, OTHER = (uuid4() for _ in range(5))
CONTEXT = CommandContext(NOW, ADA)


def account(**changes: Any) -> model.Account:
    registered = AccountRegistered(
        originator_id=ADA, originator_version=1, timestamp=NOW, email="a@b.example", name="Ada", way="invite"
    )
    return model.Account(**{**vars_of(model.evolve(None, registered)), **changes})


def vars_of(state: model.Account) -> dict[str, Any]:
    return {name: getattr(state, name) for name in state.__dataclass_fields__}


def invite(uses: int = 1, days: int = 30, *events: DomainEvent) -> invites.Invite:
    state = invites.evolve(None, invites.create(INVITE, max_uses=uses, days=days, context=CONTEXT))
    for event in events:
        state = invites.evolve(state, event)
    return state


def use(state: invites.Invite | None, at: datetime = NOW) -> list[DomainEvent]:
    return invites.use(state, account_id=EVE, context=CommandContext(at, EVE))


def test_an_invite_is_used_until_it_is_used_up() -> None:
    [used] = use(invite(2))
    assert isinstance(used, InviteUsed) and (used.originator_version, used.account_id) == (2, EVE)
    state = invites.evolve(invite(2), used)
    assert use(state)
    state = invites.evolve(state, use(state)[0])
    given(state).when(use).then(rejected("invite_used_up"))


def test_an_invite_ends_at_its_hour_and_when_it_is_revoked() -> None:
    ends = NOW + timedelta(days=3)
    assert use(invite(1, 3), ends - timedelta(microseconds=1))
    given(invite(1, 3)).when(use, ends).then(rejected("invite_expired"))
    [revoked] = invites.revoke(invite(), CONTEXT)
    assert isinstance(revoked, InviteRevoked)
    state = invite(1, 30, revoked)
    given(state).when(use).then(rejected("invite_revoked"))
    given(state).when(invites.revoke, CONTEXT).then()
    given().when(use, None).then(rejected("invite_invalid"))


def test_only_its_owner_revokes_an_invite() -> None:
    for is_admin in (False, True):
        stranger = CommandContext(NOW, EVE, is_admin=is_admin)
        given(invite()).when(invites.revoke, stranger).then(rejected("not_found"))


def test_codes_are_long_and_read_as_they_are_meant() -> None:
    codes = {invites.new_code() for _ in range(200)}
    assert len(codes) == 200 and all(len(normalized(code)) == 20 for code in codes)
    assert not any(set(code) & set("ILOU") for code in codes)
    assert normalized(" o1-lI \n") == "0111"


def change_names(state: model.Account, name: str | None, display_name: str | None) -> list[DomainEvent]:
    return model.change_profile(
        state, name=name, display_name=display_name, company=None, timezone=None, context=CONTEXT
    )


def test_others_see_the_display_name_until_it_is_emptied() -> None:
    [changed] = change_names(account(), None, "Countess")
    assert isinstance(changed, DisplayNameChanged) and (changed.name, changed.chosen) == ("Countess", True)
    state = model.evolve(account(), changed)
    assert (state.name, state.display_name, state.public_name) == ("Ada", "Countess", "Countess")
    given(state).when(change_names, None, "Countess").then()
    events = change_names(state, "Ada L", "")
    emptied = events[1]
    assert isinstance(emptied, DisplayNameChanged) and (emptied.name, emptied.chosen) == ("Ada L", False)
    assert state_after(model.evolve, state, events).public_name == "Ada L"


@pytest.mark.parametrize(
    "name",
    ["Moderator", "The Moderators", "ADMIN", "Ada (Admin)", "AdaAdmin", "m o d", "M-o-d",
     "\u0410dmin", "Adm1n", "st\u00e4ff",
     "Althing Team", "Official_Ada", "\uff21\uff44\uff4d\uff49\uff4e", "Ada \u2713", "Ada \U0001f6e1", "\u2605 Ada"],
)  # fmt: skip
def test_nobody_but_staff_has_a_name_that_suggests_staff_or_a_badge(name: str) -> None:
    given(account()).when(change_names, None, name).then(rejected("reserved_name"))
    given(account()).when(change_names, name, None).then(rejected("reserved_name"))
    assert change_names(account(roles=(Role.MEMBER, Role.MODERATOR)), None, name)


@pytest.mark.parametrize(
    "name",
    [
        "Badminton Bob",
        "Modesty",
        "\u00de\u00f3r\u00f0ur \u00c6gisson",
        "\u674e\u660e",
        "Staffan",
        "Bob + Ada",
        "O'Neil",
    ],
)
def test_other_names_are_free(name: str) -> None:
    assert change_names(account(), name, None)


def test_who_is_no_longer_staff_loses_a_display_name_that_suggests_it() -> None:
    state = account(roles=(Role.MEMBER, Role.MODERATOR), display_name="Moderator Ada")
    _, changed = model.set_roles(state, [], CONTEXT)
    assert isinstance(changed, DisplayNameChanged) and (changed.name, changed.chosen) == ("Ada", False)
    assert len(model.set_roles(replace(state, display_name="Countess"), [], CONTEXT)) == 1


def test_a_profile_that_is_the_same_is_no_event() -> None:
    unchanged = {"name": "Ada", "display_name": "", "company": "", "timezone": "UTC"}
    given(account()).when(model.change_profile, **unchanged, context=CONTEXT).then()
    events = model.change_profile(
        account(), name="Ada L", display_name=None, company=None, timezone="Europe/London", context=CONTEXT
    )
    renamed, changed = events
    assert isinstance(renamed, AccountRenamed) and isinstance(changed, ProfileChanged)
    assert (renamed.originator_version, changed.originator_version, changed.company) == (2, 3, None)
    state = model.evolve(model.evolve(account(), renamed), changed)
    assert (state.name, state.company, state.timezone) == ("Ada L", "", "Europe/London")


def change_email(new: model.Email | None, new_id: UUID = OTHER) -> list[DomainEvent]:
    old = model.Email(1, ADA)
    return model.change_email(
        account(), old=old, old_id=GUARD, new=new, new_id=new_id, email="new@b.example", context=CONTEXT
    )


def test_changing_the_address_frees_the_old_one() -> None:
    changed, released, reserved = change_email(model.Email(4, None))
    assert (
        isinstance(changed, EmailChanged) and isinstance(released, EmailReleased) and isinstance(reserved, EmailClaimed)
    )
    assert (released.originator_id, reserved.originator_id, reserved.originator_version) == (GUARD, OTHER, 5)
    given(model.Email(1, EVE)).when(change_email).then(rejected("email_taken"))
    assert [type(event) for event in change_email(model.Email(1, ADA), GUARD)] == [EmailChanged]


def test_everybody_is_a_member() -> None:
    [changed] = model.set_roles(account(), [Role.ADMIN], CONTEXT)
    assert isinstance(changed, RolesChanged) and changed.roles == (Role.MEMBER, Role.ADMIN)
    given(account()).when(model.set_roles, [], CONTEXT).then()
    given(account(erased=True)).when(model.set_roles, [], CONTEXT).then(rejected("not_found"))


def test_without_a_factor_there_are_no_recovery_codes() -> None:
    given(account()).when(model.make_recovery_codes, 10, CONTEXT).then(rejected("no_second_factor"))
    given(account()).when(model.disable_two_factor, CONTEXT).then(rejected("no_second_factor"))
    assert len(model.enable_two_factor(account(), 10, CONTEXT)) == 2


def test_a_session_has_a_stream_of_its_own() -> None:
    [signed_in] = model.sign_in(account(), session_id=EVE, method="password", context=CONTEXT)
    assert isinstance(signed_in, SignedIn) and signed_in.account_id == ADA
    assert (signed_in.originator_id, signed_in.originator_version) == (EVE, 1)
    session = model.evolve_session(None, signed_in)
    [signed_out] = model.sign_out(session, session_id=EVE, account_id=ADA, context=CONTEXT)
    assert isinstance(signed_out, SignedOut) and signed_out.account_id == ADA
    assert (signed_out.originator_id, signed_out.originator_version) == (EVE, 2)
    ended = model.evolve_session(session, signed_out)
    given(ended).when(model.sign_out, session_id=EVE, account_id=ADA, context=CONTEXT).then()


def test_a_session_of_an_older_version_is_in_the_stream_of_its_account() -> None:
    common = {"originator_id": ADA, "timestamp": NOW, "actor_id": ADA, "session_id": EVE}
    older = [
        SignedIn(**common, originator_version=2, method="password"),
        SignedOut(**common, originator_version=3),
    ]
    assert state_after(model.evolve, account(), older) == account(version=3)
    [signed_out] = model.sign_out(None, session_id=EVE, account_id=ADA, context=CONTEXT)
    assert (signed_out.originator_id, signed_out.originator_version) == (EVE, 1)
    assert model.evolve_session(None, signed_out).ended
    with pytest.raises(UnexpectedEvent):
        model.evolve_session(None, older[0])


def test_the_trail_tells_what_happened_without_names_and_hashes() -> None:
    [signed_in] = model.sign_in(account(), session_id=EVE, method="password", context=CONTEXT)
    keys = [
        WebsiteKeyIssued(
            originator_id=OTHER, originator_version=n, timestamp=NOW, key_id=EVE, kind=KeyKind.SECRET,
            key_hash="ab" * 32, last4="wxyz",
        )
        for n in (1, 2)
    ]  # fmt: skip
    renamed = AccountRenamed(originator_id=ADA, originator_version=3, timestamp=NOW, name="Ada L")
    reserved = EmailClaimed(originator_id=GUARD, originator_version=1, timestamp=NOW, account_id=ADA)
    found = {entry.action: entry for entry in entries([signed_in, *keys, renamed, reserved], ADA)}
    assert set(found) == {"account.signed_in", "website.key_issued", "account.renamed"}
    assert (found["account.signed_in"].account_id, found["account.signed_in"].subject_id) == (ADA, None)
    assert found["account.signed_in"].details == {"session_id": str(EVE), "method": "password"}
    assert found["account.renamed"].details == {}
    assert found["website.key_issued"].details == {"count": 2}
    assert (found["website.key_issued"].account_id, found["website.key_issued"].subject_id) == (ADA, OTHER)
    [one] = entries(keys[:1], ADA)
    assert one.details == {"key_id": str(EVE), "kind": "secret", "last4": "wxyz"}


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.77", "203.0.113.0/24"),
        ("2001:0db8:0001:0002", "2001:db8:1::/48"),
        ("", ""),
        ("testclient", ""),
        ("1.2.3", ""),
    ],
)
def test_addresses_are_kept_cut(address: str, network: str) -> None:
    assert Client(address).network == network


def test_codes_of_mails_stand_where_browsers_send_them_to_nobody() -> None:
    for mail in (password_reset, confirm_email):
        assert "#code=SECRET" in mail("a@b.example", ADA, "https://app.example", "SECRET").text
        assert "SECRET" not in mail("a@b.example", ADA, "https://app.example", "SECRET").subject
