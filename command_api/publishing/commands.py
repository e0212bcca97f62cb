"""Commands of sites and their pages."""

from __future__ import annotations

from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.kernel.images.model import WebpImage
from command_api.publishing.schemas import ImageState, NewSite, SaveDocument, SiteAddress
from schemas.http.publishing import PageState, SiteState


class CreateSite(Command[SiteState]):
    """Makes a site of a website of the sender: from a starter, or with an empty home page."""

    site_id: UUID
    fields: NewSite


class SaveSite(Command[SiteState]):
    """Saves the site's document: name, theme, menu, list of pages."""

    site_id: UUID
    fields: SaveDocument


class SavePage(Command[PageState]):
    """Saves the blocks of a page. `document`: JSON of the page in `fields`, checked and in its normal form."""

    site_id: UUID
    page_id: UUID
    fields: SaveDocument
    document: str


class PublishSite(Command[SiteState]):
    """Shows visitors what is saved now. `allows_placeholders`: also texts in square brackets that nobody filled in."""

    site_id: UUID
    allows_placeholders: bool = False


class PublishRelease(Command[SiteState]):
    """Shows visitors an earlier release again."""

    site_id: UUID
    release: int


class UnpublishSite(Command[SiteState]):
    """Shows visitors nothing."""

    site_id: UUID


class MoveSite(Command[SiteState]):
    """Serves the site under another address."""

    site_id: UUID
    fields: SiteAddress


Serving = PublishSite | PublishRelease | MoveSite
"""Commands that serve pages, which are rendered before (`command_api.publishing.rendering`)."""


class RemoveSite(Command[None]):
    """Removes the site with its pages, releases and images."""

    site_id: UUID


class AddSiteImage(Command[ImageState]):
    """Stores an image for the site's pages. `narrow`: its copy for narrow screens."""

    site_id: UUID
    picture: WebpImage
    narrow: WebpImage | None = None
