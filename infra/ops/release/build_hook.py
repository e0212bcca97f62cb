"""Puts the parts of the product that are not Python into the wheel and the sdist: the built web app, Kafka's jars, the
country database and the locked requirements. `infra.kernel.config.paths` finds them there.

The build backend (hatchling) loads this file by its path; it imports nothing of the product. The sdist has the parts,
too: a wheel is built from it without Node and Maven.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TARGET: Final = "infra/parts"
LOCK: Final = "requirements.lock"
PARTS: Final = {
    "web/dist": "web",
    ".build/kafka": "kafka",
    ".build/geo/node_modules/@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb": (
        "geo/geo-whois-asn-country.mmdb"
    ),
    LOCK: LOCK,
}
"""The place of each part in a checkout, and in `TARGET`."""


class Parts(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's parameter is of no use here
    """The hook that `pyproject.toml` names."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the parts to the archive. Raises `FileNotFoundError` for one that is not built."""
        if version == "editable":
            return  # a checkout runs from where `make` builds
        root = Path(self.root)
        parts = {source: f"{TARGET}/{target}" for source, target in PARTS.items()}
        if self.target_name == "sdist":
            del parts[LOCK]  # it stays where a checkout has it
        needed = {source: target for source, target in parts.items() if not (root / target).exists()}
        missing = [source for source in needed if not (root / source).exists()]
        if missing:
            raise FileNotFoundError(f"`make wheel` builds and fetches what is missing here: {', '.join(missing)}")
        build_data["force_include"].update({str(root / source): target for source, target in needed.items()})
