"""`read.matching_profiles`: each account's business idea, as it was analyzed last, and a model's words for the programs
that suit it. For that account alone."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import own_account
from schemas.base import ERASED
from schemas.events.accounts import AccountErased
from schemas.events.matching import BusinessAnalyzed, RecommendationsWorded

MATCHING_PROFILES: Final = ReadModel(
    name="matching_profiles",
    version=2,
    columns=(
        "account_id uuid",
        "business_idea text not null",
        "industry text not null",
        "difficulty text not null",
        "monetization text not null",
        "wording text not null",
        "method text not null",
        "silent text not null",
        "words text not null default ''",
        "words_silent text not null default ''",
        "analyzed_at timestamptz not null",
    ),
    key=("account_id",),
    readers=own_account("account_id"),
)


@MATCHING_PROFILES.on(BusinessAnalyzed)
def analyzed(rows: Rows, event: BusinessAnalyzed) -> None:
    rows.put(
        account_id=event.account_id,
        business_idea=event.business_idea,
        industry=event.industry,
        difficulty=event.difficulty,
        monetization=event.monetization,
        wording=event.wording,
        method=event.method,
        silent=event.silent,
        words="",
        words_silent="",
        analyzed_at=event.timestamp,
    )


@MATCHING_PROFILES.on(RecommendationsWorded)
def worded(rows: Rows, event: RecommendationsWorded) -> None:
    rows.update({"account_id": event.account_id}, words=event.words, words_silent=event.silent)


@MATCHING_PROFILES.on(AccountErased)
def erased(rows: Rows, event: AccountErased) -> None:
    rows.update({"account_id": event.originator_id}, business_idea=ERASED, wording=ERASED, words=ERASED)
