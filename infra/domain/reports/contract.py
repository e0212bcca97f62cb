"""The orders of the write side and the answers of the read side: one report of a person, with its numbers as this
person sees them.

The write side knows when a report is due, the read side alone knows the numbers. The order is an HTTP call to a
port that others may reach, too; so it carries a keyed hash of its body, and is valid for a minute.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from hmac import compare_digest
from typing import Annotated, Final, Literal
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer

from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import derived_key, keyed_hash

VIEW_PATH: Final = "/internal/reports/view"
QUERY_PATH: Final = "/internal/reports/query"
PROOF: Final = "x-report-proof"
VALID_FOR: Final = timedelta(minutes=1)
MAX_FILES_BYTES: Final = 4_500_000
"""Pictures and files of one email; with the texts it stays below 5 MB."""

NoAccess = Literal["account", "website", "view", "query"]
"""The thing that the person may no longer use; the code of the read side's answer, and the reason of the pause."""

Content = Annotated[
    bytes,
    BeforeValidator(lambda value: b64decode(value) if isinstance(value, str) else value),
    PlainSerializer(lambda value: b64encode(value).decode(), when_used="json"),
]


class RenderOrder(BaseModel):
    """A report of a view of a website, or of a saved query, to render as this account."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    account_id: UUID
    website_id: UUID | None
    view_id: UUID | None
    query_id: UUID | None
    parameters: Mapping[str, str] = {}
    """Values of the query's parameters."""
    first_day: date
    last_day: date
    stop_url: str
    """The page that ends the report."""
    is_preview: bool
    ordered_at: datetime


class EmailFile(BaseModel):
    """A file of the email; with a `content_id` a picture in its text."""

    model_config = ConfigDict(frozen=True)

    name: str
    media_type: str
    content: Content
    content_id: str = ""


class Rendered(BaseModel):
    """The email."""

    model_config = ConfigDict(frozen=True)

    subject: str
    text: str
    html: str
    attachments: list[EmailFile]


def proof_of(settings: Settings, body: bytes) -> str:
    """The header `PROOF` for that body."""
    return keyed_hash(derived_key(settings, "report-order"), body.decode())


def verified_order(settings: Settings, headers: Mapping[str, str], body: bytes, now: datetime) -> RenderOrder | None:
    """The order, if the write side sent it within the last minute."""
    try:
        expected = proof_of(settings, body)
    except UnicodeDecodeError:
        return None
    if not compare_digest(headers.get(PROOF, "").encode(), expected.encode()):
        return None
    order = RenderOrder.model_validate_json(body)
    return order if abs(now - order.ordered_at.astimezone(UTC)) <= VALID_FOR else None
