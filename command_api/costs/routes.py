"""`/api/platform/costs`: enter, change, remove and restore what traffic cost."""

from __future__ import annotations

from fastapi import APIRouter, Response

from command_api.costs import commands
from command_api.costs.schemas import CostChanges, CostInput
from command_api.kernel.http import Id, Runs
from schemas.http.costs import Cost
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/costs", tags=["costs"])


@router.post("", status_code=201, response_model=Cost)
def add_cost(body: CostInput, run: Runs) -> Response:
    """Enters what the traffic of a website cost on some days. Another currency is converted at the rate of the first
    day."""
    return run(commands.AddCost(uuid7(), body), body, status=201, is_consistent=True)


@router.patch("/{id}", response_model=Cost)
def change_cost(cost_id: Id, body: CostChanges, run: Runs) -> Response:
    """Changes an entry."""
    return run(commands.ChangeCost(cost_id, body), body, is_consistent=True)


@router.delete("/{id}", status_code=204)
def remove_cost(cost_id: Id, run: Runs) -> Response:
    """Removes an entry. It can be restored."""
    return run(commands.RemoveCost(cost_id), status=204, is_consistent=True)


@router.post("/{id}/restore", response_model=Cost)
def restore_cost(cost_id: Id, run: Runs) -> Response:
    """Undoes the removal."""
    return run(commands.RestoreCost(cost_id), is_consistent=True)
