"""Everything the endpoints share, put together once at the start."""

from __future__ import annotations

from dataclasses import dataclass

from infra.countries import Places
from infra.http_guard import Scope
from infra.log import Log
from infra.settings import Settings
from ingest.conversion_keys import ConversionKeys
from ingest.counters import Counters
from ingest.decisions import Decisions
from ingest.directory import Directory
from ingest.key_uses import KeyUses
from ingest.postgres import Postgres
from ingest.rates import SiteRates
from ingest.refusals import Refusals
from ingest.retries import Retries
from ingest.steps.pseudonymise import Hasher
from ingest.steps.publish import Publisher
from ingest.suspicion import Suspicions
from ingest.tolls import Tolls
from ingest.turns import Turns


@dataclass(slots=True)
class Edge:
    """The parts that requests need. All belong to the event loop."""

    settings: Settings
    log: Log
    postgres: Postgres
    directory: Directory
    places: Places
    hasher: Hasher
    click_key: bytes
    rates: SiteRates
    tolls: Tolls
    turns: Turns
    publisher: Publisher
    retries: Retries
    refusals: Refusals
    counters: Counters
    conversion_keys: ConversionKeys
    decisions: Decisions
    key_uses: KeyUses
    suspicions: Suspicions
    stopping: bool = False

    def is_https(self, scope: Scope) -> bool:
        """Whether the client came by HTTPS, to this process or to the proxy before it."""
        return self.settings.tracking_base_url.startswith("https:") or scope.get("scheme") == "https"
