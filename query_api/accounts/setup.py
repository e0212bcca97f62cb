"""`GET /api/platform/setup`: whether the installation still waits for its first account. Public."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Response
from pydantic import Field

from query_api.kernel.dependencies import Context
from query_api.kernel.postgres_reader import PostgresReader
from schemas.http.responses import ResponseModel

router = APIRouter(prefix="/api/platform", tags=["account"])

_IS_SET_UP: Final = "SELECT accounts.is_set_up() AS is_set_up"


class SetupState(ResponseModel):
    """Whether the first admin can be created."""

    is_open: bool = Field(description="Nobody has an account yet: `althing setup-link` prints the link that creates it")


@router.get("/setup")
def get_setup_state(context: Context, response: Response) -> SetupState:
    """The link itself is for the operator's terminal; nothing here leads to it."""
    response.headers["Cache-Control"] = "no-store"
    row = PostgresReader.of_service(context.pool).row(_IS_SET_UP)
    return SetupState(is_open=row is not None and not row["is_set_up"])
