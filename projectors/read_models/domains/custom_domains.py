"""`read.custom_domains`: host names of a publisher's own. `ingest` serves a website's links under those that are
verified, and refuses links under those that were."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account_website
from schemas.base import ERASED
from schemas.events import domains
from schemas.events.accounts import AccountErased

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
    readers=own_account_website("account_id"),
    indexes=("account_id, added_at", "website_id", "domain"),
    personal=("domain", "token"),
)


# A name that is added again keeps that it once was verified: it must not fall back to being anybody's.
CUSTOM_DOMAINS.puts(
    domains.DomainAdded,
    ("account_id", "website_id", "domain", "token", "expires_at"),
    lambda event: {"added_at": event.timestamp},
    is_verified=False,
    ssl_enabled=False,
    lost_at=None,
    removed_at=None,
)
CUSTOM_DOMAINS.sets(
    domains.DomainVerified, lambda event: {"verified_at": event.timestamp}, is_verified=True, lost_at=None
)
CUSTOM_DOMAINS.sets(
    domains.DomainVerificationLost,
    lambda event: {"lost_at": event.timestamp, "expires_at": event.expires_at},
    is_verified=False,
    ssl_enabled=False,
)
CUSTOM_DOMAINS.sets(domains.DomainTlsSeen, ssl_enabled=True)
CUSTOM_DOMAINS.sets(domains.DomainTlsLost, ssl_enabled=False)
CUSTOM_DOMAINS.sets(
    domains.DomainRemoved, lambda event: {"removed_at": event.timestamp}, is_verified=False, ssl_enabled=False
)


@CUSTOM_DOMAINS.on(AccountErased)
def owner_erased(rows: Rows, event: AccountErased) -> None:
    """`verified_at` goes too: a name that is blank must not be looked for as one that was verified."""
    rows.update({"account_id": event.originator_id}, domain=ERASED, token=ERASED, verified_at=None)
