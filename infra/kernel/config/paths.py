"""The paths of the parts of the product that are not Python: in a checkout, or inside the installed package.

A wheel has them in `infra/parts` (`infra/ops/release/build_hook.py` puts them there); in a checkout they are where
`make` builds and fetches them. No other module of an installed product knows a path outside its own package.
"""

from pathlib import Path
from typing import Final

PACKAGES: Final = Path(__file__).resolve().parents[3]
"""The folder of the product's packages: the checkout, or `site-packages`."""
ROOT: Final = PACKAGES
"""The checkout: for tests and for the tools that write its files. An installed product has none."""
BUILD: Final = ROOT / ".build"
"""The folder of what `make` fetches and builds in a checkout besides the Python packages."""
PARTS: Final = PACKAGES / "infra" / "parts"
IS_INSTALLED: Final = PARTS.is_dir()

WEB: Final = PARTS / "web" if IS_INSTALLED else ROOT / "web" / "dist"
"""The built web app."""
KAFKA_JARS: Final = PARTS / "kafka" if IS_INSTALLED else BUILD / "kafka"
COUNTRY_DATABASE: Final = (
    PARTS / "geo" if IS_INSTALLED else BUILD / "geo" / "node_modules" / "@ip-location-db" / "geo-whois-asn-country-mmdb"
) / "geo-whois-asn-country.mmdb"
"""The CC0 country database, with IPv4 and IPv6 in one file."""

REQUIREMENTS_LOCK: Final = (PARTS if IS_INSTALLED else ROOT) / "requirements.lock"
"""The exact packages, with hashes, that the product is tested with."""


def kafka_archive(data_dir: Path) -> Path:
    """The archive of Kafka's classes (`infra.ops.stack.engines.kafka_archive`). It fits one Java only, so that no wheel
    has it: an installed product makes it in its data directory, a checkout once for all data directories."""
    return (data_dir if IS_INSTALLED else BUILD) / "kafka.jsa"
