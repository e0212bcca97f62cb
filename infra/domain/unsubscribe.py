"""Tokens of unsubscribe links: each ends one subscription of one person or address and proves nothing else.

A token never expires, since the mail that holds it never does. Its form is `<id>.<keyed hash>`.
"""

from __future__ import annotations

import secrets
from typing import Final, Literal
from uuid import UUID

from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import derived_key, keyed_hash

Subscription = Literal[
    "newsletter",
    "early_access",
    "site_newsletter",
    "notification_digest",
    "insights_digest",
    "saved_search",
    "report",
    "alerts",
]

_KEYS: Final[dict[Subscription, str]] = {
    "newsletter": "unsubscribe",
    "early_access": "unsubscribe",
    "site_newsletter": "unsubscribe",
    "notification_digest": "digest-stop",
    "insights_digest": "insights-digest",
    "saved_search": "saved-search",
    "report": "report-stop",
    "alerts": "alert-mail",
}
"""Names of the derived keys. Tokens in sent emails depend on them: they never change."""


def unsubscribe_token(settings: Settings, subscription: Subscription, subscriber: UUID) -> str:
    """The token that ends `subscription` of `subscriber` (an account, a contact, a saved search or a report)."""
    key = _KEYS[subscription]
    subject = f"{subscription}:{subscriber.hex}" if key == "unsubscribe" else subscriber.hex
    return f"{subscriber.hex}.{keyed_hash(derived_key(settings, key), subject)[:32]}"


def verify_unsubscribe_token(settings: Settings, subscription: Subscription, token: str) -> UUID | None:
    """The subscriber that the token names; None when it is forged or belongs to another subscription."""
    text, _, proof = token.partition(".")
    try:
        subscriber = UUID(hex=text)
    except ValueError:
        return None
    expected = unsubscribe_token(settings, subscription, subscriber)
    given = f"{subscriber.hex}.{proof}"
    return subscriber if secrets.compare_digest(expected.encode(), given.encode()) else None
