"""Instagram: the Instagram API with Instagram Login, for professional accounts.

https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login

The token of a code lives an hour and is exchanged for one of 60 days, which a reading renews once a day. Instagram has
no address that ends a permission; the owner can remove the app in the account's settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final
from urllib.parse import urlencode

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

AUTHORIZE: Final = "https://www.instagram.com/oauth/authorize"
TOKEN: Final = "https://api.instagram.com/oauth/access_token"  # noqa: S105 - an address
GRAPH: Final = "https://graph.instagram.com"
API: Final = f"{GRAPH}/v23.0"
SCOPE: Final = "instagram_business_basic,instagram_business_manage_insights"
PAGE: Final = 50
MAX_INSIGHTS: Final = 50
"""Posts whose views one reading includes: each is a request of its own."""
MIN_AGE: Final = timedelta(days=1)
"""A younger token is not renewed."""
_INVALID_TOKEN: Final = 190
_NO_PERMISSION: Final = (10, 200)
_LATER: Final = (4, 17, 32, 613)
_MEDIA: Final = "id,caption,permalink,timestamp,like_count,comments_count,media_type"


class Instagram:
    """A professional account on Instagram. Thread-safe."""

    def __init__(self, client: NetworkClient, app: SocialApp) -> None:
        self._client = client
        self._app = app

    def authorization(self, redirect_uri: str, state: str, _verifier: str) -> str:
        """The address at which the owner permits the reading. Instagram knows no PKCE."""
        query = {
            "response_type": "code",
            "client_id": self._app.client_id,
            "redirect_uri": redirect_uri,
            "scope": SCOPE,
            "state": state,
        }
        return f"{self._app.address(AUTHORIZE)}?{urlencode(query)}"

    def exchange(self, redirect_uri: str, code: str, _verifier: str, now: datetime) -> Tokens:
        """The long-lived token of a code. Raises `NetworkError`."""
        form = {
            "client_id": self._app.client_id,
            "client_secret": self._app.client_secret,
            "grant_type": "authorization_code",
            "redirect_uri": redirect_uri,
            "code": code,
        }
        answer = self._client.json(self._app, "POST", TOKEN, form=form)
        if answer.status != 200:
            raise _refusal(answer)
        # Documented as a list with one object; also answered without it.
        content = next(iter(objects_of(answer.body.get("data"))), answer.body)
        short = content.get("access_token")
        if not isinstance(short, str) or not short:
            raise NetworkUnavailable("Instagram gave no access token.")
        query = {
            "grant_type": "ig_exchange_token",
            "client_secret": self._app.client_secret,
            "access_token": short,
        }
        return tokens_of(self._get(f"{GRAPH}/access_token", query), now)

    def renewed(self, tokens: Tokens, now: datetime) -> Tokens:
        """Tokens that are valid at `now`. Raises `NetworkError`."""
        if now >= tokens.expires_at:
            raise GrantEnded("The permission at Instagram has expired.")
        if now - tokens.obtained_at < MIN_AGE:
            return tokens
        query = {"grant_type": "ig_refresh_token", "access_token": tokens.access}
        return tokens_of(self._get(f"{GRAPH}/refresh_access_token", query), now)

    def revoke(self, _tokens: Tokens) -> None:
        """Does nothing: Instagram has no such call."""

    def name(self, tokens: Tokens) -> str:
        """The account's user name. Raises `NetworkError`."""
        return text_of(self._api(tokens, "me", {"fields": "user_id,username"}).get("username"))

    def read(self, tokens: Tokens, now: datetime) -> Reading:
        """The account, its views of yesterday and its newest posts. Raises `NetworkError`."""
        account = self._api(tokens, "me", {"fields": "user_id,username,followers_count,media_count"})
        today = datetime.combine(now.astimezone(UTC).date(), time(), UTC)
        query = {
            "metric": "views",
            "period": "day",
            "metric_type": "total_value",
            "since": str(int((today - timedelta(days=1)).timestamp())),
            "until": str(int(today.timestamp())),
        }
        return Reading(
            name=text_of(account.get("username")),
            followers=count_of(account.get("followers_count")),
            post_count=count_of(account.get("media_count")),
            views=None,
            yesterday=_views(self._insights(tokens, "me/insights", query)),
            posts=tuple(self._media(tokens)),
        )

    def _media(self, tokens: Tokens) -> list[ReadPost]:
        media: list[Mapping[str, Any]] = []
        after: str | None = ""
        while after is not None and len(media) < MAX_POSTS:
            query = {"fields": _MEDIA, "limit": str(PAGE)} | ({"after": after} if after else {})
            answer = self._api(tokens, "me/media", query)
            rows = objects_of(answer.get("data"))[:PAGE]
            media += rows
            paging = object_of(answer.get("paging"))
            cursor = object_of(paging.get("cursors")).get("after")
            # The address of the next page has the token; only its cursor is used, at our own address.
            after = cursor if paging.get("next") and isinstance(cursor, str) and cursor and rows else None
        posts = []
        for number, row in enumerate(media[:MAX_POSTS]):
            id_ = text_of(row.get("id"))
            post = _post(row)
            if number < MAX_INSIGHTS and id_.isdecimal():
                post = replace(post, views=_views(self._insights(tokens, f"{id_}/insights", {"metric": "views"})))
            posts.append(post)
        return posts

    def _insights(self, tokens: Tokens, path: str, query: Mapping[str, str]) -> Mapping[str, Any]:
        """Returns the metrics; empty where there are none: young accounts, and posts from before the account was a
        professional one."""
        answer = self._client.json(self._app, "GET", f"{API}/{path}", query={**query, "access_token": tokens.access})
        if answer.status == 200:
            return answer.body
        refusal = _refusal(answer)
        if answer.status == 400 and isinstance(refusal, NetworkUnavailable) and not _is_limit(answer):
            return {}
        raise refusal

    def _api(self, tokens: Tokens, path: str, query: Mapping[str, str]) -> Mapping[str, Any]:
        return self._get(f"{API}/{path}", {**query, "access_token": tokens.access})

    def _get(self, public: str, query: Mapping[str, str]) -> Mapping[str, Any]:
        answer = self._client.json(self._app, "GET", public, query=query)
        if answer.status != 200:
            raise _refusal(answer)
        return answer.body


def _refusal(answer: NetworkAnswer) -> NetworkError:
    code = object_of(answer.body.get("error")).get("code")
    if _is_limit(answer):
        return NetworkUnavailable("Instagram's limit of requests is reached.", answer.retry_after)
    # A code that is used or unknown is answered with an error of another form.
    if code == _INVALID_TOKEN or code in _NO_PERMISSION or answer.body.get("error_type") == "OAuthException":
        return GrantEnded("Instagram no longer permits the reading.")
    return NetworkUnavailable(f"Instagram answers with {answer.status}.", answer.retry_after)


def _is_limit(answer: NetworkAnswer) -> bool:
    return answer.status == 429 or object_of(answer.body.get("error")).get("code") in _LATER


def _views(insights: Mapping[str, Any]) -> int | None:
    for metric in objects_of(insights.get("data")):
        if metric.get("name") == "views":
            total = object_of(metric.get("total_value")).get("value")
            first = next(iter(objects_of(metric.get("values"))), {}).get("value")
            return count_of(total if total is not None else first)
    return None


def _post(row: Mapping[str, Any]) -> ReadPost:
    return ReadPost(
        address=text_of(row.get("permalink")),
        title=text_of(row.get("caption")),
        published_at=time_of(row.get("timestamp")),
        views=None,
        likes=count_of(row.get("like_count")),
        comments=count_of(row.get("comments_count")),
    )
