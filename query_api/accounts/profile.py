"""`GET /api/platform/user` and `GET /api/platform/about`: who is signed in, and what this installation is."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final
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
    company: str
    timezone: str = Field(description="IANA name")
    twoFactor: bool = Field(description="Whether signing in needs a second factor")
    recoveryCodesLeft: int
    hasPassword: bool = Field(description="False: signs in with providers alone; a password is set by a mailed link")
    passwordChangedAt: datetime | None = Field(description="Null: never since registration")


class About(BaseModel):
    """What this installation is called and where websites send their events."""

    name: str
    version: str
    trackingUrl: str
    contactEmail: str | None = Field(description="Of the people behind it; `ALTHING_CONTACT_EMAIL`")


_DETAILS: Final = (
    "created_at",
    "company",
    "timezone",
    "two_factor_since",
    "recovery_codes_left",
    "password_changed_at",
)
_NO_DETAILS: Final[dict[str, Any]] = dict.fromkeys(_DETAILS)
_USER: Final = (
    "SELECT a.email, a.name, a.roles, a.created_at, d.company, d.timezone, d.two_factor_since, d.recovery_codes_left,"
    " d.password_changed_at FROM read.accounts AS a LEFT JOIN read.account_details AS d ON d.account_id = a.id"
    " WHERE a.id = %s"
)
_PASSWORD: Final = "SELECT account_id FROM auth.credential WHERE account_id = %s"  # noqa: S105 - a statement


@router.get("/api/platform/user", dependencies=[Depends(Reads("accounts", "account_details"))])
def get_user(theirs: Theirs) -> User:
    """Who is signed in."""
    principal = theirs.principal
    of_session = {"email": principal.email, "name": principal.name, "roles": sorted(principal.roles)}
    row = theirs.reader.row(_USER, (principal.account_id,)) or {**_NO_DETAILS, **of_session}
    has_password = theirs.reader.row(_PASSWORD, (principal.account_id,)) is not None
    return User(
        id=principal.account_id,
        email=row["email"],
        name=row["name"],
        username=row["name"] or row["email"],
        roles=row["roles"],
        createdAt=row["created_at"],
        company=row["company"] or "",
        timezone=row["timezone"] or "UTC",
        twoFactor=row["two_factor_since"] is not None,
        recoveryCodesLeft=row["recovery_codes_left"] or 0,
        hasPassword=has_password,
        passwordChangedAt=row["password_changed_at"],
    )


@router.get("/api/platform/about")
def get_about(context: Context) -> About:
    """Public: name and version of the product, address of the tracking API."""
    settings = context.settings
    return About(
        name=PRODUCT_NAME,
        version=product_version(),
        trackingUrl=settings.tracking_base_url,
        contactEmail=settings.contact_email,
    )


@cache
def product_version() -> str:
    """The installed package's version; "0" in a checkout that is not installed."""
    try:
        return version("althing")
    except PackageNotFoundError:
        return "0"
