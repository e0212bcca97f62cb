"""`read.matching_profiles`: each account's business idea, as it was analyzed last, and a model's words for the programs
that suit it. For that account alone."""

from __future__ import annotations

from typing import Final

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
    fixed=("silent",),
    readers=own_account("account_id"),
    personal=("business_idea", "wording", "words"),
)


MATCHING_PROFILES.begins(BusinessAnalyzed, at="analyzed_at", words="", words_silent="")
MATCHING_PROFILES.follows(RecommendationsWorded, takes={"words_silent": "silent"}, of="account_id")
MATCHING_PROFILES.follows(AccountErased, business_idea=ERASED, wording=ERASED, words=ERASED)
