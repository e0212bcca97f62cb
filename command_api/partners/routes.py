"""`/api/admin/partners`: add and change affiliate programs. Admins only."""

from __future__ import annotations

from fastapi import APIRouter, Response

from command_api.kernel.http import Admin, Id, Runs
from command_api.partners import commands
from command_api.partners.schemas import AddPartner, UpdatePartner
from schemas.http.partners import Partner
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/admin/partners", tags=["partners"])


@router.post("", status_code=201, response_model=Partner)
def add_partner(body: AddPartner, _: Admin, run: Runs) -> Response:
    """Adds a program. Without a slug, one is derived from its name."""
    return run(commands.AddPartner(uuid7(), body), body, status=201, is_consistent=True)


@router.patch("/{id}", response_model=Partner)
def update_partner(partner_id: Id, body: UpdatePartner, _: Admin, run: Runs) -> Response:
    """Changes the given fields. New terms apply to clicks from now on, or from `effectiveFrom` on; they replace an
    earlier announcement for the same moment.
    """
    return run(commands.UpdatePartner(partner_id, body), body, is_consistent=True)


@router.delete("/{id}", status_code=204)
def remove_partner(partner_id: Id, _: Admin, run: Runs) -> Response:
    """Removes a program from every list permanently. Its links stop working; earned commissions stay payable, and old
    clicks still count.
    """
    return run(commands.RemovePartner(partner_id), status=204, is_consistent=True)
