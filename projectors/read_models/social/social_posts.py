"""`read.social_posts`: the posts of social channels."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.social import (
    SocialChannelRemoved,
    SocialPostAdded,
    SocialPostChanged,
    SocialPostPictureChanged,
    SocialPostRemoved,
    SocialPostTransferred,
)
from schemas.events.websites import WebsiteDisconnected

SOCIAL_POSTS: Final = ReadModel(
    name="social_posts",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "channel_id uuid not null",
        "address text not null",
        "title text not null",
        "published_at timestamptz not null",
        "picture text",
    ),
    key=("id",),
    readers=OWN_WEBSITES,
    indexes=("website_id, published_at", "channel_id"),
    personal=("address", "title"),
)


SOCIAL_POSTS.begins(SocialPostAdded)
SOCIAL_POSTS.follows(SocialPostChanged)
SOCIAL_POSTS.follows(SocialPostTransferred)
SOCIAL_POSTS.follows(SocialPostPictureChanged)
SOCIAL_POSTS.ends(SocialPostRemoved)
SOCIAL_POSTS.ends(SocialChannelRemoved, by="channel_id")
SOCIAL_POSTS.ends(WebsiteDisconnected, by="website_id")
