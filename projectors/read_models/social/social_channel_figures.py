"""`read.social_channel_figures`: what sources report of social channels by day.

Readers take, for each figure of a day, that of the network's connection before that of a file.
"""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.social import SocialChannelFiguresRecorded, SocialChannelRemoved
from schemas.events.websites import WebsiteDisconnected

SOCIAL_CHANNEL_FIGURES: Final = ReadModel(
    name="social_channel_figures",
    version=1,
    columns=(
        "channel_id uuid",
        "day date",
        "source text",
        "website_id uuid not null",
        "followers bigint",
        "views bigint",
        "clicks bigint",
    ),
    key=("channel_id", "day", "source"),
    readers=OWN_WEBSITES,
    indexes=("website_id, day",),
)


@SOCIAL_CHANNEL_FIGURES.on(SocialChannelFiguresRecorded)
def recorded(rows: Rows, event: SocialChannelFiguresRecorded) -> None:
    for day in event.days:
        rows.put(
            channel_id=event.channel_id,
            source=event.source.value,
            website_id=event.website_id,
            **day.model_dump(exclude_none=True),
        )


SOCIAL_CHANNEL_FIGURES.ends(SocialChannelRemoved)
SOCIAL_CHANNEL_FIGURES.ends(WebsiteDisconnected, by="website_id")
