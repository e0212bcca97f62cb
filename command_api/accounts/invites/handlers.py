"""Command handlers of model."""

from __future__ import annotations

from typing import Final

from command_api.accounts.invites import codes, commands, model
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.unit_of_work import UnitOfWork
from schemas.http.accounts import InviteCode

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.CreateInvite, senders="accounts")
def create_invite(command: commands.CreateInvite, uow: UnitOfWork) -> InviteCode:
    fields = command.fields
    created = model.create(
        command.invite_id, max_uses=fields.max_uses, days=fields.expires_in_days, context=uow.context
    )
    uow.append(created)
    codes.save(uow, created, command.code)
    return InviteCode.of(
        created,
        id=command.invite_id,
        code=command.code,
        current_uses=0,
        created_at=created.timestamp,
        revoked_at=None,
        status="active",
        joined=[],
    )


@HANDLERS.on(commands.RevokeInvite, senders="accounts")
def revoke_invite(command: commands.RevokeInvite, uow: UnitOfWork) -> None:
    uow.append(*model.revoke(uow.load(command.invite_id, model.evolve), uow.context))
    codes.close(uow, command.invite_id)
