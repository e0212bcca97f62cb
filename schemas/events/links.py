"""What happens to links: tracked links of a website to a partner, `/go/{slug}`."""

from __future__ import annotations

from typing import ClassVar
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent


class LinkCreated(DomainEvent):
    """A tracked link was made."""

    NAME: ClassVar[str] = "link.created"
    website_id: UUID
    partner_id: UUID
    slug: str
    code: int = Field(ge=0, lt=2**48, description="Random number that stands for the link in click ids")
    destination: str = Field(description="May hold macros such as {click_id}")
    subs: dict[str, str] = Field(default_factory=dict, description="sub1..sub10 that every click of the link carries")
    coupon: str | None = Field(default=None, description="Upper case; sales that name it belong to this link")


class LinkUpdated(DomainEvent):
    """The link changed; a field that is none stayed as it was."""

    NAME: ClassVar[str] = "link.updated"
    destination: str | None = None
    subs: dict[str, str] | None = None
    coupon: str | None = None
    is_active: bool | None = None


class LinkDeleted(DomainEvent):
    """The link stopped redirecting; its slug is not given out again."""

    NAME: ClassVar[str] = "link.deleted"
