"""`read.social_channels`: the social channels of websites."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.social import SocialChannelAdded, SocialChannelRemoved, SocialChannelRenamed
from schemas.events.websites import WebsiteDisconnected

SOCIAL_CHANNELS: Final = ReadModel(
    name="social_channels",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "network text not null",
        "handle text not null",
        "name text not null",
        "added_at timestamptz not null",
    ),
    key=("id",),
    readers=OWN_WEBSITES,
    indexes=("website_id, added_at",),
    personal=("handle", "name"),
)


SOCIAL_CHANNELS.begins(SocialChannelAdded, at="added_at")
SOCIAL_CHANNELS.follows(SocialChannelRenamed)
SOCIAL_CHANNELS.ends(SocialChannelRemoved)
SOCIAL_CHANNELS.ends(WebsiteDisconnected, by="website_id")
