"""Command handlers of notification preferences; events are handled in `handler`."""

from __future__ import annotations

from typing import Final, LiteralString

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.notifications import commands, model
from command_api.notifications.schemas import Preference
from schemas.events.accounts import AccountErased
from schemas.identity import notification_choices_id
from schemas.notifications import KINDS

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.SetPreference, senders="accounts")
def set_preference(command: commands.SetPreference, uow: UnitOfWork) -> Preference:
    account_id, kind, choice = uow.context.require_account(), command.kind, command.fields
    choices = uow.load(notification_choices_id(account_id), model.evolve)
    uow.append(*model.choose(choices, account_id, kind, choice.in_app, choice.mail, uow.context))
    return Preference(kind=kind, title=KINDS[kind].title, in_app=choice.in_app, mail=choice.mail)


@HANDLERS.on(commands.StopDigests, senders="system")
def stop_digests(command: commands.StopDigests, uow: UnitOfWork) -> None:
    choices = uow.load(notification_choices_id(command.account_id), model.evolve)
    uow.append(*model.stop_mail(choices, command.account_id, command.way, uow.context))


@HANDLERS.before(AccountErased)
def erase_recipient(event: AccountErased, uow: UnitOfWork) -> None:
    for statement in _ERASE:
        uow.cursor.execute(statement, (event.originator_id,))


_ERASE: Final[tuple[LiteralString, ...]] = (
    "DELETE FROM forum.follower WHERE account_id = %s",
    "DELETE FROM notifications.notification WHERE account_id = %s",
    "DELETE FROM notifications.digest WHERE account_id = %s",
)
