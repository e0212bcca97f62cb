"""Inline projection `website_owners`: the owner of each connected website."""

from __future__ import annotations

from typing import Final

from command_api.kernel.decision import conflict
from command_api.kernel.inline_projection import InlineProjection, Table
from command_api.kernel.unit_of_work import Appended
from command_api.websites.model import MAX_PER_ACCOUNT
from schemas.events.websites import WebsiteConnected, WebsiteDisconnected, WebsiteTransferred

WEBSITE_TABLE: Final = Table(
    "website",
    columns=("website_id uuid not null", "account_id uuid not null"),
    key=("website_id",),
    indexes=("account_id",),
)
WEBSITE_OWNERS: Final = InlineProjection("website_owners", version=1, tables=(WEBSITE_TABLE,))


WEBSITE_TABLE.begins(WebsiteConnected)
WEBSITE_TABLE.follows(WebsiteTransferred)
WEBSITE_TABLE.ends(WebsiteDisconnected)


def require_website_limit(uow: Appended) -> None:
    """Raises `CommandRejected` when the sender's account has too many websites."""
    rows = uow.select("SELECT FROM lookup.website WHERE account_id = %s", uow.context.account_id)
    if len(rows) > MAX_PER_ACCOUNT:
        raise conflict("too_many_websites", f"An account has at most {MAX_PER_ACCOUNT} websites.", "domain")
