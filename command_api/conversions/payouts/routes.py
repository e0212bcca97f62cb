"""`/api/platform/payouts`: what partners paid; recorded, corrected or voided by the website's owner, or an admin."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request, Response

from command_api.conversions.payouts import commands, model, schemas
from command_api.kernel.http import Id, Runs
from command_api.kernel.rate_limits import Limit, consume
from command_api.websites import model as websites
from infra.kernel.http.openapi import file_content
from infra.kernel.http.route_costs import MONEY, UPLOAD, costs, routes_of
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/payouts", tags=["payouts"], route_class=routes_of(MONEY))
FILES: Final = Limit("payout-file", timedelta(seconds=10), 40)


@router.post("", status_code=201, response_model=schemas.PayoutState)
def record_payout(body: schemas.RecordPayout, run: Runs) -> Response:
    """Records what a partner paid. It settles the oldest open months, unless `allocations` name others."""
    return run(commands.RecordPayout(uuid7(), body), body, status=201, is_consistent=True)


@router.post("/{id}/correct", response_model=schemas.PayoutState)
def correct_payout(payout_id: Id, body: schemas.CorrectPayout, run: Runs) -> Response:
    """Corrects a payout; the earlier values stay in its history."""
    return run(commands.CorrectPayout(payout_id, body), body, is_consistent=True)


@router.post("/{id}/void", response_model=schemas.PayoutState)
def void_payout(payout_id: Id, body: schemas.VoidPayout, run: Runs) -> Response:
    """Voids the payout: it no longer counts."""
    return run(commands.VoidPayout(payout_id, body.reason), body, is_consistent=True)


async def _request_body(request: Request) -> bytes:
    return await request.body()


@router.post(
    "/{id}/file",
    status_code=201,
    response_model=schemas.PayoutState,
    openapi_extra={
        **costs(UPLOAD),
        "requestBody": {
            "required": True,
            "description": "The file itself: PDF, JPEG, PNG or WebP, recognized by its content.",
            "content": file_content(),
        },
    },
)
def attach_payout_file(payout_id: Id, sent: Annotated[bytes, Depends(_request_body)], run: Runs) -> Response:
    """Adds the partner's payment advice, the file itself as the body: PDF, PNG, JPEG or WebP, at most 1 MB."""
    loaded = run.container.load(payout_id, model.evolve)
    website = run.container.load(loaded.website_id, websites.evolve) if loaded else None
    model.require_owned(loaded, website, run.context)
    consume(run.container.pool, FILES, str(run.person.account_id))
    identity = schemas.UploadedFile(sha256=sha256(sent).hexdigest())
    command = commands.AttachPayoutFile(payout_id, uuid7(), sent)
    return run(command, identity, status=201, is_consistent=True)
