"""`/api/platform/social-channels` and `social-posts`: channels with links, posts and files of figures."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from fastapi import APIRouter, Response

from command_api.kernel.http import Id, Runs
from command_api.kernel.images.uploads import IMAGE_BODY, SentImage, UploadedImage, process
from command_api.kernel.rate_limits import Limit, consume
from command_api.social import commands, posts
from command_api.social.schemas import (
    AddSocialChannel,
    AddSocialPost,
    ChangeSocialPost,
    CreateSocialLink,
    ImportedSocialFile,
    ImportSocialFile,
    RenameSocialChannel,
    SocialPost,
)
from command_api.websites import model as websites
from infra.kernel.http.route_costs import DOCUMENT, costs
from schemas.http.links import Link
from schemas.http.social import SocialChannel
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform", tags=["social"])

IMAGES: Final = Limit("social-image", timedelta(seconds=10), 40)
FILES: Final = Limit("social-file", timedelta(seconds=30), 20)


@router.post("/social-channels", status_code=201, response_model=SocialChannel)
def add_social_channel(body: AddSocialChannel, run: Runs) -> Response:
    """Adds a channel by its handle or address on the network."""
    return run(commands.AddSocialChannel(uuid7(), body), body, status=201)


@router.patch("/social-channels/{id}", response_model=SocialChannel)
def rename_social_channel(channel_id: Id, body: RenameSocialChannel, run: Runs) -> Response:
    """Changes its name, or its handle after the network changed it."""
    return run(commands.RenameSocialChannel(channel_id, body), body)


@router.delete("/social-channels/{id}", status_code=204)
def remove_social_channel(channel_id: Id, run: Runs) -> Response:
    """Removes the channel. Its links go on working."""
    return run(commands.RemoveSocialChannel(channel_id), status=204)


@router.post("/social-channels/{id}/links", status_code=201, response_model=Link)
def create_social_link(channel_id: Id, body: CreateSocialLink, run: Runs) -> Response:
    """Creates a tracked link with a short slug. Its clicks get `utm_source`, `utm_medium` and `utm_campaign`."""
    return run(commands.CreateSocialLink(channel_id, uuid7(), body), body, status=201, is_consistent=True)


@router.post("/social-channels/{id}/posts", status_code=201, response_model=SocialPost)
def add_social_post(channel_id: Id, body: AddSocialPost, run: Runs) -> Response:
    """Adds a post by its address on the channel's network."""
    return run(commands.AddSocialPost(channel_id, body), body, status=201, is_consistent=True)


@router.post("/social-channels/{id}/figures", response_model=ImportedSocialFile, openapi_extra=costs(DOCUMENT))
def import_social_file(channel_id: Id, body: ImportSocialFile, run: Runs) -> Response:
    """Imports a CSV file that the channel's network exported, in English. The same file changes nothing again."""
    consume(run.container.pool, FILES, str(run.person.account_id))
    return run(commands.ImportSocialFile(channel_id, body.csv), body, is_consistent=True)


@router.patch("/social-posts/{id}", response_model=SocialPost)
def change_social_post(post_id: Id, body: ChangeSocialPost, run: Runs) -> Response:
    """Changes its title or the time of its publication."""
    return run(commands.ChangeSocialPost(post_id, body), body, is_consistent=True)


@router.delete("/social-posts/{id}", status_code=204)
def remove_social_post(post_id: Id, run: Runs) -> Response:
    """Removes the post. Its links go on working."""
    return run(commands.RemoveSocialPost(post_id), status=204, is_consistent=True)


@router.post("/social-posts/{id}/images", response_model=SocialPost, openapi_extra=IMAGE_BODY)
def set_social_post_picture(post_id: Id, sent: SentImage, run: Runs) -> Response:
    """Gives the post a picture, the file itself as the body: JPEG, PNG or WebP, at most 5 MB."""
    post = run.container.load(post_id, posts.evolve)
    website = run.container.load(post.website_id, websites.evolve) if post is not None else None
    posts.require_active(post, website, run.context)
    consume(run.container.pool, IMAGES, str(run.person.account_id))
    picture = process(sent)
    identity = UploadedImage(hash=picture.hash)
    return run(commands.SetSocialPostPicture(post_id, picture), identity, is_consistent=True)


@router.delete("/social-posts/{id}/images", response_model=SocialPost)
def drop_social_post_picture(post_id: Id, run: Runs) -> Response:
    """Takes the picture away."""
    return run(commands.SetSocialPostPicture(post_id, None), is_consistent=True)
