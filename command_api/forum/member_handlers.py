"""Command handlers of members."""

from __future__ import annotations

from typing import Final, LiteralString
from uuid import UUID

from command_api.forum import commands, members
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import CommandRejected
from command_api.kernel.unit_of_work import UnitOfWork
from schemas.events.accounts import AccountErased
from schemas.identity import forum_member_id

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.SuspendMember, senders="admins")
def suspend_member(command: commands.SuspendMember, uow: UnitOfWork) -> None:
    if not command.by_admin and uow.select("SELECT 1 FROM lookup.admin WHERE account_id = %s", command.account_id):
        raise CommandRejected("forbidden", "not_allowed", "Only an admin may suspend an admin.")
    member, fields = _load(uow, command.account_id), command.fields
    uow.append(*members.suspend(member, fields.until, fields.reason, uow.context))


@HANDLERS.on(commands.ReinstateMember, senders="admins")
def reinstate_member(command: commands.ReinstateMember, uow: UnitOfWork) -> None:
    uow.append(*members.reinstate(_load(uow, command.account_id), uow.context))


@HANDLERS.before(AccountErased)
def erase_member(event: AccountErased, uow: UnitOfWork) -> None:
    for statement in _ERASE:
        uow.cursor.execute(statement, (event.originator_id,))


def _load(uow: UnitOfWork, account_id: UUID) -> members.MemberAggregate | None:
    """Loads the member; `None` for an account that never wrote, or was erased."""
    if not uow.select("SELECT 1 FROM forum.member WHERE account_id = %s AND handle IS NOT NULL", account_id):
        return None
    return uow.load(forum_member_id(account_id), members.evolve)


_ERASE: Final[tuple[LiteralString, ...]] = (
    "UPDATE forum.member SET handle = NULL WHERE account_id = %s",
    "DELETE FROM forum.act WHERE account_id = %s",
    "DELETE FROM forum.read WHERE account_id = %s",
)
