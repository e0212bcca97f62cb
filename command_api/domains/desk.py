"""A look's outcome into the store: events, the row of looks and the mail in one transaction, or nothing of it.

Whatever dies between a look and this leaves the row as it was, so the next look comes at once and finds the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, fields
from typing import Any, Final
from uuid import UUID

from psycopg import Cursor

from command_api.accounts import model as accounts
from command_api.core import Core
from command_api.decision import Asked
from command_api.domains import mails, model
from command_api.domains.checking import KEPT_WITHOUT_RECORD, News, Record, Settled, settle
from command_api.domains.looking import Seen
from command_api.marketplace import proofs
from command_api.store import Also, Conflict
from infra.mail import Mail, queue
from schemas.base import DomainEvent
from schemas.identity import host_id

_COLUMNS: Final = tuple(field.name for field in fields(Record))
_READ: Final = f"SELECT {', '.join(_COLUMNS)} FROM policy.custom_domain WHERE domain_id = %s"  # noqa: S608 - own text
_WRITE: Final = (
    f"UPDATE policy.custom_domain SET ({', '.join(_COLUMNS)}, tls_host) = ROW(%s, %s, %s, %s, %s, %s, %s, %s)"  # noqa: S608 - own text
    " WHERE domain_id = %s AND checked_at IS NOT DISTINCT FROM %s"
)

_TLS_HOST: Final = (
    "SELECT tls_host FROM policy.custom_domain WHERE website_id = %s AND tls_host IS NOT NULL"
    " ORDER BY domain_id LIMIT 1"
)


def settled(core: Core, domain: model.Domain, seen: Seen, asked: Asked) -> tuple[Settled, Also]:
    """What the look comes to, and the rows that belong into the transaction of its events. Nothing is written yet."""
    before = record_of(core, domain.id)
    found = settle(domain, core.store.load(host_id(domain.domain), model.evolve_host), before, seen, asked)
    mail = _mail(core, found)

    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        tls_host = found.domain.domain if found.domain.ssl else None
        values = (*astuple(found.record), tls_host, domain.id, before.checked_at)
        if cursor.execute(_WRITE.encode(), values).rowcount == 0:
            raise Conflict("another look")
        if found.domain.is_verified != domain.is_verified:
            proofs.look_again(cursor, domain.account_id, domain.domain)
        if mail is not None:
            queue(cursor, core.settings, mail)

    return found, also


def record_of(core: Core, domain_id: UUID) -> Record:
    """The looks before; an empty record when there are none."""
    with core.pool.connection() as connection:
        row = connection.execute(_READ.encode(), (domain_id,)).fetchone()
    return Record(*row) if row is not None else Record()


def before_slug(core: Core, website_id: UUID) -> str:
    """The beginning of the addresses of a website's links: its own domain once that leads here by TLS, else ours.

    The query service says the same (`query_api.platform.links`).
    """
    with core.pool.connection() as connection:
        row = connection.execute(_TLS_HOST, (website_id,)).fetchone()
    return f"https://{row[0]}/" if row is not None else f"{core.settings.tracking_base_url}/go/"


def ending(core: Core, column: str, owner: UUID, asked: Asked) -> tuple[Sequence[DomainEvent], Also]:
    """What ends with a website (`column` website_id) or an account (account_id): all of its domains."""
    rest = f"FROM policy.custom_domain WHERE {column} = %s".encode()
    with core.pool.connection() as connection:
        known = {row[0] for row in connection.execute(b"SELECT domain_id " + rest, (owner,))}
    events: list[DomainEvent] = []
    for domain_id in sorted(known):
        domain = core.store.load(domain_id, model.evolve)
        if domain is not None and not domain.removed:
            host = core.store.load(host_id(domain.domain), model.evolve_host)
            events += model.remove(domain, host, Asked(asked.at, asked.account_id, is_admin=True))

    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        dropped = {row["domain_id"] for row in cursor.execute(b"DELETE " + rest + b" RETURNING domain_id", (owner,))}
        if dropped - known:
            raise Conflict("new domains")

    return events, also


def _mail(core: Core, found: Settled) -> Mail | None:
    if found.news is None:
        return None
    account = core.store.load(found.domain.account_id, accounts.evolve)
    if account is None or account.erased:
        return None
    if found.news is News.LOST:
        return mails.verification_lost(account.email, account.id, core.settings.app_url, found.domain)
    until = (found.record.missing_since or found.domain.added_at) + KEPT_WITHOUT_RECORD
    return mails.record_missing(account.email, account.id, core.settings.app_url, found.domain, until)
