"""The click ids that advertising networks add to the address of a landing page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NETWORKS: Final[Mapping[str, str]] = {
    "gclid": "Google Ads",
    "gbraid": "Google Ads",
    "wbraid": "Google Ads",
    "dclid": "Google Marketing Platform",
    "msclkid": "Microsoft Advertising",
    "fbclid": "Meta",
    "ttclid": "TikTok",
    "twclid": "X",
    "li_fat_id": "LinkedIn",
    "rdt_cid": "Reddit",
    "epik": "Pinterest",
    "ScCid": "Snapchat",
    "yclid": "Yandex Direct",
}
"""The network by parameter, as the network writes it; it is found in any case."""
