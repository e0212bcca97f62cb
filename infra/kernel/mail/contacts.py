"""Encrypted addresses of people without an account, and their unsubscribe links.

The command service stores them, the query service shows them to admins. An address is encrypted in `ops.contact`
under the id of its purpose (a subscription, an early-access signup) and deleted when that ends.
"""

from __future__ import annotations

from typing import Final, Literal
from uuid import UUID

from infra.kernel.config.settings import Settings
from infra.kernel.mail.unsubscribe import unsubscribe_token
from infra.kernel.security.encryption import decrypt, derived_key, encrypt

Kind = Literal["newsletter", "early_access"]
Field = Literal["email", "name"]

_PAGES: Final[dict[Kind, str]] = {"newsletter": "/newsletter/unsubscribe", "early_access": "/early-access/leave"}


def encrypt_field(settings: Settings, contact: UUID, what: Field, text: str) -> str:
    """Encrypts one field of a contact, bound to the contact's id and the field."""
    return encrypt(derived_key(settings, "contact"), text, f"contact-{what}:{contact}")


def decrypt_field(settings: Settings, contact: UUID, what: Field, text_sealed: str) -> str:
    """Decrypts what `encrypt_field` made for the same contact and field. Raises `DecryptionError`."""
    return decrypt(derived_key(settings, "contact"), text_sealed, f"contact-{what}:{contact}")


def unsubscribe_page(settings: Settings, kind: Kind, contact: UUID) -> str:
    """The page for people, whose button ends it: opening it changes nothing."""
    return f"{settings.app_url}{_PAGES[kind]}#code={unsubscribe_token(settings, kind, contact)}"


def one_click_url(settings: Settings, contact: UUID) -> str:
    """What a mail program may POST to (RFC 8058). A browser that opens it is led to the page."""
    return f"{settings.app_url}/api/public/newsletter/stop/{unsubscribe_token(settings, 'newsletter', contact)}"
