"""`/api/platform/social-channels`: add, rename and remove social channels, and create their tracked links."""

from __future__ import annotations

from fastapi import APIRouter, Response

from command_api.kernel.http import Id, Runs
from command_api.links.routes import CONSISTENT_WITH
from command_api.links.schemas import Link
from command_api.social import commands
from command_api.social.schemas import AddSocialChannel, CreateSocialLink, RenameSocialChannel, SocialChannel
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/social-channels", tags=["social"])


@router.post("", status_code=201, response_model=SocialChannel)
def add_social_channel(body: AddSocialChannel, run: Runs) -> Response:
    """Adds a channel by its handle or address on the network."""
    return run(commands.AddSocialChannel(uuid7(), body), body, status=201)


@router.patch("/{id}", response_model=SocialChannel)
def rename_social_channel(channel_id: Id, body: RenameSocialChannel, run: Runs) -> Response:
    """Changes its name, or its handle after the network changed it."""
    return run(commands.RenameSocialChannel(channel_id, body), body)


@router.delete("/{id}", status_code=204)
def remove_social_channel(channel_id: Id, run: Runs) -> Response:
    """Removes the channel. Its links go on working."""
    return run(commands.RemoveSocialChannel(channel_id), status=204)


@router.post("/{id}/links", status_code=201, response_model=Link)
def create_social_link(channel_id: Id, body: CreateSocialLink, run: Runs) -> Response:
    """Creates a tracked link with a short slug. Its clicks get `utm_source`, `utm_medium` and `utm_campaign`."""
    return run(commands.CreateSocialLink(channel_id, uuid7(), body), body, status=201, consistent_with=CONSISTENT_WITH)
