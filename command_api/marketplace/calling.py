"""Tells the escrow provider what was decided: again and again, until it is heard.

A call is a row that was written with its decision (`ops.escrow_call`). It goes once the provider took it; killed in
between, it is made again, and the provider, who knows each step of an escrow by its key, does it once. While the
provider is away the pauses grow to ten minutes; what it refuses waits for an admin.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final
from uuid import UUID

import psycopg
from prometheus_client import Counter
from psycopg import Cursor

from command_api.core import Core
from command_api.decision import Asked, Refused
from command_api.leader import Connection
from command_api.marketplace import escrow as escrows
from command_api.marketplace.desk import Desk
from command_api.marketplace.reconciling import ask
from command_api.store import UNAVAILABLE, Conflict
from infra.escrow import Opened, Provider, ProviderAway, ProviderRefused

PAUSES_S: Final = (1, 2, 5, 15, 60, 300, 600)
AT_ONCE: Final = 20
ATTEMPTS: Final = 4

log = logging.getLogger(__name__)
_CALLS = Counter("escrow_calls_total", "Calls to the escrow provider by what came of them", ["step", "outcome"])


@dataclass(frozen=True, slots=True)
class Due:
    number: int
    escrow_id: UUID
    step: str
    to_seller: int
    to_buyer: int
    attempts: int


class Calling:
    """`make_due` is run by the one process that leads the marketplace's work."""

    def __init__(self, core: Core, provider: Provider) -> None:
        self._core = core
        self._provider = provider

    def make_due(self, connection: Connection) -> int:
        """Makes the calls whose time has come; how many it tried. Those of one escrow in their order."""
        rows = [Due(*row) for row in connection.execute(_DUE, (datetime.now(UTC), AT_ONCE)).fetchall()]
        for tried, due in enumerate(rows, start=1):
            try:
                self._make(due)
            except ProviderAway as error:
                _CALLS.labels(due.step, "away").inc()
                self._later(connection, due, str(error))
                return tried  # it is away for the others too: what else is due has not to wait for it
            except (ProviderRefused, Refused) as error:
                _CALLS.labels(due.step, "refused").inc()
                log.error("the escrow provider refuses to %s %s: %s", due.step, due.escrow_id, error)
                connection.execute(_FAILED, (str(error)[:300], due.number))
            except (*UNAVAILABLE, psycopg.OperationalError, psycopg.InterfaceError):
                raise
            except Exception as error:
                # An answer that nobody thought of must not hold up the calls of others.
                _CALLS.labels(due.step, "error").inc()
                log.exception("%s %s came to nothing", due.step, due.escrow_id)
                self._later(connection, due, type(error).__name__)
            else:
                _CALLS.labels(due.step, "done").inc()
        return len(rows)

    def _later(self, connection: Connection, due: Due, why: str) -> None:
        pause = PAUSES_S[min(due.attempts, len(PAUSES_S) - 1)]
        connection.execute(_LATER, (why[:300], pause, due.number))

    def _make(self, due: Due) -> None:
        opened: Opened | None = None
        if due.step == "open":
            price = escrows.there(Desk(self._core).escrow(due.escrow_id)).price
            opened = self._provider.open(due.escrow_id, price.amount, price.currency)
        elif due.step == "settle":
            self._provider.settle(due.escrow_id, due.to_seller, due.to_buyer)
        elif due.step == "look":
            ask(self._core, self._provider, due.escrow_id)
        else:
            try:
                self._provider.cancel(due.escrow_id)
            except ProviderRefused as error:  # it is paid meanwhile: then it is paid back
                log.info("%s was not cancelled: %s", due.escrow_id, error)
                ask(self._core, self._provider, due.escrow_id)
        self._heard(due, opened)

    def _heard(self, due: Due, opened: Opened | None) -> None:
        """The answer and the end of the call, in one transaction; anew when something else happened to the escrow."""
        for _ in range(ATTEMPTS):
            asked = Asked(datetime.now(UTC))
            desk = Desk(self._core)
            escrow = escrows.there(desk.escrow(due.escrow_id))
            events = (
                escrows.opened(escrow, opened.reference, opened.payment_url, asked, is_trial=opened.is_trial)
                if opened is not None
                else []
            )
            found = desk.after_escrow(escrow, events, None, asked)
            found.rows.append(partial(_end, due.number))
            try:
                self._core.store.write(found.events, found.also)
            except Conflict:
                continue
            return


def _end(number: int, cursor: Cursor[dict[str, Any]]) -> None:
    cursor.execute(_DONE, (number,))


_DUE: Final = """
SELECT number, escrow_id, step, to_seller, to_buyer, attempts FROM ops.escrow_call AS c
WHERE state = 'waiting' AND next_at <= %s
  AND NOT EXISTS (
    SELECT FROM ops.escrow_call AS e WHERE e.escrow_id = c.escrow_id AND e.number < c.number AND e.step <> 'look')
ORDER BY next_at, number LIMIT %s"""
_LATER: Final = (
    "UPDATE ops.escrow_call SET attempts = attempts + 1, error = %s, next_at = now() + make_interval(secs => %s)"
    " WHERE number = %s"
)
_FAILED: Final = "UPDATE ops.escrow_call SET state = 'failed', attempts = attempts + 1, error = %s WHERE number = %s"
_DONE: Final = "DELETE FROM ops.escrow_call WHERE number = %s"
