"""YouTube: OAuth 2.0 for web server applications with PKCE, and the YouTube Data API v3.

https://developers.google.com/youtube/v3/guides/auth/server-side-web-apps
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from authlib.oauth2.rfc7636 import create_s256_code_challenge

from command_api.social.network_client import (
    MAX_POSTS,
    GrantEnded,
    NetworkAnswer,
    NetworkClient,
    NetworkError,
    NetworkUnavailable,
    Reading,
    ReadPost,
    Tokens,
    count_of,
    object_of,
    objects_of,
    text_of,
    time_of,
    tokens_of,
)
from infra.domain.social_connections import SocialApp

AUTHORIZE: Final = "https://accounts.google.com/o/oauth2/v2/auth"
TOKEN: Final = "https://oauth2.googleapis.com/token"  # noqa: S105 - an address
REVOKE: Final = "https://oauth2.googleapis.com/revoke"
API: Final = "https://www.googleapis.com/youtube/v3"
SCOPE: Final = "https://www.googleapis.com/auth/youtube.readonly"
PAGE: Final = 50
_EARLY: Final = timedelta(minutes=5)
_LATER: Final = ("quotaExceeded", "dailyLimitExceeded", "rateLimitExceeded", "userRateLimitExceeded")


class YouTube:
    """A channel on YouTube. Thread-safe."""

    def __init__(self, client: NetworkClient, app: SocialApp) -> None:
        self._client = client
        self._app = app

    def authorization(self, redirect_uri: str, state: str, verifier: str) -> str:
        """The address at which the owner permits the reading. A refresh token comes with consent alone."""
        query = {
            "response_type": "code",
            "client_id": self._app.client_id,
            "redirect_uri": redirect_uri,
            "scope": SCOPE,
            "access_type": "offline",
            "prompt": "consent",
            "state": state,
            "code_challenge": create_s256_code_challenge(verifier),
            "code_challenge_method": "S256",
        }
        return f"{self._app.address(AUTHORIZE)}?{urlencode(query)}"

    def exchange(self, redirect_uri: str, code: str, verifier: str, now: datetime) -> Tokens:
        """The tokens of a code. Raises `NetworkError`."""
        tokens = self._token(
            {
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": redirect_uri,
                "code_verifier": verifier,
            },
            now,
        )
        if not tokens.refresh:
            raise NetworkUnavailable("YouTube gave no refresh token.")
        return tokens

    def renewed(self, tokens: Tokens, now: datetime) -> Tokens:
        """Tokens that are valid at `now`. Raises `NetworkError`."""
        if now + _EARLY < tokens.expires_at:
            return tokens
        return self._token({"grant_type": "refresh_token", "refresh_token": tokens.refresh}, now, tokens.refresh)

    def revoke(self, tokens: Tokens) -> None:
        """Ends the permission at Google. Raises `NetworkError`."""
        answer = self._client.json(self._app, "POST", REVOKE, form={"token": tokens.refresh})
        if answer.status >= 400:
            raise NetworkUnavailable(f"Google answers with {answer.status}.")

    def name(self, tokens: Tokens) -> str:
        """The handle of the channel, or its title. Raises `NetworkError`."""
        return _name(self._channel(tokens))

    def read(self, tokens: Tokens, _now: datetime) -> Reading:
        """The channel and its newest videos. Raises `NetworkError`."""
        channel = self._channel(tokens)
        statistics = object_of(channel.get("statistics"))
        is_hidden = statistics.get("hiddenSubscriberCount") is True
        related = object_of(object_of(channel.get("contentDetails")).get("relatedPlaylists"))
        uploads = related.get("uploads")
        return Reading(
            name=_name(channel),
            followers=None if is_hidden else count_of(statistics.get("subscriberCount")),
            post_count=count_of(statistics.get("videoCount")),
            views=count_of(statistics.get("viewCount")),
            yesterday=None,
            posts=tuple(self._videos(tokens, uploads)) if isinstance(uploads, str) and uploads else (),
        )

    def _channel(self, tokens: Tokens) -> Mapping[str, Any]:
        channels = objects_of(
            self._get(tokens, "channels", {"part": "snippet,contentDetails,statistics", "mine": "true"}).get("items")
        )
        if not channels:
            raise GrantEnded("This Google account has no YouTube channel.")
        return channels[0]

    def _videos(self, tokens: Tokens, playlist: str) -> list[ReadPost]:
        posts: list[ReadPost] = []
        page: str | None = ""
        while page is not None and len(posts) < MAX_POSTS:
            query = {"part": "contentDetails", "playlistId": playlist, "maxResults": str(PAGE)}
            answer = self._get(tokens, "playlistItems", query | ({"pageToken": page} if page else {}), may_miss=True)
            items = objects_of(answer.get("items"))[:PAGE]
            ids = [text_of(object_of(item.get("contentDetails")).get("videoId")) for item in items]
            posts += self._details(tokens, [id_ for id_ in ids if id_])
            following = answer.get("nextPageToken")
            page = following if isinstance(following, str) and following and items else None
        return posts[:MAX_POSTS]

    def _details(self, tokens: Tokens, ids: Sequence[str]) -> list[ReadPost]:
        if not ids:
            return []
        answer = self._get(
            tokens, "videos", {"part": "snippet,statistics", "id": ",".join(ids), "maxResults": str(PAGE)}
        )
        return [_post(item) for item in objects_of(answer.get("items"))]

    def _get(self, tokens: Tokens, name: str, query: Mapping[str, str], *, may_miss: bool = False) -> Mapping[str, Any]:
        """Calls the API. `may_miss`: returns nothing for 404, because a channel without uploads has no list of them."""
        answer = self._client.json(self._app, "GET", f"{API}/{name}", query=query, token=tokens.access)
        if answer.status == 404 and may_miss:
            return {}
        if answer.status != 200:
            raise _refusal(answer)
        return answer.body

    def _token(self, form: Mapping[str, str], now: datetime, refresh: str = "") -> Tokens:
        own = {"client_id": self._app.client_id, "client_secret": self._app.client_secret}
        answer = self._client.json(self._app, "POST", TOKEN, form={**form, **own})
        if answer.status == 200:
            return tokens_of(answer.body, now, refresh=refresh)
        if answer.body.get("error") == "invalid_grant":
            raise GrantEnded("Google no longer permits the reading.")
        raise NetworkUnavailable(f"Google answers with {answer.status}.", answer.retry_after)


def _refusal(answer: NetworkAnswer) -> NetworkError:
    error = object_of(answer.body.get("error"))
    reasons = {str(each.get("reason")) for each in objects_of(error.get("errors"))}
    if answer.status == 429 or reasons & set(_LATER):
        return NetworkUnavailable("YouTube's limit of requests is reached.", answer.retry_after)
    if "accessNotConfigured" in reasons:
        return NetworkUnavailable("The YouTube Data API is not enabled for this installation.")
    if answer.status in (401, 403):
        return GrantEnded("YouTube no longer permits the reading.")
    return NetworkUnavailable(f"YouTube answers with {answer.status}.", answer.retry_after)


def _name(channel: Mapping[str, Any]) -> str:
    snippet = object_of(channel.get("snippet"))
    return text_of(snippet.get("customUrl")) or text_of(snippet.get("title")) or text_of(channel.get("id"))


def _post(item: Mapping[str, Any]) -> ReadPost:
    snippet, statistics = object_of(item.get("snippet")), object_of(item.get("statistics"))
    return ReadPost(
        address=f"https://www.youtube.com/watch?v={text_of(item.get('id'))}",
        title=text_of(snippet.get("title")),
        published_at=time_of(snippet.get("publishedAt")),
        views=count_of(statistics.get("viewCount")),
        likes=count_of(statistics.get("likeCount")),
        comments=count_of(statistics.get("commentCount")),
    )
