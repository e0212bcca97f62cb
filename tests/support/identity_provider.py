"""An identity provider on loopback that speaks the real protocols, for all four, and misbehaves on request.

`identity_provider()` gives one server. Each provider has a path of its own (`/google`, ...), so that one server is four
issuers. A browser that opens the authorize address is signed in immediately, as `person`, and sent back with a code.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import uuid4

from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc import jws, jwt
from joserfc.jwk import OctKey, RSAKey
from joserfc.util import urlsafe_b64encode

CLIENT_ID, CLIENT_SECRET = "althing-test", "a secret of tests"
NAMES = ("google", "github", "microsoft", "linkedin")
TENANT = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"


@dataclass(frozen=True)
class Someone:
    """An account at the provider."""

    subject: str = field(default_factory=lambda: str(uuid4()))
    number: int = field(default_factory=lambda: uuid4().int % 2**40 + 1)
    email: str = "ada@mail.example"
    email_verified: bool = True
    name: str = "Ada Byron"
    tenant: str = TENANT


@dataclass(frozen=True)
class _Grant:
    provider: str
    query: Mapping[str, str]
    person: Someone


@dataclass
class IdentityProvider:
    """`change` alters what an ID token claims, `sign` how it is signed, `answers` what a path answers (status, body),
    `also` what the browser's way back carries. `asked`: every request, as method and path."""

    url: str
    person: Someone = field(default_factory=Someone)
    change: Callable[[dict[str, Any]], Any] = lambda _: None
    sign: str = "RS256"
    answers: dict[str, tuple[int, Any]] = field(default_factory=dict)
    also: dict[str, str] = field(default_factory=dict)
    holds: threading.Event | None = None
    asked: list[str] = field(default_factory=list)
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": uuid4().hex, "use": "sig"}))
    grants: dict[str, _Grant] = field(default_factory=dict)
    tokens: dict[str, _Grant] = field(default_factory=dict)

    def settings(self, *names: str) -> dict[str, str]:
        """Environment that makes a stack use this server for the providers named (default: all)."""
        found: dict[str, str] = {}
        for name in names or NAMES:
            base = f"ALTHING_{name.upper()}"
            found |= {
                f"{base}_CLIENT_ID": CLIENT_ID,
                f"{base}_CLIENT_SECRET": CLIENT_SECRET,
                f"{base}_URL": self.place(name),
            }
        return found

    def place(self, name: str) -> str:
        return f"{self.url}/{name}" + ("/common/v2.0" if name == "microsoft" else "")

    def behave(self) -> None:
        """As it should, again, and as a new person."""
        self.person = Someone()
        self.change, self.sign, self.answers, self.also = lambda _: None, "RS256", {}, {}
        if self.holds is not None:
            self.holds.set()
        self.holds = None

    def issuer(self, name: str) -> str:
        """As it stands in tokens."""
        return f"{self.url}/microsoft/{self.person.tenant}/v2.0" if name == "microsoft" else self.place(name)

    def _discovery(self, name: str) -> dict[str, Any]:
        place = self.place(name)
        issuer = f"{self.url}/microsoft/{{tenantid}}/v2.0" if name == "microsoft" else place
        return {
            "issuer": issuer,
            "authorization_endpoint": f"{place}/authorize",
            "token_endpoint": f"{place}/token",
            "jwks_uri": f"{place}/keys",
            "userinfo_endpoint": f"{place}/userinfo",
            "code_challenge_methods_supported": ["S256"],
        }

    def _authorize(self, name: str, query: Mapping[str, str]) -> str:
        assert query["client_id"] == CLIENT_ID and query["response_type"] == "code"
        if name != "linkedin":
            assert query["code_challenge_method"] == "S256" and query["code_challenge"]
        code = uuid4().hex
        self.grants[code] = _Grant(name, query, self.person)
        back = {"code": code, "state": query["state"], **self.also}
        return f"{query['redirect_uri']}?{urlencode({k: v for k, v in back.items() if v != '-'})}"

    def _token(self, name: str, form: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        grant = self.grants.pop(form.get("code", ""), None)
        wrong = (
            grant is None
            or grant.provider != name
            or (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET)
            or form.get("redirect_uri") != grant.query["redirect_uri"]
            or form.get("grant_type") != "authorization_code"
            or (
                name != "linkedin"
                and create_s256_code_challenge(form.get("code_verifier", "")) != grant.query["code_challenge"]
            )
        )
        if wrong or grant is None:  # GitHub says so with 200
            return (200 if name == "github" else 400), {"error": "invalid_grant"}
        token = uuid4().hex
        self.tokens[token] = grant
        answer: dict[str, Any] = {"access_token": token, "expires_in": 3600}
        if name != "linkedin":
            answer["token_type"] = "bearer" if name == "github" else "Bearer"
        if name != "github":
            answer["id_token"] = self._id_token(name, grant, token)
        return 200, answer

    def _id_token(self, name: str, grant: _Grant, access_token: str) -> str:
        person, now = grant.person, int(time.time())
        claims: dict[str, Any] = {
            "iss": self.issuer(name),
            "aud": CLIENT_ID,
            "sub": person.subject if name != "microsoft" else f"pairwise-{person.subject}",
            "iat": now,
            "exp": now + 3600,
            "email": person.email,
            "name": person.name,
            "at_hash": urlsafe_b64encode(sha256(access_token.encode()).digest()[:16]).decode(),
        }
        if name == "google":
            claims["email_verified"] = person.email_verified
        if name == "microsoft":
            claims |= {"tid": person.tenant, "oid": person.subject}
        if name != "linkedin":
            claims["nonce"] = grant.query.get("nonce")
        self.change(claims)
        return self._signed(claims)

    def _signed(self, claims: dict[str, Any]) -> str:
        header = {"alg": self.sign, "kid": self.key.kid}
        if self.sign == "none":
            parts = (json.dumps({"alg": "none", "typ": "JWT"}), json.dumps(claims))
            return ".".join(urlsafe_b64encode(part.encode()).decode() for part in parts) + "."
        if self.sign == "HS256":  # with the public key as the shared one
            return jws.serialize_compact(
                header, json.dumps(claims).encode(), OctKey.import_key(self.key.as_pem(private=False)), ["HS256"]
            )
        if self.sign == "another key":
            other = RSAKey.generate_key(2048)
            return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, other)
        return jwt.encode(header, claims, self.key)

    def _read(self, name: str, path: str, token: str) -> tuple[int, Any]:
        grant = self.tokens.get(token)
        if grant is None or grant.provider != name:
            return 401, {"message": "Bad credentials"}
        person = grant.person
        if path == "/api/v3/user":
            return 200, {"id": person.number, "login": "ada", "name": person.name, "email": "shown@public.example"}
        if path == "/api/v3/user/emails":
            return 200, [
                {"email": "old@mail.example", "primary": False, "verified": True},
                {"email": person.email, "primary": True, "verified": person.email_verified},
            ]
        return 200, {
            "sub": person.subject, "name": person.name, "email": person.email,
            "email_verified": person.email_verified,
        }  # fmt: skip

    def answer(self, method: str, path: str, query: Mapping[str, str], form: Mapping[str, str], token: str) -> Any:
        """Status and body, or the address of a redirect."""
        self.asked.append(f"{method} {path}")
        if self.holds is not None:
            self.holds.wait(30)
        name = path.split("/")[1]
        inner = path.removeprefix(f"/{name}").removeprefix("/common/v2.0")
        for end, given in self.answers.items():
            if path.endswith(end):
                return given
        if name not in NAMES:
            return 404, {}
        if inner == "/.well-known/openid-configuration":
            return 200, self._discovery(name)
        if inner == "/keys":
            new_kinds = [
                {"kty": "AKP", "alg": "ML-DSA-65", "pub": "AA", "kid": "q"},
                {"kty": "EC", "crv": "P-9", "x": "AA"},
            ]
            own = {**self.key.as_dict(private=False), "issuer": "https://as.microsoft.does/it", "x5t": "AA"}
            return 200, {"keys": [*new_kinds, own]}
        if inner in ("/authorize", "/login/oauth/authorize", "/oauth/v2/authorization"):
            return self._authorize(name, query)
        if method == "POST" and inner in ("/token", "/login/oauth/access_token", "/oauth/v2/accessToken"):
            return self._token(name, form)
        return self._read(name, inner, token)


@contextmanager
def identity_provider() -> Iterator[IdentityProvider]:
    """Listens on a free loopback port until the end."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer("GET")

        def do_POST(self) -> None:
            self._answer("POST")

        def _answer(self, method: str) -> None:
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
            found = made.answer(method, parts.path, _flat(parts.query), _flat(body), token)
            if isinstance(found, str):
                self.send_response(302)
                self.send_header("Location", found)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            status, value = found
            raw = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", f"{made.url}/elsewhere")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    made = IdentityProvider(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.behave()
        server.shutdown()
        server.server_close()
        thread.join()


def someone_else(of: Someone, **changes: Any) -> Someone:
    return replace(of, **changes)


def _flat(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query, keep_blank_values=True).items()}
