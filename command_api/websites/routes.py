"""`/api/platform/websites`: connect, change, remove; make and revoke keys."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Response
from psycopg import Cursor
from pydantic import Field

from command_api.commands import Decided
from command_api.domains.desk import ending
from command_api.http import Answer, Body, Id, Nothing, Runs
from command_api.websites import model, owners
from command_api.websites.keys import NewKey, new_key
from schemas.events.websites import AttributionModel, KeyKind
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/websites", tags=["websites"])
SEEN_BY = ("websites", "website_keys", "custom_domains")
"""The edge reads these: what is answered works there."""

KeyId = Annotated[UUID, Path(alias="keyId")]
Text = Annotated[str, Field(max_length=300)]


class ConnectWebsite(Body):
    domain: Text
    timezone: Text = "UTC"
    currency: Text = "USD"


class UpdateWebsite(Body):
    domain: Text | None = None
    timezone: Text | None = None
    currency: Text | None = None
    attribution_model: Annotated[AttributionModel | None, Field(strict=False)] = None
    max_claim_amount: Annotated[
        int | None, Field(description="Minor units that the public site key may claim as one sale")
    ] = None
    max_claims_per_click: Annotated[
        int | None, Field(description="Transactions that one click may claim within an hour with the site key")
    ] = None


class CreateKey(Body):
    kind: Annotated[KeyKind, Field(strict=False)]
    allowed_origins: Annotated[list[Text], Field(default_factory=list)]


class Website(Answer):
    id: UUID
    domain: str
    timezone: str
    currency: str
    attribution_model: AttributionModel
    max_claim_amount: int
    max_claims_per_click: int
    created_at: datetime


class ConnectedWebsite(Website):
    """The secrets are shown in this answer only."""

    site_key: str
    secret_key: str
    postback_token: str


class CreatedKey(Answer):
    """The value is shown in this answer only, site keys excepted."""

    id: UUID
    kind: KeyKind
    key: str
    allowed_origins: list[str]
    created_at: datetime


@router.post("", status_code=201, response_model=ConnectedWebsite)
def connect_website(body: ConnectWebsite, run: Runs) -> Response:
    """Connects a website of the person who asks and makes its first three keys."""
    website_id = uuid7()
    site, secret, postback = new_key(KeyKind.SITE), new_key(KeyKind.SECRET), new_key(KeyKind.POSTBACK)

    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        owners.keep(cursor, website_id, run.person.account_id)

    def decide() -> Decided[ConnectedWebsite]:
        events = model.connect(
            website_id,
            domain=body.domain,
            timezone=body.timezone,
            currency=body.currency,
            keys=(site, secret, postback),
            asked=run.asked,
        )
        shown = _shown(model.evolve(None, events[0]))
        answer = ConnectedWebsite(
            **shown.model_dump(),
            site_key=site.text,
            secret_key=secret.text,
            postback_token=postback.text,
        )
        return Decided(events, answer, also)

    return run(decide, body, status=201, seen_by=SEEN_BY)


@router.patch("/{id}", response_model=Website)
def update_website(website_id: Id, body: UpdateWebsite, run: Runs) -> Response:
    """Changes what is given. The currency is fixed: history is counted in it."""

    def decide() -> Decided[Website]:
        website = run.core.store.load(website_id, model.evolve)
        events = model.update(website, **body.model_dump(), asked=run.asked)
        for event in events:
            website = model.evolve(website, event)
        assert website is not None  # noqa: S101 - update refuses without one
        return Decided(events, _shown(website))

    return run(decide, body, seen_by=SEEN_BY)


@router.delete("/{id}", status_code=204)
def disconnect_website(website_id: Id, run: Runs) -> Response:
    """Removes a website: its keys and custom domains stop working; what was measured stays in the log."""

    def decide() -> Decided[Nothing]:
        website = run.core.store.load(website_id, model.evolve)
        events = model.disconnect(website, run.asked)
        domains, drop_domains = ending(run.core, "website_id", website_id, run.asked)

        def also(cursor: Cursor[dict[str, Any]], position: int | None) -> None:
            owners.drop(cursor, website_id)
            drop_domains(cursor, position)

        return Decided([*events, *domains], Nothing(), also)

    return run(decide, status=204, seen_by=SEEN_BY)


@router.post("/{id}/keys", status_code=201, response_model=CreatedKey)
def create_key(website_id: Id, body: CreateKey, run: Runs) -> Response:
    """Makes another key; the ones before stay valid until they are revoked."""
    key: NewKey = new_key(body.kind)

    def decide() -> Decided[CreatedKey]:
        website = run.core.store.load(website_id, model.evolve)
        events = model.issue_key(website, key, allowed_origins=body.allowed_origins, asked=run.asked)
        answer = CreatedKey(
            id=key.id,
            kind=key.kind,
            key=key.text,
            allowed_origins=list(events[0].allowed_origins),
            created_at=run.asked.at,
        )
        return Decided(events, answer)

    return run(decide, body, status=201, seen_by=SEEN_BY)


@router.delete("/{id}/keys/{keyId}", status_code=204)
def revoke_key(website_id: Id, key_id: KeyId, run: Runs) -> Response:
    """A revoked key stops working within seconds."""

    def decide() -> Decided[Nothing]:
        website = run.core.store.load(website_id, model.evolve)
        events = model.revoke_key(website, key_id, run.asked)
        return Decided(events, Nothing(), lambda cursor, _: owners.drop_key(cursor, key_id))

    return run(decide, status=204, seen_by=SEEN_BY)


def _shown(website: model.Website) -> Website:
    return Website(
        id=website.id,
        domain=website.domain,
        timezone=website.timezone,
        currency=website.currency,
        attribution_model=website.attribution_model,
        max_claim_amount=website.max_claim_amount,
        max_claims_per_click=website.max_claims_per_click,
        created_at=website.created_at,
    )
