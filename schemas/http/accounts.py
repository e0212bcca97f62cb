"""Accounts, invites and access tokens as both APIs answer them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from schemas.http.responses import ResponseModel


class Profile(ResponseModel):
    """What an account says of its person."""

    id: UUID
    email: str
    name: str
    display_name: str = Field(description="What others see in the forum and the marketplace; empty: the name")
    company: str
    timezone: str = Field(description="IANA name")
    roles: list[str]


class Joined(ResponseModel):
    """An account that was registered with the invite."""

    name: str
    joined_at: datetime


class InviteCode(ResponseModel):
    """An invite. Revoked, expired and used-up ones stay in the list."""

    id: UUID
    code: str
    max_uses: int
    current_uses: int
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    status: Literal["active", "used_up", "expired", "revoked"]
    joined: list[Joined] = Field(description="Oldest first")


class AccessToken(ResponseModel):
    """An access token of a program."""

    id: UUID
    name: str
    last4: str
    scopes: list[str]
    website_ids: list[UUID] | None = Field(description="The only websites that it reads; null: the whole account")
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None = Field(description="To the minute; null: never")
