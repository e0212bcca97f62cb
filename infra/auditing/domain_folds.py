"""What the read model of custom domains must hold after an event (see `folding`)."""

from __future__ import annotations

from typing import Any

from schemas.base import ERASED, DomainEvent
from schemas.events import accounts, domains

Key = tuple[Any, ...]
Rows = dict[Key, dict[str, Any]]


def custom_domains(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    if isinstance(event, domains.DomainAdded):
        before = rows.get(key, {})
        rows[key] = {
            "id": event.originator_id,
            "account_id": event.account_id,
            "website_id": event.website_id,
            "domain": event.domain,
            "token": event.token,
            "is_verified": False,
            "ssl_enabled": False,
            "added_at": event.timestamp,
            "expires_at": event.expires_at,
            "verified_at": before.get("verified_at"),
            "lost_at": None,
            "removed_at": None,
        }
    if isinstance(event, accounts.AccountErased):
        for one in rows.values():
            if one["account_id"] == event.originator_id:
                one.update(domain=ERASED, token=ERASED, verified_at=None)
    row = rows.get(key)
    if row is None:
        return
    match event:
        case domains.DomainVerified():
            row.update(is_verified=True, verified_at=event.timestamp, lost_at=None)
        case domains.DomainVerificationLost():
            row.update(is_verified=False, ssl_enabled=False, lost_at=event.timestamp, expires_at=event.expires_at)
        case domains.DomainTlsSeen():
            row["ssl_enabled"] = True
        case domains.DomainTlsLost():
            row["ssl_enabled"] = False
        case domains.DomainRemoved():
            row.update(is_verified=False, ssl_enabled=False, removed_at=event.timestamp)
