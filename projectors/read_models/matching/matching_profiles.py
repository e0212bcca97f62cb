"""`read.matching_profiles`: each account's business idea, as it was analyzed last, and a model's words for the programs
that suit it. For that account alone."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account
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
    personal=("business_idea", "wording", "words"),
)


MATCHING_PROFILES.puts(
    BusinessAnalyzed,
    ("account_id", "business_idea", "industry", "difficulty", "monetization", "wording", "method", "silent"),
    lambda event: {"analyzed_at": event.timestamp},
    words="",
    words_silent="",
)


@MATCHING_PROFILES.on(RecommendationsWorded)
def worded(rows: Rows, event: RecommendationsWorded) -> None:
    rows.update({"account_id": event.account_id}, words=event.words, words_silent=event.silent)


MATCHING_PROFILES.sets(AccountErased, business_idea=ERASED, wording=ERASED, words=ERASED)
