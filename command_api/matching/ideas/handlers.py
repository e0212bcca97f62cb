"""Command handlers of business ideas."""

from __future__ import annotations

from typing import Final

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.matching.ideas import board as idea_board
from command_api.matching.ideas import commands
from command_api.matching.ideas.board import IdeaBoard
from command_api.matching.schemas import Worded
from infra.domain.program_ideas.wording import to_json
from schemas.identity import idea_board_id

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.RequestIdeas, senders="accounts")
def request_ideas(command: commands.RequestIdeas, uow: UnitOfWork) -> None:
    uow.append(idea_board.request(_board(uow), command.answers, uow.context.require_account(), uow.context))


@HANDLERS.on(commands.RecordIdeaWording, senders="accounts")
def record_idea_wording(command: commands.RecordIdeaWording, uow: UnitOfWork) -> Worded:
    board, narration = idea_board.require_round(_board(uow)), command.narration
    if narration is None:
        return Worded(worded=0, silence=command.silence)
    if board.requested != command.requested:
        raise conflict("another_round", "You have requested other ideas in the meantime.")
    if board.is_worded:
        return Worded(worded=0, silence=None)
    account_id, words = uow.context.require_account(), to_json(narration.words)
    uow.append(idea_board.word(board, words, narration.silence, account_id, uow.context))
    return Worded(worded=len(narration.words), silence=narration.silence or None)


@HANDLERS.on(commands.SaveIdea, senders="accounts")
def save_idea(command: commands.SaveIdea, uow: UnitOfWork) -> None:
    uow.append(*idea_board.save(_board(uow), command.idea, uow.context.require_account(), uow.context))


@HANDLERS.on(commands.DismissIdea, senders="accounts")
def dismiss_idea(command: commands.DismissIdea, uow: UnitOfWork) -> None:
    account_id = uow.context.require_account()
    uow.append(*idea_board.dismiss(_board(uow), command.idea, command.reason, command.note, account_id, uow.context))


@HANDLERS.on(commands.ReleaseIdea, senders="accounts")
def release_idea(command: commands.ReleaseIdea, uow: UnitOfWork) -> None:
    uow.append(*idea_board.release(_board(uow), command.idea, uow.context.require_account(), uow.context))


def _board(uow: UnitOfWork) -> IdeaBoard | None:
    """Loads the sender's own board: its id follows from the account."""
    return uow.load(idea_board_id(uow.context.require_account()), idea_board.evolve)
