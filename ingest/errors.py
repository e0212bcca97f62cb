"""Errors of ingest: a step drops an event by raising `EventRejected` with the counted outcome and the reason."""

from __future__ import annotations

from uuid import UUID

from schemas.tracking import NO_ID, Outcome


class EventRejected(Exception):
    """The event or request is rejected. `code` is stable, `message` can be shown to a person.

    `status` is the HTTP status if the whole request is rejected; `retry_after` (seconds) goes with 429 and 503.
    `website_id`: the website whose owner sees the rejection, where the key alone tells it.
    """

    website_id = NO_ID
    key_kind = ""

    def __init__(self, outcome: Outcome, code: str, message: str, status: int = 400, retry_after: int = 0) -> None:
        self.outcome = outcome
        self.code = code
        self.message = message
        self.status = status
        self.retry_after = retry_after

    def __str__(self) -> str:
        return self.message

    def of(self, website_id: UUID, key_kind: str) -> EventRejected:
        """Adds the website whose owner sees the rejection."""
        self.website_id, self.key_kind = website_id, key_kind
        return self


class Unavailable(Exception):
    """A valid request that cannot be stored safely now: 503 with `Retry-After`."""

    def __init__(self, code: str, message: str, retry_after: int = 1) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retry_after = retry_after


def invalid(code: str, message: str) -> EventRejected:
    """A client error: 400."""
    return EventRejected(Outcome.INVALID, code, message)


def not_allowed(code: str, message: str) -> EventRejected:
    """The key is known but may not do this: 403."""
    return EventRejected(Outcome.NOT_ALLOWED, code, message, status=403)


def not_looked_up() -> EventRejected:
    """An event names something that is not in memory, and more than its request may look up: 429 if it is alone."""
    return EventRejected(
        Outcome.THROTTLED,
        "not_looked_up",
        "A link, partner or key of this event is not known here and was not looked up, because too many unknown ones"
        " were named at once. Send the event again later.",
        status=429,
        retry_after=1,
    )
