"""Command handlers of social channels, their posts and figures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import require_found, state_after
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import CommandRejected
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.links import commands as link_commands
from command_api.links import handlers as links
from command_api.links.model import checked_slug, random_slug
from command_api.links.schemas import CreateLink
from command_api.partners import model as partners
from command_api.partners import slug_reservation
from command_api.social import commands, csv_files, figures, model, posts
from command_api.social.lookups import channels_of, count_posts, posts_of, require_channel_limit, require_post_limit
from command_api.social.schemas import ImportedSocialFile, SocialPost, to_post, to_response
from command_api.websites import model as websites
from schemas.base import DomainEvent
from schemas.events.social import FigureSource, SocialChannelRemoved, SocialPostRemoved
from schemas.events.websites import WebsiteDisconnected, WebsiteTransferred
from schemas.http.links import Link
from schemas.http.social import SocialChannel
from schemas.identity import slug_id
from schemas.social_posts import BadPostAddress, content_of, post_at, post_id

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
    require_channel_limit(uow.append(added), website.id)
    return to_response(model.evolve(None, added))


@HANDLERS.on(commands.RenameSocialChannel, senders="accounts")
def rename_social_channel(command: commands.RenameSocialChannel, uow: UnitOfWork) -> SocialChannel:
    channel, website = _load(uow, command.channel_id)
    others = _channels(uow, channel.website_id)
    fields = command.fields
    events = model.rename(channel, website, others, handle=fields.handle, name=fields.name, context=uow.context)
    return to_response(uow.advance(model.evolve, channel, events))


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
    link_fields = CreateLink.model_validate(
        {"websiteId": channel.website_id, "partnerId": partner.id, "destination": fields.destination, "slug": slug}
    )
    utm = model.utm_of(channel, slug, fields.campaign)
    if fields.post_id is not None:
        post = posts.require_of(uow.load(fields.post_id, posts.evolve), channel)
        utm["utm_content"] = content_of(post.id)
    return links.create_link(link_commands.CreateLink(command.link_id, link_fields, utm, channel.id), uow)


@HANDLERS.on(commands.AddSocialPost, senders="accounts")
def add_social_post(command: commands.AddSocialPost, uow: UnitOfWork) -> SocialPost:
    channel, website = _load_active(uow, command.channel_id)
    fields = command.fields
    address = posts.address_of(channel.network, fields.address)
    id_ = post_id(channel.id, address.key)
    current = uow.load(id_, posts.evolve)
    added = posts.add(
        id_,
        current,
        channel,
        website,
        address=address.address,
        title=fields.title,
        published_at=fields.published_at,
        context=uow.context,
    )
    require_post_limit(uow.append(added), channel.id)
    return to_post(posts.evolve(current, added))


@HANDLERS.on(commands.ChangeSocialPost, senders="accounts")
def change_social_post(command: commands.ChangeSocialPost, uow: UnitOfWork) -> SocialPost:
    post, website = _load_post(uow, command.post_id)
    fields = command.fields
    events = posts.change(post, website, title=fields.title, published_at=fields.published_at, context=uow.context)
    return to_post(uow.advance(posts.evolve, post, events))


@HANDLERS.on(commands.SetSocialPostPicture, senders="accounts")
def set_social_post_picture(command: commands.SetSocialPostPicture, uow: UnitOfWork) -> SocialPost:
    post, website = _load_post(uow, command.post_id)
    picture = command.picture
    events = posts.set_picture(post, website, picture.hash if picture is not None else None, uow.context)
    uow.append(*events)
    if events and picture is None:
        uow.cursor.execute(_DROP_IMAGE, (post.id,))
    if events and picture is not None:
        uow.cursor.execute(
            _SAVE_IMAGE, (post.id, post.website_id, picture.hash, picture.width, picture.height, picture.body)
        )
    return to_post(state_after(posts.evolve, post, events))


@HANDLERS.on(commands.RemoveSocialPost, senders="accounts")
def remove_social_post(command: commands.RemoveSocialPost, uow: UnitOfWork) -> None:
    post, website = _load_post(uow, command.post_id)
    uow.append(posts.remove(post, website, uow.context))


@HANDLERS.on(commands.RecordChannelFigures, senders="system")
def record_channel_figures(command: commands.RecordChannelFigures, uow: UnitOfWork) -> int:
    channel, _ = _load_active(uow, command.channel_id)
    recorded = uow.load(figures.figures_id(channel.id, command.source), figures.evolve)
    events = figures.record(recorded, channel, command.source, command.days, uow.context)
    uow.append(*events)
    return sum(len(event.days) for event in events)


@HANDLERS.on(commands.RecordSocialPosts, senders="system")
def record_social_posts(command: commands.RecordSocialPosts, uow: UnitOfWork) -> commands.RecordedPosts:
    channel, website = _load_active(uow, command.channel_id)
    return _record_posts(uow, channel, website, command.source, command.as_of, command.posts)


@HANDLERS.on(commands.ImportSocialFile, senders="accounts")
def import_social_file(command: commands.ImportSocialFile, uow: UnitOfWork) -> ImportedSocialFile:
    channel, website = _load_active(uow, command.channel_id)
    today = uow.context.at.date()
    file = csv_files.parse(channel.network, command.csv, today)
    recorded = uow.load(figures.figures_id(channel.id, FigureSource.CSV), figures.evolve)
    of_days = figures.record(recorded, channel, FigureSource.CSV, file.days, uow.context)
    of_posts = _record_posts(uow, channel, website, FigureSource.CSV, today, file.posts)
    uow.append(*of_days)
    return ImportedSocialFile(
        days=sum(len(event.days) for event in of_days),
        posts_added=of_posts.added,
        posts_changed=of_posts.changed,
        left_out=of_posts.skipped + file.left_out,
    )


@HANDLERS.before(SocialPostRemoved)
def drop_image_of_post(event: SocialPostRemoved, uow: UnitOfWork) -> None:
    uow.cursor.execute(_DROP_IMAGE, (event.originator_id,))


@HANDLERS.before(SocialChannelRemoved)
def drop_images_of_channel(event: SocialChannelRemoved, uow: UnitOfWork) -> None:
    uow.cursor.execute(_DROP_IMAGES_OF_CHANNEL, (event.originator_id,))


@HANDLERS.before(WebsiteDisconnected)
def drop_images_of_website(event: WebsiteDisconnected, uow: UnitOfWork) -> None:
    uow.cursor.execute(_DROP_IMAGES_OF_WEBSITE, (event.originator_id,))


@HANDLERS.before(WebsiteTransferred)
def transfer_channels(event: WebsiteTransferred, uow: UnitOfWork) -> None:
    """Moves channels and their posts with the website."""
    for channel in _channels(uow, event.originator_id):
        uow.append(model.transfer(channel, event.account_id, uow.context))
    for id_ in posts_of(uow, event.originator_id):
        post = uow.load(id_, posts.evolve)
        if post is not None and not post.removed:
            uow.append(posts.transfer(post, event.account_id, uow.context))


def _record_posts(
    uow: UnitOfWork,
    channel: model.SocialChannelAggregate,
    website: websites.Website,
    source: FigureSource,
    as_of: date,
    found_posts: Sequence[commands.FoundPost],
) -> commands.RecordedPosts:
    events: dict[UUID, list[DomainEvent]] = {}
    free, added, changed, skipped = posts.MAX_POSTS - count_posts(uow, channel.id), 0, 0, 0
    for found_post in found_posts:
        try:
            named = post_at(channel.network, found_post.address)
        except BadPostAddress:
            skipped += 1
            continue
        id_ = post_id(channel.id, named.key)
        post = uow.load(id_, posts.evolve) if id_ not in events else None
        if id_ in events or (post is not None and post.removed):
            skipped += 1
            continue
        new: list[DomainEvent] = []
        if post is None:
            if found_post.published_at is None or free <= added:
                skipped += 1
                continue
            try:
                event = posts.add(
                    id_,
                    None,
                    channel,
                    website,
                    address=named.address,
                    title=posts.short_title(found_post.title),
                    published_at=found_post.published_at,
                    context=uow.context,
                )
            except CommandRejected:
                skipped += 1
                continue
            added += 1
            new.append(event)
            post = posts.evolve(None, event)
        recorded = posts.record_figures(post, source, as_of, found_post.figures, uow.context)
        changed += len(recorded)
        events[id_] = [*new, *recorded]
    uow.append(*(event for of_post in events.values() for event in of_post))
    return commands.RecordedPosts(added, changed, skipped)


def _load_active(uow: UnitOfWork, channel_id: UUID) -> tuple[model.SocialChannelAggregate, websites.Website]:
    channel, website = _load(uow, channel_id)
    return model.require_active(channel, website, uow.context), websites.require_owned(website, uow.context)


def _load_post(uow: UnitOfWork, id_: UUID) -> tuple[posts.SocialPostAggregate, websites.Website]:
    post = require_found(uow.load(id_, posts.evolve), "post")
    channel, website = _load(uow, post.channel_id)
    model.require_active(channel, website, uow.context, "post")
    return posts.require_active(post, website, uow.context), websites.require_owned(website, uow.context)


def _load(uow: UnitOfWork, channel_id: UUID) -> tuple[model.SocialChannelAggregate, websites.Website | None]:
    channel = require_found(uow.load(channel_id, model.evolve), "social channel")
    return channel, uow.load(channel.website_id, websites.evolve)


def _channels(uow: UnitOfWork, website_id: UUID) -> list[model.SocialChannelAggregate]:
    channels = (uow.load(id_, model.evolve) for id_ in channels_of(uow, website_id))
    return [channel for channel in channels if channel is not None]


def _free_slug(uow: UnitOfWork, channel: model.SocialChannelAggregate, partner_slug: str) -> str:
    short, longer = model.slugs_of(channel, partner_slug, random_slug()[:4])
    reservation = uow.load(slug_id("link", short), slug_reservation.evolve)
    return short if reservation is None or reservation.owner_id is None else longer


_SAVE_IMAGE: Final = (
    "INSERT INTO social.post_image (post_id, website_id, hash, width, height, body) VALUES (%s, %s, %s, %s, %s, %s)"
    " ON CONFLICT (post_id) DO UPDATE SET hash = excluded.hash, width = excluded.width, height = excluded.height,"
    " body = excluded.body"
)
_DROP_IMAGE: Final = "DELETE FROM social.post_image WHERE post_id = %s"
_DROP_IMAGES_OF_CHANNEL: Final = (
    "DELETE FROM social.post_image WHERE post_id IN (SELECT post_id FROM lookup.social_post WHERE channel_id = %s)"
)
_DROP_IMAGES_OF_WEBSITE: Final = "DELETE FROM social.post_image WHERE website_id = %s"
