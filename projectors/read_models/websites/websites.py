"""`read.websites`: the websites that accounts connected, with the zone and currency their numbers are shown in.

`max_claim_amount` and `max_claims_per_click` are null until the owner sets them: `schemas.claim_limits` holds then.
"""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account_website
from schemas.base import ERASED
from schemas.events.accounts import AccountErased
from schemas.events.websites import (
    DEFAULT_AD_CLICK_ID_DAYS,
    AttributionModel,
    WebsiteConnected,
    WebsiteDisconnected,
    WebsiteTransferred,
    WebsiteUpdated,
)
from schemas.networks import TxidScope

WEBSITES: Final = ReadModel(
    name="websites",
    version=6,
    columns=(
        "id uuid",
        "account_id uuid not null",
        "domain text not null",
        "timezone text not null",
        "currency text not null",
        "attribution_model text not null",
        "max_claim_amount bigint",
        "max_claims_per_click integer",
        "link_click_ids boolean not null default false",
        "link_impressions_every integer not null default 0",
        "txid_scope text not null default 'website'",
        "keep_ad_click_ids boolean not null default false",
        f"ad_click_id_days integer not null default {DEFAULT_AD_CLICK_ID_DAYS}",
        "ad_click_ids_need_consent boolean not null default false",
        "created_at timestamptz not null",
        "deleted_at timestamptz",
    ),
    key=("id",),
    readers=own_account_website("account_id", "id"),
    indexes=("account_id", "domain"),
    personal=("domain",),
)

WEBSITES.begins(
    WebsiteConnected,
    at="created_at",
    attribution_model=AttributionModel.LAST_CLICK.value,
    link_click_ids=False,
    link_impressions_every=0,
    txid_scope=TxidScope.WEBSITE.value,
    keep_ad_click_ids=False,
    ad_click_id_days=DEFAULT_AD_CLICK_ID_DAYS,
    ad_click_ids_need_consent=False,
)
WEBSITES.follows(WebsiteUpdated, keeps=True)
WEBSITES.follows(WebsiteTransferred)
WEBSITES.follows(WebsiteDisconnected, at="deleted_at")
WEBSITES.follows(AccountErased, by="account_id", domain=ERASED)
