"""What is said to each identity provider, and who they say somebody is: OAuth 2.0 code flow, OpenID Connect on top.

An identity is the pair of issuer and subject, never an e-mail address. What is special about each provider:

- Google: OpenID Connect as it is written; an address counts when it says `email_verified`.
- Microsoft: the shared address has a template for an issuer (`{tenantid}`), to be filled with the token's own `tid`.
  The subject is `oid`, since `sub` differs from app to app. Its addresses are unproven: anybody may write any there.
- LinkedIn: no nonce in its ID token and no PKCE, so the token is not looked at; the user info, read over TLS with the
  code's own access token, says who it is.
- GitHub: no OpenID Connect; the account's number is the subject, the address is the primary one if verified.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from hmac import compare_digest
from typing import Any, Final, cast
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from command_api.accounts.half_signed_in import ProvenIdentity
from command_api.accounts.providers.calls import Calls, Unreachable, Untrusted
from infra.identity_providers import IdentityProvider
from infra.outbound import place_of

ALGORITHMS: Final = ["RS256", "PS256", "ES256"]
"""None with a shared key, and not `none`."""
LEEWAY_S: Final = 60
_KEPT_S: Final = 3600.0
_ASKED_AGAIN_S: Final = 60.0
_LONGEST: Final = 255
_OPENID: Final = ("google", "microsoft")
_NEEDED: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")


@dataclass(frozen=True, slots=True)
class Secrets:
    """What one way to a provider and back is held together by."""

    state: str
    nonce: str
    verifier: str


class Protocol:
    """Keeps the providers' documents and keys for an hour. Thread-safe."""

    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        self._documents: dict[str, tuple[float, Any]] = {}
        self._lock = threading.Lock()

    def address(self, provider: IdentityProvider, redirect_uri: str, secrets: Secrets) -> str:
        """Where the browser is sent. Raises `ProviderError`."""
        asked = {
            "response_type": "code",
            "client_id": provider.client_id,
            "redirect_uri": redirect_uri,
            "scope": "read:user user:email" if provider.name == "github" else "openid email profile",
            "state": secrets.state,
        }
        if provider.name != "linkedin":
            asked["code_challenge"] = create_s256_code_challenge(secrets.verifier)
            asked["code_challenge_method"] = "S256"
        if provider.name in _OPENID:
            asked["nonce"] = secrets.nonce
            asked["prompt"] = "select_account"
        url = self._endpoint(provider, "authorization_endpoint")
        return f"{url}{'&' if urlsplit(url).query else '?'}{urlencode(asked)}"

    def identify(
        self, provider: IdentityProvider, redirect_uri: str, secrets: Secrets, code: str, issuer: str | None
    ) -> ProvenIdentity:
        """Who came back with this code. `issuer`: the answer's own `iss`, if it has one. Raises `ProviderError`."""
        self._refuse_mix_up(provider, issuer)
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "client_id": provider.client_id,
            "client_secret": provider.client_secret,
        }
        if provider.name != "linkedin":
            form["code_verifier"] = secrets.verifier
        url = self._endpoint(provider, "token_endpoint")
        answer = _object(self.calls.json("POST", url, own_place=_own_place(provider), form=form))
        token = answer.get("access_token")
        if not isinstance(token, str) or not token or str(answer.get("token_type", "bearer")).lower() != "bearer":
            raise Untrusted(f"{provider.name} gave no access token")
        return _WHO[provider.name](self, provider, secrets, answer)

    def metadata(self, provider: IdentityProvider) -> dict[str, Any]:
        """What an OpenID provider says of itself, which must be of itself."""

        def read(found: dict[str, Any]) -> dict[str, Any]:
            if not _is_own_issuer(provider, found.get("issuer")):
                raise Untrusted(f"{provider.name} describes another issuer")
            places = [place_of(str(found.get(name))) for name in _NEEDED]
            if not all(place.startswith("https://") or place == _own_place(provider) for place in places):
                raise Untrusted(f"{provider.name} does not describe all of itself")
            return found

        described: dict[str, Any] = self._kept(provider, f"{provider.url}/.well-known/openid-configuration", read)
        return described

    def keys(self, provider: IdentityProvider, *, newer_than_s: float = _KEPT_S) -> KeySet:
        """What the provider signs with, at most so old."""

        def read(found: dict[str, Any]) -> KeySet:
            rows = found.get("keys")
            usable = [key for row in (rows if isinstance(rows, list) else []) for key in _public_key(row)]
            if not usable:
                raise Unreachable(f"{provider.name} has no keys that can be read")
            return KeySet(usable)

        keys: KeySet = self._kept(provider, self._endpoint(provider, "jwks_uri"), read, newer_than_s)
        return keys

    def _kept(
        self,
        provider: IdentityProvider,
        url: str,
        read: Callable[[dict[str, Any]], Any],
        newer_than_s: float = _KEPT_S,
    ) -> Any:
        """What a document says; one that cannot be read is not kept."""
        with self._lock:
            at, kept = self._documents.get(url, (0.0, None))
        if kept is not None and time.monotonic() - at < newer_than_s:
            return kept
        found = read(_object(self.calls.json("GET", url, own_place=_own_place(provider))))
        with self._lock:
            self._documents[url] = (time.monotonic(), found)
        return found

    def _endpoint(self, provider: IdentityProvider, name: str) -> str:
        if provider.name in _OPENID:
            return str(self.metadata(provider)[name])
        return _ENDPOINTS[provider.name][name].format(provider.url)

    def _refuse_mix_up(self, provider: IdentityProvider, issuer: str | None) -> None:
        if provider.name not in _OPENID:
            expected, needed = provider.url, False
            is_own = issuer == expected
        else:
            metadata = self.metadata(provider)
            needed = metadata.get("authorization_response_iss_parameter_supported") is True
            is_own = _is_own_issuer(provider, issuer)
        if not is_own and (needed or issuer is not None):
            raise Untrusted(f"{provider.name}'s answer is another provider's")


def verified(
    token: Any, keys: KeySet, *, issuer: str, client_id: str, nonce: str, access_token: str | None = None
) -> dict[str, Any]:
    """The claims of an ID token that was made for this sign-in. `issuer` may be a template with `{tenantid}`.

    Raises `Untrusted`.
    """
    if not isinstance(token, str):
        raise Untrusted("there is no ID token")
    try:
        found = jwt.decode(token, keys, algorithms=ALGORITHMS)
        claims = dict(found.claims)
        options = {
            "iss": {"essential": True, "value": _filled(issuer, claims)},
            "aud": {"essential": True, "value": client_id},
            "sub": {"essential": True},
            "exp": {"essential": True},
            "iat": {"essential": True},
            "nonce": {"essential": True},
        }
        params = {"nonce": nonce, "client_id": client_id, "access_token": access_token}
        CodeIDToken(claims, found.header, options, params).validate(leeway=LEEWAY_S)
    except (JoseError, ValueError, KeyError, TypeError) as error:
        raise Untrusted(f"its ID token is refused: {type(error).__name__}") from error
    if not compare_digest(str(claims["nonce"]).encode(), nonce.encode()):
        raise Untrusted("its ID token is another sign-in's")
    return claims


def _openid(protocol: Protocol, provider: IdentityProvider, secrets: Secrets, answer: dict[str, Any]) -> dict[str, Any]:
    issuer = str(protocol.metadata(provider)["issuer"])

    def read(keys: KeySet) -> dict[str, Any]:
        return verified(
            answer.get("id_token"),
            keys,
            issuer=issuer,
            client_id=provider.client_id,
            nonce=secrets.nonce,
            access_token=answer.get("access_token"),
        )

    try:
        return read(protocol.keys(provider))
    except Untrusted:
        # It may have new keys: they are asked for again, but not by everybody who sends nonsense.
        return read(protocol.keys(provider, newer_than_s=_ASKED_AGAIN_S))


def _google(protocol: Protocol, provider: IdentityProvider, secrets: Secrets, answer: dict[str, Any]) -> ProvenIdentity:
    claims = _openid(protocol, provider, secrets, answer)
    return _identity(provider, claims["iss"], claims["sub"], claims, claims.get("email_verified") is True)


def _microsoft(
    protocol: Protocol, provider: IdentityProvider, secrets: Secrets, answer: dict[str, Any]
) -> ProvenIdentity:
    claims = _openid(protocol, provider, secrets, answer)
    if not _is_uuid(claims.get("tid")) or not _is_uuid(claims.get("oid")):
        raise Untrusted("microsoft tells no tenant or no person")
    return _identity(provider, claims["iss"], claims["oid"], claims, False)


def _linkedin(protocol: Protocol, provider: IdentityProvider, __: Secrets, answer: dict[str, Any]) -> ProvenIdentity:
    url = _ENDPOINTS["linkedin"]["userinfo"].format(_api(provider))
    claims = _object(protocol.calls.json("GET", url, own_place=_own_place(provider), token=answer["access_token"]))
    return _identity(provider, provider.url, claims.get("sub"), claims, claims.get("email_verified") in (True, "true"))


def _github(protocol: Protocol, provider: IdentityProvider, __: Secrets, answer: dict[str, Any]) -> ProvenIdentity:
    def read(path: str) -> Any:
        return protocol.calls.json(
            "GET", _api(provider) + path, own_place=_own_place(provider), token=answer["access_token"]
        )

    person = _object(read("/user"))
    number = person.get("id")
    if not isinstance(number, int) or isinstance(number, bool) or number <= 0:
        raise Untrusted("github tells no account number")
    rows = read("/user/emails")
    own = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    email = next((row.get("email") for row in own if row.get("primary") is True and row.get("verified") is True), None)
    shown = {"email": email, "name": person.get("name") or person.get("login")}
    return _identity(provider, provider.url, str(number), shown, email is not None)


def _identity(
    provider: IdentityProvider, issuer: Any, subject: Any, shown: dict[str, Any], verified_email: bool
) -> ProvenIdentity:
    if not isinstance(subject, str) or not 0 < len(subject) <= _LONGEST or not subject.isprintable():
        raise Untrusted(f"{provider.name} tells no subject")
    email = _text(shown.get("email")) if verified_email or provider.name == "microsoft" else ""
    return ProvenIdentity(provider.name, str(issuer), subject, email, verified_email, _text(shown.get("name")))


def _text(value: Any) -> str:
    return value.strip()[:_LONGEST] if isinstance(value, str) and value.isprintable() else ""


def _filled(issuer: str, claims: dict[str, Any]) -> str:
    if "{tenantid}" not in issuer:
        return issuer
    tenant = claims.get("tid")
    if not _is_uuid(tenant):
        raise Untrusted("its ID token tells no tenant")
    return issuer.replace("{tenantid}", str(tenant))


def _is_own_issuer(provider: IdentityProvider, issuer: Any) -> bool:
    """Google's is its address. Microsoft's has a tenant in it, or stands for all as a template; where the settings name
    a tenant, it is that one's."""
    if not isinstance(issuer, str):
        return False
    root, tenant, version = provider.url.rsplit("/", 2)
    if provider.name != "microsoft" or _is_uuid(tenant):
        return issuer == provider.url
    own = issuer.removeprefix(f"{root}/").removesuffix(f"/{version}")
    return issuer == f"{root}/{own}/{version}" and (own == "{tenantid}" or _is_uuid(own))


def _is_uuid(value: Any) -> bool:
    try:
        return isinstance(value, str) and str(UUID(value)) == value.lower()
    except ValueError:
        return False


def _api(provider: IdentityProvider) -> str:
    if provider.is_public:
        return {"github": "https://api.github.com", "linkedin": "https://api.linkedin.com"}[provider.name]
    return f"{provider.url}/api/v3" if provider.name == "github" else provider.url


def _own_place(provider: IdentityProvider) -> str | None:
    return None if provider.is_public else place_of(provider.url)


def _public_key(row: Any) -> list[Any]:
    """The key, if it is of a kind that we know: one more kind in a provider's set must end nobody's sign-in."""
    if not isinstance(row, dict) or row.get("kty") not in ("RSA", "EC"):
        return []
    try:
        return list(KeySet.import_key_set({"keys": [cast(Any, row)]}).keys)
    except (JoseError, ValueError, KeyError, TypeError):
        return []


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Unreachable("the answer is not an object")
    return value


_ENDPOINTS: Final[dict[str, dict[str, str]]] = {
    "github": {
        "authorization_endpoint": "{}/login/oauth/authorize",
        "token_endpoint": "{}/login/oauth/access_token",
    },
    "linkedin": {
        "authorization_endpoint": "{}/oauth/v2/authorization",
        "token_endpoint": "{}/oauth/v2/accessToken",
        "userinfo": "{}/v2/userinfo",
    },
}
_Who = Callable[[Protocol, IdentityProvider, Secrets, dict[str, Any]], ProvenIdentity]
_WHO: Final[dict[str, _Who]] = {
    "google": _google,
    "microsoft": _microsoft,
    "linkedin": _linkedin,
    "github": _github,
}
