"""Commands of websites."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.websites import schemas
from command_api.websites.schemas import ConnectedWebsite, CreatedKey, Retention
from schemas.http.websites import TrafficRule, Website


class ConnectWebsite(Command[ConnectedWebsite]):
    """Connects a website of the sender and issues its first three keys."""

    website_id: UUID
    fields: schemas.ConnectWebsite


class UpdateWebsite(Command[Website]):
    """Updates the given fields."""

    website_id: UUID
    fields: schemas.UpdateWebsite


class ChangeRetention(Command[Retention]):
    """Changes how long single events of a website are kept."""

    website_id: UUID
    fields: schemas.ChangeRetention


class ExpireEvents(Command[bool]):
    """Ends the time of events that are older than the website's setting allows; tells whether there were any.
    `first_day`: of its first event, UTC. `window_days`: the longest window of the partners whose clicks it has."""

    website_id: UUID
    first_day: date
    window_days: int


class DisconnectWebsite(Command[None]):
    """Disconnects a website: its keys and custom domains stop working; its measurements stay in the log."""

    website_id: UUID


class IssueKey(Command[CreatedKey]):
    """Issues another key; the earlier ones stay valid until they are revoked."""

    website_id: UUID
    fields: schemas.CreateKey


class RevokeKey(Command[None]):
    """Revokes a key and ends the website sessions that were opened with it; idempotent."""

    website_id: UUID
    key_id: UUID


class CreateTrafficRule(Command[TrafficRule]):
    """Makes events of a period that have all given values count as the rule says."""

    website_id: UUID
    rule_id: UUID
    fields: schemas.CreateTrafficRule


class UndoTrafficRule(Command[None]):
    """Undoes a rule: events count again as before it."""

    website_id: UUID
    rule_id: UUID
