"""Command handlers of watched listings, saved searches and their digests.

Sent listings are recorded in the transaction that queues the mail, so that neither a crash nor a second process repeats
them. A listing is found up to a week after its publication: the read model may be behind, or it may be verified later.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from command_api.accounts import model as accounts
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict, not_found
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.marketplace import commands, mails, questions, timeouts
from command_api.marketplace.listings import model as listings
from command_api.marketplace.listings.model import CURRENCY
from command_api.marketplace.lookups import require_watchlist_limit
from command_api.marketplace.questions import SavedSearch
from command_api.marketplace.schemas import SavedSearchState
from infra.domain.unsubscribe import unsubscribe_token
from schemas.currencies import digits
from schemas.events.marketplace import SavedSearchEnded, SearchCriteria, SearchSaved, WatchBegan
from schemas.identity import listing_watch_id
from schemas.listing_verification import IS_VERIFIED

MAX_SEARCHES: Final = 20
SEND_INTERVAL: Final = timedelta(days=1)
MAX_NAMED: Final = 20
"""Listings named in one mail; of others it gives the number."""
MAX_FOUND: Final = 1_000
_LOOKBACK: Final = timedelta(days=7)

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.WatchListing, senders="accounts")
def watch_listing(command: commands.WatchListing, uow: UnitOfWork) -> None:
    listing = listings.require_on_sale(uow.load(command.listing_id, listings.evolve))
    account_id = uow.context.require_account()
    entry = uow.load(listing_watch_id(account_id, listing.id), questions.evolve_watch)
    uow.append(*questions.watch(entry, account_id, listing.id, uow.context))


@HANDLERS.after(WatchBegan)
def require_room_on_watchlist(_: WatchBegan, uow: Appended) -> None:
    require_watchlist_limit(uow)


@HANDLERS.on(commands.UnwatchListing, senders="accounts")
def unwatch_listing(command: commands.UnwatchListing, uow: UnitOfWork) -> None:
    entry = uow.load(listing_watch_id(uow.context.require_account(), command.listing_id), questions.evolve_watch)
    uow.append(*questions.unwatch(entry, uow.context))


@HANDLERS.on(commands.SaveSearch, senders="accounts")
def save_search(command: commands.SaveSearch, uow: UnitOfWork) -> SavedSearchState:
    fields = command.fields
    criteria = SearchCriteria.model_validate(fields, from_attributes=True)
    uow.append(questions.save(command.search_id, fields.search.strip(), criteria, uow.context))
    return SavedSearchState(id=command.search_id)


@HANDLERS.on(commands.EndSavedSearch, senders="accounts")
def end_saved_search(command: commands.EndSavedSearch, uow: UnitOfWork) -> None:
    search = uow.load(command.search_id, questions.evolve_search)
    if search is not None and search.account_id != uow.context.account_id:
        raise not_found("saved search")
    uow.append(*questions.end_search(search, "page", uow.context))


@HANDLERS.on(commands.StopSavedSearch, senders="system")
def stop_saved_search(command: commands.StopSavedSearch, uow: UnitOfWork) -> None:
    uow.append(*questions.end_search(uow.load(command.search_id, questions.evolve_search), "one_click", uow.context))


@HANDLERS.on(commands.SendSearchDigest, senders="system")
def send_search_digest(command: commands.SendSearchDigest, uow: UnitOfWork) -> None:
    search, now = uow.load(command.search_id, questions.evolve_search), uow.context.at
    account = uow.load(search.account_id, accounts.evolve) if search is not None else None
    if search is None or search.ended or account is None or account.erased:
        _drop(uow, command.search_id)
        return
    looked_at = uow.select("SELECT looked_at FROM marketplace.saved_search WHERE search_id = %s", search.id)
    since = max([search.saved_at, *(row[0] - _LOOKBACK for row in looked_at)])
    new_listings = _new_listings(uow, search, since) if account.may_sign_in else []
    if new_listings:
        to, app_url = mails.Recipient(account.email, account.id), uow.settings.app_url
        stop_url = f"{app_url}{mails.STOP_PATH}{unsubscribe_token(uow.settings, 'saved_search', search.id)}"
        more = max(0, len(new_listings) - MAX_NAMED)
        uow.send(mails.new_listings(to, app_url, new_listings[:MAX_NAMED], more, stop_url))
    uow.cursor.execute(_SENT, (now, search.id))
    uow.set_timeout(timeouts.SEARCH_DIGEST, search.id, now + SEND_INTERVAL)


@HANDLERS.after(SearchSaved)
def plan_digest(event: SearchSaved, uow: Appended) -> None:
    """Sets the time of the first digest. Raises `CommandRejected` when the account has too many searches."""
    if len(uow.select("SELECT FROM marketplace.saved_search WHERE account_id = %s", event.account_id)) >= MAX_SEARCHES:
        raise conflict("too_many_searches", f"At most {MAX_SEARCHES} searches can be saved.")
    uow.cursor.execute(_SAVE, (event.originator_id, event.account_id, uow.context.at))
    uow.set_timeout(timeouts.SEARCH_DIGEST, event.originator_id, uow.context.at + SEND_INTERVAL)


@HANDLERS.after(SavedSearchEnded)
def end_digest(event: SavedSearchEnded, uow: Appended) -> None:
    _drop(uow, event.originator_id)


def _drop(uow: UnitOfWork, search_id: UUID) -> None:
    uow.cursor.execute(_DROP, (search_id,))
    uow.set_timeout(timeouts.SEARCH_DIGEST, search_id, None)


def _new_listings(uow: UnitOfWork, search: SavedSearch, since: datetime) -> list[mails.NewListing]:
    """Listings published since then that were not sent before; marks them as sent."""
    criteria, unit = search.criteria, 10 ** digits(CURRENCY)
    values = {
        "search_id": search.id,
        "account": search.account_id,
        "since": since,
        "words": like_pattern(search.search.lower()),
        "niche": criteria.niche,
        "least": criteria.min_price * unit if criteria.min_price is not None else None,
        "most": criteria.max_price * unit if criteria.max_price is not None else None,
        "verified": criteria.verified,
        "limit": MAX_FOUND,
    }
    new_listings = [mails.NewListing(row["id"], row["title"]) for row in uow.cursor.execute(_MATCHING, values)]
    uow.cursor.executemany(_MARK_SENT, [(search.id, one.listing_id) for one in new_listings])
    return new_listings


def like_pattern(words: str) -> str | None:
    """A LIKE pattern that matches the words literally; None: no restriction."""
    if not words.strip():
        return None
    for sign in ("\\", "%", "_"):
        words = words.replace(sign, f"\\{sign}")
    return f"%{words.strip()}%"


_SAVE: Final = "INSERT INTO marketplace.saved_search (search_id, account_id, looked_at) VALUES (%s, %s, %s)"
_DROP: Final = "DELETE FROM marketplace.saved_search WHERE search_id = %s"
_MATCHING: Final = f"""
SELECT id, title FROM read.listings AS l
WHERE status = 'active' AND published_at >= %(since)s AND seller_id <> %(account)s
  AND (%(words)s::text IS NULL OR title_lower LIKE %(words)s)
  AND (%(niche)s::text IS NULL OR niche = %(niche)s)
  AND (%(least)s::bigint IS NULL OR asking_price >= %(least)s)
  AND (%(most)s::bigint IS NULL OR asking_price <= %(most)s)
  AND (NOT %(verified)s OR {IS_VERIFIED})
  AND NOT EXISTS (
    SELECT FROM marketplace.saved_search_notice AS n WHERE n.search_id = %(search_id)s AND n.listing_id = l.id)
ORDER BY published_at DESC, id LIMIT %(limit)s"""  # noqa: S608 - own text
_MARK_SENT: Final = (
    "INSERT INTO marketplace.saved_search_notice (search_id, listing_id) VALUES (%s, %s) ON CONFLICT DO NOTHING"
)
_SENT: Final = "UPDATE marketplace.saved_search SET looked_at = %s WHERE search_id = %s"
