"""Request and response models of the calls for accounts."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, Field

from command_api.accounts import model
from command_api.accounts.fields import (
    Company,
    DisplayName,
    Email,
    Given,
    InviteCode,
    Name,
    Password,
    Proven,
    Secret,
    TextForm,
    required,
)
from command_api.kernel.http import Moment, RequestModel
from infra.kernel.text.hidden_characters import checked_name
from schemas.events.accounts import Role
from schemas.http.accounts import AccessToken, Profile
from schemas.http.responses import ResponseModel


class LoginRequest(TextForm):
    """A code may come with the password, or later with the ticket (`/login/second-factor`)."""

    email: Email
    password: Password
    two_factor_code: Secret | None = None
    recovery_code: Secret | None = None
    ticket: Secret | None = None


class SecondFactorRequest(RequestModel):
    """The ticket of the first step, with either a code of the authenticator or a recovery code."""

    ticket: Secret
    two_factor_code: Secret | None = None
    recovery_code: Secret | None = None


class RegisterRequest(TextForm):
    """A registration by invite."""

    email: Email
    password: Password
    name: Name
    company: Company | None = None
    invite_code: InviteCode


class RegisterWithIdentityRequest(RequestModel):
    """Registration after a sign-in with a provider. `ticket`: from `/auth/exchange`, valid for ten minutes."""

    ticket: Secret
    invite_code: InviteCode
    email: Email
    name: Name
    company: Company | None = None


class SetupRequest(RequestModel):
    """The first admin. `token`: from the link that `althing setup-link` printed."""

    token: Secret
    email: Email
    password: Password
    name: Name


class SignedInUser(ResponseModel):
    """The person who is signed in."""

    id: UUID
    email: str
    name: str
    roles: list[str]


class SessionResult(ResponseModel):
    """What a browser stores; the cookie that makes it usable comes beside it."""

    token: str
    user: SignedInUser
    requires_2fa: Annotated[Literal[False], Field(alias="requires2FA")] = False


class SecondFactorRequired(ResponseModel):
    """The password was right; `/login/second-factor` takes the ticket and a code, five times at most."""

    requires_2fa: Annotated[Literal[True], Field(alias="requires2FA")] = True
    ticket: str


class RegisteredResult(SessionResult):
    """A session, and a second factor that waits for its first code (`/2fa/confirm`)."""

    qr_code: str = Field(description="SVG image as a data: URI")
    secret: str = Field(description="The same for typing in")
    otpauth_uri: str


class SetUpFactor(RequestModel):
    """Nothing is needed within ten minutes of signing in, as long as there is no second factor."""

    password: Given | None = None
    code: Secret | None = None
    recovery_code: Secret | None = None


class ConfirmFactor(RequestModel):
    """A current code of the authenticator that is being set up."""

    code: Secret


class ForgotPassword(RequestModel):
    """The address of the account. The response is the same whether it exists or not."""

    email: Email


class ResetPassword(RequestModel):
    """`code`: from the mailed link. With a second factor also one of the two others."""

    code: Secret
    password: Password
    two_factor_code: Secret | None = None
    recovery_code: Secret | None = None


class ChangePassword(RequestModel):
    """`code` or `recoveryCode` when there is a second factor."""

    current_password: Given
    new_password: Password
    code: Secret | None = None
    recovery_code: Secret | None = None


class ChangeEmail(Proven):
    """The new address. The account keeps the old one until the emailed link is confirmed."""

    email: Email


class ConfirmEmail(RequestModel):
    """The code from the link that was emailed to the new address."""

    code: Secret


class UpdateUser(RequestModel):
    """Fields to change; a field that is left out or null stays as it is. `timezone`: an IANA name."""

    name: Name | None = None
    display_name: DisplayName | None = Field(
        default=None, description="What others see in the forum and the marketplace; empty: the name"
    )
    company: Company | None = None
    timezone: Annotated[str, Field(max_length=100)] | None = None


class FactorToSetUp(ResponseModel):
    """For an authenticator; it counts once `/2fa/confirm` got a right code."""

    secret: str
    otpauth_uri: str
    qr_code: str = Field(description="SVG image as a data: URI")


class RecoveryCodes(ResponseModel):
    """Shown this once; each works once in place of a code."""

    recovery_codes: list[str]


class SetRoles(RequestModel):
    """Every account is a member, whether listed or not."""

    roles: list[Annotated[Role, Field(strict=False)]]


class DisableAccount(RequestModel):
    """Why the account is disabled. The reason is kept in its history."""

    reason: Annotated[str, Field(min_length=1, max_length=500)]


class AdminedAccount(ResponseModel):
    """The account after the change. `disabled`: it cannot sign in."""

    id: UUID
    roles: list[str]
    disabled: bool


class WebsiteLogin(TextForm):
    """The account's credentials and a secret key of the website. With a second factor, also one of the two codes."""

    email: Email
    password: Password
    website_api_key: Annotated[str, Field(max_length=200), required("Website API key")]
    two_factor_code: Secret | None = None
    recovery_code: Secret | None = None


class WebsiteOfSession(ResponseModel):
    """The only website that the token opens."""

    id: UUID
    domain: str


class WebsiteUser(ResponseModel):
    """The account that owns the website."""

    id: UUID
    email: str
    name: str


class WebsiteSessionResult(ResponseModel):
    """A website token: it opens `/api/website` and what is below it, and nothing else."""

    token: str
    user: WebsiteUser
    website: WebsiteOfSession
    requires_2fa: Annotated[Literal[False], Field(alias="requires2FA")] = False


class WebsiteSecondFactorRequired(ResponseModel):
    """Resend the request with a code."""

    requires_2fa: Annotated[Literal[True], Field(alias="requires2FA")] = True


def to_profile(account: model.Account) -> Profile:
    return Profile.of(account)


def to_administered(account: model.Account) -> AdminedAccount:
    return AdminedAccount.of(account)


class NameAccessToken(RequestModel):
    """What an access token is called, what it may do, and for how long; without `websiteIds` it is for the account."""

    name: Annotated[str, AfterValidator(str.strip), Field(min_length=1, max_length=120), AfterValidator(checked_name)]
    scopes: Annotated[list[Literal["read"]], Field(min_length=1, max_length=20)]
    website_ids: Annotated[
        list[Annotated[UUID, Field(strict=False)]] | None,
        Field(min_length=1, max_length=500, description="It reads these websites and nothing else"),
    ] = None
    expires_at: Annotated[Moment | None, Field(description="Within five years; a year from now if it is not given")] = (
        None
    )


class CreateAccessToken(NameAccessToken, Proven):
    """Needs the password, and a code where the account has a second factor."""


class CreatedAccessToken(AccessToken):
    """The token is shown only in this response."""

    token: str
