"""What happens to websites: a publisher's properties, to which everything measured belongs."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import ClassVar
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Personal


class KeyKind(StrEnum):
    """What a website's key may do (tracking API, "Keys")."""

    SITE = "site"
    SECRET = "secret"  # noqa: S105 - a kind of key, not one
    POSTBACK = "postback"


class AttributionModel(StrEnum):
    """Which click earns a conversion when several could."""

    LAST_CLICK = "last_click"
    FIRST_CLICK = "first_click"


class WebsiteConnected(DomainEvent):
    """An account connected a website. Its numbers are shown in this time zone and currency."""

    NAME: ClassVar[str] = "website.connected"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    domain: Personal[str] = Field(description="Host name, lower case, IDNA-encoded, without scheme, port or path")
    timezone: str = Field(description="IANA name")
    currency: str = Field(pattern=r"^[A-Z]{3}$")


class WebsiteUpdated(DomainEvent):
    """Settings of the website changed; a field that is none stayed as it was."""

    NAME: ClassVar[str] = "website.updated"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID | None = Field(default=None, description="The owner; none: from before the domain was encrypted")
    domain: Personal[str | None] = None
    timezone: str | None = None
    attribution_model: AttributionModel | None = None
    max_claim_amount: int | None = Field(
        default=None, ge=1, description="Minor units of its currency that the public site key may claim at once"
    )
    max_claims_per_click: int | None = Field(
        default=None, ge=1, description="Transactions that one click may claim within an hour with the site key"
    )


class WebsiteDisconnected(DomainEvent):
    """The owner removed the website: its keys stop working; what was measured stays in the log."""

    NAME: ClassVar[str] = "website.disconnected"
    owner_erased: bool = Field(default=False, description="With the owner's account: its links are blanked as well")


class WebsiteKeyIssued(DomainEvent):
    """A key was made. Only its SHA-256 is kept; the public site key alone is also kept as it is."""

    NAME: ClassVar[str] = "website.key_issued"
    key_id: UUID
    kind: KeyKind
    key_hash: str = Field(pattern="^[0-9a-f]{64}$", description="SHA-256 of the whole key")
    last4: str
    public_key: str | None = Field(default=None, description="The key itself, for kind `site` only")
    allowed_origins: tuple[str, ...] = Field(default=(), description="For kind `site`: empty = any origin")


class WebsiteKeyRevoked(DomainEvent):
    """A key stopped working."""

    NAME: ClassVar[str] = "website.key_revoked"
    key_id: UUID


class ClaimsUnusual(DomainEvent):
    """The public site key reports far more transactions than it usually does. Raised at most once a day."""

    NAME: ClassVar[str] = "website.claims_unusual"
    website_id: UUID
    account_id: UUID = Field(description="The website's owner")
    hour: datetime = Field(description="Beginning of the hour (UTC) in which the limit was passed")
    claims: int = Field(description="Claims in that hour until then")
    usual: int = Field(description="Claims of a usual hour of the seven days before, rounded up")
