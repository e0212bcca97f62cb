"""Social channels: a website's presence on a social network, and what its tracked links say. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, conflict, invalid, not_found
from command_api.websites.model import Website, require_owned
from infra.kernel.text.hidden_characters import HIDDEN
from schemas.events.social import (
    MAX_CHANNEL_NAME,
    SocialChannelAdded,
    SocialChannelConnected,
    SocialChannelDisconnected,
    SocialChannelRemoved,
    SocialChannelRenamed,
)
from schemas.evolution import Evolution
from schemas.social_networks import RULES, BadHandle, Network, handle_of

MAX_CHANNELS: Final = 50
"""Channels of one website."""
MAX_CAMPAIGN: Final = 100


@dataclass(frozen=True, slots=True)
class SocialChannelAggregate:
    """State of one channel. `handle`: as the network knows it; `name`: what the owner calls it."""

    id: UUID
    version: int
    account_id: UUID
    website_id: UUID
    network: Network
    handle: str
    name: str
    added_at: datetime
    removed: bool = False


def add(
    channel_id: UUID,
    website: Website | None,
    others: Iterable[SocialChannelAggregate],
    *,
    network: Network,
    handle: str,
    name: str | None,
    context: CommandContext,
) -> SocialChannelAdded:
    """Adds a channel. `others`: the website's channels. Raises `CommandRejected` for a website of another account, a
    handle that the network does not have, and one that the website has already."""
    website = require_owned(website, context)
    handle = _free_handle(network, handle, others)
    return SocialChannelAdded(
        **first_event(channel_id, context),
        account_id=website.account_id,
        website_id=website.id,
        network=network,
        handle=handle,
        name=_checked_name(name) or _default_name(handle),
    )


def rename(
    channel: SocialChannelAggregate | None,
    website: Website | None,
    others: Iterable[SocialChannelAggregate],
    *,
    handle: str | None,
    name: str | None,
    context: CommandContext,
) -> list[SocialChannelRenamed]:
    """Renames the channel. `None` leaves a field as it is; an empty name is the handle again. Returns no events if
    nothing is different."""
    channel = require_active(channel, website, context)
    new = channel.handle
    if handle is not None:
        new = _free_handle(channel.network, handle, (one for one in others if one.id != channel.id))
    called = channel.name if name is None else _checked_name(name) or _default_name(new)
    if name is None and channel.name == _default_name(channel.handle):
        called = _default_name(new)
    if (new, called) == (channel.handle, channel.name):
        return []
    event = SocialChannelRenamed(**next_event(channel, context), account_id=channel.account_id, handle=new, name=called)
    return [event]


def remove(
    channel: SocialChannelAggregate | None, website: Website | None, context: CommandContext
) -> SocialChannelRemoved:
    channel = require_active(channel, website, context)
    return SocialChannelRemoved(**next_event(channel, context))


def connect(
    channel: SocialChannelAggregate | None, website: Website | None, name: str, context: CommandContext
) -> SocialChannelConnected:
    """Connects the channel. `name`: of the account on the network."""
    channel = require_active(channel, website, context)
    return SocialChannelConnected(**next_event(channel, context), account_id=channel.account_id, name=name)


def disconnect(
    channel: SocialChannelAggregate, reason: Literal["owner", "network"], context: CommandContext
) -> SocialChannelDisconnected:
    return SocialChannelDisconnected(**next_event(channel, context), reason=reason)


def transfer(channel: SocialChannelAggregate, account_id: UUID, context: CommandContext) -> SocialChannelRenamed:
    """Records the channel's names for the website's new owner; nothing else changes."""
    return SocialChannelRenamed(
        **next_event(channel, context), account_id=account_id, handle=channel.handle, name=channel.name
    )


def utm_of(channel: SocialChannelAggregate, slug: str, campaign: str | None) -> dict[str, str]:
    """The UTM parameters of a link of the channel. No campaign given: the link's slug, which names no person."""
    text = (campaign or "").strip()
    if len(text) > MAX_CAMPAIGN or (text and not text.isprintable()):
        raise invalid("bad_campaign", f"A campaign has at most {MAX_CAMPAIGN} printable characters.", "campaign")
    return {"utm_source": channel.network.value, "utm_medium": "social", "utm_campaign": text or slug}


def slugs_of(channel: SocialChannelAggregate, partner_slug: str, random: str) -> tuple[str, str]:
    """The slugs to try for a link of the channel: a short one that people can read, and one that is surely free."""
    short = f"{RULES[channel.network].slug}-{partner_slug}"[:24].rstrip("-")
    return short, f"{short}-{random}"


def require_active(
    channel: SocialChannelAggregate | None,
    website: Website | None,
    context: CommandContext,
    what: str = "social channel",
) -> SocialChannelAggregate:
    """Returns the channel. Raises `CommandRejected` (missing `what`) unless the actor may act for the website's
    owner."""
    if channel is None or channel.removed:
        raise not_found(what)
    require_owned(website, context, what)
    return channel


evolve: Final = (
    Evolution(SocialChannelAggregate)
    .begins(SocialChannelAdded, at="added_at")
    .follows(SocialChannelRenamed)
    .follows(SocialChannelRemoved, removed=True)
    .ignores(SocialChannelConnected, SocialChannelDisconnected)
)


def _free_handle(network: Network, text: str, others: Iterable[SocialChannelAggregate]) -> str:
    try:
        handle = handle_of(network, text)
    except BadHandle as error:
        raise invalid("bad_handle", str(error), "handle") from error
    if any((one.network, one.handle) == (network, handle) for one in others):
        raise conflict("channel_exists", f"@{handle} on {RULES[network].name} is already added.", "handle")
    return handle


def _default_name(handle: str) -> str:
    return f"@{handle}"


def _checked_name(name: str | None) -> str:
    name = " ".join((name or "").split())
    if len(name) > MAX_CHANNEL_NAME or HIDDEN.search(name):
        raise invalid("bad_name", f"A name has at most {MAX_CHANNEL_NAME} printable characters.", "name")
    return name
