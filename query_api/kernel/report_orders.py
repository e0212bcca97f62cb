"""Orders of reports by email (`infra.domain.reports.contract`): who ordered, for whom, and the email's frame.

The write side sends them over HTTP with a proof. They are in no document of the API, and the gateway passes none on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Final
from uuid import UUID

from fastapi import Depends, Request

from infra.domain.reports.contract import MAX_FILES_BYTES, EmailFile, NoAccess, RenderOrder, verified_order
from infra.kernel.http.problems import Problem
from infra.kernel.security.sessions import Principal
from query_api.kernel.authorization import AccountScope
from query_api.kernel.dependencies import Context
from query_api.kernel.postgres_reader import PostgresReader

_NO_SESSION: Final = UUID(int=0)


async def report_order(request: Request, context: Context) -> RenderOrder:
    """Dependency: the order. Raises `Problem` 404 for what the write side did not send within the last minute."""
    order = verified_order(context.settings, request.headers, await request.body(), datetime.now(UTC))
    if order is None:
        raise Problem(404, "not_found", "Not found.")
    return order


ReportOrder = Annotated[RenderOrder, Depends(report_order)]


def report_scope(order: ReportOrder, context: Context) -> AccountScope:
    """Dependency: what the person of the report may read now. Raises `Problem` 410 without an account."""
    row = PostgresReader(context.pool, order.account_id).row(_PERSON, (order.account_id,))
    if row is None:
        raise no_access("account")
    roles = frozenset(("member", *(row["roles"] or ())))
    return AccountScope(context.pool, Principal(order.account_id, _NO_SESSION, row["email"], row["name"], roles))


ReportScope = Annotated[AccountScope, Depends(report_scope)]


def no_access(to: NoAccess) -> Problem:
    """The person may no longer use that: the schedule pauses."""
    return Problem(410, to, "No access.")


def footer(what: str, order: RenderOrder) -> str:
    """Returns the sentence on why the person gets the email. `what`: "your view Revenue"."""
    if order.is_preview:
        return f"This is a preview of {what}. You requested it in your account settings."
    return f"You get this because you scheduled {what}. You can change or pause it in your account settings."


def fitting(
    made: Iterable[Callable[[], EmailFile]], pictures: Sequence[EmailFile]
) -> tuple[list[EmailFile], list[str]]:
    """The pictures, and the files that fit in an email with them; and a note about each that does not."""
    files, notes = list(pictures), list[str]()
    left = MAX_FILES_BYTES - sum(len(picture.content) for picture in pictures)
    for make in made:
        file = make()
        if len(file.content) <= left:
            files.append(file)
            left -= len(file.content)
        else:
            notes.append(f"{file.name} is too large to attach. Download it from the page.")
    return files, notes


_PERSON: Final = (
    # The roles are the write side's: no record in the log gives anybody one.
    "SELECT a.email, a.name, h.roles FROM read.accounts AS a LEFT JOIN lookup.role_holder AS h ON h.account_id = a.id"
    " WHERE a.id = %s AND a.disabled_at IS NULL AND a.erased_at IS NULL"
)
