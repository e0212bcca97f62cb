"""Whether a website's own domain is proven: a verified custom domain of that website with the same host.

A website that is only connected proves nothing: anybody can connect any name. The proof is the TXT record of a custom
domain, which is checked daily and lost after a week without it (`command_api.domains`).
"""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from psycopg import Cursor

from command_api.core import Core
from command_api.domains import model as domains
from command_api.websites.model import Website
from schemas.identity import domain_id


def is_proven(core: Core, website: Website) -> bool:
    """Whether the website's account holds a verified custom domain for the website's host, with or without www."""
    host = _bare(website.domain)
    for name in (host, f"www.{host}"):
        domain = core.store.load(domain_id(website.account_id, name), domains.evolve)
        if domain is not None and domain.is_verified and domain.website_id == website.id:
            return True
    return False


def look_again(cursor: Cursor[dict[str, Any]], account_id: UUID, host: str) -> None:
    """Makes the account's listings of that host due: their proof came or went."""
    cursor.execute(_LOOK_AGAIN, (account_id, _bare(host)))


def _bare(host: str) -> str:
    return host.removeprefix("www.")


_LOOK_AGAIN: Final = (
    "UPDATE policy.listing SET verify_at = now() WHERE seller_id = %s AND host = %s"
    " AND status NOT IN ('sold', 'withdrawn')"
)
