"""Read models beside listings: `read.market_steps` (their and the deals' history), `read.sellers`,
`read.listing_questions`, `read.listing_watches` and `read.saved_searches`."""

from __future__ import annotations

from typing import Final, Literal
from uuid import UUID, uuid5

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import QUESTIONS, STEPS, own_account, shown_or_own
from schemas.base import ERASED, REGISTRY, DomainEvent, Money
from schemas.currencies import amount_text
from schemas.events import marketplace
from schemas.events.accounts import AccountErased, AccountRegistered, AccountRenamed, DisplayNameChanged

MARKET_STEPS: Final = ReadModel(
    name="market_steps",
    version=2,
    columns=(
        "id uuid",
        "aggregate_id uuid not null",
        "number int not null",
        "kind text not null",
        "by text not null",
        "at timestamptz not null",
        "detail text not null",
        "about_id uuid",
    ),
    key=("id",),
    readers=STEPS,
    indexes=("aggregate_id, at, number", "about_id"),
    personal=("detail",),
)

SELLERS: Final = ReadModel(
    name="sellers",
    version=2,
    columns=(
        "account_id uuid",
        "name text not null",
        "has_display_name boolean not null default false",
        "member_since timestamptz not null",
        "sold int not null default 0",
        "took_part boolean not null default false",
    ),
    key=("account_id",),
    readers=shown_or_own("took_part", "account_id"),
    personal=("name",),
)
"""A row for every account, so that a name is known when its owner first takes part; others see it from then on."""

LISTING_QUESTIONS: Final = ReadModel(
    name="listing_questions",
    version=2,
    columns=(
        "id uuid",
        "listing_id uuid not null",
        "seller_id uuid not null",
        "author_id uuid not null",
        "text text not null",
        "asked_at timestamptz not null",
        "answer text",
        "answered_at timestamptz",
        "flags int not null default 0",
        "hidden_at timestamptz",
    ),
    key=("id",),
    fixed=(
        "author_id",
        "text",
    ),
    readers=QUESTIONS,
    indexes=("listing_id, asked_at, id", "author_id", "seller_id", "flags"),
    personal=("text", "answer"),
)

LISTING_WATCHES: Final = ReadModel(
    name="listing_watches",
    version=1,
    columns=(
        "id uuid",
        "account_id uuid not null",
        "listing_id uuid not null",
        "began_at timestamptz not null",
        "ended_at timestamptz",
    ),
    key=("id",),
    readers=own_account("account_id"),
    indexes=("account_id, began_at",),
)

SAVED_SEARCHES: Final = ReadModel(
    name="saved_searches",
    version=1,
    columns=(
        "id uuid",
        "account_id uuid not null",
        "search text not null",
        "niche text",
        "min_price bigint",
        "max_price bigint",
        "verified boolean not null",
        "created_at timestamptz not null",
        "ended_at timestamptz",
    ),
    key=("id",),
    readers=own_account("account_id"),
    indexes=("account_id, created_at",),
    personal=("search",),
)

By = Literal["buyer", "seller", "admin", "reviewer", "system", "provider"]


def _by(event: DomainEvent) -> By:
    side = getattr(event, "side", None)
    if side in ("buyer", "seller", "admin"):
        by: By = side
        return by
    if getattr(event, "by_reviewer", False):
        return "reviewer"
    actor: By = _ACTORS.get(event.NAME, "seller")
    return actor if event.actor_id is not None or actor == "provider" else "system"


_ACTORS: Final[dict[str, By]] = {
    **dict.fromkeys(("listing.approved", "listing.rejected", "listing.suspended", "listing.resumed"), "admin"),
    **dict.fromkeys(("listing.expired", "listing.verified", "listing.not_verified", "offer.expired"), "system"),
    **dict.fromkeys(("listing.reserved", "listing.freed", "listing.in_escrow", "listing.sold"), "system"),
    **dict.fromkeys(("offer.sent", "offer.withdrawn", "escrow.inspection_began", "escrow.accepted"), "buyer"),
    **dict.fromkeys(("escrow.opened", "escrow.funded", "escrow.released", "escrow.refunded"), "provider"),
    **dict.fromkeys(("offer.transfer_declined", "offer.transfer_accepted"), "buyer"),
    "escrow.agreed": "system",
    "escrow.decided": "admin",
    "listing.reviewer_joined": "reviewer",
    "direct_deal.agreed": "system",
    "direct_deal.reminded": "system",
    "direct_deal.completed": "system",
    "direct_deal.closed": "admin",
}
"""The acting role by event; events that are not listed are the seller's."""


def _detail(event: DomainEvent) -> str:
    for field in ("price", "to_seller"):
        money = getattr(event, field, None)
        if isinstance(money, Money):
            return amount_text(money.amount, money.currency)
    reason = getattr(event, "reason", "")
    return str(reason)


def _about(event: DomainEvent) -> UUID | None:
    """Whom an admin wrote the detail about; none where it is no free text."""
    return event.seller_id if isinstance(event, marketplace.ListingRejected | marketplace.ListingSuspended) else None


MARKET_STEPS.follows(AccountErased, by="about_id", detail=ERASED)


def _keep_history(event_class: type[DomainEvent]) -> None:
    @MARKET_STEPS.on(event_class)
    def happened(rows: Rows, event: DomainEvent) -> None:
        rows.put(
            id=uuid5(event.originator_id, str(event.originator_version)),
            aggregate_id=event.originator_id,
            number=event.originator_version,
            kind=event.NAME,
            by=_by(event),
            at=event.timestamp,
            detail=_detail(event),
            about_id=_about(event),
        )


for _event_class in list(REGISTRY.values()):
    if _event_class.__module__ == marketplace.__name__ and _event_class.NAME.startswith(
        ("listing.", "offer.", "escrow.", "direct_deal.")
    ):
        _keep_history(_event_class)


SELLERS.begins(AccountRegistered, at="member_since")


@SELLERS.on(AccountRenamed)
def renamed(rows: Rows, event: AccountRenamed) -> None:
    """A display name stays."""
    rows.update({"account_id": event.originator_id, "has_display_name": False}, name=event.name)


SELLERS.follows(DisplayNameChanged, takes={"has_display_name": "chosen"})
SELLERS.follows(AccountErased, name=ERASED)
SELLERS.adds(marketplace.ListingSold, lambda event: event.seller_id, sold=1)
SELLERS.follows(marketplace.ListingReviewerJoined, of="seller_id", took_part=True)
SELLERS.follows(marketplace.ListingApproved, of="seller_id", took_part=True)
SELLERS.follows(marketplace.OfferSent, of="buyer_id", took_part=True)
SELLERS.follows(marketplace.QuestionAsked, of="author_id", took_part=True)
LISTING_QUESTIONS.begins(marketplace.QuestionAsked, at="asked_at")
LISTING_QUESTIONS.follows(marketplace.QuestionAnswered, at="answered_at", takes={"answer": "text"})
LISTING_QUESTIONS.adds(marketplace.QuestionFlagged, flags=1)


@LISTING_QUESTIONS.on(marketplace.QuestionHidden)
def hidden(rows: Rows, event: marketplace.QuestionHidden) -> None:
    """Hides the question. By members' flags: then it waits for an admin. By an admin: then nothing is left to
    decide."""
    rows.update({"id": event.originator_id}, hidden_at=event.timestamp)
    if event.actor_id is not None:
        rows.update({"id": event.originator_id}, flags=0)


LISTING_QUESTIONS.follows(marketplace.QuestionRestored, hidden_at=None, flags=0)


@LISTING_QUESTIONS.on(AccountErased)
def author_erased(rows: Rows, event: AccountErased) -> None:
    rows.update({"author_id": event.originator_id}, text=ERASED)
    rows.update({"seller_id": event.originator_id}, answer=ERASED)


LISTING_WATCHES.begins(marketplace.WatchBegan, at="began_at", ended_at=None)
LISTING_WATCHES.follows(marketplace.WatchEnded, at="ended_at")
SAVED_SEARCHES.begins(marketplace.SearchSaved, lambda event: event.criteria.model_dump(), at="created_at")
SAVED_SEARCHES.follows(marketplace.SavedSearchEnded, at="ended_at", search="")
SAVED_SEARCHES.follows(AccountErased, by="account_id", search=ERASED)
