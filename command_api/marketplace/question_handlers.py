"""Command handlers of questions about listings."""

from __future__ import annotations

from typing import Final

from command_api.kernel.aggregates import require_found
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.marketplace import commands, mails, questions
from command_api.marketplace.listings import model as listings
from command_api.marketplace.recipients import listing_news, recipient
from command_api.marketplace.schemas import QuestionState

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.AskQuestion, senders="accounts")
def ask_question(command: commands.AskQuestion, uow: UnitOfWork) -> QuestionState:
    listing = uow.load(command.listing_id, listings.evolve)
    asked = questions.ask(command.question_id, listing, command.text, uow.context)
    to = recipient(uow, asked.seller_id)
    news = listing_news(uow, asked, asked.listing_id, listings.title_of(listing), asked.author_id)
    uow.append(asked)
    if to is not None:
        uow.send(mails.question_came(to, news))
    return QuestionState(id=command.question_id)


@HANDLERS.on(commands.AnswerQuestion, senders="accounts")
def answer_question(command: commands.AnswerQuestion, uow: UnitOfWork) -> QuestionState:
    """Answers the question; its author is notified of the first answer."""
    loaded = uow.load(command.question_id, questions.evolve_question)
    events = questions.answer(loaded, command.text, uow.context)
    question = require_found(loaded, "question")
    to = recipient(uow, question.author_id) if not question.answered else None
    title = listings.title_of(uow.load(question.listing_id, listings.evolve))
    news = [listing_news(uow, event, question.listing_id, title, uow.context.account_id) for event in events[:1]]
    uow.append(*events)
    for one in news:
        if to is not None:
            uow.send(mails.question_answered(to, one))
    return QuestionState(id=question.id)


@HANDLERS.on(commands.FlagQuestion, senders="accounts")
def flag_question(command: commands.FlagQuestion, uow: UnitOfWork) -> QuestionState:
    uow.append(*questions.flag(uow.load(command.question_id, questions.evolve_question), command.reason, uow.context))
    return QuestionState(id=command.question_id)


@HANDLERS.on(commands.HideQuestion, senders="admins")
def hide_question(command: commands.HideQuestion, uow: UnitOfWork) -> QuestionState:
    uow.append(*questions.hide(uow.load(command.question_id, questions.evolve_question), command.reason, uow.context))
    return QuestionState(id=command.question_id)


@HANDLERS.on(commands.RestoreQuestion, senders="admins")
def restore_question(command: commands.RestoreQuestion, uow: UnitOfWork) -> QuestionState:
    uow.append(*questions.restore(uow.load(command.question_id, questions.evolve_question), uow.context))
    return QuestionState(id=command.question_id)
