"""The API of an ad platform, as deliveries use it: it sends some conversions and returns the outcome of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol
from uuid import UUID

from schemas.base import Money
from schemas.events.destinations import AdPlatform
from schemas.http.destinations import DeliveryKind


class SendFailed(Exception):
    """The platform cannot be reached, or answers with an error of its own: the same may be sent later. `status`: of
    the answer; `wait`: how long no call may follow."""

    def __init__(self, message: str, status: int | None = None, wait: timedelta = timedelta(0)) -> None:
        super().__init__(message)
        self.status = status
        self.wait = wait


class SendingLimited(SendFailed):
    """The platform limits the number of calls."""


class SendingRefused(SendFailed):
    """The platform does not accept the credentials."""


@dataclass(frozen=True, slots=True)
class OutgoingConversion:
    """The content of one delivery. `prepared_at`: when it was prepared, the same in every attempt. `click_id`:
    parameter and value; none: it is not needed."""

    delivery_id: UUID
    conversion_id: UUID
    kind: DeliveryKind
    event_name: str
    occurred_at: datetime
    prepared_at: datetime
    value: Money
    clicked_at: datetime | None
    click_id: tuple[str, str] | None = field(repr=False)
    page_url: str = ""


@dataclass(frozen=True, slots=True)
class ConversionAccepted:
    """The platform took the conversion. `answer`: what it said of it."""

    answer: str = ""


@dataclass(frozen=True, slots=True)
class ConversionNotAccepted:
    """The platform did not take this conversion, and others of the same call perhaps. `wait`: it may later; none: it
    never will."""

    answer: str
    wait: timedelta | None = None


Outcome = ConversionAccepted | ConversionNotAccepted


@dataclass(frozen=True, slots=True)
class AdRequest:
    """One call. `origin`: the platform's own."""

    origin: str
    path: str
    content: bytes = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    method: str = "POST"


@dataclass(frozen=True, slots=True)
class AdAnswer:
    """A JSON object that a platform answered."""

    status: int
    body: Mapping[str, Any]


Call = Callable[[AdRequest], AdAnswer]
"""Makes one call. Raises `SendFailed` without an answer, and for 429 and errors of the server."""


class AdApi(Protocol):
    """The API of one platform."""

    @property
    def platform(self) -> AdPlatform:
        """Whose it is."""

    @property
    def max_batch(self) -> int:
        """Conversions in one call."""

    def send(
        self, call: Call, credentials: Mapping[str, str], conversions: Sequence[OutgoingConversion]
    ) -> Sequence[Outcome]:
        """Sends conversions of one kind (corrections are another one), and returns the outcome of each. Raises
        `SendFailed` and its kinds where all of them have the same outcome."""


def halved(
    api: AdApi,
    call: Call,
    credentials: Mapping[str, str],
    conversions: Sequence[OutgoingConversion],
    problem: str,
) -> Sequence[Outcome]:
    """Sends the halves of a call that was rejected as a whole, until what is wrong is alone. A half without an answer
    is sent again later; the other one keeps its outcome."""
    if len(conversions) == 1:
        return [ConversionNotAccepted(problem)]
    middle = len(conversions) // 2
    outcomes: list[Outcome] = []
    for half in (conversions[:middle], conversions[middle:]):
        try:
            outcomes += api.send(call, credentials, half)
        except SendingRefused:
            raise
        except SendFailed as error:
            outcomes += [ConversionNotAccepted(str(error), error.wait)] * len(half)
    return outcomes


def text_of(body: Mapping[str, Any], *names: str) -> str:
    """The text at this place of an answer; empty if it is none."""
    found: Any = body
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, str) else ""


def number_of(body: Mapping[str, Any], *names: str) -> int | None:
    """The integer at this place of an answer; none if it is none."""
    found: Any = body
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None
