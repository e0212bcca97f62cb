"""Queries the escrow provider for the status of payments, in case a webhook is missing.

The status of escrows that await the provider is checked every ten minutes and processed like a webhook. A status that
contradicts the decisions here changes nothing: it is a row of `marketplace.escrow_call` for admins (step `look`) until
a later answer is consistent.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import structlog

from command_api.kernel.container import Container
from command_api.kernel.decision import CommandRejected, system_context
from command_api.kernel.process_manager import Issue, ProcessManager
from command_api.kernel.timeouts import Timeout
from command_api.marketplace import timeouts
from command_api.marketplace.escrow import commands
from command_api.marketplace.escrow import model as escrows
from command_api.marketplace.escrow.consequences import STATUS_CHECK_INTERVAL
from infra.domain.escrow_provider import Provider, ProviderRejected, ProviderUnavailable

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


def escrow_status(container: Container, provider: Provider) -> ProcessManager:
    """Checks the status of each escrow that awaits the provider."""

    def plan(_timeouts: Sequence[Timeout], now: datetime) -> Issue:
        def check(timeout: Timeout) -> datetime | None:
            escrow = container.load(timeout.id, escrows.evolve)
            if escrow is None or not escrow.awaits_provider:
                return None
            try:
                check_status(container, provider, escrow.id)
            except (ProviderRejected, CommandRejected) as error:
                log.error("escrow_status_inconsistent", escrow_id=escrow.id, error=error)
                _mark(container, _INCONSISTENT, escrow.id, str(error)[:300])
            else:
                _mark(container, _CONSISTENT, escrow.id)
            return now + STATUS_CHECK_INTERVAL

        return check

    return ProcessManager(
        timeouts.ESCROW_STATUS,
        plan,
        batch_size=20,
        unavailable=(ProviderUnavailable,),
        ids="SELECT escrow_id FROM lookup.escrow WHERE is_open",
        retry_delays=(STATUS_CHECK_INTERVAL,),
    )


def check_status(container: Container, provider: Provider, escrow_id: UUID) -> None:
    """Applies the provider's status. Raises `ProviderUnavailable`, `ProviderRejected`, and `CommandRejected` for an
    inconsistent status."""
    state = provider.find(escrow_id)
    if state is not None:
        container.commands.dispatch(commands.RecordEscrowStatus(escrow_id, state), system_context())


def _mark(container: Container, statement: str, *values: object) -> None:
    with container.pool.connection() as connection:
        connection.execute(statement.encode(), values)


_INCONSISTENT: Final = (
    "INSERT INTO marketplace.escrow_call AS c (escrow_id, step, state, attempts, error)"
    " VALUES (%s, 'look', 'failed', 1, %s)"
    " ON CONFLICT (escrow_id, step) DO UPDATE SET state = 'failed', attempts = c.attempts + 1, error = excluded.error"
)
_CONSISTENT: Final = "DELETE FROM marketplace.escrow_call WHERE escrow_id = %s AND step = 'look'"
