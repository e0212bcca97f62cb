"""`POST /api/public/escrow/messages`: what the escrow provider says happened to the money. Signed, and taken once.

A message that does not fit what we know yet is refused (409), so that the provider sends it again later: one that
overtook another is then in order. One that was taken before changes nothing, nor does one of a kind that nothing
follows from. A message that never comes is asked for (`reconciling`).
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, get_args
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response
from psycopg import Cursor
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from command_api.commands import Decided
from command_api.core import Core
from command_api.decision import Asked, Refused, conflict, missing
from command_api.http import Nothing, core_of
from command_api.marketplace import escrow as escrows
from command_api.marketplace.desk import Desk
from infra.escrow import BadSignature, Message, verified
from infra.problems import Problem
from schemas.base import Money

MESSAGES_PATH: Final = "/api/public/escrow/messages"

router = APIRouter(tags=["public"])

log = logging.getLogger(__name__)


class Told(BaseModel):
    """Where a transaction stands; unknown fields are the provider's own affair."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)

    id: str = Field(max_length=200)
    reference: UUID
    amount: int = Field(ge=0, le=2**53)
    currency: str = Field(pattern="^[A-Z]{3}$")
    to_seller: int = 0
    to_buyer: int = 0


class Kind(BaseModel):
    """All that every message has."""

    model_config = ConfigDict(frozen=True)

    type: str


class Event(Kind):
    type: Literal["transaction.funded", "transaction.settled"]
    data: Told


async def _body(request: Request) -> bytes:
    return await request.body()


@router.post(MESSAGES_PATH, status_code=204)
def take_escrow_message(request: Request, body: Annotated[bytes, Depends(_body)]) -> Response:
    """For the escrow provider alone: signed as Standard Webhooks describes."""
    core = core_of(request)
    if not core.settings.escrow_webhook_secrets:
        raise Problem(404, "not_found", "There is nothing at this address.")
    try:
        message = verified(core.settings.escrow_webhook_secrets, request.headers, body, datetime.now(UTC))
    except BadSignature as error:
        raise Problem(401, "bad_signature", f"This message is not signed as it should be: {error}.") from error
    try:
        kind = Kind.model_validate_json(message.body).type
        if kind not in get_args(Event.model_fields["type"].annotation):
            log.info("nothing follows from the escrow provider's %r", kind[:100])
            return Response(status_code=204)
        event = Event.model_validate_json(message.body)
    except ValidationError as error:
        log.warning("the escrow provider said what is not understood: %s", error.errors(include_input=False))
        raise Problem(400, "not_understood", "This message is not understood.") from error
    try:
        core.commands.run(lambda: _decided(core, message, event), status=204)
    except Refused as refused:
        log.warning("the escrow provider's %s about %s: %s", event.type, event.data.reference, refused)
        raise
    return Response(status_code=204)


def _decided(core: Core, message: Message, event: Event) -> Decided[Nothing]:
    if _was_taken(core, message):
        return Decided([], Nothing())
    desk, told, asked = Desk(core), event.data, Asked(datetime.now(UTC))
    escrow = desk.escrow(told.reference)
    if escrow is None:
        raise missing("transaction")
    if Money(amount=told.amount, currency=told.currency) != escrow.price:
        raise conflict("wrong_amount", "This is not the amount that was agreed on.", "amount")
    if event.type == "transaction.funded":
        events, call = escrows.funded(escrow, told.id, escrow.price, asked)
    else:
        events, call = escrows.settled(escrow, told.id, told.to_seller, told.to_buyer, asked)
    found = desk.after_escrow(escrow, events, call, asked)

    def also(cursor: Cursor[dict[str, Any]], position: int | None) -> None:
        # Of two of the same message at the same moment one fails here, and finds that it was taken.
        cursor.execute("INSERT INTO ops.escrow_message (id) VALUES (%s)", (message.id,))
        found.also(cursor, position)

    return Decided(found.events, Nothing(), also)


def _was_taken(core: Core, message: Message) -> bool:
    with core.pool.connection() as connection:
        row = connection.execute("SELECT 1 FROM ops.escrow_message WHERE id = %s", (message.id,)).fetchone()
    return row is not None
