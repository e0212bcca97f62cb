"""`GET /api/platform/user` and `GET /api/platform/about`: who is signed in, and what this installation is."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from fastapi import APIRouter
from pydantic import Field

from infra import PRODUCT_NAME
from infra.kernel.config.version import product_version
from infra.kernel.security.access_tokens import require_whole_account
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context
from schemas.http.accounts import Profile
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["account"])


class User(Profile):
    """The person who is signed in."""

    username: str = Field(description="The name; without one, the email address")
    created_at: datetime | None = Field(description="Null for a moment after registration")
    two_factor: bool = Field(description="Whether signing in needs a second factor")
    recovery_codes_left: int
    has_password: bool = Field(description="False: signs in with providers only; an emailed link sets a password")
    password_changed_at: datetime | None = Field(description="Null: never since registration")


class Profiles(ResponseModel):
    """Addresses of the installation's social profiles; null where none is configured."""

    twitter: str | None
    facebook: str | None
    linkedin: str | None
    instagram: str | None
    youtube: str | None


class MarketingFigures(ResponseModel):
    """Marketing figures of the home page, as the operator words them; null where one is hidden."""

    monthly_clicks: str | None
    average_conversion: str | None
    active_partners: str | None
    monthly_revenue: str | None
    years_in_security: str | None
    protected_users: str | None
    data_breaches: str | None


class About(ResponseModel):
    """Name of this installation, where websites send their events, and what its public pages say of the operator."""

    name: str
    version: str
    tracking_url: str
    contact_email: str | None = Field(description="Contact of the operator; `ALTHING_CONTACT_EMAIL`")
    profiles: Profiles
    figures: MarketingFigures


_NO_DETAILS: Final[dict[str, Any]] = {
    "created_at": None,
    "display_name": "",
    "company": "",
    "timezone": "UTC",
    "two_factor": False,
    "recovery_codes_left": 0,
    "password_changed_at": None,
}
_USER: Final = (
    "SELECT a.email, a.name, a.roles, a.created_at, coalesce(d.company, '') AS company,"
    " coalesce(d.display_name, '') AS display_name,"
    " coalesce(nullif(d.timezone, ''), 'UTC') AS timezone, d.two_factor_since IS NOT NULL AS two_factor,"
    " coalesce(d.recovery_codes_left, 0) AS recovery_codes_left, d.password_changed_at"
    " FROM read.accounts AS a LEFT JOIN read.account_details AS d ON d.account_id = a.id WHERE a.id = %s"
)
_PASSWORD: Final = "SELECT account_id FROM accounts.credential WHERE account_id = %s"  # noqa: S105 - a statement


@router.get("/api/platform/user", dependencies=[READS_OWN_WRITES])
def get_user(scope: CallerScope) -> User:
    """Who is signed in."""
    principal = scope.principal
    require_whole_account(principal)
    of_session = {"email": principal.email, "name": principal.name, "roles": sorted(principal.roles)}
    row = scope.reader.row(_USER, (principal.account_id,)) or {**_NO_DETAILS, **of_session}
    has_password = scope.reader.row(_PASSWORD, (principal.account_id,)) is not None
    username = row["name"] or row["email"]
    return User.of_row(row, id=principal.account_id, username=username, has_password=has_password)


@router.get("/api/platform/about")
def get_about(context: Context) -> About:
    """Public: name and version of the product, address of the tracking API, contact, profiles and marketing figures."""
    settings = context.settings
    return About(
        name=PRODUCT_NAME,
        version=product_version(),
        tracking_url=settings.tracking_base_url,
        contact_email=settings.contact_email,
        profiles=Profiles(**{name: getattr(settings, f"{name}_profile") for name in Profiles.model_fields}),
        figures=MarketingFigures(**{name: figure or None for name, figure in settings.figures.items()}),
    )
