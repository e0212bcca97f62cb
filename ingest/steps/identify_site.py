"""Step identify site: authenticates the key and checks what it may do."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from ingest.directory.directory import Directory, KeyEntry
from ingest.directory.request_lookups import RequestLookups
from ingest.errors import EventRejected, not_allowed
from ingest.visitors.request_context import Headers
from schemas.tracking import Outcome

MAX_KEY: Final = 128
_MAY_TRACK: Final = frozenset({"site", "secret"})
MAY_REPORT: Final = frozenset({"site", "secret", "postback"})
MAY_POSTBACK: Final = frozenset({"secret", "postback"})
MAY_READ: Final = frozenset({"secret"})
KIND_NAMES: Final = {"site": "site key", "secret": "secret key", "postback": "postback token"}


def bearer(headers: Headers) -> str:
    """The key in the Authorization header, or empty. Raises `EventRejected` for another scheme."""
    value = headers.get(b"authorization")
    if value is None:
        return ""
    scheme, _, text = value.partition(b" ")
    if scheme.lower() != b"bearer" or not text.strip():
        raise EventRejected(
            Outcome.UNKNOWN_SITE, "bad_authorization", "Authorization must be: Bearer <key>", status=401
        )
    return text.strip().decode("latin-1")


async def identify(
    directory: Directory,
    text: str,
    headers: Headers,
    allowed: Collection[str] = _MAY_TRACK,
    *,
    browser: bool = True,
    lookups: RequestLookups | None = None,
) -> KeyEntry:
    """The key `text`. Raises `EventRejected` (401 unknown, 403 not allowed) and `Unavailable`.

    `browser`: a site key's allowed origins are compared with the request's Origin (or Referer). `lookups`: what the
    request may look up, for a key that is not in memory.
    """
    if not text:
        raise missing_key()
    key = None
    if len(text) <= MAX_KEY:
        key = directory.key_in_memory(text) or await directory.key(text, lookups)
    if key is None:
        raise EventRejected(Outcome.UNKNOWN_SITE, "unknown_key", "This key is unknown or no longer valid.", status=401)
    if key.kind not in allowed:
        message = f"A {KIND_NAMES.get(key.kind, key.kind)} may not be used here."
        raise not_allowed("key_not_allowed", message).of(key.website.id, key.kind)
    if key.origins and browser and key.kind == "site":
        check_origin(key, headers)
    directory.used[key.hash] = key.website.id
    return key


def missing_key() -> EventRejected:
    return EventRejected(
        Outcome.UNKNOWN_SITE,
        "missing_key",
        "Name the website: Authorization: Bearer <key>, or its site key as site in the body or as ?site=",
        status=401,
    )


def check_origin(key: KeyEntry, headers: Headers) -> None:
    """Checks the origin. Raises `EventRejected` when the sending page is not one of the key's allowed origins."""
    sent = (headers.get(b"origin") or headers.get(b"referer") or b"").decode("latin-1").lower()
    scheme, _, rest = sent.partition("://")
    host = rest.partition("/")[0]
    for allowed in key.origins:
        allowed_scheme, separator, allowed_host = allowed.rpartition("://")
        if separator and allowed_scheme != scheme:
            continue
        if host and (host == allowed_host or (allowed_host.startswith("*.") and host.endswith(allowed_host[1:]))):
            return
    raise EventRejected(
        Outcome.ORIGIN_NOT_ALLOWED,
        "origin_not_allowed",
        "This site key may not be used from this page: its origin is not in the key's list.",
        status=403,
    ).of(key.website.id, key.kind)
