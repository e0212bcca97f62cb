"""`GET /api/platform/auth/providers` and `/linked-sign-ins`: with which providers one may sign in, and does."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from infra.kernel.security.oauth_providers import LABELS, NAMES, ProviderName, configured, decrypt_label
from query_api.kernel.dependencies import CallerScope, Context
from schemas.http.responses import ResponseModel

router = APIRouter(prefix="/api/platform", tags=["account"])


class SignInProvider(ResponseModel):
    """An identity provider; `isConfigured`: this installation has its keys."""

    name: ProviderName
    label: str
    is_configured: bool


class LinkedSignIn(ResponseModel):
    """An identity at a provider that opens the account."""

    id: UUID
    provider: ProviderName
    label: str = Field(description="Address or name at the provider; may be empty")
    linked_at: datetime


_LINKED: Final = (
    "SELECT id, provider, label_sealed, linked_at FROM accounts.linked_sign_in"
    " WHERE account_id = %s ORDER BY linked_at, id"
)


@router.get("/auth/providers")
def get_sign_in_providers(context: Context) -> list[SignInProvider]:
    """Public: all of them, in the order of the sign-in page."""
    usable = configured(context.settings)
    return [SignInProvider(name=name, label=LABELS[name], is_configured=name in usable) for name in NAMES]


@router.get("/linked-sign-ins")
def get_linked_sign_ins(context: Context, scope: CallerScope) -> list[LinkedSignIn]:
    """Oldest first. Admins, too, see their own alone."""
    return [
        LinkedSignIn.of_row(row, label=decrypt_label(context.settings, str(row["id"]), row["label_sealed"]))
        for row in scope.reader.rows(_LINKED, (scope.principal.account_id,))
    ]
