"""`read.custom_domains`: host names of a publisher's own. `ingest` serves a website's links under those that are
verified, and refuses links under those that were."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import own_account
from schemas.base import ERASED
from schemas.events.accounts import AccountErased
from schemas.events.domains import (
    DomainAdded,
    DomainRemoved,
    DomainTlsLost,
    DomainTlsSeen,
    DomainVerificationLost,
    DomainVerified,
)

CUSTOM_DOMAINS: Final = ReadModel(
    name="custom_domains",
    version=2,
    columns=(
        "id uuid",
        "account_id uuid not null",
        "website_id uuid not null",
        "domain text not null",
        "token text not null",
        "is_verified boolean not null",
        "ssl_enabled boolean not null",
        "added_at timestamptz not null",
        "expires_at timestamptz not null",
        "verified_at timestamptz",
        "lost_at timestamptz",
        "removed_at timestamptz",
    ),
    key=("id",),
    readers=own_account("account_id"),
    indexes=("account_id, added_at", "website_id", "domain"),
)


@CUSTOM_DOMAINS.on(DomainAdded)
def added(rows: Rows, event: DomainAdded) -> None:
    """A name that is added again keeps that it once was verified: it must not fall back to being anybody's."""
    rows.put(
        id=event.originator_id,
        account_id=event.account_id,
        website_id=event.website_id,
        domain=event.domain,
        token=event.token,
        is_verified=False,
        ssl_enabled=False,
        added_at=event.timestamp,
        expires_at=event.expires_at,
        lost_at=None,
        removed_at=None,
    )


@CUSTOM_DOMAINS.on(DomainVerified)
def verified(rows: Rows, event: DomainVerified) -> None:
    rows.update({"id": event.originator_id}, is_verified=True, verified_at=event.timestamp, lost_at=None)


@CUSTOM_DOMAINS.on(DomainVerificationLost)
def lost(rows: Rows, event: DomainVerificationLost) -> None:
    rows.update(
        {"id": event.originator_id},
        is_verified=False,
        ssl_enabled=False,
        lost_at=event.timestamp,
        expires_at=event.expires_at,
    )


@CUSTOM_DOMAINS.on(DomainTlsSeen)
def tls_seen(rows: Rows, event: DomainTlsSeen) -> None:
    rows.update({"id": event.originator_id}, ssl_enabled=True)


@CUSTOM_DOMAINS.on(DomainTlsLost)
def tls_lost(rows: Rows, event: DomainTlsLost) -> None:
    rows.update({"id": event.originator_id}, ssl_enabled=False)


@CUSTOM_DOMAINS.on(DomainRemoved)
def removed(rows: Rows, event: DomainRemoved) -> None:
    rows.update({"id": event.originator_id}, is_verified=False, ssl_enabled=False, removed_at=event.timestamp)


@CUSTOM_DOMAINS.on(AccountErased)
def owner_erased(rows: Rows, event: AccountErased) -> None:
    """`verified_at` goes too: a name that is blank must not be looked for as one that was verified."""
    rows.update({"account_id": event.originator_id}, domain=ERASED, token=ERASED, verified_at=None)
