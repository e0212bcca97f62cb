"""Addresses of people without an account at rest, and the links by which they end what they have with us.

The command service writes them down, the query service shows them to admins. An address lies sealed in `ops.contact`
under the id of what it is for (a subscription, an early-access signup); it is gone when that ends.
"""

from __future__ import annotations

import secrets
from typing import Final, Literal
from uuid import UUID

from infra.sealing import derived_key, keyed_hash, seal, unseal
from infra.settings import Settings

Kind = Literal["newsletter", "early_access"]
What = Literal["email", "name"]

_PAGES: Final[dict[Kind, str]] = {"newsletter": "/newsletter/unsubscribe", "early_access": "/early-access/leave"}


def sealed(settings: Settings, contact: UUID, what: What, text: str) -> str:
    return seal(derived_key(settings, "contact"), text, f"contact-{what}:{contact}")


def opened(settings: Settings, contact: UUID, what: What, text_sealed: str) -> str:
    return unseal(derived_key(settings, "contact"), text_sealed, f"contact-{what}:{contact}")


def stop_token(settings: Settings, kind: Kind, contact: UUID) -> str:
    """What ends this one thing, for ever: it proves nothing else."""
    proof = keyed_hash(derived_key(settings, "unsubscribe"), f"{kind}:{contact.hex}")
    return f"{contact.hex}.{proof[:32]}"


def stopped_by(settings: Settings, kind: Kind, token: str) -> UUID | None:
    """What the token ends; none for one that is not ours, or of another kind."""
    text, _, proof = token.partition(".")
    try:
        contact = UUID(hex=text)
    except ValueError:
        return None
    expected = stop_token(settings, kind, contact)
    return contact if secrets.compare_digest(expected.encode(), f"{contact.hex}.{proof}".encode()) else None


def stop_page(settings: Settings, kind: Kind, contact: UUID) -> str:
    """The page for people, whose button ends it: opening it changes nothing."""
    return f"{settings.app_url}{_PAGES[kind]}#code={stop_token(settings, kind, contact)}"


def one_click_url(settings: Settings, contact: UUID) -> str:
    """What a mail program may POST to (RFC 8058). A browser that opens it is led to the page."""
    return f"{settings.app_url}/api/public/newsletter/stop/{stop_token(settings, 'newsletter', contact)}"
