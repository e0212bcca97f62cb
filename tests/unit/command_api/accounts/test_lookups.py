"""The roles that the write side reads, after given events."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from command_api.accounts.lookups import ROLES
from infra.kernel.postgres.memory_rows import MemoryRows
from schemas.base import DomainEvent
from schemas.events.accounts import (
    AccountDisabled,
    AccountEnabled,
    AccountErased,
    AccountRegistered,
    Role,
    RolesChanged,
)

NOW = datetime(2026, 11, 22, tzinfo=UTC)
ADA = uuid4()


class Replay:
    """Applies events of one account in their order."""

    def __init__(self, *roles: Role) -> None:
        self.tables: dict[str, MemoryRows] = ROLES.memory()
        self._version = 0
        self.happens(AccountRegistered, email="a@b.example", name="Ada", way="invite", roles=(Role.MEMBER, *roles))

    def happens(self, event_class: type[DomainEvent], **fields: Any) -> Replay:
        self._version += 1
        event = event_class(originator_id=ADA, originator_version=self._version, timestamp=NOW, **fields)
        ROLES.apply(self.tables, event)
        return self

    @property
    def held(self) -> dict[UUID, list[str]]:
        return {row["account_id"]: row["roles"] for row in self.tables["role_holder"].rows.values()}

    @property
    def admins(self) -> set[UUID]:
        return {row["account_id"] for row in self.tables["admin"].rows.values()}


def test_members_hold_no_role() -> None:
    assert (Replay().held, Replay().admins) == ({}, set())


def test_new_roles_replace_the_previous_ones() -> None:
    ada = Replay(Role.ADMIN, Role.ANALYST)
    assert (ada.held, ada.admins) == ({ADA: ["admin", "analyst"]}, {ADA})
    ada.happens(RolesChanged, roles=(Role.MEMBER, Role.MODERATOR))
    assert (ada.held, ada.admins) == ({ADA: ["moderator"]}, set())
    assert ada.happens(RolesChanged, roles=(Role.MEMBER,)).held == {}


def test_a_disabled_account_holds_its_roles_again_when_it_is_enabled() -> None:
    ada = Replay(Role.ADMIN).happens(AccountDisabled, reason="fraud")
    assert (ada.held, ada.admins) == ({}, set())
    ada.happens(AccountEnabled)
    assert (ada.held, ada.admins) == ({ADA: ["admin"]}, {ADA})


def test_roles_that_a_disabled_account_gets_count_once_it_is_enabled() -> None:
    ada = Replay().happens(AccountDisabled, reason="fraud").happens(RolesChanged, roles=(Role.MEMBER, Role.ADMIN))
    assert (ada.held, ada.admins) == ({}, set())
    ada.happens(AccountEnabled)
    assert (ada.held, ada.admins) == ({ADA: ["admin"]}, {ADA})


def test_nothing_is_left_of_an_erased_account() -> None:
    ada = Replay(Role.ADMIN).happens(AccountErased)
    assert all(not table.rows for table in ada.tables.values())
