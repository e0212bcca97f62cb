"""`althing demo remove`: takes the demonstration out of an installation, and nothing else.

Its mark are names that nothing real can have: email addresses and domains under `demo.example`, which nobody can own
(RFC 2606), and partners `demo-…` at such an address. What its admin wrote has no address; that is found by its words.
The commands are those that people send; events stay in the log, and no website shows them any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, LiteralString
from uuid import UUID

from command_api.accounts.erasure import erase_account
from command_api.analytics.views.commands import RemoveView
from command_api.forum.commands import DeletePostAsModerator
from command_api.kernel.command_handlers import Command
from command_api.kernel.container import Container
from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.marketplace.commands import CancelDirectDeal
from command_api.marketplace.escrow.commands import CancelDeal
from command_api.partners.commands import RemovePartner, RemovePrivatePartner
from command_api.websites.commands import DisconnectWebsite
from infra.kernel.security.client_info import Client
from infra.ops.demo import forum, plan, records

_REASON: Final = "The demonstration was removed."


class NotRemoved(Exception):
    """One sentence: what prevents the removal."""


@dataclass(frozen=True, slots=True)
class Marked:
    """Returns what of the demonstration is there: the key of each thing, and whose it is (None: the installation's)."""

    accounts: tuple[UUID, ...]
    websites: tuple[tuple[UUID, UUID], ...]
    partners: tuple[tuple[UUID, UUID | None], ...]
    deals: tuple[tuple[UUID, UUID], ...]
    direct_deals: tuple[tuple[UUID, UUID], ...]
    posts: tuple[UUID, ...]
    views: tuple[tuple[UUID, UUID], ...]

    @property
    def count(self) -> int:
        """The number of things that a person would miss."""
        return sum(map(len, (self.accounts, self.websites, self.partners, self.posts, self.views)))


def find(container: Container) -> Marked:
    """Returns what carries the mark."""

    def rows(query: LiteralString, *values: Any) -> tuple[Any, ...]:
        return tuple(container.select(query, *values))

    accounts = [row[0] for row in rows(_ACCOUNTS, f"%@{plan.MARK}")]
    texts = [thread.title for thread in forum.THREADS] + [forum.HELD[1]]
    return Marked(
        accounts=tuple(accounts),
        websites=rows(_WEBSITES, f"%.{plan.MARK}", accounts),
        partners=rows(_PARTNERS, [partner.slug for partner in (*plan.PARTNERS, plan.PRIVATE_PARTNER)]),
        deals=rows(_DEALS, accounts, accounts),
        direct_deals=rows(_DIRECT_DEALS, accounts, accounts),
        posts=tuple(row[0] for row in rows(_POSTS, texts, accounts)),
        views=rows(_VIEWS, [view[0] for view in records.VIEWS]),
    )


def remove(container: Container, found: Marked) -> None:
    """Removes it; a second run continues one that was interrupted. Raises `NotRemoved` when a deal that is paid is in
    the way."""
    for command, owner in _commands(found):
        _dispatch(container, command, owner)
    for account_id in found.accounts:
        try:
            erase_account(container, account_id, Client())
        except CommandRejected as rejected:
            raise NotRemoved(f"A member of the demonstration cannot be erased: {rejected.message}") from rejected


def _commands(found: Marked) -> Iterator[tuple[Command[Any], UUID | None]]:
    """In the order in which one needs the other gone. The owner: None is an admin."""
    ends: tuple[tuple[Callable[..., Command[Any]], tuple[tuple[UUID, UUID], ...]], ...] = (
        (lambda key: CancelDeal(offer_id=key), found.deals),
        (lambda key: CancelDirectDeal(offer_id=key), found.direct_deals),
        (lambda key: RemoveView(view_id=key), found.views),
        (lambda key: DisconnectWebsite(website_id=key), found.websites),
    )
    for command, things in ends:
        for key, owner in things:
            yield command(key), owner
    for key in found.posts:
        yield DeletePostAsModerator(post_id=key, reason=_REASON), None
    for key, owner_of_private in found.partners:
        of_kind = RemovePartner if owner_of_private is None else RemovePrivatePartner
        yield of_kind(partner_id=key), owner_of_private


def _dispatch(container: Container, command: Command[Any], owner: UUID | None) -> None:
    """Passes over what another run has removed already."""
    context = CommandContext(datetime.now(UTC), owner, is_admin=owner is None)
    try:
        container.commands.dispatch(command, context)
    except CommandRejected as rejected:
        if rejected.kind != "missing":
            raise NotRemoved(f"{type(command).__name__}: {rejected.message}") from rejected


_ACCOUNTS: Final = "SELECT id FROM read.accounts WHERE email LIKE %s AND erased_at IS NULL ORDER BY id"
_WEBSITES: Final = (
    "SELECT id, account_id FROM read.websites WHERE domain LIKE %s AND deleted_at IS NULL AND account_id <> ALL(%s)"
    " ORDER BY id"
)
"""Those of its members end with their accounts."""
_PARTNERS: Final = (
    "SELECT id, account_id FROM read.partners WHERE removed_at IS NULL AND base_url = ANY("
    " SELECT 'https://' || slug || '.example' FROM unnest(%s::text[]) AS slug) ORDER BY id"
)
_DEALS: Final = (
    "SELECT id, seller_id FROM read.offers WHERE seller_id = ANY(%s) AND buyer_id = ANY(%s)"
    " AND escrow_id IN (SELECT escrow_id FROM lookup.escrow WHERE is_open) ORDER BY id"
)
_DIRECT_DEALS: Final = (
    "SELECT id, seller_id FROM read.offers WHERE seller_id = ANY(%s) AND buyer_id = ANY(%s)"
    " AND escrow_id IN (SELECT deal_id FROM lookup.direct_deal WHERE is_open) ORDER BY id"
)
_POSTS: Final = (
    "SELECT first_post_id FROM read.forum_threads JOIN read.forum_posts AS post ON post.id = first_post_id"
    " WHERE title = ANY(%s) AND post.state <> 'deleted' AND (post.author_id = ANY(%s) OR post.author_id IN"
    " (SELECT id FROM read.accounts WHERE 'admin' = ANY(roles))) ORDER BY first_post_id"
)
_VIEWS: Final = "SELECT id, account_id FROM read.saved_views WHERE name = ANY(%s) AND removed_at IS NULL ORDER BY id"
