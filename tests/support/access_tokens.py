"""Access tokens as programs have them, made through the API."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from tests.support.full_api import Api
from tests.support.people import PASSWORD
from tests.support.query import Person


def create_token(api: Api, person: Person, *website_ids: UUID, **more: Any) -> dict[str, Any]:
    """The answer to the request: a token of these websites, or of the account."""
    body: dict[str, Any] = {"name": "Report", "scopes": ["read"], "password": PASSWORD, **more}
    if website_ids:
        body["websiteIds"] = [str(website_id) for website_id in website_ids]
    answer = api.call("POST", "/api/platform/tokens", person, json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def headers_of(token: dict[str, Any]) -> dict[str, str]:
    """What a program sends."""
    return {"Authorization": f"Bearer {token['token']}"}
