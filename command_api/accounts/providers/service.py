"""Sign-in with Google, GitHub, Microsoft and LinkedIn.

The redirect to the provider and back only verifies an identity. `exchange`, which the app's page calls in the same
browser, uses it: it signs in, requires the second factor or an invite, or links.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog

from command_api.accounts.commands import LinkSignIn, NewIdentity, UnlinkSignIn
from command_api.accounts.fields import Proof
from command_api.accounts.login_challenge import InviteNeeded, ProvenIdentity, SecondFactorNeeded
from command_api.accounts.providers.http_client import ProviderHttpClient, ProviderUnreachable, ProviderUntrusted
from command_api.accounts.providers.login_flow import Linking, LoginFlows
from command_api.accounts.providers.protocol import Protocol
from command_api.accounts.registration import Registered, register_with_identity
from command_api.accounts.schemas import RegisterWithIdentityRequest
from command_api.accounts.sessions import SignInResult
from command_api.accounts.sign_in import SignInService
from command_api.kernel import rate_limits
from infra.kernel.http.problems import Problem
from infra.kernel.http.worker_slots import release_worker_slot
from infra.kernel.security.client_info import Client
from infra.kernel.security.encryption import derived_key, keyed_hash
from infra.kernel.security.oauth_providers import IdentityProvider, ProviderName, configured, encrypt_label, label_of
from infra.kernel.security.sessions import Principal
from schemas.uuid7 import uuid7

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

PER_ADDRESS: Final = rate_limits.Limit("provider", timedelta(seconds=3), 30)
MAX_CONCURRENT_CALLS: Final = 6
"""Concurrent calls to providers: a slow provider must not block all request threads."""
_WAIT_S: Final = 2.0


class ProviderSignInFailed(Exception):
    """The flow failed; the app shows a message for `reason`: `unconfigured`, `cancelled`, `unavailable`, `failed`,
    `busy`."""

    def __init__(self, reason: str, linking: Linking | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.linking = linking


@dataclass(frozen=True, slots=True)
class Handoff:
    """A verified identity: the code for the app's page, and the path to return to."""

    code: str
    return_to: str | None


@dataclass(frozen=True, slots=True)
class Linked:
    """The identity is linked to the person's account."""

    provider: str
    position: int | None


@dataclass(frozen=True, slots=True)
class RegistrationRequired:
    """A verified identity without an account: data to prefill the form."""

    ticket: str
    identity: ProvenIdentity


class ProviderSignIn:
    """An identity belongs to one account; an account may have several. Thread-safe; one per process, because it caches
    the providers' documents."""

    def __init__(self, accounts: SignInService) -> None:
        self._accounts = accounts
        self._container = accounts.container
        self._settings = accounts.container.settings
        self._providers = configured(self._settings)
        self._protocol = Protocol(ProviderHttpClient.of(self._settings))
        self._calls = threading.BoundedSemaphore(MAX_CONCURRENT_CALLS)
        self._flows = LoginFlows(self._container)
        self._subject_key = derived_key(self._settings, "linked-sign-in-subject")

    def go(self, name: ProviderName, client: Client, linking: Linking | None, return_to: str | None) -> tuple[str, str]:
        """Returns the URL of the provider and the flow cookie. Raises `ProviderSignInFailed`."""
        provider = self._provider(name)
        self._charge(client)
        cookie, secrets = self._flows.begin(name, linking, return_to)
        with self._call_slot(name, linking):
            return self._protocol.address(provider, self._redirect_uri(name), secrets), cookie

    def complete(
        self, name: ProviderName, client: Client, *, cookie: str | None, state: str, code: str, error: str, issuer: str
    ) -> Handoff:
        """Verifies the identity. Raises `ProviderSignInFailed`."""
        provider = self._provider(name)
        self._charge(client)
        flow = self._flows.complete(name, cookie, state) if cookie and state else None
        if cookie is None or flow is None:
            self._refuse(client, {"reason": "state", "method": name})
            raise ProviderSignInFailed("failed")
        if error or not code:
            raise ProviderSignInFailed("cancelled" if error in _CANCELLED else "failed", flow.linking)
        uri = self._redirect_uri(name)
        try:
            with self._call_slot(name, flow.linking):
                identity = self._protocol.identify(provider, uri, flow.secrets, code, issuer or None)
        except ProviderSignInFailed as failed:
            if failed.reason == "failed":
                self._refuse(client, {"reason": "answer", "method": name})
            raise
        return Handoff(self._flows.create_handoff_code(cookie, identity, flow.linking), flow.return_to)

    def exchange(
        self, code: str, cookie: str | None, client: Client, signed_in: Callable[[], Principal]
    ) -> SignInResult | SecondFactorNeeded | RegistrationRequired | Linked:
        """Completes the sign-in or link that began the flow. `signed_in` returns the caller, for linking; linking is
        idempotent and notifies the person by email.

        Raises `Problem` 400 `handoff_ended`, 401, and `CommandRejected` when the identity opens another account.
        """
        rate_limits.consume(self._container.pool, PER_ADDRESS, client.address)
        handoff = self._flows.redeem(cookie, code) if cookie else None
        if handoff is None:
            self._refuse(client, {"reason": "handoff"})
            raise _handoff_ended()
        identity, linking = handoff
        if linking is not None:
            person = signed_in()
            if (person.account_id, person.session_id) != (linking.account_id, linking.session_id):
                raise _handoff_ended()
            linked = self._accounts.send(LinkSignIn(self._new_identity(identity)), person.account_id, client)
            return Linked(identity.method, linked.position)
        owner, subject = self.owner(identity), self._subject_hash(identity)
        result = self._accounts.sign_in_with_identity(identity, owner, client, subject_hash=subject)
        return RegistrationRequired(result.ticket, identity) if isinstance(result, InviteNeeded) else result

    def owner(self, identity: ProvenIdentity) -> UUID | None:
        """Returns the account that the identity is linked to."""
        linked = "SELECT account_id FROM accounts.linked_sign_in WHERE subject_hash = %s"
        rows = self._container.select(linked, self._subject_hash(identity))
        return rows[0][0] if rows else None

    def register(self, form: RegisterWithIdentityRequest, client: Client) -> Registered:
        """Creates the account of a verified identity. Raises as `registration.register_with_identity`."""
        identity = self._new_identity(self._accounts.challenges.identity(form.ticket), form.ticket)
        return register_with_identity(self._accounts, form, identity, client)

    def begin_linking(self, name: ProviderName, person: Principal, proof: Proof, client: Client) -> tuple[str, str]:
        """Begins the link of a sign-in as `go` does, for a person who is signed in and proves it again: by the
        password, and a code if there is a second factor; without a password the sign-in must be recent. Raises
        `Problem` 400, 403, 429, 503."""
        if name not in self._providers:
            raise Problem(400, "provider_unconfigured", f"Sign-in with {label_of(name)} is not set up on this server.")
        if self._accounts.password_hash(person.account_id) is not None:
            self._accounts.require_proof(person, proof, client)
        elif not self._accounts.is_recent(person.session_id):
            raise Problem(403, "sign_in_again", "Please sign out, sign in again, and then link within ten minutes.")
        else:
            self._accounts.require_second_factor(self._accounts.account(person.account_id), proof, client, person)
        try:
            return self.go(name, client, Linking(person.account_id, person.session_id), None)
        except ProviderSignInFailed as failed:
            if failed.reason == "busy":
                raise Problem(429, "too_many_attempts", _BUSY) from None
            message = f"{label_of(name)} cannot be reached right now. Please try again in a moment."
            raise Problem(503, "provider_unavailable", message) from None

    def unlink(self, person: Principal, link_id: UUID, client: Client) -> int | None:
        """Unlinks and ends other sessions. Raises `CommandRejected`: missing, or the only way to sign in."""
        return self._accounts.send(UnlinkSignIn(link_id, person.session_id), person.account_id, client).position

    def _new_identity(self, identity: ProvenIdentity, ticket: str | None = None) -> NewIdentity:
        link_id = uuid7()
        label = encrypt_label(self._settings, str(link_id), identity.email or identity.name)
        return NewIdentity(link_id, identity.method, self._subject_hash(identity), label, ticket)

    def _subject_hash(self, identity: ProvenIdentity) -> str:
        return keyed_hash(self._subject_key, _SEPARATOR.join((identity.method, identity.issuer, identity.subject)))

    def _provider(self, name: ProviderName) -> IdentityProvider:
        if name not in self._providers:
            raise ProviderSignInFailed("unconfigured")
        return self._providers[name]

    def _redirect_uri(self, name: ProviderName) -> str:
        return f"{self._settings.app_url}/api/platform/auth/{name}/callback"

    def _charge(self, client: Client) -> None:
        if not rate_limits.try_consume(self._container.pool, PER_ADDRESS, client.address):
            raise ProviderSignInFailed("busy")

    def _refuse(self, client: Client, why: Mapping[str, str]) -> None:
        self._accounts.record_refusal("account.sign_in", client, None, why)

    @contextmanager
    def _call_slot(self, name: str, linking: Linking | None) -> Iterator[None]:
        with release_worker_slot():
            if not self._calls.acquire(timeout=_WAIT_S):
                raise ProviderSignInFailed("busy", linking)
            try:
                yield
            except ProviderUnreachable as error:
                log.warning("provider_sign_in_unavailable", provider=name, error=error)
                raise ProviderSignInFailed("unavailable", linking) from error
            except ProviderUntrusted as error:
                log.warning("provider_sign_in_refused", provider=name, error=error)
                raise ProviderSignInFailed("failed", linking) from error
            finally:
                self._calls.release()


def _handoff_ended() -> Problem:
    return Problem(400, "handoff_ended", "This sign-in has ended. Please sign in again.")


_SEPARATOR: Final = "\x1f"
_CANCELLED: Final = ("access_denied", "user_cancelled_login", "user_cancelled_authorize", "interaction_required")
_BUSY: Final = "Too many attempts. Please wait a moment and try again."
