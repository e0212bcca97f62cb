"""The objects that all endpoints share, created once at the start."""

from __future__ import annotations

from dataclasses import dataclass, field

from infra.kernel.config.settings import Settings
from infra.kernel.http.request_limits import Receive, Scope
from infra.kernel.log import Log
from infra.kernel.net.geoip import GeoIpDatabase
from ingest.directory.directory import Directory
from ingest.directory.key_uses import KeyUses
from ingest.directory.postgres import Postgres
from ingest.directory.request_lookups import RequestLookups
from ingest.limits.fair_scheduling import FairScheduler
from ingest.limits.rate_limits import SiteRateLimits
from ingest.metrics import Counters
from ingest.pipeline import BoundSteps
from ingest.publish_retries import PublishRetries
from ingest.rejection_log import RejectionLog
from ingest.reports.conversion_keys import ConversionKeys
from ingest.reports.conversion_outcomes import ConversionOutcomes
from ingest.request_cost import RequestCosts
from ingest.site_files import SiteFiles
from ingest.steps.pseudonymise import Hasher
from ingest.steps.publish import Publisher
from ingest.visitors.sealing import TextSealing
from ingest.visitors.suspicion import SuspicionDetector
from ingest.visitors.visitor_keys import VisitorKeyBlocks


@dataclass(slots=True)
class IngestContext:
    """The parts that requests need. All belong to the event loop. `postgres`: for reported conversions;
    `site_postgres`: for published sites, so that neither waits for the other, nor for look-ups of unknown names."""

    settings: Settings
    log: Log
    postgres: Postgres
    site_postgres: Postgres
    directory: Directory
    places: GeoIpDatabase
    hasher: Hasher
    click_key: bytes
    rate_limits: SiteRateLimits
    costs: RequestCosts
    scheduler: FairScheduler
    publisher: Publisher
    retries: PublishRetries
    rejections: RejectionLog
    counters: Counters
    conversion_keys: ConversionKeys
    conversion_outcomes: ConversionOutcomes
    key_uses: KeyUses
    suspicion_detector: SuspicionDetector
    visitor_keys: VisitorKeyBlocks
    sealing: TextSealing = field(default_factory=TextSealing)
    site_files: SiteFiles = field(default_factory=SiteFiles)
    stopping: bool = False
    steps: dict[str, BoundSteps] = field(default_factory=dict)
    """The steps of the pipelines, bound to these parts, by source."""

    def lookups(self, scope: Scope, receive: Receive) -> RequestLookups:
        """Returns the allowed look-ups of a request at the source. An address above its limit of rejected requests:
        none."""
        return RequestLookups(receive, self.costs.checker(scope, self.settings.trusted_proxies))

    def is_https(self, scope: Scope) -> bool:
        """Returns whether the client came by HTTPS, to this process or to the proxy before it."""
        return self.settings.tracking_base_url.startswith("https:") or scope.get("scheme") == "https"
