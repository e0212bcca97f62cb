"""Rows of accounts: invites, ways to sign in, second factors, keys and choices. Secrets themselves are in no event."""

from __future__ import annotations

from typing import Final

from infra.ops.audit.beside_events.fold import KeptTable, TableFold, Tables, same
from schemas.events.accounts import (
    AccountErased,
    AccountRegistered,
    InviteCreated,
    InviteRevoked,
    InviteUsed,
    PasswordChanged,
    RecoveryCodesMade,
    RecoveryCodeUsed,
    SignInLinked,
    SignInUnlinked,
    TwoFactorDisabled,
    TwoFactorEnabled,
)
from schemas.events.insights import InsightsDigestChosen
from schemas.events.notifications import WebhookAdded, WebhookRemoved
from schemas.events.operations import AuditTrailAnchored
from schemas.events.websites import KeyKind, WebsiteDisconnected, WebsiteKeyIssued, WebsiteKeyRevoked

_OF_ACCOUNTS: Final = (
    *("auth.invite_code", "auth.linked_sign_in", "auth.credential", "auth.second_factor", "auth.recovery_code"),
    *("notifications.webhook_secret", "insights.digest"),
)
"""An erased account has none of them."""

ACCOUNTS: Final = TableFold(
    (
        KeptTable("auth.invite_code", ("invite_id",), same("invite_id", "account_id", "open_until")),
        KeptTable(
            "auth.linked_sign_in", ("account_id", "subject_hash"), same("account_id", "subject_hash", "provider")
        ),
        KeptTable("auth.credential", ("account_id",), same("account_id")),
        KeptTable(
            "auth.second_factor",
            ("account_id",),
            same("account_id"),
            source="auth.second_factor WHERE secret_sealed IS NOT NULL",
        ),
        KeptTable(
            "auth.recovery_code",
            ("account_id",),
            same("account_id", "codes", "used"),
            source="(SELECT account_id, count(*) AS codes, count(used_at) AS used FROM auth.recovery_code"
            " GROUP BY account_id) AS c",
        ),
        KeptTable("auth.postback_token", ("key_id",), same("key_id", "website_id")),
        KeptTable("notifications.webhook_secret", ("webhook_id",), same("webhook_id", "account_id")),
        KeptTable("insights.digest", ("account_id",), same("account_id")),
        KeptTable("auth.audit_anchor", ("seq",), same("seq", "hash")),
    )
)


@ACCOUNTS.on(AccountRegistered)
def _registered(tables: Tables, event: AccountRegistered) -> None:
    """Expects a password, unless an identity of a provider is linked at the same moment."""
    tables["auth.credential"].put(account_id=event.originator_id, registered_at=event.timestamp)


@ACCOUNTS.on(PasswordChanged)
def _password_changed(tables: Tables, event: PasswordChanged) -> None:
    tables["auth.credential"].put(account_id=event.originator_id, registered_at=None)


@ACCOUNTS.on(SignInLinked)
def _linked(tables: Tables, event: SignInLinked) -> None:
    tables["auth.linked_sign_in"].put(
        account_id=event.originator_id, subject_hash=event.subject_hash, provider=event.provider
    )
    tables["auth.credential"].delete(account_id=event.originator_id, registered_at=event.timestamp)


@ACCOUNTS.on(SignInUnlinked)
def _unlinked(tables: Tables, event: SignInUnlinked) -> None:
    tables["auth.linked_sign_in"].delete(account_id=event.originator_id, subject_hash=event.subject_hash)


@ACCOUNTS.on(TwoFactorEnabled)
def _factor_enabled(tables: Tables, event: TwoFactorEnabled) -> None:
    tables["auth.second_factor"].put(account_id=event.originator_id)


@ACCOUNTS.on(TwoFactorDisabled)
def _factor_disabled(tables: Tables, event: TwoFactorDisabled) -> None:
    for name in ("auth.second_factor", "auth.recovery_code"):
        tables[name].delete(account_id=event.originator_id)


@ACCOUNTS.on(RecoveryCodesMade)
def _codes_made(tables: Tables, event: RecoveryCodesMade) -> None:
    tables["auth.recovery_code"].put(account_id=event.originator_id, codes=event.count, used=0)


@ACCOUNTS.on(RecoveryCodeUsed)
def _code_used(tables: Tables, event: RecoveryCodeUsed) -> None:
    tables["auth.recovery_code"].add({"account_id": event.originator_id}, used=1)


@ACCOUNTS.on(AccountErased)
def _erased(tables: Tables, event: AccountErased) -> None:
    for name in _OF_ACCOUNTS:
        tables[name].delete(account_id=event.originator_id)


@ACCOUNTS.on(InviteCreated)
def _invite_created(tables: Tables, event: InviteCreated) -> None:
    tables["auth.invite_code"].put(
        invite_id=event.originator_id, account_id=event.account_id, open_until=event.expires_at, left=event.max_uses
    )


@ACCOUNTS.on(InviteUsed)
def _invite_used(tables: Tables, event: InviteUsed) -> None:
    tables["auth.invite_code"].add({"invite_id": event.originator_id}, left=-1)
    tables["auth.invite_code"].update({"invite_id": event.originator_id, "left": 0}, open_until=None)


@ACCOUNTS.on(InviteRevoked)
def _invite_revoked(tables: Tables, event: InviteRevoked) -> None:
    tables["auth.invite_code"].update({"invite_id": event.originator_id}, open_until=None)


@ACCOUNTS.on(WebsiteKeyIssued)
def _key_issued(tables: Tables, event: WebsiteKeyIssued) -> None:
    if event.kind is KeyKind.POSTBACK and event.is_readable:
        tables["auth.postback_token"].put(key_id=event.key_id, website_id=event.originator_id)


@ACCOUNTS.on(WebsiteKeyRevoked)
def _key_revoked(tables: Tables, event: WebsiteKeyRevoked) -> None:
    tables["auth.postback_token"].delete(key_id=event.key_id)


@ACCOUNTS.on(WebsiteDisconnected)
def _keys_ended(tables: Tables, event: WebsiteDisconnected) -> None:
    tables["auth.postback_token"].delete(website_id=event.originator_id)


@ACCOUNTS.on(WebhookAdded)
def _webhook_added(tables: Tables, event: WebhookAdded) -> None:
    tables["notifications.webhook_secret"].put(webhook_id=event.originator_id, account_id=event.account_id)


@ACCOUNTS.on(WebhookRemoved)
def _webhook_removed(tables: Tables, event: WebhookRemoved) -> None:
    tables["notifications.webhook_secret"].delete(webhook_id=event.originator_id)


@ACCOUNTS.on(InsightsDigestChosen)
def _digest_chosen(tables: Tables, event: InsightsDigestChosen) -> None:
    if event.every == "off":
        tables["insights.digest"].delete(account_id=event.account_id)
    else:
        tables["insights.digest"].put(account_id=event.account_id)


@ACCOUNTS.on(AuditTrailAnchored)
def _anchored(tables: Tables, event: AuditTrailAnchored) -> None:
    tables["auth.audit_anchor"].put(seq=event.seq, hash=bytes.fromhex(event.head))
