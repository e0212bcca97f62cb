"""`read.social_post_figures`: the last totals of each post, by the source that reported them.

Readers take, for each figure, that of the network's connection before that of a file.
"""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.social import SocialChannelRemoved, SocialPostFiguresRecorded, SocialPostRemoved
from schemas.events.websites import WebsiteDisconnected

SOCIAL_POST_FIGURES: Final = ReadModel(
    name="social_post_figures",
    version=1,
    columns=(
        "post_id uuid",
        "source text",
        "website_id uuid not null",
        "channel_id uuid not null",
        "as_of date not null",
        "views bigint",
        "likes bigint",
        "comments bigint",
        "clicks bigint",
    ),
    key=("post_id", "source"),
    readers=OWN_WEBSITES,
    indexes=("website_id", "channel_id"),
)


@SOCIAL_POST_FIGURES.on(SocialPostFiguresRecorded)
def recorded(rows: Rows, event: SocialPostFiguresRecorded) -> None:
    rows.put(
        post_id=event.originator_id,
        source=event.source.value,
        website_id=event.website_id,
        channel_id=event.channel_id,
        as_of=event.as_of,
        **event.figures.model_dump(exclude_none=True),
    )


SOCIAL_POST_FIGURES.ends(SocialPostRemoved)
SOCIAL_POST_FIGURES.ends(SocialChannelRemoved, by="channel_id")
SOCIAL_POST_FIGURES.ends(WebsiteDisconnected, by="website_id")
