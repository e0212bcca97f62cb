"""Process manager `domains:verification`: checks custom domains, unverified ones at growing intervals, verified ones
daily."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from prometheus_client import Counter

from command_api.domains import commands, model
from command_api.domains.dns_check import BATCH_SIZE, DnsChecker
from command_api.domains.service import VERIFICATION
from command_api.kernel.container import Container
from command_api.kernel.process_manager import Issue, ProcessManager
from command_api.kernel.timeouts import Timeout

MAX_DELAY: Final = timedelta(days=1, hours=1)

_LOOKS = Counter("domain_looks_total", "Looks at custom domains by what the DNS said", ["verdict"])


def domain_verification(container: Container, checker: DnsChecker) -> ProcessManager:
    """Returns the process manager that checks domains; the checks of a batch run concurrently."""

    def plan(timeouts: Sequence[Timeout], now: datetime) -> Issue:
        loaded = [container.store.load(timeout.id, model.evolve) for timeout in timeouts]
        domains = [domain for domain in loaded if domain is not None and not domain.is_over(now)]
        results = dict(zip((domain.id for domain in domains), checker.check(*domains), strict=True))
        for result in results.values():
            _LOOKS.labels(result.verdict.value).inc()
        return lambda timeout: (
            commands.RecordDomainCheck(timeout.id, results[timeout.id]) if timeout.id in results else None
        )

    return ProcessManager(
        VERIFICATION, plan, BATCH_SIZE, ids="SELECT domain_id FROM lookup.custom_domain", max_delay=MAX_DELAY
    )
