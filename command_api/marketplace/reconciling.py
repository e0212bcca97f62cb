"""Asks the escrow provider where the money is, in case its message never came.

Escrows that wait for the provider are asked about every ten minutes; what it answers is taken like its message. What
does not fit what was decided here changes nothing: it is a row of `ops.escrow_call` that an admin sees (step `look`),
until a later answer fits.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from command_api.core import Core
from command_api.decision import Asked, Refused
from command_api.leader import Connection
from command_api.marketplace import escrow as escrows
from command_api.marketplace.desk import ASK_EVERY, Desk
from command_api.marketplace.escrow import Decision, Escrow
from command_api.store import Conflict
from infra.escrow import Provider, ProviderAway, ProviderRefused, Standing
from schemas.base import Money

AT_ONCE: Final = 20
ATTEMPTS: Final = 4

log = logging.getLogger(__name__)


class Reconciling:
    """`ask_due` is run by the one process that leads the marketplace's work."""

    def __init__(self, core: Core, provider: Provider) -> None:
        self._core = core
        self._provider = provider

    def ask_due(self, connection: Connection, now: datetime) -> int:
        """Asks about the escrows whose time has come; how many."""
        rows: list[Any] = connection.execute(_DUE, (now, AT_ONCE)).fetchall()
        for asked, (escrow_id,) in enumerate(rows, start=1):
            connection.execute(_AGAIN, (now + ASK_EVERY, escrow_id))  # whatever comes of it, others have their turn
            try:
                ask(self._core, self._provider, escrow_id)
            except ProviderAway as error:
                log.info("the escrow provider cannot be asked about %s: %s", escrow_id, error)
                return asked
            except (ProviderRefused, Refused) as error:
                log.error("what the escrow provider says of %s does not fit: %s", escrow_id, error)
                connection.execute(_DOUBT, (escrow_id, str(error)[:300]))
            else:
                connection.execute(_SURE, (escrow_id,))
        return len(rows)


def ask(core: Core, provider: Provider, escrow_id: UUID) -> None:
    """Takes what the provider says. Raises `ProviderAway`, `ProviderRefused`, and `Refused` for what does not fit."""
    standing = provider.find(escrow_id)
    if standing is None:
        return
    for _ in range(ATTEMPTS):
        desk, asked = Desk(core), Asked(datetime.now(UTC))
        escrow = escrows.there(desk.escrow(escrow_id))
        events, call = _decided(escrow, standing, asked)
        if not events:
            if standing.status == "funded" and escrow.awaits_payout:
                _settle_again(core, escrow)
            return
        log.warning("%s is %s, and no message of the provider said so", escrow_id, standing.status)
        try:
            found = desk.after_escrow(escrow, events, call, asked)
            core.store.write(found.events, found.also)
        except Conflict:
            continue
        except Refused:  # the listing does not fit: unless somebody else moved both between our two looks
            if escrows.there(desk.escrow(escrow_id)).version == escrow.version:
                raise
            continue
        return


def _settle_again(core: Core, escrow: Escrow) -> None:
    """The provider heard whom to pay, and did not: it is told again, which it may be as often as one likes."""
    with core.pool.connection() as connection:
        connection.execute(_AGAIN_SETTLE, (escrow.id, escrow.to_seller, escrow.to_buyer))


def _decided(escrow: Escrow, standing: Standing, asked: Asked) -> Decision:
    match standing.status:
        case "funded":
            price = Money(amount=standing.amount, currency=standing.currency)
            return escrows.funded(escrow, standing.reference, price, asked)
        case "settled":
            return escrows.settled(escrow, standing.reference, standing.to_seller, standing.to_buyer, asked)
        case _:
            return [], None


_DUE: Final = "SELECT escrow_id FROM policy.escrow WHERE ask_at <= %s ORDER BY ask_at LIMIT %s"
_AGAIN: Final = "UPDATE policy.escrow SET ask_at = %s WHERE escrow_id = %s"
_DOUBT: Final = (
    "INSERT INTO ops.escrow_call AS c (escrow_id, step, state, attempts, error) VALUES (%s, 'look', 'failed', 1, %s)"
    " ON CONFLICT (escrow_id, step) DO UPDATE SET state = 'failed', attempts = c.attempts + 1, error = excluded.error"
)
_AGAIN_SETTLE: Final = (
    "INSERT INTO ops.escrow_call (escrow_id, step, to_seller, to_buyer) VALUES (%s, 'settle', %s, %s)"
    " ON CONFLICT (escrow_id, step) DO NOTHING"
)
_SURE: Final = "DELETE FROM ops.escrow_call WHERE escrow_id = %s AND step = 'look'"
