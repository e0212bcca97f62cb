"""A site follows its sold website: its documents are saved again for the new owner. Pure.

Documents are encrypted for who saved them, so those of the seller end with the seller's account. What visitors see
comes first and is the new owner's first release; the draft follows where it differs. Earlier versions stay behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from command_api.kernel.aggregates import next_event
from command_api.kernel.decision import CommandContext, event_metadata
from command_api.publishing.pages import PageAggregate
from command_api.publishing.sites import Site
from schemas.base import DomainEvent
from schemas.events.publishing import PageSaved, SitePublished, SiteSaved, SiteTransferred


@dataclass(frozen=True, slots=True)
class SiteContent:
    """JSON of a site's document, and of its pages by id."""

    site: str
    pages: Mapping[UUID, str]


def transfer_site(
    site: Site,
    pages: Mapping[UUID, PageAggregate],
    shown: SiteContent | None,
    *,
    account_id: UUID,
    domain_id: UUID | None,
    context: CommandContext,
) -> list[DomainEvent]:
    """Moves the site to another account. `pages`: those of the draft and of what is shown. `shown`: what visitors see;
    none: nothing is published. `domain_id`: of its custom domain in the new account."""
    draft = SiteContent(site.document, {page_id: page.document for page_id, page in pages.items()})
    first = shown or draft
    moved = SiteTransferred(
        **next_event(site, context), account_id=account_id, domain_id=domain_id, document=first.site
    )
    versions = {page_id: page.version for page_id, page in pages.items()}

    def save(page_id: UUID, document: str) -> PageSaved:
        head = event_metadata(page_id, versions[page_id], context)
        versions[page_id] += 1
        return PageSaved(**head, account_id=account_id, site_id=site.id, document=document)

    events: list[DomainEvent] = [moved, *(save(page_id, text) for page_id, text in first.pages.items())]
    steps = 1
    if shown is not None:
        published = SitePublished(
            **next_event(site, context, after=steps),
            account_id=account_id,
            release=1,
            site_version=moved.originator_version,
            pages={page_id: versions[page_id] for page_id in shown.pages},
        )
        events.append(published)
        steps += 1
    if draft.site != first.site:
        events.append(SiteSaved(**next_event(site, context, after=steps), account_id=account_id, document=draft.site))
    changed = {page_id: text for page_id, text in draft.pages.items() if first.pages.get(page_id) != text}
    return [*events, *(save(page_id, text) for page_id, text in changed.items())]
