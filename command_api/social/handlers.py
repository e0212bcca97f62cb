"""Command handlers of social channels."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from command_api.kernel import slug_reservation
from command_api.kernel.aggregates import require_found, state_after
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.links import commands as link_commands
from command_api.links import handlers as links
from command_api.links.model import checked_slug, random_slug
from command_api.links.schemas import CreateLink, Link
from command_api.partners import model as partners
from command_api.social import commands, model
from command_api.social.lookups import channels_of, require_channel_limit
from command_api.social.schemas import SocialChannel, to_response
from command_api.websites import model as websites
from schemas.identity import slug_id

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.AddSocialChannel, senders="accounts")
def add_social_channel(command: commands.AddSocialChannel, uow: UnitOfWork) -> SocialChannel:
    fields = command.fields
    website = websites.require_owned(uow.load(fields.website_id, websites.evolve), uow.context)
    added = model.add(
        command.channel_id,
        website,
        _channels(uow, website.id),
        network=fields.network,
        handle=fields.handle,
        name=fields.name,
        context=uow.context,
    )
    uow.append(added)
    require_channel_limit(uow, website.id)
    return to_response(model.evolve(None, added))


@HANDLERS.on(commands.RenameSocialChannel, senders="accounts")
def rename_social_channel(command: commands.RenameSocialChannel, uow: UnitOfWork) -> SocialChannel:
    channel, website = _load(uow, command.channel_id)
    others = _channels(uow, channel.website_id)
    fields = command.fields
    events = model.rename(channel, website, others, handle=fields.handle, name=fields.name, context=uow.context)
    uow.append(*events)
    return to_response(state_after(model.evolve, channel, events))


@HANDLERS.on(commands.RemoveSocialChannel, senders="accounts")
def remove_social_channel(command: commands.RemoveSocialChannel, uow: UnitOfWork) -> None:
    channel, website = _load(uow, command.channel_id)
    uow.append(model.remove(channel, website, uow.context))


@HANDLERS.on(commands.CreateSocialLink, senders="accounts")
def create_social_link(command: commands.CreateSocialLink, uow: UnitOfWork) -> Link:
    channel, website = _load(uow, command.channel_id)
    channel = model.require_active(channel, website, uow.context)
    fields = command.fields
    partner = require_found(uow.load(fields.partner_id, partners.evolve), "partner")
    slug = checked_slug(fields.slug) if fields.slug is not None else _free_slug(uow, channel, partner.slug)
    wanted = CreateLink.model_validate(
        {"websiteId": channel.website_id, "partnerId": partner.id, "destination": fields.destination, "slug": slug}
    )
    utm = model.utm_of(channel, slug, fields.campaign)
    return links.create_link(link_commands.CreateLink(command.link_id, wanted, utm, channel.id), uow)


def _load(uow: UnitOfWork, channel_id: UUID) -> tuple[model.SocialChannel, websites.Website | None]:
    channel = require_found(uow.load(channel_id, model.evolve), "social channel")
    return channel, uow.load(channel.website_id, websites.evolve)


def _channels(uow: UnitOfWork, website_id: UUID) -> list[model.SocialChannel]:
    found = (uow.load(id_, model.evolve) for id_ in channels_of(uow, website_id))
    return [channel for channel in found if channel is not None]


def _free_slug(uow: UnitOfWork, channel: model.SocialChannel, partner_slug: str) -> str:
    short, longer = model.slugs_of(channel, partner_slug, random_slug()[:4])
    claim = uow.load(slug_id("link", short), slug_reservation.evolve)
    return short if claim is None or claim.owner_id is None else longer
