"""Linked sign-ins: given events, when a command, then events; and who an identity is."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from command_api.accounts import model
from command_api.kernel.audit_log import entries
from command_api.kernel.decision import CommandContext
from schemas.events.accounts import AccountRegistered, SignInLinked, SignInUnlinked
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ADA = uuid4()
CONTEXT = CommandContext(NOW, ADA)
GOOGLE, GITHUB = "1f" * 32, "2f" * 32


def account(*linked: str) -> model.Account:
    state = model.evolve(
        None,
        AccountRegistered(
            originator_id=ADA, originator_version=1, timestamp=NOW, email="a@b.example", name="Ada", way="invite"
        ),
    )
    for subject in linked:
        [event] = model.link_sign_in(ADA, state.version, "google", subject, CONTEXT)
        state = model.evolve(state, event)
    return state


def test_a_sign_in_is_linked_by_its_hash() -> None:
    [linked] = model.link_sign_in(ADA, 1, "google", GOOGLE, CONTEXT)
    assert isinstance(linked, SignInLinked)
    assert (linked.provider, linked.subject_hash, linked.originator_version) == ("google", GOOGLE, 2)
    assert model.evolve(account(), linked).linked == {GOOGLE}


def test_an_unlinked_one_is_linked_no_more() -> None:
    before = account(GOOGLE, GITHUB)
    [unlinked] = model.unlink_sign_in(before, "google", GOOGLE, other_way_in=True, context=CONTEXT)
    assert isinstance(unlinked, SignInUnlinked)
    assert model.evolve(before, unlinked).linked == {GITHUB}


@pytest.mark.parametrize(
    ("linked", "other_way_in", "code"), [((GOOGLE,), False, "last_sign_in"), ((GITHUB,), True, "not_found")]
)
def test_the_last_way_in_and_what_is_not_linked_stay(linked: tuple[str, ...], other_way_in: bool, code: str) -> None:
    given(account(*linked)).when(
        model.unlink_sign_in, "google", GOOGLE, other_way_in=other_way_in, context=CONTEXT
    ).then(rejected(code))


def test_the_audit_trail_tells_the_provider_and_not_the_hash() -> None:
    [entry] = entries(model.link_sign_in(ADA, 1, "google", GOOGLE, CONTEXT), ADA)
    assert (entry.action, entry.account_id, dict(entry.details)) == (
        "account.sign_in_linked",
        ADA,
        {"provider": "google"},
    )
