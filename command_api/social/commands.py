"""Commands of social channels."""

from __future__ import annotations

from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.links.schemas import Link
from command_api.social import schemas
from command_api.social.schemas import SocialChannel


class AddSocialChannel(Command[SocialChannel]):
    """Adds a channel to a website of the sender."""

    channel_id: UUID
    fields: schemas.AddSocialChannel


class RenameSocialChannel(Command[SocialChannel]):
    """Changes its handle or what its owner calls it."""

    channel_id: UUID
    fields: schemas.RenameSocialChannel


class RemoveSocialChannel(Command[None]):
    """Removes the channel; its links go on working and keep their figures."""

    channel_id: UUID


class CreateSocialLink(Command[Link]):
    """Creates a tracked link of the channel, whose clicks carry the channel's UTM parameters."""

    channel_id: UUID
    link_id: UUID
    fields: schemas.CreateSocialLink
