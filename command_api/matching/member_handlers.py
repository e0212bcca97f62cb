"""Command handlers of what members do: business idea, applications to programs, finished lessons."""

from __future__ import annotations

from typing import Final

from command_api.kernel.aggregates import require_found
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.matching import commands, members
from command_api.matching.application_links import program_page
from command_api.matching.programs import model as programs
from command_api.matching.schemas import Analyzed, Applied, Worded, to_analysis, to_applied
from infra.domain.program_matching.wording import to_json
from schemas.identity import application_id, learning_id, matching_profile_id

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.RecordBusinessAnalysis, senders="accounts")
def record_business_analysis(command: commands.RecordBusinessAnalysis, uow: UnitOfWork) -> Analyzed:
    account_id = uow.context.require_account()
    profile = uow.load(matching_profile_id(account_id), members.evolve_profile)
    uow.append(members.record_analysis(profile, account_id, command.idea, command.understood, uow.context))
    return Analyzed(analysis=to_analysis(command.understood))


@HANDLERS.on(commands.RecordWording, senders="accounts")
def record_wording(command: commands.RecordWording, uow: UnitOfWork) -> Worded:
    account_id, narration = uow.context.require_account(), command.narration
    profile = members.require_profile(uow.load(matching_profile_id(account_id), members.evolve_profile))
    if narration is None:
        return Worded(worded=0, silence=command.silence)
    if profile.analyzed != command.analyzed:
        raise conflict("another_idea", "Your idea has changed in the meantime.")
    if profile.is_worded:
        return Worded(worded=0, silence=None)
    uow.append(members.record_wording(profile, account_id, to_json(narration.words), narration.silence, uow.context))
    return Worded(worded=len(narration.words), silence=narration.silence or None)


@HANDLERS.on(commands.ApplyToProgram, senders="accounts")
def apply_to_program(command: commands.ApplyToProgram, uow: UnitOfWork) -> Applied:
    account_id = uow.context.require_account()
    listing = require_found(uow.load(command.program_id, programs.evolve), "program")
    application = uow.load(application_id(account_id, listing.id), members.evolve_application)
    events = members.apply(application, listing, account_id, uow.context)
    application = uow.advance(members.evolve_application, application, events)
    return to_applied(members.require_own(application, account_id), listing)


@HANDLERS.on(commands.FollowTrackedLink, senders="accounts")
def follow_tracked_link(command: commands.FollowTrackedLink, uow: UnitOfWork) -> str:
    account_id = uow.context.require_account()
    application = members.require_own(uow.load(command.application_id, members.evolve_application), account_id)
    listing = require_found(uow.load(application.program_id, programs.evolve), "program")
    uow.append(*members.follow(application, account_id, uow.context))
    return program_page(listing.program.url, application.id)


@HANDLERS.on(commands.MoveApplication, senders="accounts")
def move_application(command: commands.MoveApplication, uow: UnitOfWork) -> None:
    account_id = uow.context.require_account()
    application = uow.load(command.application_id, members.evolve_application)
    uow.append(*members.move(application, command.status, command.note, account_id, uow.context))


@HANDLERS.on(commands.MarkLesson, senders="accounts")
def mark_lesson(command: commands.MarkLesson, uow: UnitOfWork) -> None:
    account_id = uow.context.require_account()
    learning = uow.load(learning_id(account_id), members.evolve_learning)
    mark = members.complete if command.done else members.reopen
    uow.append(*mark(learning, command.course, command.lesson, account_id, uow.context))
