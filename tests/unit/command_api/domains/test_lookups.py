"""Inline projection of custom domains: given these events, then these rows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from command_api.domains.lookups import CUSTOM_DOMAINS
from schemas.base import DomainEvent
from schemas.events.domains import DomainAdded, DomainRemoved, DomainTlsLost, DomainTlsSeen, DomainVerificationLost

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
DOMAIN, ACCOUNT, WEBSITE = uuid4(), uuid4(), uuid4()


def test_a_domain_is_known_until_it_is_removed_and_whether_it_has_tls() -> None:
    def head(version: int) -> dict[str, Any]:
        return {"originator_id": DOMAIN, "originator_version": version, "timestamp": NOW}

    def rows(*events: DomainEvent) -> list[dict[str, Any]]:
        tables = CUSTOM_DOMAINS.memory()
        for event in events:
            CUSTOM_DOMAINS.apply(tables, event)
        return list(tables["custom_domain"].rows.values())

    week = NOW + timedelta(days=7)
    added = DomainAdded(
        **head(1), account_id=ACCOUNT, website_id=WEBSITE, domain="go.example", token="5a" * 20, expires_at=week
    )
    row = {"domain_id": DOMAIN, "account_id": ACCOUNT, "website_id": WEBSITE, "has_tls": False}
    seen = DomainTlsSeen(**head(2))
    assert rows(added) == [row]
    assert rows(added, seen) == [{**row, "has_tls": True}]
    assert rows(added, seen, DomainTlsLost(**head(3), account_id=ACCOUNT, problem="It expired.")) == [row]
    lost = DomainVerificationLost(**head(3), missing_since=NOW, expires_at=week)
    assert rows(added, seen, lost) == [row]
    assert rows(added, seen, DomainRemoved(**head(3))) == []
