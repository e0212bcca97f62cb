"""`read.custom_domains`: host names of a publisher's own. `ingest` serves a website's links under those that are
verified, and refuses links under those that were."""

from __future__ import annotations

from typing import Final

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
    fixed=("account_id",),
    readers=own_account_website("account_id"),
    indexes=("account_id, added_at", "website_id", "domain"),
    personal=("domain", "token"),
)


# A name that is added again keeps that it once was verified: it must not fall back to being anybody's.
CUSTOM_DOMAINS.begins(
    domains.DomainAdded, at="added_at", is_verified=False, ssl_enabled=False, lost_at=None, removed_at=None
)
CUSTOM_DOMAINS.follows(domains.DomainVerified, at="verified_at", is_verified=True, lost_at=None)
CUSTOM_DOMAINS.follows(domains.DomainVerificationLost, at="lost_at", is_verified=False, ssl_enabled=False)
CUSTOM_DOMAINS.follows(domains.DomainTlsSeen, ssl_enabled=True)
CUSTOM_DOMAINS.follows(domains.DomainTlsLost, ssl_enabled=False)
CUSTOM_DOMAINS.follows(domains.DomainRemoved, at="removed_at", is_verified=False, ssl_enabled=False)
CUSTOM_DOMAINS.follows(AccountErased, by="account_id", domain=ERASED, token=ERASED, verified_at=None)
"""`verified_at` goes too: a name that is blank must not be looked for as one that was verified."""
