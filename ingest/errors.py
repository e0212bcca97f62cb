"""How a step drops an event: by raising `Refused`, with the outcome that is counted and the reason that is shown."""

from __future__ import annotations

from uuid import UUID

from schemas.tracking import NO_ID, Outcome


class Refused(Exception):
    """What was sent is not taken. `code` is stable, `message` is fit to be shown to a person.

    `status` is the HTTP status when the whole request is refused for it; `retry_after` (seconds) goes with 429 and 503.
    """

    def __init__(self, outcome: Outcome, code: str, message: str, status: int = 400, retry_after: int = 0) -> None:
        super().__init__(message)
        self.outcome = outcome
        self.code = code
        self.message = message
        self.status = status
        self.retry_after = retry_after
        self.website_id = NO_ID
        self.key_kind = ""

    def of(self, website_id: UUID, key_kind: str) -> Refused:
        """The same, to be shown to the owner of that website."""
        self.website_id, self.key_kind = website_id, key_kind
        return self


class Unavailable(Exception):
    """Nothing is wrong with what was sent, but it cannot be kept safely now: 503 and `Retry-After`."""

    def __init__(self, code: str, message: str, retry_after: int = 1) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retry_after = retry_after


def invalid(code: str, message: str) -> Refused:
    """The sender's mistake: 400."""
    return Refused(Outcome.INVALID, code, message)


def not_allowed(code: str, message: str) -> Refused:
    """The key is known but may not do this: 403."""
    return Refused(Outcome.NOT_ALLOWED, code, message, status=403)
