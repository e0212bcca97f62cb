"""Requests to each identity provider, and the identity that it returns: OAuth 2.0 code flow, OpenID Connect on top.

An identity is the pair of issuer and subject, never an email address. What is special about each provider:

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
from collections.abc import Callable, Mapping
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

from command_api.accounts.login_challenge import ProvenIdentity
from command_api.accounts.providers.http_client import ProviderHttpClient, ProviderUnreachable, ProviderUntrusted
from infra.kernel.net.outbound_http import origin_of
from infra.kernel.security.oauth_providers import IdentityProvider

ALGORITHMS: Final = ["RS256", "PS256", "ES256"]
"""No algorithm with a shared key, and not `none`."""
LEEWAY_S: Final = 60
_CACHE_S: Final = 3600.0
_MIN_REFRESH_S: Final = 60.0
_MAX_TEXT_LENGTH: Final = 255
_OPENID: Final = ("google", "microsoft")
_REQUIRED_ENDPOINTS: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")


@dataclass(frozen=True, slots=True)
class FlowSecrets:
    """Secrets of one login flow."""

    state: str
    nonce: str
    verifier: str


class Protocol:
    """Keeps the providers' documents and keys for an hour. Thread-safe."""

    def __init__(self, calls: ProviderHttpClient) -> None:
        self._calls = calls
        self._documents: dict[str, tuple[float, Any]] = {}
        self._lock = threading.Lock()

    def address(self, provider: IdentityProvider, redirect_uri: str, secrets: FlowSecrets) -> str:
        """Returns the authorization URL. Raises `ProviderError`."""
        context = {
            "response_type": "code",
            "client_id": provider.client_id,
            "redirect_uri": redirect_uri,
            "scope": "read:user user:email" if provider.name == "github" else "openid email profile",
            "state": secrets.state,
        }
        if provider.name != "linkedin":
            context["code_challenge"] = create_s256_code_challenge(secrets.verifier)
            context["code_challenge_method"] = "S256"
        if provider.name in _OPENID:
            context["nonce"] = secrets.nonce
            context["prompt"] = "select_account"
        url = self._endpoint(provider, "authorization_endpoint")
        return f"{url}{'&' if urlsplit(url).query else '?'}{urlencode(context)}"

    def identify(
        self, provider: IdentityProvider, redirect_uri: str, secrets: FlowSecrets, code: str, issuer: str | None
    ) -> ProvenIdentity:
        """Returns the identity of this code. `issuer`: the response's own `iss`, if any. Raises `ProviderError`."""
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
        answer = _object(self.read(provider, url, form=form))
        token = answer.get("access_token")
        if not isinstance(token, str) or not token or str(answer.get("token_type", "bearer")).lower() != "bearer":
            raise ProviderUntrusted(f"{provider.name} gave no access token")
        return _IDENTIFY_BY_PROVIDER[provider.name](self, provider, secrets, answer)

    def read(
        self, provider: IdentityProvider, url: str, *, form: Mapping[str, str] | None = None, token: str | None = None
    ) -> Any:
        """Reads JSON of the provider; with a `form` it is sent. Raises `ProviderError`."""
        method, origin = "GET" if form is None else "POST", _configured_origin(provider)
        return self._calls.json(method, url, configured_origin=origin, form=form, token=token)

    def metadata(self, provider: IdentityProvider) -> dict[str, Any]:
        """Returns the provider's OpenID metadata, which must describe this provider."""

        def read(found: dict[str, Any]) -> dict[str, Any]:
            if not _is_own_issuer(provider, found.get("issuer")):
                raise ProviderUntrusted(f"{provider.name} describes another issuer")
            places = [origin_of(str(found.get(name))) for name in _REQUIRED_ENDPOINTS]
            if not all(place.startswith("https://") or place == _configured_origin(provider) for place in places):
                raise ProviderUntrusted(f"{provider.name} does not describe all of itself")
            return found

        described: dict[str, Any] = self._cached(provider, f"{provider.url}/.well-known/openid-configuration", read)
        return described

    def keys(self, provider: IdentityProvider, *, newer_than_s: float = _CACHE_S) -> KeySet:
        """Returns the provider's signing keys, of at most this age."""

        def read(found: dict[str, Any]) -> KeySet:
            rows = found.get("keys")
            usable = [key for row in (rows if isinstance(rows, list) else []) for key in _public_key(row)]
            if not usable:
                raise ProviderUnreachable(f"{provider.name} has no keys that can be read")
            return KeySet(usable)

        keys: KeySet = self._cached(provider, self._endpoint(provider, "jwks_uri"), read, newer_than_s)
        return keys

    def _cached(
        self,
        provider: IdentityProvider,
        url: str,
        read: Callable[[dict[str, Any]], Any],
        newer_than_s: float = _CACHE_S,
    ) -> Any:
        """Returns a cached document; a document that cannot be parsed is not cached."""
        with self._lock:
            at, kept = self._documents.get(url, (0.0, None))
        if kept is not None and time.monotonic() - at < newer_than_s:
            return kept
        document = read(_object(self.read(provider, url)))
        with self._lock:
            self._documents[url] = (time.monotonic(), document)
        return document

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
            raise ProviderUntrusted(f"{provider.name}'s answer is another provider's")


def verify_id_token(
    token: Any, keys: KeySet, *, issuer: str, client_id: str, nonce: str, access_token: str | None = None
) -> dict[str, Any]:
    """Returns the claims of an ID token of this flow. `issuer` may be a template with `{tenantid}`.

    Raises `ProviderUntrusted`.
    """
    if not isinstance(token, str):
        raise ProviderUntrusted("there is no ID token")
    try:
        decoded = jwt.decode(token, keys, algorithms=ALGORITHMS)
        claims = dict(decoded.claims)
        options = {
            "iss": {"essential": True, "value": _expected_issuer(issuer, claims)},
            "aud": {"essential": True, "value": client_id},
            **{claim: {"essential": True} for claim in ("sub", "exp", "iat", "nonce")},
        }
        params = {"nonce": nonce, "client_id": client_id, "access_token": access_token}
        CodeIDToken(claims, decoded.header, options, params).validate(leeway=LEEWAY_S)
    except (JoseError, ValueError, KeyError, TypeError) as error:
        raise ProviderUntrusted(f"its ID token is refused: {type(error).__name__}") from error
    if not compare_digest(str(claims["nonce"]).encode(), nonce.encode()):
        raise ProviderUntrusted("its ID token is another sign-in's")
    return claims


def _openid(
    protocol: Protocol, provider: IdentityProvider, secrets: FlowSecrets, answer: dict[str, Any]
) -> dict[str, Any]:
    issuer = str(protocol.metadata(provider)["issuer"])

    def read(keys: KeySet) -> dict[str, Any]:
        return verify_id_token(
            answer.get("id_token"),
            keys,
            issuer=issuer,
            client_id=provider.client_id,
            nonce=secrets.nonce,
            access_token=answer.get("access_token"),
        )

    try:
        return read(protocol.keys(provider))
    except ProviderUntrusted:
        # It may have new keys: they are requested again, but not for every invalid token.
        return read(protocol.keys(provider, newer_than_s=_MIN_REFRESH_S))


def _google(
    protocol: Protocol, provider: IdentityProvider, secrets: FlowSecrets, answer: dict[str, Any]
) -> ProvenIdentity:
    claims = _openid(protocol, provider, secrets, answer)
    return _identity(provider, claims["iss"], claims["sub"], claims, claims.get("email_verified") is True)


def _microsoft(
    protocol: Protocol, provider: IdentityProvider, secrets: FlowSecrets, answer: dict[str, Any]
) -> ProvenIdentity:
    claims = _openid(protocol, provider, secrets, answer)
    if not _is_uuid(claims.get("tid")) or not _is_uuid(claims.get("oid")):
        raise ProviderUntrusted("microsoft tells no tenant or no person")
    return _identity(provider, claims["iss"], claims["oid"], claims, False)


def _linkedin(
    protocol: Protocol, provider: IdentityProvider, __: FlowSecrets, answer: dict[str, Any]
) -> ProvenIdentity:
    url = _ENDPOINTS["linkedin"]["userinfo"].format(_api(provider))
    claims = _object(protocol.read(provider, url, token=answer["access_token"]))
    return _identity(provider, provider.url, claims.get("sub"), claims, claims.get("email_verified") in (True, "true"))


def _github(protocol: Protocol, provider: IdentityProvider, __: FlowSecrets, answer: dict[str, Any]) -> ProvenIdentity:
    def read(path: str) -> Any:
        return protocol.read(provider, _api(provider) + path, token=answer["access_token"])

    person = _object(read("/user"))
    number = person.get("id")
    if not isinstance(number, int) or isinstance(number, bool) or number <= 0:
        raise ProviderUntrusted("github tells no account number")
    rows = read("/user/emails")
    own = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    email = next((row.get("email") for row in own if row.get("primary") is True and row.get("verified") is True), None)
    profile = {"email": email, "name": person.get("name") or person.get("login")}
    return _identity(provider, provider.url, str(number), profile, email is not None)


def _identity(
    provider: IdentityProvider, issuer: Any, subject: Any, shown: dict[str, Any], verified_email: bool
) -> ProvenIdentity:
    if not isinstance(subject, str) or not 0 < len(subject) <= _MAX_TEXT_LENGTH or not subject.isprintable():
        raise ProviderUntrusted(f"{provider.name} tells no subject")
    email = _text(shown.get("email")) if verified_email or provider.name == "microsoft" else ""
    return ProvenIdentity(provider.name, str(issuer), subject, email, verified_email, _text(shown.get("name")))


def _text(value: Any) -> str:
    return value.strip()[:_MAX_TEXT_LENGTH] if isinstance(value, str) and value.isprintable() else ""


def _expected_issuer(issuer: str, claims: dict[str, Any]) -> str:
    if "{tenantid}" not in issuer:
        return issuer
    tenant = claims.get("tid")
    if not _is_uuid(tenant):
        raise ProviderUntrusted("its ID token tells no tenant")
    return issuer.replace("{tenantid}", str(tenant))


def _is_own_issuer(provider: IdentityProvider, issuer: Any) -> bool:
    """Returns whether the issuer is the provider's. Google's issuer is its URL. Microsoft's contains a tenant or is a
    template; if the settings name a tenant, it must match."""
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


def _configured_origin(provider: IdentityProvider) -> str | None:
    return None if provider.is_public else origin_of(provider.url)


def _public_key(row: Any) -> list[Any]:
    """Returns the key if its type is supported; unknown types in the key set are ignored."""
    if not isinstance(row, dict) or row.get("kty") not in ("RSA", "EC"):
        return []
    try:
        return list(KeySet.import_key_set({"keys": [cast(Any, row)]}).keys)
    except (JoseError, ValueError, KeyError, TypeError):
        return []


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ProviderUnreachable("the answer is not an object")
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
_Identify = Callable[[Protocol, IdentityProvider, FlowSecrets, dict[str, Any]], ProvenIdentity]
_IDENTIFY_BY_PROVIDER: Final[dict[str, _Identify]] = {
    "google": _google,
    "microsoft": _microsoft,
    "linkedin": _linkedin,
    "github": _github,
}
