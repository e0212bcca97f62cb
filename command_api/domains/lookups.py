"""Inline projection `custom_domain_owners`: custom domains that are not removed, and which of them have TLS."""

from __future__ import annotations

from typing import Final

from command_api.kernel.inline_projection import InlineProjection, Table
from schemas.events.domains import DomainAdded, DomainRemoved, DomainTlsLost, DomainTlsSeen, DomainVerificationLost

CUSTOM_DOMAIN_TABLE: Final = Table(
    "custom_domain",
    columns=(
        "domain_id uuid not null",
        "account_id uuid not null",
        "website_id uuid not null",
        "has_tls boolean not null",
    ),
    key=("domain_id",),
    indexes=("account_id", "website_id"),
)
CUSTOM_DOMAINS: Final = InlineProjection("custom_domain_owners", version=1, tables=(CUSTOM_DOMAIN_TABLE,))
"""Names are not here: they are personal."""


CUSTOM_DOMAIN_TABLE.begins(DomainAdded, has_tls=False)
CUSTOM_DOMAIN_TABLE.follows(DomainTlsSeen, has_tls=True)
CUSTOM_DOMAIN_TABLE.follows(DomainTlsLost, but="account_id", has_tls=False)
CUSTOM_DOMAIN_TABLE.follows(DomainVerificationLost, has_tls=False)
CUSTOM_DOMAIN_TABLE.ends(DomainRemoved)
