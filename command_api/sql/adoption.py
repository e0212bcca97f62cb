"""Turns saved queries of older versions, which were rows, into events before the first command."""

from __future__ import annotations

import structlog

from command_api.kernel.container import Container
from command_api.kernel.decision import system_context
from command_api.sql.commands import AdoptSavedQueries

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


def adopt_saved_queries(container: Container) -> int:
    """Returns how many there were. Harmless when another process does it at the same moment."""
    count = 0
    while adopted := container.commands.dispatch(AdoptSavedQueries(), system_context()).answer:
        count += adopted
    if count:
        log.info("saved_queries_adopted", queries=count)
    return count
