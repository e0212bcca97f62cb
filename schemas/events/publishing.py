"""Events of sites of the website builder: their documents, their pages and what is published.

A site belongs to a website, whose links it uses and whose figures its visitors count in. Each page is an aggregate of
its own, so that two people can edit two pages. Documents are JSON that `infra.domain.publishing.document` reads and
writes; a release names versions of them, so that an earlier one can be published again.

A subscriber of a site is an aggregate of the site and the address. The address is in no event: it lies sealed in
`leads.contact`, under the id of the aggregate, and goes with the subscription.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Personal


class SiteCreated(DomainEvent):
    """An account made a site for one of its websites."""

    NAME: ClassVar[str] = "site.created"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    website_id: UUID
    slug: str = Field(description="Its path on the tracking address: `/sites/{slug}/`")
    document: Personal[str] = Field(description="JSON of a `SiteDocument`")


class SiteSaved(DomainEvent):
    """The site's name, theme, menu or list of pages is different."""

    NAME: ClassVar[str] = "site.saved"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    document: Personal[str] = Field(description="JSON of a `SiteDocument`")
    restored_from: int | None = Field(default=None, description="The version that this one repeats")


class PageSaved(DomainEvent):
    """A page has other blocks."""

    NAME: ClassVar[str] = "page.saved"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    site_id: UUID
    document: Personal[str] = Field(description="JSON of a `PageDocument`")
    restored_from: int | None = Field(default=None, description="The version that this one repeats")


class SitePublished(DomainEvent):
    """Visitors see these versions of the site and its pages from now on."""

    NAME: ClassVar[str] = "site.published"
    account_id: UUID
    release: int = Field(ge=1, description="Counts the site's releases")
    site_version: int = Field(ge=1, description="The version of the site whose document is published")
    pages: Mapping[UUID, int] = Field(description="The version of each page")
    restored_from: int | None = Field(default=None, description="The release that this one repeats")


class SiteUnpublished(DomainEvent):
    """Visitors see nothing of the site."""

    NAME: ClassVar[str] = "site.unpublished"


class SiteMoved(DomainEvent):
    """The site is served under another address."""

    NAME: ClassVar[str] = "site.moved"
    slug: str = Field(description="As of `site.created`")
    domain_id: UUID | None = Field(description="The custom domain that serves it at its root; none: the slug alone")


class SiteTransferred(DomainEvent):
    """The site belongs to another account, with its sold website. Earlier versions and releases stay behind: they are
    encrypted for who had it before."""

    NAME: ClassVar[str] = "site.transferred"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID = Field(description="Whose site it is from now on")
    domain_id: UUID | None = Field(description="As of `site.moved`: the same domain has another id in that account")
    document: Personal[str] = Field(description="JSON of the `SiteDocument` that visitors see, else of the draft")


class SiteRemoved(DomainEvent):
    """The site, its pages and its releases are removed: by its owner, or with its website."""

    NAME: ClassVar[str] = "site.removed"


class SiteSubscriptionRequested(DomainEvent):
    """A person, perhaps the owner of the address, requested the newsletter of a site; the owner must confirm it."""

    NAME: ClassVar[str] = "site_subscription.requested"
    site_id: UUID
    account_id: UUID = Field(description="Of the site, whose list the address is on")
    page: str = Field(max_length=300, description="Path of the form's page")
    block: str = Field(max_length=60, description="The form's name in reports")


class SiteSubscriptionConfirmed(DomainEvent):
    """The owner of the address confirmed it by the emailed link: the account may write to it."""

    NAME: ClassVar[str] = "site_subscription.confirmed"


class SiteSubscriptionEnded(DomainEvent):
    """The address is deleted: by the subscriber, or by the account that has the site."""

    NAME: ClassVar[str] = "site_subscription.ended"
    way: Literal["page", "one_click", "account"]
