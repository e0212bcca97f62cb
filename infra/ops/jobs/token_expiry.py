"""Emails people a week before one of their access tokens expires: those of programs and of analysts' clients.

One email for each token: it is queued in the transaction that records it (`warned_at`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from infra import PRODUCT_NAME
from infra.kernel.config.settings import Settings
from infra.kernel.mail.outbox import Mail, queue
from infra.kernel.postgres.pool import connect

WARN_DAYS: Final = 7
BATCH_SIZE: Final = 100


@dataclass(frozen=True, slots=True)
class TokenKind:
    """Tokens of one table. `mail`: the kind of the email; `purpose` and `users`: what they are for, and who stops
    working; `page`: where another one is created."""

    table: str
    mail: str
    purpose: str
    users: str
    page: str


KINDS: Final = (
    TokenKind("accounts.access_token", "access_token_expires", "the API", "Programs", "/account-settings"),
    TokenKind("sql.token", "sql_token_expires", "ClickHouse clients", "Clients", "/sql"),
)


def warn_due(settings: Settings) -> int:
    """Queues warnings; returns how many. Does nothing while the accounts have no read model yet."""
    with connect(settings) as connection, connection.transaction():
        if connection.execute("SELECT to_regclass('read.accounts')").fetchone() == (None,):
            return 0
        queued = 0
        for kind in KINDS:
            rows = connection.execute(_DUE.format(kind.table).encode(), (WARN_DAYS, BATCH_SIZE)).fetchall()
            for token_id, account_id, name, expires_at, email in rows:
                text = (
                    f"Your access token “{name}” for {kind.purpose} expires on {expires_at:%Y-%m-%d}. {kind.users} that"
                    f" use it stop working then.\n\nCreate a new one: {settings.app_url}{kind.page}\n"
                )
                subject = f"Your {PRODUCT_NAME} access token expires soon"
                queue(connection, settings, Mail(str(email), subject, text, kind.mail, account_id))
                connection.execute(f"UPDATE {kind.table} SET warned_at = now() WHERE id = %s".encode(), (token_id,))  # noqa: S608 - own name
            queued += len(rows)
    return queued


_DUE: Final = (
    "SELECT t.id, t.account_id, t.name, t.expires_at, a.email FROM {} AS t"
    " JOIN read.accounts AS a ON a.id = t.account_id AND a.disabled_at IS NULL AND a.erased_at IS NULL"
    " WHERE t.revoked_at IS NULL AND t.warned_at IS NULL AND t.expires_at > now()"
    " AND t.expires_at < now() + make_interval(days => %s) ORDER BY t.expires_at LIMIT %s FOR UPDATE OF t SKIP LOCKED"
)
