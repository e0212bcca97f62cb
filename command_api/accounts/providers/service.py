"""Sign-in with Google, GitHub, Microsoft and LinkedIn: what the routes call.

Going there and coming back proves an identity and nothing else. Only `exchange`, called by the app's own page in the
same browser, does something with it: it signs in, asks for the second factor or for an invite, or links.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from command_api.accounts import limits
from command_api.accounts.desk import Decision, Proof
from command_api.accounts.half_signed_in import InviteNeeded, ProvenIdentity, SecondFactorNeeded
from command_api.accounts.providers.calls import Calls, Unreachable, Untrusted
from command_api.accounts.providers.links import Links
from command_api.accounts.providers.protocol import Protocol
from command_api.accounts.providers.ways import Linking, Ways
from command_api.accounts.registration import Registered, Registration
from command_api.accounts.sign_in import Accounts, Entered
from command_api.decision import Asked
from infra.client import Client
from infra.identity import Principal
from infra.identity_providers import IdentityProvider, ProviderName, configured, label_of
from infra.problems import Problem
from infra.threads import only_waiting

log = logging.getLogger(__name__)

TRIES: Final = limits.Limit("provider", timedelta(seconds=3), 30)
AT_ONCE: Final = 6
"""Calls to providers at one time: a slow one must not hold all threads that answer requests."""
_WAIT_S: Final = 2.0


class NotDone(Exception):
    """Somebody must be sent back with a sentence. `reason`: `unconfigured`, `cancelled`, `unavailable`, `failed`,
    `busy`; the app has the sentences."""

    def __init__(self, reason: str, linking: Linking | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.linking = linking


@dataclass(frozen=True, slots=True)
class Arrived:
    """Back from a provider, proven: the code for the app's page, and where the person wanted to."""

    code: str
    return_to: str | None


@dataclass(frozen=True, slots=True)
class Linked:
    """The identity now opens the account of the person who asked."""

    provider: str
    position: int | None


@dataclass(frozen=True, slots=True)
class NewHere:
    """Proven, but without an account: what the form is filled in with."""

    ticket: str
    identity: ProvenIdentity


class ProviderSignIn:
    """Thread-safe; one for the process, since it keeps the providers' documents."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        self._desk = accounts.desk
        self._core = accounts.desk.core
        self._settings = accounts.desk.core.settings
        self._providers = configured(self._settings)
        self._protocol = Protocol(Calls.of(self._settings))
        self._calls = threading.BoundedSemaphore(AT_ONCE)
        self.ways = Ways(self._core.pool, self._settings)
        self.links = Links(self._desk)

    def go(self, name: ProviderName, client: Client, linking: Linking | None, return_to: str | None) -> tuple[str, str]:
        """Where the browser goes, and the cookie that it takes along. Raises `NotDone`."""
        provider = self._provider(name)
        self._charge(client)
        cookie, secrets = self.ways.begin(name, linking, return_to)
        with self._calling(name, linking):
            return self._protocol.address(provider, self._redirect_uri(name), secrets), cookie

    def come_back(
        self, name: ProviderName, client: Client, *, cookie: str | None, state: str, code: str, error: str, issuer: str
    ) -> Arrived:
        """Proves who came back. Raises `NotDone`."""
        provider = self._provider(name)
        self._charge(client)
        way = self.ways.come_back(name, cookie, state) if cookie and state else None
        if cookie is None or way is None:
            self._refuse(name, client, "state")
            raise NotDone("failed")
        if error or not code:
            raise NotDone("cancelled" if error in _CANCELLED else "failed", way.linking)
        try:
            with self._calling(name, way.linking):
                identity = self._protocol.identify(
                    provider, self._redirect_uri(name), way.secrets, code, issuer or None
                )
        except NotDone as failed:
            if failed.reason == "failed":
                self._refuse(name, client, "answer")
            raise
        return Arrived(self.ways.hand_over(cookie, identity, way.linking), way.return_to)

    def exchange(
        self, code: str, cookie: str | None, client: Client, signed_in: Callable[[], Principal]
    ) -> Entered | SecondFactorNeeded | NewHere | Linked:
        """Does what the way was for. `signed_in` gives the person who asks, for linking.

        Raises `Problem` 400 `handoff_ended`, 401, and `Refused` when the identity opens another account.
        """
        limits.charge(self._core.pool, TRIES, client.address)
        found = self.ways.redeem(cookie, code) if cookie else None
        if found is None:
            self._desk.refuse("account.sign_in", client, None, {"reason": "handoff"})
            raise Problem(400, "handoff_ended", "This sign-in has ended. Please sign in again.")
        identity, linking = found
        if linking is not None:
            person = signed_in()
            if (person.account_id, person.session_id) != (linking.account_id, linking.session_id):
                raise Problem(400, "handoff_ended", "This sign-in has ended. Please sign in again.")
            return Linked(identity.method, self.links.link(person, identity, client))
        owner, subject = self.links.owner(identity), self.links.subject_hash(identity)
        result = self._accounts.sign_in_proven(identity, owner, client, subject_hash=subject)
        return NewHere(result.ticket, identity) if isinstance(result, InviteNeeded) else result

    def register(
        self, ticket: str, *, invite_code: str, email: str, name: str, company: str, client: Client
    ) -> Registered:
        """Makes the account of a proven identity, linked to it. Raises as `Registration.register_proven`."""
        identity = self._desk.tickets.identity(ticket)

        def link(account_id: UUID, version: int, asked: Asked) -> Decision:
            return self.links.to_link(identity, account_id, version, asked)

        return Registration(self._desk).register_proven(
            ticket, invite_code=invite_code, email=email, name=name, company=company, client=client, link=link
        )

    def begin_linking(self, name: ProviderName, person: Principal, proof: Proof, client: Client) -> tuple[str, str]:
        """As `go`, for a person who is signed in and proves it again. Raises `Problem` 400, 403, 429, 503."""
        if name not in self._providers:
            raise Problem(400, "provider_unconfigured", f"Sign-in with {label_of(name)} is not set up on this server.")
        self.links.prove(person, proof, client)
        try:
            return self.go(name, client, Linking(person.account_id, person.session_id), None)
        except NotDone as failed:
            if failed.reason == "busy":
                raise Problem(429, "too_many_attempts", _BUSY) from None
            message = f"{label_of(name)} cannot be reached right now. Please try again in a moment."
            raise Problem(503, "provider_unavailable", message) from None

    def _provider(self, name: ProviderName) -> IdentityProvider:
        if name not in self._providers:
            raise NotDone("unconfigured")
        return self._providers[name]

    def _redirect_uri(self, name: ProviderName) -> str:
        return f"{self._settings.app_url}/api/platform/auth/{name}/callback"

    def _charge(self, client: Client) -> None:
        if not limits.is_free(self._core.pool, TRIES, client.address):
            raise NotDone("busy")

    def _refuse(self, name: str, client: Client, reason: str) -> None:
        self._desk.refuse("account.sign_in", client, None, {"reason": reason, "method": name})

    @contextmanager
    def _calling(self, name: str, linking: Linking | None) -> Iterator[None]:
        with only_waiting():
            if not self._calls.acquire(timeout=_WAIT_S):
                raise NotDone("busy", linking)
            try:
                yield
            except Unreachable as error:
                log.warning("sign-in with %s: %s", name, error)
                raise NotDone("unavailable", linking) from error
            except Untrusted as error:
                log.warning("sign-in with %s is refused: %s", name, error)
                raise NotDone("failed", linking) from error
            finally:
                self._calls.release()


_CANCELLED: Final = ("access_denied", "user_cancelled_login", "user_cancelled_authorize", "interaction_required")
_BUSY: Final = "Too many attempts. Please wait a moment and try again."
