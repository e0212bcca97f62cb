"""Seeds the directory with the starter set: once, by events, without overwriting changes of admins."""

from __future__ import annotations

from datetime import date
from typing import Final

import structlog

from command_api.kernel.container import Container
from command_api.kernel.decision import system_context
from command_api.matching.programs.commands import AddStarterPrograms
from command_api.matching.programs.files import starter_programs

RECORDED_ON: Final = date(2026, 11, 21)
"""The day as of which the facts of the starter set were written down."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


def seed(container: Container) -> int:
    """Adds the programs of the starter set that the directory never had; returns their number. Changed and retired
    programs stay. Concurrent processes add them once."""
    command = AddStarterPrograms(starter_programs(), RECORDED_ON)
    added = container.commands.dispatch(command, system_context()).answer
    if added:
        log.info("starter_programs_listed", programs=added)
    return added
