"""Commands of analysts. `client`: where the request comes from, for the audit trail."""

from __future__ import annotations

from dataclasses import field
from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.sql import schemas
from command_api.sql.schemas import CreatedSqlToken
from infra.kernel.security.client_info import Client
from schemas.http.sql import PinnedChart, SavedQuery


class SaveQuery(Command[SavedQuery]):
    """Saves a query under a title. `query_id`: its id, unless it becomes a version of the one with that title."""

    query_id: UUID
    fields: schemas.SaveQuery


class ChangeQuery(Command[SavedQuery]):
    """Changes title, text, or who may see a query."""

    query_id: UUID
    fields: schemas.ChangeQuery


class RestoreQueryVersion(Command[SavedQuery]):
    """Makes a new version with the content of an earlier one."""

    query_id: UUID
    number: int


class DeleteSavedQuery(Command[None]):
    """Deletes a query; it can be restored."""

    query_id: UUID


class RestoreSavedQuery(Command[SavedQuery]):
    """Undoes the deletion."""

    query_id: UUID


class AdoptSavedQueries(Command[int]):
    """Turns queries that older versions stored as rows into events; returns their number."""


class PinChart(Command[PinnedChart]):
    """Puts a chart of a query on the sender's dashboard."""

    pin_id: UUID
    fields: schemas.PinChart


class UnpinChart(Command[None]):
    """Takes a chart off the sender's dashboard."""

    pin_id: UUID


class IssueSqlToken(Command[CreatedSqlToken]):
    """Issues an access token to the sender. `password_hash`: the password that the sender proved."""

    token_id: UUID
    fields: schemas.NameSqlToken
    token: str = field(repr=False)
    password_hash: str = field(repr=False)
    client: Client = field(repr=False)


class RevokeSqlToken(Command[None]):
    """Ends a token of the sender."""

    token_id: UUID
    client: Client = field(repr=False)
