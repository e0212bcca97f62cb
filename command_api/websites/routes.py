"""`/api/platform/websites`: connect, update and disconnect websites; issue and revoke keys; traffic rules."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Request, Response

from command_api.kernel.http import From, Id, Runs, SignedIn, container_of
from command_api.websites import commands, postback_tokens, schemas
from schemas.http.websites import TrafficRule, Website
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/websites", tags=["websites"])

KeyId = Annotated[UUID, Path(alias="keyId")]
RuleId = Annotated[UUID, Path(alias="ruleId")]


@router.post("", status_code=201, response_model=schemas.ConnectedWebsite)
def connect_website(body: schemas.ConnectWebsite, run: Runs) -> Response:
    """Connects a website of the signed-in account and issues its first three keys."""
    return run(commands.ConnectWebsite(uuid7(), body), body, status=201, is_consistent=True)


@router.patch("/{id}", response_model=Website)
def update_website(website_id: Id, body: schemas.UpdateWebsite, run: Runs) -> Response:
    """Changes the given fields. The currency cannot change: history is counted in it."""
    return run(commands.UpdateWebsite(website_id, body), body, is_consistent=True)


@router.put("/{id}/retention", response_model=schemas.Retention)
def change_retention(website_id: Id, body: schemas.ChangeRetention, run: Runs) -> Response:
    """Changes how long clicks, page views and custom events are kept. What expires is deleted permanently, a day after
    the change at the earliest; sums of it and all conversions are kept. What a sale may still be attributed by is kept
    longer than the setting says."""
    return run(commands.ChangeRetention(website_id, body), body, is_consistent=True)


@router.delete("/{id}", status_code=204)
def disconnect_website(website_id: Id, run: Runs) -> Response:
    """Removes a website: its keys and custom domains stop working; its events stay in the log."""
    return run(commands.DisconnectWebsite(website_id), status=204, is_consistent=True)


@router.post("/{id}/keys", status_code=201, response_model=schemas.CreatedKey)
def create_key(website_id: Id, body: schemas.CreateKey, run: Runs) -> Response:
    """Creates another key; earlier ones stay valid until they are revoked."""
    return run(commands.IssueKey(website_id, body), body, status=201, is_consistent=True)


@router.post("/{id}/keys/{keyId}/reveal")
def reveal_key(
    website_id: Id, key_id: KeyId, request: Request, response: Response, person: SignedIn, client: From
) -> schemas.RevealedToken:
    """The whole postback token, for the website's owner only; each call is in the audit trail. 404 for other keys and
    for tokens from before they were stored: only their hashes are known."""
    response.headers["Cache-Control"] = "no-store"
    token = postback_tokens.reveal(container_of(request), person, client, website_id, key_id)
    return schemas.RevealedToken(token=token)


@router.delete("/{id}/keys/{keyId}", status_code=204)
def revoke_key(website_id: Id, key_id: KeyId, run: Runs) -> Response:
    """A revoked key stops working within seconds."""
    return run(commands.RevokeKey(website_id, key_id), status=204, is_consistent=True)


@router.post("/{id}/traffic-rules", status_code=201, response_model=TrafficRule)
def create_traffic_rule(website_id: Id, body: schemas.CreateTrafficRule, run: Runs) -> Response:
    """Creates a rule: events of the period that have all given values count as `mark` says. Numbers follow once the
    projection `events` is rebuilt.
    """
    command = commands.CreateTrafficRule(website_id, uuid7(), body)
    return run(command, body, status=201, is_consistent=True)


@router.delete("/{id}/traffic-rules/{ruleId}", status_code=204)
def undo_traffic_rule(website_id: Id, rule_id: RuleId, run: Runs) -> Response:
    """Removes a rule: events count as if it had never existed."""
    return run(commands.UndoTrafficRule(website_id, rule_id), status=204, is_consistent=True)
