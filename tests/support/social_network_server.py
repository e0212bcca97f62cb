"""YouTube and Instagram on loopback: their OAuth and their interfaces, in the documented form.

One server is both: their paths differ. `permit` is what a browser does at the network: it permits, and gives the code
and state that come back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

from authlib.oauth2.rfc7636 import create_s256_code_challenge

CLIENT_ID, CLIENT_SECRET = "althing-social", "a secret of tests"


@dataclass
class SocialNetworks:
    """`answers`: what a path answers instead (status, body). `asked`: the paths of all requests. `tokens`: those that
    are valid; `revoked`: those that were given back."""

    url: str
    subscribers: int = 1200
    views: int = 50_000
    answers: dict[str, tuple[int, Any]] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    codes: dict[str, Mapping[str, str]] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=set)
    revoked: list[str] = field(default_factory=list)

    def settings(self) -> dict[str, str]:
        """Fields of the settings that connect to this server."""
        found: dict[str, str] = {}
        for name in ("youtube", "instagram"):
            found |= {f"{name}_client_id": CLIENT_ID, f"{name}_client_secret": CLIENT_SECRET}
            found[f"{name}_api_url"] = self.url
        return found

    def permit(self, authorization: str) -> dict[str, str]:
        """The owner permits: code and state for the page of the app."""
        query = _flat(urlsplit(authorization).query)
        assert query["client_id"] == CLIENT_ID and query["response_type"] == "code"
        code = uuid4().hex
        self.codes[code] = query
        return {"code": code, "state": query["state"]}

    def answer(self, method: str, path: str, query: Mapping[str, str], form: Mapping[str, str], bearer: str) -> Any:
        self.asked.append(path)
        if path in self.answers:
            return self.answers[path]
        if path == "/token" and method == "POST":
            return self._google_token(form)
        if path == "/revoke" and method == "POST":
            self.revoked.append(form["token"])
            self.tokens.clear()
            return 200, {}
        if path == "/oauth/access_token" and method == "POST":
            known = self._is_known(form)
            return (200, {"data": [{"access_token": self._new(), "user_id": "17", "permissions": ""}]}) if known else (
                400, {"error_type": "OAuthException", "code": 400, "error_message": "Invalid code"})  # fmt: skip
        if path.startswith("/youtube/v3/"):
            if bearer not in self.tokens:
                return 401, {"error": {"code": 401, "errors": [{"reason": "authError"}]}}
            return self._youtube(path.rpartition("/")[2], query)
        if query.get("access_token") not in self.tokens:
            return 400, {"error": {"message": "Invalid token", "type": "OAuthException", "code": 190}}
        if path in ("/access_token", "/refresh_access_token"):
            return 200, {"access_token": self._new(), "token_type": "bearer", "expires_in": 5_183_944}
        return self._instagram(path.removeprefix("/v23.0"))

    def _google_token(self, form: Mapping[str, str]) -> tuple[int, Any]:
        if form["grant_type"] == "refresh_token":
            if form["refresh_token"] not in self.tokens:
                return 400, {"error": "invalid_grant"}
            return 200, {"access_token": self._new(), "expires_in": 3599, "token_type": "Bearer"}
        challenge = self.codes.get(form["code"], {}).get("code_challenge", "")
        if not self._is_known(form) or create_s256_code_challenge(form["code_verifier"]) != challenge:
            return 400, {"error": "invalid_grant"}
        return 200, {
            "access_token": self._new(), "refresh_token": self._new(), "expires_in": 3599, "token_type": "Bearer",
        }  # fmt: skip

    def _is_known(self, form: Mapping[str, str]) -> bool:
        """Whether the code fits; it works once."""
        given = self.codes.pop(form["code"], None)
        is_own = (form["client_id"], form["client_secret"]) == (CLIENT_ID, CLIENT_SECRET)
        return given is not None and is_own and form["redirect_uri"] == given["redirect_uri"]

    def _new(self) -> str:
        token = f"token-{uuid4().hex}"
        self.tokens.add(token)
        return token

    def _youtube(self, name: str, query: Mapping[str, str]) -> tuple[int, Any]:
        if name == "channels":
            counts = {"subscriberCount": str(self.subscribers), "viewCount": str(self.views), "videoCount": "2"}
            related = {"relatedPlaylists": {"uploads": "UU1"}}
            snippet = {"title": "Fjord", "customUrl": "@fjord.tests"}
            return 200, {"items": [{"id": "UC1", "snippet": snippet, "statistics": counts, "contentDetails": related}]}
        if name == "playlistItems":
            last = query.get("pageToken") == "second"
            items = [{"contentDetails": {"videoId": "bBcDeFgHiJk" if last else "aBcDeFgHiJk"}}]
            return 200, {"items": items} | ({} if last else {"nextPageToken": "second"})
        ids = query["id"].split(",")
        statistics = {"viewCount": "900", "likeCount": "40", "commentCount": "3"}
        snippet = {"title": "A video", "publishedAt": "2026-11-01T10:00:00Z"}
        return 200, {"items": [{"id": id_, "snippet": snippet, "statistics": statistics} for id_ in ids]}

    def _instagram(self, path: str) -> tuple[int, Any]:
        if path == "/me":
            counts = {"followers_count": self.subscribers, "media_count": 1}
            return 200, {"user_id": "17", "username": "fjord.tests", **counts}
        if path == "/me/media":
            media = {
                "id": "18001", "caption": "A photo", "permalink": "https://www.instagram.com/p/DAbCdEfGhIj/",
                "timestamp": "2026-11-02T10:00:00+0000", "like_count": 7, "comments_count": 1, "media_type": "IMAGE",
            }  # fmt: skip
            return 200, {"data": [media], "paging": {"cursors": {"after": "x"}}}
        if path == "/me/insights":
            return 200, {"data": [{"name": "views", "period": "day", "total_value": {"value": 321}}]}
        return 200, {"data": [{"name": "views", "period": "lifetime", "values": [{"value": 55}]}]}


@contextmanager
def social_networks() -> Iterator[SocialNetworks]:
    """Listens on a free loopback port until the end."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer("GET")

        def do_POST(self) -> None:
            self._answer("POST")

        def _answer(self, method: str) -> None:
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            bearer = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
            status, value = made.answer(method, parts.path, _flat(parts.query), _flat(body), bearer)
            raw = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            for name, text in made.headers.items():
                self.send_header(name, text)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    made = SocialNetworks(f"http://127.0.0.1:{server.server_port}")
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _flat(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query, keep_blank_values=True).items()}
