"""Outbox of calls to the escrow provider, with retries.

A call is a row that is written with its decision (`marketplace.escrow_call`) and deleted once the provider has
accepted it. After a crash it is sent again; the idempotency key of each step makes the provider execute it once. The
calls of one escrow are sent in order. While the provider is unavailable the retry delay grows to ten minutes; a call
that it rejects waits for an admin.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final, NamedTuple
from uuid import UUID

import structlog
from prometheus_client import Counter

from command_api.kernel.aggregates import require_found
from command_api.kernel.container import Container
from command_api.kernel.decision import CommandRejected, system_context
from command_api.kernel.process_manager import RETRY_DELAYS, ProcessManager
from command_api.kernel.timeouts import Timeout
from command_api.marketplace import timeouts
from command_api.marketplace.escrow import commands
from command_api.marketplace.escrow import model as escrows
from command_api.marketplace.escrow.reconciliation import check_status
from infra.domain.escrow_provider import OpenedTransaction, Provider, ProviderRejected, ProviderUnavailable

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
_CALLS = Counter("escrow_calls_total", "Calls to the escrow provider by what came of them", ["step", "outcome"])


class EscrowCall(NamedTuple):
    """A row of `marketplace.escrow_call`. Amounts are in minor units."""

    number: int
    escrow_id: UUID
    step: str
    to_seller: int
    to_buyer: int
    state: str


def escrow_calls(container: Container, provider: Provider) -> ProcessManager:
    """Sends the next call of each escrow that has one."""

    def send_next(timeout: Timeout) -> None:
        rows = container.select(_NEXT, timeout.id)
        if not rows or (call := EscrowCall(*rows[0])).state != "waiting":
            return
        try:
            opened = _send(container, provider, call)
        except (ProviderRejected, CommandRejected) as error:
            _CALLS.labels(call.step, "refused").inc()
            log.error("escrow_call_refused", step=call.step, escrow_id=call.escrow_id, error=error)
            _note(container, call, "failed", datetime.now(UTC), str(error))
            return
        except Exception as error:
            is_away = isinstance(error, ProviderUnavailable)
            _CALLS.labels(call.step, "away" if is_away else "error").inc()
            delay = RETRY_DELAYS[min(timeout.attempts, len(RETRY_DELAYS) - 1)]
            reason = str(error) if is_away else type(error).__name__
            _note(container, call, "waiting", datetime.now(UTC) + delay, reason)
            raise
        _CALLS.labels(call.step, "done").inc()
        # Not the timeout's command: a status check may have set the timeout again, and the call is done all the same.
        command = commands.RecordEscrowCall(call.number, call.escrow_id, opened)
        container.commands.dispatch(command, system_context())

    return ProcessManager(
        timeouts.ESCROW_CALLS,
        lambda _timeouts, _now: send_next,
        batch_size=20,
        unavailable=(ProviderUnavailable,),
        ids="SELECT DISTINCT escrow_id FROM marketplace.escrow_call WHERE state = 'waiting'",
    )


def _send(container: Container, provider: Provider, call: EscrowCall) -> OpenedTransaction | None:
    if call.step == "open":
        price = require_found(container.load(call.escrow_id, escrows.evolve), "offer").price
        return provider.open(call.escrow_id, price.amount, price.currency)
    if call.step == "settle":
        provider.settle(call.escrow_id, call.to_seller, call.to_buyer)
    elif call.step == "look":
        check_status(container, provider, call.escrow_id)
    else:
        try:
            provider.cancel(call.escrow_id)
        except ProviderRejected as error:  # already paid: the money is refunded
            log.info("escrow_cancellation_refused", escrow_id=call.escrow_id, error=error)
            check_status(container, provider, call.escrow_id)
    return None


def _note(container: Container, call: EscrowCall, state: str, next_at: datetime, error: str) -> None:
    with container.pool.connection() as connection:
        connection.execute(_NOTE, (state, error[:300], next_at, call.number))


_NEXT: Final = (
    "SELECT number, escrow_id, step, to_seller, to_buyer, state FROM marketplace.escrow_call WHERE escrow_id = %s"
    " ORDER BY step = 'look', number LIMIT 1"
)
_NOTE: Final = (
    "UPDATE marketplace.escrow_call SET state = %s, attempts = attempts + 1, error = %s, next_at = %s WHERE number = %s"
)
