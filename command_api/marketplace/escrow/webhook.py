"""`POST /api/public/escrow/messages`: webhook of the escrow provider. Signed, and processed once.

A message that contradicts the current state is rejected (409), so that the provider sends it again: messages that
arrive out of order are then processed. A repeated message or one of another type changes nothing. Missing messages are
found by `escrow_reconciliation`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final, get_args

import structlog
from fastapi import APIRouter, Depends, Request, Response
from pydantic import ValidationError

from command_api.kernel.decision import CommandRejected, system_context
from command_api.kernel.http import container_of
from command_api.marketplace.escrow import commands
from command_api.marketplace.escrow.schemas import MessageType, TransactionMessage
from infra.domain.escrow_provider import BadSignature, verified
from infra.kernel.http.problems import Problem
from infra.kernel.http.route_costs import PROVIDER, routes_of

MESSAGES_PATH: Final = "/api/public/escrow/messages"

router = APIRouter(tags=["public"], route_class=routes_of(PROVIDER))

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


async def _body(request: Request) -> bytes:
    return await request.body()


@router.post(MESSAGES_PATH, status_code=204)
def take_escrow_message(request: Request, body: Annotated[bytes, Depends(_body)]) -> Response:
    """For the escrow provider alone: signed as Standard Webhooks describes."""
    container = container_of(request)
    if not container.settings.escrow_webhook_secrets:
        raise Problem(404, "not_found", "Not found.")
    try:
        message = verified(container.settings.escrow_webhook_secrets, request.headers, body, datetime.now(UTC))
    except BadSignature as error:
        raise Problem(401, "bad_signature", f"Invalid signature: {error}.") from error
    try:
        kind = MessageType.model_validate_json(message.body).type
        if kind not in get_args(TransactionMessage.model_fields["type"].annotation):
            log.info("webhook_ignored", type=kind[:100])
            return Response(status_code=204)
        event = TransactionMessage.model_validate_json(message.body)
    except ValidationError as error:
        log.warning("webhook_invalid", errors=error.errors(include_input=False))
        raise Problem(400, "not_understood", "Invalid message.") from error
    try:
        container.commands.dispatch(commands.RecordEscrowMessage(message.id, event), system_context())
    except CommandRejected as refused:
        log.warning("webhook_rejected", type=event.type, escrow_id=event.data.reference, error=refused)
        raise
    return Response(status_code=204)
