"""`/api/platform/partners` and `/api/platform/partner-requests`: the partners that a member adds, and requests for
programs that the directory lacks; `/api/admin/partner-requests`: what admins decide about these."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from fastapi import APIRouter, Response

from command_api.kernel.http import AdminRuns, Id, Runs
from command_api.kernel.rate_limits import Limit, consume
from command_api.partners import commands
from command_api.partners.schemas import (
    AddPartner,
    AddPrivatePartner,
    DeclineRequest,
    MadeRequest,
    RequestPartner,
    UpdatePartner,
)
from schemas.http.partners import Partner
from schemas.uuid7 import uuid7

router = APIRouter(tags=["partners"])

ADDITIONS: Final = Limit("private-partners", timedelta(seconds=10), 100)
REQUESTS: Final = Limit("partner-requests", timedelta(minutes=5), 20)
"""Per account."""


@router.post("/api/platform/partners", status_code=201, response_model=Partner)
def add_private_partner(body: AddPrivatePartner, run: Runs) -> Response:
    """Adds a private partner, visible only to you; an account has at most 100."""

    def added() -> commands.AddPrivatePartner:
        consume(run.container.pool, ADDITIONS, str(run.person.account_id))
        return commands.AddPrivatePartner(uuid7(), body)

    return run.prepared(added, body, status=201, is_consistent=True)


@router.patch("/api/platform/partners/{id}", response_model=Partner)
def update_private_partner(partner_id: Id, body: UpdatePartner, run: Runs) -> Response:
    """Changes the given fields of a private partner."""
    return run(commands.UpdatePrivatePartner(partner_id, body), body, is_consistent=True)


@router.delete("/api/platform/partners/{id}", status_code=204)
def remove_private_partner(partner_id: Id, run: Runs) -> Response:
    """Removes a private partner permanently. Its links stop working; earned commissions stay payable, and old clicks
    still count.
    """
    return run(commands.RemovePrivatePartner(partner_id), status=204, is_consistent=True)


@router.post("/api/platform/partner-requests", response_model=MadeRequest)
def request_partner(body: RequestPartner, run: Runs) -> Response:
    """Requests a program for the directory. If a partner of the directory has this website, that partner is returned,
    and no request is created.
    """

    def requested() -> commands.RequestPartner:
        consume(run.container.pool, REQUESTS, str(run.person.account_id))
        return commands.RequestPartner(uuid7(), body)

    return run.prepared(requested, body)


@router.delete("/api/platform/partner-requests/{id}", status_code=204)
def withdraw_partner_request(request_id: Id, run: Runs) -> Response:
    """Withdraws an open request."""
    return run(commands.WithdrawPartnerRequest(request_id), status=204)


@router.post("/api/admin/partner-requests/{id}/accept", status_code=201, response_model=Partner)
def accept_partner_request(request_id: Id, body: AddPartner, run: AdminRuns) -> Response:
    """Adds the program to the directory, and notifies the member."""
    command = commands.AcceptPartnerRequest(request_id, uuid7(), body)
    return run(command, body, status=201, is_consistent=True)


@router.post("/api/admin/partner-requests/{id}/decline", status_code=204)
def decline_partner_request(request_id: Id, body: DeclineRequest, run: AdminRuns) -> Response:
    """Declines the request; the member is notified and sees the reason."""
    return run(commands.DeclinePartnerRequest(request_id, body.reason), body, status=204)
