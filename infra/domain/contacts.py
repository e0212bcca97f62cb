"""Encrypted addresses of people without an account, and their unsubscribe links.

The command service stores them, the query service shows them to admins. An address is encrypted in `leads.contact`
under the id of its purpose (a subscription, an early-access signup) and deleted when that ends.

A mail goes to the address as it was typed. For what an address *has* with us it is read more kindly:

- `spelled`: case does not matter, nor full-width letters, nor whether a domain is written in letters or in ASCII. So a
  subscription is to one address.
- `mailbox`: nor the text behind a `+`, nor dots at Gmail. So one person has one of the places of early access, and
  nobody is flooded by way of their aliases. What looks alike in another alphabet is another mailbox: it is one.
"""

from __future__ import annotations

from typing import Final, Literal
from unicodedata import normalize
from uuid import UUID

import idna

from infra.domain.unsubscribe import unsubscribe_token
from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import decrypt, derived_key, encrypt, keyed_hash
from schemas.identity import contact_id

Kind = Literal["newsletter", "early_access", "site_newsletter"]
Field = Literal["email", "name"]

_WITHOUT_DOTS: Final = frozenset({"gmail.com", "googlemail.com"})
_PAGES: Final[dict[Kind, str]] = {
    "newsletter": "/newsletter/unsubscribe",
    "early_access": "/early-access/leave",
    "site_newsletter": "/site-newsletter/unsubscribe",
}
_STOP: Final[dict[Kind, str]] = {
    "newsletter": "/api/public/newsletter/stop/",
    "site_newsletter": "/api/public/site-newsletter/stop/",
}


def spelled(email: str) -> str:
    """The address in its canonical spelling."""
    name, _, domain = normalize("NFKC", email.strip()).rpartition("@")
    try:
        host = idna.encode(domain, uts46=True).decode()
    except idna.IDNAError:
        host = domain
    return f"{name}@{host}".casefold()


def mailbox(email: str) -> str:
    """The address of the mailbox that mails to `email` end up in, as far as its writing tells."""
    name, _, domain = spelled(email).rpartition("@")
    name = name.partition("+")[0] or name
    if domain in _WITHOUT_DOTS:
        return f"{name.replace('.', '') or name}@gmail.com"
    return f"{name}@{domain}"


def id_of(settings: Settings, kind: Kind, email: str) -> UUID:
    """Returns the id: of the address for subscriptions, of the mailbox for early access."""
    text = mailbox(email) if kind == "early_access" else spelled(email)
    return contact_id(kind, keyed_hash(derived_key(settings, "email"), text))


def site_contact_id(settings: Settings, site_id: UUID, email: str) -> UUID:
    """Returns the id of an address's subscription to a site: another one for each site, so that nobody who sees two
    lists can tell that an address is on both."""
    return contact_id(f"site_newsletter\n{site_id}", keyed_hash(derived_key(settings, "email"), spelled(email)))


def encrypt_field(settings: Settings, contact: UUID, what: Field, text: str) -> str:
    """Encrypts one field of a contact, bound to the contact's id and the field."""
    return encrypt(derived_key(settings, "contact"), text, f"contact-{what}:{contact}")


def decrypt_field(settings: Settings, contact: UUID, what: Field, text_sealed: str) -> str:
    """Decrypts what `encrypt_field` made for the same contact and field. Raises `DecryptionError`."""
    return decrypt(derived_key(settings, "contact"), text_sealed, f"contact-{what}:{contact}")


def unsubscribe_page(settings: Settings, kind: Kind, contact: UUID) -> str:
    """The page for people, whose button ends it: opening it changes nothing."""
    return f"{settings.app_url}{_PAGES[kind]}#code={unsubscribe_token(settings, kind, contact)}"


def one_click_url(settings: Settings, contact: UUID, kind: Kind = "newsletter") -> str:
    """Returns the address that a mail program may POST to (RFC 8058). A browser that opens it is led to the page.
    Raises `LookupError` for a kind without one."""
    return f"{settings.app_url}{_STOP[kind]}{unsubscribe_token(settings, kind, contact)}"
