"""Command handlers of the program directory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import CommandContext, CommandRejected, invalid
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.matching.programs import commands, model
from command_api.matching.programs.files import ProgramLine
from command_api.matching.programs.schemas import Added, Imported, LineFault
from command_api.partners import model as partners
from schemas.base import DomainEvent
from schemas.events.matching import Program
from schemas.identity import program_id

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.AddProgram, senders="admins")
def add_program(command: commands.AddProgram, uow: UnitOfWork) -> Added:
    program, today = command.program, uow.context.at.date()
    _require_partner(program, uow)
    listing = uow.load(program_id(program.company_name), model.evolve)
    uow.append(*model.add(listing, program, origin="admin", recorded_on=today, context=uow.context))
    return Added(id=program_id(program.company_name))


@HANDLERS.on(commands.AddStarterPrograms, senders="system")
def add_starter_programs(command: commands.AddStarterPrograms, uow: UnitOfWork) -> int:
    events: list[DomainEvent] = []
    for program in command.programs:
        if uow.load(program_id(program.company_name), model.evolve) is None:
            events += model.add(None, program, origin="starter", recorded_on=command.recorded_on, context=uow.context)
    uow.append(*events)
    return len(events)


@HANDLERS.on(commands.ChangeProgram, senders="admins")
def change_program(command: commands.ChangeProgram, uow: UnitOfWork) -> None:
    _require_partner(command.program, uow)
    uow.append(*model.change(uow.load(command.program_id, model.evolve), command.program, "admin", uow.context))


@HANDLERS.on(commands.ReviewProgram, senders="admins")
def review_program(command: commands.ReviewProgram, uow: UnitOfWork) -> None:
    uow.append(*model.review(uow.load(command.program_id, model.evolve), command.review_on, uow.context))


@HANDLERS.on(commands.RetireProgram, senders="admins")
def retire_program(command: commands.RetireProgram, uow: UnitOfWork) -> None:
    uow.append(*model.retire(uow.load(command.program_id, model.evolve), uow.context))


@HANDLERS.on(commands.RestoreProgram, senders="admins")
def restore_program(command: commands.RestoreProgram, uow: UnitOfWork) -> None:
    uow.append(*model.restore(uow.load(command.program_id, model.evolve), uow.context))


@HANDLERS.on(commands.ImportPrograms, senders="admins")
def import_programs(command: commands.ImportPrograms, uow: UnitOfWork) -> Imported:
    file = command.file
    faults = [LineFault(line=fault.line, column=fault.column, message=fault.message) for fault in file.faults]
    events: list[DomainEvent] = []
    added = changed = 0
    for entry in file.entries:
        try:
            _require_partner(entry.program, uow)
            current = uow.load(program_id(entry.program.company_name), model.evolve)
            came = _imported(current, entry, uow.context)
        except CommandRejected as refused:
            faults.append(LineFault(line=entry.line, column=refused.field, message=refused.message))
            continue
        events += came
        added, changed = added + (bool(came) and current is None), changed + (bool(came) and current is not None)
    applies = not command.dry_run and not faults
    if applies:
        uow.append(*events)
    return Imported(
        added=added,
        changed=changed,
        unchanged=len(file.entries) - added - changed,
        faults=sorted(faults, key=lambda fault: fault.line),
        applied=applies,
    )


def _imported(listed: model.ListedProgram | None, entry: ProgramLine, context: CommandContext) -> Sequence[DomainEvent]:
    if listed is None:
        return model.add(None, entry.program, origin="csv", recorded_on=context.at.date(), context=context)
    program = entry.program
    if not entry.partner_given:
        program = program.model_copy(update={"partner_id": listed.program.partner_id})
    return model.change(listed, program, "csv", context)


def _require_partner(program: Program, uow: UnitOfWork) -> None:
    if program.partner_id is None:
        return
    try:
        partners.require_in_directory(uow.load(program.partner_id, partners.evolve))
    except CommandRejected as refused:
        raise invalid("unknown_partner", "Partner not found.", "partnerId") from refused
