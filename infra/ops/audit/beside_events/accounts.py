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
    *("accounts.invite_code", "accounts.linked_sign_in", "accounts.credential", "accounts.second_factor"),
    *("accounts.recovery_code", "notifications.webhook_secret", "insights.digest"),
)
"""An erased account has none of them."""

ACCOUNTS: Final = TableFold(
    (
        KeptTable("accounts.invite_code", ("invite_id",), same("invite_id", "account_id", "open_until")),
        KeptTable(
            "accounts.linked_sign_in", ("account_id", "subject_hash"), same("account_id", "subject_hash", "provider")
        ),
        KeptTable("accounts.credential", ("account_id",), same("account_id")),
        KeptTable(
            "accounts.second_factor",
            ("account_id",),
            same("account_id"),
            source="accounts.second_factor WHERE secret_sealed IS NOT NULL",
        ),
        KeptTable(
            "accounts.recovery_code",
            ("account_id",),
            same("account_id", "codes", "used"),
            source="(SELECT account_id, count(*) AS codes, count(used_at) AS used FROM accounts.recovery_code"
            " GROUP BY account_id) AS c",
        ),
        KeptTable("websites.postback_token", ("key_id",), same("key_id", "website_id")),
        KeptTable("notifications.webhook_secret", ("webhook_id",), same("webhook_id", "account_id")),
        KeptTable("insights.digest", ("account_id",), same("account_id")),
        KeptTable("kernel.audit_anchor", ("seq",), same("seq", "hash")),
    )
)


@ACCOUNTS.on(AccountRegistered)
def _registered(tables: Tables, event: AccountRegistered) -> None:
    """Expects a password, unless an identity of a provider is linked at the same moment."""
    tables["accounts.credential"].put(account_id=event.originator_id, registered_at=event.timestamp)


@ACCOUNTS.on(PasswordChanged)
def _password_changed(tables: Tables, event: PasswordChanged) -> None:
    tables["accounts.credential"].put(account_id=event.originator_id, registered_at=None)


@ACCOUNTS.on(SignInLinked)
def _linked(tables: Tables, event: SignInLinked) -> None:
    tables["accounts.linked_sign_in"].put(
        account_id=event.originator_id, subject_hash=event.subject_hash, provider=event.provider
    )
    tables["accounts.credential"].delete(account_id=event.originator_id, registered_at=event.timestamp)


@ACCOUNTS.on(SignInUnlinked)
def _unlinked(tables: Tables, event: SignInUnlinked) -> None:
    tables["accounts.linked_sign_in"].delete(account_id=event.originator_id, subject_hash=event.subject_hash)


@ACCOUNTS.on(TwoFactorEnabled)
def _factor_enabled(tables: Tables, event: TwoFactorEnabled) -> None:
    tables["accounts.second_factor"].put(account_id=event.originator_id)


@ACCOUNTS.on(TwoFactorDisabled)
def _factor_disabled(tables: Tables, event: TwoFactorDisabled) -> None:
    for name in ("accounts.second_factor", "accounts.recovery_code"):
        tables[name].delete(account_id=event.originator_id)


@ACCOUNTS.on(RecoveryCodesMade)
def _codes_made(tables: Tables, event: RecoveryCodesMade) -> None:
    tables["accounts.recovery_code"].put(account_id=event.originator_id, codes=event.count, used=0)


@ACCOUNTS.on(RecoveryCodeUsed)
def _code_used(tables: Tables, event: RecoveryCodeUsed) -> None:
    tables["accounts.recovery_code"].add({"account_id": event.originator_id}, used=1)


@ACCOUNTS.on(AccountErased)
def _erased(tables: Tables, event: AccountErased) -> None:
    for name in _OF_ACCOUNTS:
        tables[name].delete(account_id=event.originator_id)


@ACCOUNTS.on(InviteCreated)
def _invite_created(tables: Tables, event: InviteCreated) -> None:
    tables["accounts.invite_code"].put(
        invite_id=event.originator_id, account_id=event.account_id, open_until=event.expires_at, left=event.max_uses
    )


@ACCOUNTS.on(InviteUsed)
def _invite_used(tables: Tables, event: InviteUsed) -> None:
    tables["accounts.invite_code"].add({"invite_id": event.originator_id}, left=-1)
    tables["accounts.invite_code"].update({"invite_id": event.originator_id, "left": 0}, open_until=None)


@ACCOUNTS.on(InviteRevoked)
def _invite_revoked(tables: Tables, event: InviteRevoked) -> None:
    tables["accounts.invite_code"].update({"invite_id": event.originator_id}, open_until=None)


@ACCOUNTS.on(WebsiteKeyIssued)
def _key_issued(tables: Tables, event: WebsiteKeyIssued) -> None:
    if event.kind is KeyKind.POSTBACK and event.is_readable:
        tables["websites.postback_token"].put(key_id=event.key_id, website_id=event.originator_id)


@ACCOUNTS.on(WebsiteKeyRevoked)
def _key_revoked(tables: Tables, event: WebsiteKeyRevoked) -> None:
    tables["websites.postback_token"].delete(key_id=event.key_id)


@ACCOUNTS.on(WebsiteDisconnected)
def _keys_ended(tables: Tables, event: WebsiteDisconnected) -> None:
    tables["websites.postback_token"].delete(website_id=event.originator_id)


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
    tables["kernel.audit_anchor"].put(seq=event.seq, hash=bytes.fromhex(event.head))
