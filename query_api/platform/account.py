"""`GET /api/platform/user` and `GET /api/platform/about`: who is signed in, and what this installation is."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from uuid import UUID

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field

from infra import PRODUCT_NAME
from query_api.context import Context, Reads, Theirs

router = APIRouter(tags=["account"])


class User(BaseModel):
    """The person who is signed in."""

    id: UUID
    email: str
    name: str
    username: str = Field(description="What the person is called: the name, or the e-mail address without one")
    roles: list[str]
    createdAt: datetime | None = Field(description="Null for a moment after registration")


class About(BaseModel):
    """What this installation is called and where websites send their events."""

    name: str
    version: str
    trackingUrl: str


@router.get("/api/platform/user", dependencies=[Depends(Reads("accounts"))])
def get_user(theirs: Theirs) -> User:
    """Who is signed in."""
    principal = theirs.principal
    found = theirs.reader.row(
        "SELECT email, name, roles, created_at FROM read.accounts WHERE id = %s", (principal.account_id,)
    )
    of_session = {"email": principal.email, "name": principal.name, "roles": sorted(principal.roles)}
    row = found or {**of_session, "created_at": None}
    return User(
        id=principal.account_id,
        email=row["email"],
        name=row["name"],
        username=row["name"] or row["email"],
        roles=row["roles"],
        createdAt=row["created_at"],
    )


@router.get("/api/platform/about")
def get_about(context: Context) -> About:
    """Public: name and version of the product, address of the tracking API."""
    return About(name=PRODUCT_NAME, version=product_version(), trackingUrl=context.settings.tracking_base_url)


@cache
def product_version() -> str:
    """The installed package's version; "0" in a checkout that is not installed."""
    try:
        return version("althing")
    except PackageNotFoundError:
        return "0"
