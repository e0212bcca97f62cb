"""Dependencies of every route: the principal, the account scope, the engines, and read-your-writes consistency.

What one context alone uses is a dependency of that context.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends, Header, Request, Response

from infra.kernel.config.settings import Settings
from infra.kernel.http.openapi import SESSION, Authentication
from infra.kernel.http.problems import Problem
from infra.kernel.security.access_tokens import authenticate_caller
from infra.kernel.security.sessions import Pool, Principal
from query_api.kernel.authorization import AccountScope, AllAccounts
from query_api.kernel.clickhouse_reader import ClickHouseReader, Query, Row
from query_api.kernel.first_events import FirstEvents
from query_api.kernel.freshness import FreshnessMonitor
from query_api.kernel.own_writes import STALE, OwnWrites, begin
from query_api.kernel.pagination import invalid_parameter
from query_api.kernel.positions import InvalidToken, parse
from query_api.kernel.query_coalescing import QueryCoalescer
from query_api.kernel.read_your_writes import ProjectionPositions
from query_api.kernel.visitor_cache import VisitorCache

MAX_QUERY_BYTES: Final = 24 * 1024
"""As sent, encoded. A head may have 32 KiB, and has other headers as well."""
_SHOWN_LENGTH: Final = 100
REPEATABLE: Final = frozenset({"filter", "read"})
"""Parameters that may be given several times: all of them hold."""


@dataclass(frozen=True, slots=True)
class Services:
    """The services of one process; made by `query_api.app`."""

    settings: Settings
    pool: Pool
    clickhouse: ClickHouseReader
    positions: ProjectionPositions
    query_coalescer: QueryCoalescer
    visitor_cache: VisitorCache
    freshness: FreshnessMonitor
    first_events: FirstEvents

    def read(self, response: Response, *queries: Query) -> list[list[Row]]:
        """The rows of each statement, all run at once; adds the freshness headers."""
        response.headers.update(self.freshness.headers())  # before reading: rows are at least as fresh as the headers
        return self.visitor_cache.all(*queries)


async def services(request: Request) -> Services:
    """Dependency: the services of the running process. Async: it needs no worker thread."""
    running: Services = request.app.state.services
    return running


Context = Annotated[Services, Depends(services)]


async def refuse_odd_parameters(request: Request) -> None:
    """Dependency of every call: refuses query strings that none takes, before anything is read. Raises `Problem` 400,
    and 404 for an address that nothing can have.

    A parameter given twice would silently count once (the filter `country=DE&country=FR` as France alone), and text
    with NUL characters cannot be in any table.
    """
    for value in request.path_params.values():
        if "\0" in str(value):
            raise Problem(404, "not_found", "There is nothing at this address.")
    if len(request.scope["query_string"]) > MAX_QUERY_BYTES:
        raise Problem(400, "query_too_long", f"The query string may have at most {MAX_QUERY_BYTES:,} bytes.")
    seen: set[str] = set()
    for name, value in request.query_params.multi_items():
        shortened = name[:_SHOWN_LENGTH]
        if "\0" in name or "\0" in value:
            raise invalid_parameter(shortened.replace("\0", ""), "A parameter cannot hold NUL characters.")
        if name in seen and name not in REPEATABLE:
            raise invalid_parameter(
                shortened, f"{shortened} is given twice; give it once. A filter takes several values with commas."
            )
        seen.add(name)


def _principal(request: Request) -> Principal:
    context: Services = request.app.state.services
    return authenticate_caller(context.pool, request.headers, request.method)


CurrentPrincipal = Annotated[Principal, Depends(Authentication(SESSION, _principal))]
"""Dependency: the principal of a session or, for reads, of an access token. Raises `Problem` 401, 403."""


async def account_scope(context: Context, principal: CurrentPrincipal) -> AccountScope:
    """Dependency: the account scope of the principal."""
    return AccountScope(context.pool, principal)


CallerScope = Annotated[AccountScope, Depends(account_scope)]


async def admin_scope(scope: CallerScope) -> AllAccounts:
    """Dependency: all accounts, for an admin. Raises `Problem` 403."""
    return scope.all_accounts()


AdminScope = Annotated[AllAccounts, Depends(admin_scope)]

WaitFor = Annotated[
    str | None, Header(max_length=512, description="X-Position of a command: wait (2 s at most) for it")
]


async def reads_own_writes(
    response: Response, context: Context, _principal: CurrentPrincipal, x_wait_for: WaitFor = None
) -> None:
    """Dependency of a route that reads projections: what its statements read contains `X-Wait-For`.

    The response has `X-Position: domain@N` (it contains everything up to there), and `X-Stale: 1` when the wait timed
    out. Only signed-in callers may wait. Raises `Problem` 400 for a malformed `X-Wait-For`. Async: what follows in the
    request sees it.
    """
    begin_waiting(response, context, x_wait_for)


def begin_waiting(response: Response, context: Services, x_wait_for: str | None, *, may_wait: bool = True) -> None:
    """Begins the wait if the caller may; else the response is marked stale. Raises `Problem` 400 for a malformed
    `x_wait_for`."""
    try:
        tokens = parse(x_wait_for or "")
    except InvalidToken as error:
        raise invalid_parameter("X-Wait-For", str(error)) from error
    if tokens and not may_wait:
        response.headers.update(STALE)
    begin(OwnWrites(context.positions, tokens if may_wait else (), response.headers))


READS_OWN_WRITES: Final = Depends(reads_own_writes)
