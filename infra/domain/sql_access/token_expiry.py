"""Emails analysts a week before one of their access tokens expires. A job of `infra.services.scheduler.service`.

One email for each token: it is queued in the transaction that records it (`warned_at`).
"""

from __future__ import annotations

from typing import Final, LiteralString

from infra import PRODUCT_NAME
from infra.kernel.config.settings import Settings
from infra.kernel.mail.outbox import Mail, queue
from infra.kernel.postgres.pool import connect

WARN_DAYS: Final = 7
BATCH_SIZE: Final = 100


def warn_due(settings: Settings) -> int:
    """How many emails were queued. Does nothing while the accounts have no read model yet."""
    with connect(settings) as connection, connection.transaction():
        if connection.execute("SELECT to_regclass('read.accounts')").fetchone() == (None,):
            return 0
        rows = connection.execute(_DUE, (WARN_DAYS, BATCH_SIZE)).fetchall()
        for token_id, account_id, name, expires_at, email in rows:
            text = (
                f"Your access token “{name}” for ClickHouse clients expires on {expires_at:%Y-%m-%d}. Clients that use"
                f" it stop working then.\n\nCreate a new one: {settings.app_url}/sql\n"
            )
            subject = f"A {PRODUCT_NAME} access token expires soon"
            queue(connection, settings, Mail(str(email), subject, text, "sql_token_expires", account_id))
            connection.execute("UPDATE sql.token SET warned_at = now() WHERE id = %s", (token_id,))
    return len(rows)


_DUE: Final[LiteralString] = (
    "SELECT t.id, t.account_id, t.name, t.expires_at, a.email FROM sql.token AS t"
    " JOIN read.accounts AS a ON a.id = t.account_id AND a.disabled_at IS NULL AND a.erased_at IS NULL"
    " WHERE t.revoked_at IS NULL AND t.warned_at IS NULL AND t.expires_at > now()"
    " AND t.expires_at < now() + make_interval(days => %s) ORDER BY t.expires_at LIMIT %s FOR UPDATE OF t SKIP LOCKED"
)
