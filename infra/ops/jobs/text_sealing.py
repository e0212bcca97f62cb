"""Begins to seal personal texts in an installation that was upgraded, once no service of before can be running.

Those cannot read what is sealed (docs/deployment.md). A new installation seals from its first record on
(`infra.ops.migrations.migrate`). A job of `infra.ops.scheduled_jobs`.
"""

from __future__ import annotations

from typing import Final

from infra.kernel.config.settings import Settings
from infra.kernel.postgres.pool import connect
from infra.kernel.security.text_keys import TextKeys

AFTER: Final = "1 hour"
"""After the migration: an upgrade replaces all services within minutes."""
_IS_DUE: Final = (
    "select 1 from ops.migrations where name = '0415_log.sql' and applied_at < now() - %s::interval"
    " and not exists (select from log.text_key)"
)


def begin_when_due(settings: Settings) -> bool:
    """Creates the first key; returns whether it was due."""
    with connect(settings) as connection:
        if connection.execute(_IS_DUE, (AFTER,)).fetchone() is None:
            return False
        TextKeys(settings).create_first(connection)
        connection.commit()
    return True
