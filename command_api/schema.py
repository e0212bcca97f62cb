"""Creates the tables of the write side that no SQL file does; a step of `althing migrate`."""

from __future__ import annotations

from command_api.inline_projections import INLINE_PROJECTIONS
from command_api.kernel import event_store, inline_rebuild
from infra.domain import message_chain
from infra.kernel.config.settings import Settings


def create_schema(settings: Settings) -> None:
    """Creates the event store and builds the inline projections that are missing or of another version. Idempotent."""
    event_store.create_schema(settings)
    with inline_rebuild.open_connection(settings) as connection:
        connection.execute(message_chain.VIEW)
    inline_rebuild.create_tables(settings, INLINE_PROJECTIONS)
