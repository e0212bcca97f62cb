"""Accounts' details and invites as read models: given decided events, then these rows."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from infra.kernel.postgres.pool import pool
from infra.kernel.security.subject_keys import Keyring
from schemas.base import ERASED, DomainEvent
from schemas.events import accounts
from tests.support.projection_bench import ProjectionBench, moment

OWNER = UUID("0190a1b2-0000-7000-8000-0000000000d1")


class History:
    """Decided events of several aggregates, each in its order, with personal fields sealed as the store has them."""

    def __init__(self, bench: ProjectionBench, keyring: Keyring) -> None:
        self.bench, self.keyring = bench, keyring
        self.versions: dict[UUID, int] = {}

    def decide(self, aggregate: UUID, event_class: type[DomainEvent], **values: Any) -> None:
        version = self.versions[aggregate] = self.versions.get(aggregate, 0) + 1
        sealed = {
            name: self.keyring.encrypt(aggregate, name, value) if name in ("email", "name", "company") else value
            for name, value in values.items()
        }
        at = moment() + timedelta(minutes=version)
        self.bench.decide(event_class(originator_id=aggregate, originator_version=version, timestamp=at, **sealed))


def test_invites_and_who_joined_by_them(projecting: ProjectionBench) -> None:
    keys = pool(projecting.settings, 1)
    history, invite, ada, eve = History(projecting, Keyring(keys, projecting.settings)), uuid4(), uuid4(), uuid4()
    soon = moment() + timedelta(days=30)
    history.decide(invite, accounts.InviteCreated, account_id=OWNER, max_uses=3, expires_at=soon)
    for who, name in ((ada, "Ada"), (eve, "Eve")):
        history.decide(invite, accounts.InviteUsed, account_id=who)
        history.decide(
            who, accounts.AccountRegistered, email="a@example.com", name=name, way="invite", invite_id=invite,
            invited_by=OWNER,
        )  # fmt: skip
    history.decide(ada, accounts.AccountRenamed, name="Ada L")
    history.decide(invite, accounts.InviteRevoked)
    with projecting.running("invites", "invite_joins"):
        projecting.wait("invites")
        projecting.wait("invite_joins")
        query = "select max_uses, current_uses, expires_at, revoked_at is not null from read.invites where id = %s"
        assert projecting.sql(query, invite) == [(3, 2, soon, True)]
        joined = "select name from read.invite_joins where invite_id = %s order by name"
        assert projecting.sql(joined, invite) == [("Ada L",), ("Eve",)]
        history.keyring.erase(eve)
        history.decide(eve, accounts.AccountErased)
        projecting.wait("invite_joins")
        assert projecting.sql(joined, invite) == [("Ada L",), (ERASED,)]
    keys.close()


def test_details_of_an_account_until_it_is_erased(projecting: ProjectionBench) -> None:
    keys = pool(projecting.settings, 1)
    history, ada = History(projecting, Keyring(keys, projecting.settings)), uuid4()
    history.decide(ada, accounts.AccountRegistered, email="a@example.com", name="Ada", way="setup")
    history.decide(ada, accounts.ProfileChanged, company="Analytical", timezone="Europe/London")
    history.decide(ada, accounts.ProfileChanged, timezone="Atlantic/Reykjavik")
    history.decide(ada, accounts.TwoFactorEnabled)
    history.decide(ada, accounts.RecoveryCodesMade, count=10)
    history.decide(ada, accounts.RecoveryCodeUsed)
    history.decide(ada, accounts.PasswordChanged)
    history.decide(ada, accounts.EmailChanged, email="b@example.com")
    query = (
        "select company, timezone, two_factor_since is not null, recovery_codes_left, password_changed_at is not null"
        " from read.account_details where account_id = %s"
    )
    with projecting.running("account_details", "accounts"):
        projecting.wait("account_details")
        projecting.wait("accounts")
        assert projecting.sql(query, ada) == [("Analytical", "Atlantic/Reykjavik", True, 9, True)]
        assert projecting.sql("select email from read.accounts where id = %s", ada) == [("b@example.com",)]
        history.decide(ada, accounts.AccountDisabled, reason="fraud")
        history.decide(ada, accounts.AccountEnabled)
        history.decide(ada, accounts.TwoFactorDisabled)
        projecting.wait("account_details")
        projecting.wait("accounts")
        assert projecting.sql(query, ada) == [("Analytical", "Atlantic/Reykjavik", False, 0, True)]
        assert projecting.sql("select disabled_at from read.accounts where id = %s", ada) == [(None,)]
        history.keyring.erase(ada)
        history.decide(ada, accounts.AccountErased)
        projecting.wait("account_details")
        projecting.wait("accounts")
        assert projecting.sql(query, ada)[0][0] == ERASED
        assert projecting.sql("select email, name from read.accounts where id = %s", ada) == [(ERASED, ERASED)]
    keys.close()
