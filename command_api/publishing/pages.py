"""Page aggregate: the blocks of one page of a site. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from command_api.kernel.decision import CommandContext, conflict, event_metadata, not_found
from infra.domain.publishing.document import PageDocument, to_json
from schemas.events.publishing import PageSaved
from schemas.evolution import Evolution


@dataclass(frozen=True, slots=True)
class PageAggregate:
    """State of a page."""

    id: UUID
    version: int
    site_id: UUID
    document: str


def save(
    page_id: UUID,
    page: PageAggregate | None,
    document: PageDocument,
    *,
    site_id: UUID,
    account_id: UUID,
    based_on: int,
    restored_from: int | None,
    context: CommandContext,
) -> list[PageSaved]:
    """Saves the blocks. `based_on`: the version that its author changed, 0 for a new page. Raises `CommandRejected`
    `page_changed` if another one was saved since, and (missing) for a page of another site; nothing happens if the
    document is the same."""
    if page is not None and page.site_id != site_id:
        raise not_found("page")
    text = to_json(document).decode()
    if page is not None and text == page.document:
        return []
    version = page.version if page is not None else 0
    if based_on != version:
        raise conflict(
            "page_changed",
            "This page was changed elsewhere. Reload it, or save your copy over it.",
            version=version,
        )
    return [
        PageSaved(
            **event_metadata(page_id, version, context),
            account_id=account_id,
            site_id=site_id,
            document=text,
            restored_from=restored_from,
        )
    ]


evolve: Final = Evolution(PageAggregate).begins(PageSaved)
