"""The viewer of the forum (visitor, member or moderator), and the names of authors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import Depends, Request, Response

from infra.kernel.http.openapi import OPTIONAL_SESSION, Authentication
from infra.kernel.http.problems import Problem
from infra.kernel.security.access_tokens import authenticate_caller
from infra.kernel.security.sessions import Principal, bearer, session_cookie
from query_api.forum.schemas import DELETED_MEMBER, REMOVED, Author
from query_api.kernel.dependencies import CallerScope, Context, Services, WaitFor, begin_waiting
from query_api.kernel.postgres_reader import PostgresReader
from schemas.base import ERASED

NO_ACCOUNT: Final = UUID(int=0)
"""Bound where a visitor has no account: no row is of it."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """The reader of the forum. `account_id` is none for a visitor. `reader` returns what is visible to them, and
    nothing else."""

    reader: PostgresReader
    account_id: UUID | None
    is_moderator: bool
    is_admin: bool = False

    @property
    def bound(self) -> dict[str, Any]:
        return {"me": self.account_id or NO_ACCOUNT, "moderator": self.is_moderator}

    def may_change(self, author_id: UUID) -> bool:
        return self.is_moderator or self.account_id == author_id


def _moderation_view(request: Request) -> Viewer:
    context: Services = request.app.state.services
    if bearer(request.headers) or session_cookie(request.headers):
        with suppress(Problem):
            person = authenticate_caller(context.pool, request.headers, request.method)
            if person.website_ids is None:
                return viewer_for(context, person)
    return Viewer(PostgresReader.of_service(context.pool), None, False)


CurrentViewer = Annotated[Viewer, Depends(Authentication(OPTIONAL_SESSION, _moderation_view))]
"""Dependency: the viewer; without a valid session a visitor."""


def viewer_for(context: Services, person: Principal) -> Viewer:
    """The viewer of a signed-in account."""
    if person.is_moderator and not person.is_admin:
        return Viewer(PostgresReader.of_moderator(context.pool, person.account_id), person.account_id, True)
    return Viewer(PostgresReader.of(context.pool, person), person.account_id, person.is_admin, person.is_admin)


def member_viewer(context: Context, scope: CallerScope) -> Viewer:
    """Raises `Problem` 401."""
    return viewer_for(context, scope.principal)


def moderator_viewer(viewer: Annotated[Viewer, Depends(member_viewer)]) -> Viewer:
    """Raises `Problem` 401 and 403."""
    if not viewer.is_moderator:
        raise Problem(403, "not_allowed", "Only a moderator may do this.")
    return viewer


MemberViewer = Annotated[Viewer, Depends(member_viewer)]
ModeratorViewer = Annotated[Viewer, Depends(moderator_viewer)]


async def public_reads_own_writes(
    response: Response, context: Context, viewer: CurrentViewer, x_wait_for: WaitFor = None
) -> None:
    """As `query_api.kernel.dependencies.reads_own_writes`, for calls that visitors may make too; visitors cannot
    wait."""
    begin_waiting(response, context, x_wait_for, may_wait=viewer.account_id is not None)


PUBLIC_READS_OWN_WRITES: Final = Depends(public_reads_own_writes)


def people(reader: PostgresReader, ids: Iterable[UUID | None]) -> Mapping[UUID, Author]:
    """The names of accounts; who was erased, or is not there, is not in it."""
    account_ids = sorted({one for one in ids if one is not None})
    if not account_ids:
        return {}
    return {row["account_id"]: author(row) for row in reader.rows(_PEOPLE, (account_ids,)) if not row["erased"]}


def named(found: Mapping[UUID, Author], account_id: UUID | None) -> Author:
    return found.get(account_id, ERASED_AUTHOR) if account_id is not None else ERASED_AUTHOR


def author(row: Mapping[str, Any]) -> Author:
    return Author.of_row(row, id=row["account_id"], role="moderator" if row["is_moderator"] else "member")


def said(text: str) -> str:
    """The text, or `REMOVED` for an erased author."""
    return REMOVED if text == ERASED else text


ERASED_AUTHOR: Final = Author(id=None, name=DELETED_MEMBER, handle=None)
_PEOPLE: Final = (
    "SELECT account_id, name, handle, is_moderator, erased FROM read.forum_members WHERE account_id = ANY(%s)"
)
