"""What every route works with: the person who asks, what is theirs, the engines, and waiting for one's own writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends, Header, Request, Response

from infra.identity import Pool, Principal, authenticate
from infra.problems import FieldError, Problem
from infra.settings import Settings
from query_api.columnar import Columnar, Query, Row
from query_api.first_events import FirstEvents
from query_api.freshness import Freshness
from query_api.live.hub import Hub
from query_api.owned import Owned
from query_api.shared_reads import SharedReads
from query_api.sql.running import Runner
from query_api.waiting import BadToken, Positions, parse


@dataclass(frozen=True, slots=True)
class Services:
    """What one process has; made by `query_api.app`."""

    settings: Settings
    pool: Pool
    columnar: Columnar
    positions: Positions
    shared_reads: SharedReads
    freshness: Freshness
    hub: Hub
    runner: Runner
    first_events: FirstEvents

    def read(self, response: Response, *queries: Query) -> list[list[Row]]:
        """The rows of each statement, all run at once; adds the headers that say how fresh an answer of them is."""
        response.headers.update(self.freshness.headers())  # before reading: what was there then is in the rows
        return self.shared_reads.all(*queries)


async def services(request: Request) -> Services:
    found: Services = request.app.state.services
    return found


Context = Annotated[Services, Depends(services)]


def signed_in(request: Request, context: Context) -> Principal:
    """The person who asks. Raises `Problem` 401."""
    return authenticate(context.pool, request.headers, request.method)


async def owned(context: Context, principal: Annotated[Principal, Depends(signed_in)]) -> Owned:
    return Owned(context.pool, principal)


Theirs = Annotated[Owned, Depends(owned)]


async def admin(theirs: Theirs) -> Owned:
    """The person who asks, if that is an admin. Raises `Problem` 403."""
    theirs.require_admin()
    return theirs


AsAdmin = Annotated[Owned, Depends(admin)]

STALE: Final = {"X-Stale": "1"}


class Reads:
    """Dependency of a route that reads these projections: waits for `X-Wait-For` and tells how far they are.

    The answer says `X-Position: domain@N` (it contains everything up to there) and `X-Stale: 1` when the wait was in
    vain. Who is not signed in does not get to wait.
    """

    def __init__(self, *projections: str) -> None:
        self.projections = projections

    def __call__(
        self,
        response: Response,
        context: Context,
        principal: Annotated[Principal, Depends(signed_in)],
        x_wait_for: Annotated[
            str | None, Header(max_length=512, description="X-Position of a command: wait (2 s at most) for it")
        ] = None,
    ) -> None:
        if x_wait_for:
            try:
                tokens = parse(x_wait_for)
            except BadToken as error:
                raise Problem(400, "invalid", str(error), errors=[FieldError("X-Wait-For", str(error))]) from error
            if not context.positions.wait(tokens, self.projections):
                response.headers.update(STALE)
        response.headers["X-Position"] = f"domain@{context.positions.domain_position(self.projections)}"
