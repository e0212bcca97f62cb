"""The APIs of the ad platforms that accept conversions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from command_api.destinations.platforms.ad_api import AdApi
from command_api.destinations.platforms.google_ads import GoogleAdsConversions
from command_api.destinations.platforms.meta import MetaConversions
from command_api.destinations.platforms.microsoft import MicrosoftConversions
from command_api.destinations.platforms.tiktok import TikTokEvents
from schemas.events.destinations import AdPlatform

AD_APIS: Final[Mapping[AdPlatform, AdApi]] = {
    api.platform: api for api in (GoogleAdsConversions(), MicrosoftConversions(), MetaConversions(), TikTokEvents())
}
