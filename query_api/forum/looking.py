"""Who looks at the forum: a visitor, a member or a moderator; and the names of those who wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import Depends, Header, Request, Response

from infra.identity import Principal, authenticate, bearer, session_cookie
from infra.problems import FieldError, Problem
from query_api.context import STALE, Context, Services, Theirs
from query_api.forum.shapes import DELETED_MEMBER, REMOVED, Author
from query_api.reader import Reader
from query_api.waiting import BadToken, parse
from schemas.base import ERASED

NOBODY: Final = UUID(int=0)
"""Bound where a visitor has no account: no row is of it."""


@dataclass(frozen=True, slots=True)
class Look:
    """`account_id` is none for a visitor. `reader` gives what is shown to them, and nothing else."""

    reader: Reader
    account_id: UUID | None
    is_moderator: bool
    is_admin: bool = False

    @property
    def bound(self) -> dict[str, Any]:
        return {"me": self.account_id or NOBODY, "moderator": self.is_moderator}

    def may_change(self, author_id: UUID) -> bool:
        return self.is_moderator or self.account_id == author_id


def look(request: Request, context: Context) -> Look:
    """Whoever's session has ended is a visitor."""
    if bearer(request.headers) or session_cookie(request.headers):
        try:
            person = authenticate(context.pool, request.headers, request.method)
        except Problem:
            return Look(Reader.of_service(context.pool), None, False)
        return look_of(context, person)
    return Look(Reader.of_service(context.pool), None, False)


Looks = Annotated[Look, Depends(look)]


def look_of(context: Services, person: Principal) -> Look:
    """What somebody who is signed in sees."""
    if person.is_moderator and not person.is_admin:
        return Look(Reader.of_moderator(context.pool, person.account_id), person.account_id, True)
    return Look(Reader.of(context.pool, person), person.account_id, person.is_admin, person.is_admin)


def look_of_member(context: Context, theirs: Theirs) -> Look:
    """Raises `Problem` 401."""
    return look_of(context, theirs.principal)


def look_of_moderator(looks: Annotated[Look, Depends(look_of_member)]) -> Look:
    """Raises `Problem` 401 and 403."""
    if not looks.is_moderator:
        raise Problem(403, "not_allowed", "Only a moderator may do this.")
    return looks


LooksOfMember = Annotated[Look, Depends(look_of_member)]
LooksOfModerator = Annotated[Look, Depends(look_of_moderator)]


class Shows:
    """As `query_api.context.Reads`, for calls that visitors may make too; those do not get to wait."""

    def __init__(self, *projections: str) -> None:
        self.projections = projections

    def __call__(
        self,
        response: Response,
        context: Context,
        looks: Looks,
        x_wait_for: Annotated[
            str | None, Header(max_length=512, description="X-Position of a command: wait (2 s at most) for it")
        ] = None,
    ) -> None:
        if x_wait_for:
            try:
                tokens = parse(x_wait_for)
            except BadToken as error:
                raise Problem(400, "invalid", str(error), errors=[FieldError("X-Wait-For", str(error))]) from error
            if looks.account_id is None or not context.positions.wait(tokens, self.projections):
                response.headers.update(STALE)
        response.headers["X-Position"] = f"domain@{context.positions.domain_position(self.projections)}"


def people(reader: Reader, ids: Iterable[UUID | None]) -> Mapping[UUID, Author]:
    """The names of accounts; who was erased, or is not there, is not in it."""
    wanted = sorted({one for one in ids if one is not None})
    if not wanted:
        return {}
    return {row["account_id"]: author(row) for row in reader.rows(_PEOPLE, (wanted,)) if not row["erased"]}


def named(found: Mapping[UUID, Author], account_id: UUID | None) -> Author:
    return found.get(account_id, NOBODY_ANY_MORE) if account_id is not None else NOBODY_ANY_MORE


def author(row: Mapping[str, Any]) -> Author:
    role = "moderator" if row["is_moderator"] else "member"
    return Author(id=row["account_id"], name=row["name"], handle=row["handle"], role=role)


def said(text: str) -> str:
    """A text as it may be shown: of somebody who was erased nothing is left."""
    return REMOVED if text == ERASED else text


NOBODY_ANY_MORE: Final = Author(id=None, name=DELETED_MEMBER, handle=None)
_PEOPLE: Final = (
    "SELECT account_id, name, handle, is_moderator, erased FROM read.forum_members WHERE account_id = ANY(%s)"
)
