"""When two addresses of people without an account are one. Pure.

A mail goes to the address as it was typed. For what an address *has* with us it is read more kindly:

- `spelled`: case does not matter, nor full-width letters, nor whether a domain is written in letters or in ASCII. So a
  subscription is to one address.
- `mailbox`: nor what stands behind a `+`, nor dots at Gmail. So one person has one of the places of early access, and
  nobody is flooded by way of their aliases. What looks alike in another alphabet is another mailbox: it is one.
"""

from __future__ import annotations

from typing import Final
from unicodedata import normalize

import idna

_WITHOUT_DOTS: Final = frozenset({"gmail.com", "googlemail.com"})


def spelled(email: str) -> str:
    """The address in the one way of writing that all its spellings share."""
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
