"""`GET /api/admin/account-usage`: the accounts that store most today, and whose budget refused something."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from infra.kernel.config.settings import Settings
from query_api.kernel.dependencies import AdminScope, Context
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["admin"])

MIB: Final = 1024 * 1024


class AccountUsage(ResponseModel):
    """One account on the current day (UTC)."""

    account_id: UUID
    email: str | None = Field(description="Null for an erased account")
    commands: int
    bytes: int
    refused: int = Field(description="Commands above the budget")


class DailyBudget(ResponseModel):
    """What one account may use in a day."""

    commands: int
    bytes: int


class UsageToday(ResponseModel):
    """The twenty accounts with the most bytes, and the budget of each."""

    budget: DailyBudget
    accounts: list[AccountUsage]


_USAGE: Final = """
SELECT u.account_id, a.email, u.commands, u.bytes, u.refused
FROM kernel.account_usage AS u LEFT JOIN read.accounts AS a ON a.id = u.account_id
WHERE u.day = (now() AT TIME ZONE 'UTC')::date
ORDER BY u.bytes DESC, u.account_id
LIMIT 20"""


@router.get("/api/admin/account-usage")
def get_account_usage(context: Context, admin: AdminScope) -> UsageToday:
    """Of today (UTC), the most bytes first."""
    return UsageToday(budget=_budget(context.settings), accounts=_accounts(admin))


def _accounts(admin: AdminScope) -> list[AccountUsage]:
    return [AccountUsage.of_row(row) for row in admin.reader.rows(_USAGE)]


def _budget(settings: Settings) -> DailyBudget:
    return DailyBudget(commands=settings.account_daily_commands, bytes=settings.account_daily_mib * MIB)
