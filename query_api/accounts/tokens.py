"""`GET /api/platform/tokens`: the account's access tokens. The tokens themselves are nowhere."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter

from infra.kernel.security.access_tokens import require_whole_account
from query_api.kernel.dependencies import CallerScope
from schemas.http.accounts import AccessToken

router = APIRouter(tags=["access tokens"])


_VALID: Final = (
    "SELECT id, name, last4, scopes, website_ids, created_at, expires_at, last_used_at FROM accounts.access_token"
    " WHERE account_id = %s AND revoked_at IS NULL AND expires_at > now() ORDER BY created_at DESC, id DESC"
)


@router.get("/api/platform/tokens")
def get_access_tokens(scope: CallerScope) -> list[AccessToken]:
    """The valid access tokens, newest first."""
    require_whole_account(scope.principal)
    return [AccessToken.of_row(row) for row in scope.reader.rows(_VALID, (scope.principal.account_id,))]
