"""Commands of accounts.

The sender of a person's own command is the person's account, also before a session is open: passwords and codes are
verified before the command is sent. `keep_session` is the session that a change of credentials does not end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from command_api.accounts import schemas
from command_api.accounts.login_challenge import ByPassword, FirstFactor, LoginChallenge
from command_api.accounts.schemas import AdminedAccount, CreatedAccessToken
from command_api.accounts.second_factor import Confirmed
from command_api.accounts.sessions import SignInResult
from command_api.kernel.command_handlers import Command
from infra.kernel.security.client_info import Client
from infra.kernel.security.sessions import OpenedSession
from schemas.events.accounts import Role
from schemas.http.accounts import Profile


@dataclass(frozen=True, slots=True)
class NewIdentity:
    """A verified identity of a provider to link. `label` is encrypted; `ticket` is the registration's, if it is one."""

    id: UUID
    provider: str
    subject_hash: str
    label: str
    ticket: str | None = field(default=None, repr=False)


class CreateFirstAccount(Command[None]):
    """Creates the first account, an admin. `way`: `setup` or `environment`."""

    account_id: UUID
    email: str
    name: str
    password_hash: str = field(repr=False)
    way: str
    client: Client = field(repr=False)


class Register(Command[SignInResult]):
    """Creates the sender's account by invite and opens a session. `authenticator_secret` (encrypted) is pending."""

    session_id: UUID
    invite_id: UUID
    email: str
    name: str
    company: str
    method: str
    credential: ByPassword | NewIdentity = field(repr=False)
    authenticator_secret: str = field(repr=False)
    client: Client = field(repr=False)


class CreateSession(Command[SignInResult]):
    """Opens a session if the verified first factor is unchanged, and ends the challenge of the second one."""

    session_id: UUID
    method: str
    first: FirstFactor | None = field(repr=False)
    challenge: LoginChallenge | None = field(repr=False)
    client: Client = field(repr=False)


class CreateWebsiteSession(Command[OpenedSession]):
    """Opens a website session if password, key and second factor are still valid."""

    session_id: UUID
    website_id: UUID
    key_id: UUID
    first: ByPassword = field(repr=False)
    challenge: LoginChallenge | None = field(repr=False)
    client: Client = field(repr=False)


class SignOut(Command[None]):
    """Ends the session of the request; idempotent."""

    session_id: UUID


class EndSession(Command[None]):
    """Ends a live session of the sender."""

    session_id: UUID


class EndOtherSessions(Command[None]):
    """Ends all sessions of the sender but one."""

    keep_session: UUID


class UpdateProfile(Command[Profile]):
    """Changes the given fields of the sender's profile."""

    fields: schemas.UpdateUser


class ChangePassword(Command[None]):
    """Replaces the password, which was verified."""

    password_hash: str = field(repr=False)
    keep_session: UUID


class ResetPassword(Command[None]):
    """Replaces the password and consumes the mailed link. All sessions end."""

    password_hash: str = field(repr=False)
    link_code: str = field(repr=False)


class ChangeEmail(Command[None]):
    """Changes the address and consumes the link that was mailed to it."""

    email: str
    link_code: str = field(repr=False)
    keep_session: UUID


class EnableTwoFactor(Command[None]):
    """Activates the secret whose first code was verified. `recovery_code_hashes`: by number."""

    confirmed: Confirmed = field(repr=False)
    recovery_code_hashes: Sequence[str] = field(repr=False)
    keep_session: UUID


class DisableTwoFactor(Command[None]):
    """Deletes the second factor of the sender."""

    keep_session: UUID


class ReplaceRecoveryCodes(Command[None]):
    """Replaces the recovery codes. `recovery_code_hashes`: by number."""

    recovery_code_hashes: Sequence[str] = field(repr=False)
    keep_session: UUID


class UseRecoveryCode(Command[None]):
    """Consumes the recovery code of this number, which was verified. Raises `RecoveryCodeSpent` if it was consumed."""

    number: int


class LinkSignIn(Command[None]):
    """Links a verified identity to the sender; idempotent."""

    identity: NewIdentity


class UnlinkSignIn(Command[None]):
    """Unlinks an identity of the sender, unless it is the only way to sign in."""

    link_id: UUID
    keep_session: UUID


class EraseAccount(Command[None]):
    """Erases the sender permanently. `may_be_last_admin`: for an erasure that is repeated after a restore."""

    client: Client = field(repr=False)
    may_be_last_admin: bool = False


class SetRoles(Command[AdminedAccount]):
    """Replaces the roles of an account, also in its open sessions. One admin always remains."""

    account_id: UUID
    roles: tuple[Role, ...]


class DisableAccount(Command[AdminedAccount]):
    """Disables an account and ends its sessions; idempotent. One admin always remains."""

    account_id: UUID
    reason: str


class EnableAccount(Command[AdminedAccount]):
    """Lets a disabled account sign in again; idempotent."""

    account_id: UUID


class EndAccountSessions(Command[AdminedAccount]):
    """Ends all sessions of an account."""

    account_id: UUID


class ResetTwoFactor(Command[AdminedAccount]):
    """Deletes the second factor of an account whose owner lost it, ends its sessions and notifies the owner."""

    account_id: UUID


class IssueAccessToken(Command[CreatedAccessToken]):
    """Issues an access token to the sender. `password_hash`: the password that the sender proved."""

    token_id: UUID
    fields: schemas.NameAccessToken
    token: str = field(repr=False)
    password_hash: str = field(repr=False)
    client: Client = field(repr=False)


class RevokeAccessToken(Command[None]):
    """Ends an access token of the sender."""

    token_id: UUID
    client: Client = field(repr=False)
