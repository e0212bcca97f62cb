"""Commands of analysts. `client`: where the request comes from, for the audit trail."""

from __future__ import annotations

from dataclasses import field
from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.sql import schemas
from command_api.sql.schemas import CreatedSqlToken, SavedQuery
from infra.kernel.http.client_info import Client


class SaveQuery(Command[SavedQuery]):
    """Keeps a query under a title; one with the same title is replaced and keeps its id."""

    query_id: UUID
    fields: schemas.SaveQuery


class DeleteSavedQuery(Command[None]):
    """Deletes a query of the sender."""

    query_id: UUID


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
