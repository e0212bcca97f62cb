"""Inline projection `custom_domain_owners`: custom domains that are not removed, and which of them have TLS."""

from __future__ import annotations

from typing import Final

from command_api.kernel.inline_projection import InlineProjection, Table, Tables
from schemas.base import DomainEvent
from schemas.events.domains import DomainAdded, DomainRemoved, DomainTlsLost, DomainTlsSeen, DomainVerificationLost

CUSTOM_DOMAINS: Final = InlineProjection(
    "custom_domain_owners",
    version=1,
    tables=(
        Table(
            "custom_domain",
            columns=(
                "domain_id uuid not null",
                "account_id uuid not null",
                "website_id uuid not null",
                "has_tls boolean not null",
            ),
            key=("domain_id",),
            indexes=("account_id", "website_id"),
        ),
    ),
)
"""Names are not here: they are personal."""


@CUSTOM_DOMAINS.on(DomainAdded)
def _added(tables: Tables, event: DomainAdded) -> None:
    tables["custom_domain"].put(
        domain_id=event.originator_id,
        account_id=event.account_id,
        website_id=event.website_id,
        has_tls=False,
    )


@CUSTOM_DOMAINS.on(DomainTlsSeen)
def _tls_seen(tables: Tables, event: DomainTlsSeen) -> None:
    tables["custom_domain"].update({"domain_id": event.originator_id}, has_tls=True)


@CUSTOM_DOMAINS.on(DomainTlsLost, DomainVerificationLost)
def _tls_lost(tables: Tables, event: DomainEvent) -> None:
    tables["custom_domain"].update({"domain_id": event.originator_id}, has_tls=False)


@CUSTOM_DOMAINS.on(DomainRemoved)
def _removed(tables: Tables, event: DomainRemoved) -> None:
    tables["custom_domain"].delete(domain_id=event.originator_id)
