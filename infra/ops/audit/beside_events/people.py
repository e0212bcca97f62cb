"""Rows that hold what belongs to people: pictures of posts, connections, files of payouts, addresses, handles."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final

from infra.domain.payout_files import opened
from infra.kernel.config.settings import Settings
from infra.kernel.postgres.rows import Row
from infra.kernel.security.encryption import DecryptionError
from infra.ops.audit.beside_events.fold import ANYTHING, KeptTable, OneOf, TableFold, Tables, same
from infra.ops.audit.beside_events.marketplace import PICTURE
from schemas.base import ERASED
from schemas.events import leads, publishing, social
from schemas.events.accounts import AccountErased
from schemas.events.conversions import PayoutFileAttached, PayoutFileRemoved
from schemas.events.forum import ForumMemberJoined
from schemas.events.websites import WebsiteDisconnected, WebsiteTransferred

_PICTURES: Final = "social.post_image"
_CONNECTIONS: Final = "social.connection"
_PAYOUTS: Final = "conversions.payout_file"
_CONTACTS: Final = "leads.contact"


def _opened_file(settings: Settings, row: Row) -> Row:
    """Returns the row with the digest of the content in its place."""
    try:
        digest = sha256(opened(settings, row["payout_id"], row.pop("sealed"))).hexdigest()
    except (DecryptionError, ValueError):
        digest = "unreadable"
    return {**row, "sha256": digest}


PEOPLE: Final = TableFold(
    (
        KeptTable(_PICTURES, ("post_id",), {**same("post_id", "website_id", "hash"), "is_whole": PICTURE}),
        KeptTable(_CONNECTIONS, ("channel_id",), same("channel_id", "account_id", "network", "connected_at")),
        KeptTable(_PAYOUTS, ("payout_id",), same("payout_id", "website_id", "file_id", "sealed"), read=_opened_file),
        KeptTable(
            _CONTACTS,
            ("id",),
            {**same("id", "kind", "site_id", "account_id", "place"), "is_confirmed": "confirmed_at IS NOT NULL"},
        ),
        KeptTable("forum.member", ("account_id",), same("account_id", "handle"), personal=("handle",)),
    ),
    memory={"channel": ("channel_id",), "post": ("post_id",), "site": ("site_id",)},
)


@PEOPLE.on(social.SocialChannelAdded)
def _channel_added(tables: Tables, event: social.SocialChannelAdded) -> None:
    tables["channel"].put(channel_id=event.originator_id, website_id=event.website_id, network=event.network.value)


@PEOPLE.on(social.SocialChannelConnected)
def _connected(tables: Tables, event: social.SocialChannelConnected) -> None:
    channel = tables["channel"].get(channel_id=event.originator_id) or {}
    tables[_CONNECTIONS].put(
        channel_id=event.originator_id,
        account_id=event.account_id,
        website_id=channel.get("website_id"),
        network=channel.get("network"),
        connected_at=event.timestamp,
    )


@PEOPLE.on(social.SocialChannelDisconnected)
def _disconnected(tables: Tables, event: social.SocialChannelDisconnected) -> None:
    """Deletes a connection that the owner has ended. One that the network has ended is shown with the problem until the
    owner ends it, too."""
    if event.reason == "owner":
        tables[_CONNECTIONS].delete(channel_id=event.originator_id)


@PEOPLE.on(social.SocialPostAdded)
def _post_added(tables: Tables, event: social.SocialPostAdded) -> None:
    tables["post"].put(post_id=event.originator_id, channel_id=event.channel_id, website_id=event.website_id)


@PEOPLE.on(social.SocialPostPictureChanged)
def _picture_changed(tables: Tables, event: social.SocialPostPictureChanged) -> None:
    post = tables["post"].get(post_id=event.originator_id)
    if event.picture is None or post is None:
        tables[_PICTURES].delete(post_id=event.originator_id)
    else:
        tables[_PICTURES].put(**post, hash=event.picture, is_whole=True)


@PEOPLE.on(social.SocialPostRemoved)
def _post_removed(tables: Tables, event: social.SocialPostRemoved) -> None:
    for name in ("post", _PICTURES):
        tables[name].delete(post_id=event.originator_id)


@PEOPLE.on(social.SocialChannelRemoved)
def _channel_removed(tables: Tables, event: social.SocialChannelRemoved) -> None:
    for name in ("channel", "post", _PICTURES, _CONNECTIONS):
        tables[name].delete(channel_id=event.originator_id)


@PEOPLE.on(PayoutFileAttached)
def _file_attached(tables: Tables, event: PayoutFileAttached) -> None:
    tables[_PAYOUTS].put(
        payout_id=event.originator_id,
        website_id=event.website_id,
        file_id=event.file.id,
        sha256=event.file.sha256,
    )


@PEOPLE.on(PayoutFileRemoved)
def _file_removed(tables: Tables, event: PayoutFileRemoved) -> None:
    tables[_PAYOUTS].delete(payout_id=event.originator_id)


@PEOPLE.on(WebsiteDisconnected)
def _website_disconnected(tables: Tables, event: WebsiteDisconnected) -> None:
    for name in ("channel", "post", _PICTURES, _CONNECTIONS):
        tables[name].delete(website_id=event.originator_id)
    if event.owner_erased:
        tables[_PAYOUTS].delete(website_id=event.originator_id)


@PEOPLE.on(WebsiteTransferred)
def _website_transferred(tables: Tables, event: WebsiteTransferred) -> None:
    """Connections and files of the seller go."""
    for name in (_CONNECTIONS, _PAYOUTS):
        tables[name].delete(website_id=event.originator_id)


@PEOPLE.on(AccountErased)
def _erased(tables: Tables, event: AccountErased) -> None:
    tables[_CONNECTIONS].delete(account_id=event.originator_id)
    tables["forum.member"].update({"account_id": event.originator_id}, handle=None)


@PEOPLE.on(ForumMemberJoined)
def _joined(tables: Tables, event: ForumMemberJoined) -> None:
    """Expects the member; of an erased one only the hash of the handle stays."""
    handle = ANYTHING if event.handle == ERASED else event.handle
    tables["forum.member"].put(account_id=event.account_id, handle=handle)


@PEOPLE.on(leads.SubscriptionRequested)
def _newsletter_requested(tables: Tables, event: leads.SubscriptionRequested) -> None:
    _requested(tables, event, kind="newsletter")


@PEOPLE.on(leads.EarlyAccessJoined)
def _early_access_joined(tables: Tables, event: leads.EarlyAccessJoined) -> None:
    place = None if event.place is None else OneOf((None, event.place))
    tables[_CONTACTS].put(id=event.originator_id, kind="early_access", place=place, is_confirmed=False)


@PEOPLE.on(leads.EarlyAccessPromoted)
def _promoted(tables: Tables, event: leads.EarlyAccessPromoted) -> None:
    tables[_CONTACTS].update({"id": event.originator_id}, place=event.place)


@PEOPLE.on(publishing.SiteCreated)
def _site_created(tables: Tables, event: publishing.SiteCreated) -> None:
    tables["site"].put(site_id=event.originator_id, account_id=event.account_id)


@PEOPLE.on(publishing.SiteTransferred)
def _site_transferred(tables: Tables, event: publishing.SiteTransferred) -> None:
    for name in ("site", _CONTACTS):
        tables[name].update({"site_id": event.originator_id}, account_id=event.account_id)


@PEOPLE.on(publishing.SiteRemoved)
def _site_removed(tables: Tables, event: publishing.SiteRemoved) -> None:
    for name in ("site", _CONTACTS):
        tables[name].delete(site_id=event.originator_id)


@PEOPLE.on(publishing.SiteSubscriptionRequested)
def _list_requested(tables: Tables, event: publishing.SiteSubscriptionRequested) -> None:
    site = tables["site"].get(site_id=event.site_id)
    if site is not None:
        _requested(tables, event, kind="site_newsletter", **site)


@PEOPLE.on(leads.SubscriptionConfirmed, leads.EarlyAccessConfirmed, publishing.SiteSubscriptionConfirmed)
def _confirmed(tables: Tables, event: Any) -> None:
    tables[_CONTACTS].update({"id": event.originator_id}, is_confirmed=True, optional=False)


@PEOPLE.on(leads.SubscriptionEnded, leads.EarlyAccessLeft, publishing.SiteSubscriptionEnded)
def _ended(tables: Tables, event: Any) -> None:
    tables[_CONTACTS].delete(id=event.originator_id)


def _requested(tables: Tables, event: Any, **columns: Any) -> None:
    """Expects the contact, which retention may delete until it is confirmed."""
    tables[_CONTACTS].put(id=event.originator_id, is_confirmed=False, optional=True, **columns)
