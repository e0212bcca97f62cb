"""`GET /api/platform/social-channels/connections`: which channels of a website are connected, and how it goes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from infra.domain.social_connections import configured_apps, decrypt_name
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context
from schemas.http.responses import ResponseModel
from schemas.social_networks import Network

router = APIRouter(
    prefix="/api/platform/social-channels",
    tags=["social"],
    dependencies=[READS_OWN_WRITES],
)


class SocialConnection(ResponseModel):
    """A channel's connection to an account on its network. The counts are those of the last successful reading."""

    channel_id: UUID
    name: str = Field(description="Of the account on the network")
    has_ended: bool = Field(description="The network no longer permits the reading: connect again")
    connected_at: datetime
    checked_at: datetime | None = Field(description="Null: not read yet")
    succeeded_at: datetime | None
    next_at: datetime | None
    problem: str | None = Field(description="Why the last reading failed")
    followers: int | None
    posts: int | None
    views: int | None = Field(description="Of all time; null where the network does not say")


class SocialConnections(ResponseModel):
    """The connections of a website's channels."""

    networks: list[Network] = Field(description="Those that this installation can connect to; empty: none")
    connections: list[SocialConnection]


_CONNECTIONS: Final = (
    "SELECT n.channel_id, n.name_sealed, n.next_at IS NULL AS has_ended, n.connected_at, n.checked_at, n.succeeded_at,"
    " n.next_at, n.problem, n.followers, n.posts, n.views FROM social.connection AS n"
    " JOIN read.social_channels AS c ON c.id = n.channel_id WHERE c.website_id = %s ORDER BY c.added_at, c.id"
)


@router.get("/connections")
def get_social_connections(
    context: Context, scope: CallerScope, website_id: Annotated[UUID, Query(alias="websiteId")]
) -> SocialConnections:
    """Oldest channel first."""
    website = scope.website(website_id)
    return SocialConnections(
        networks=list(configured_apps(context.settings)),
        connections=[
            SocialConnection.of_row(row, name=decrypt_name(context.settings, row["channel_id"], row["name_sealed"]))
            for row in scope.reader.rows(_CONNECTIONS, (website.id,))
        ],
    )
