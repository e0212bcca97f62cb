"""Whatever kills the watch over custom domains, a domain whose record is there is verified, once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from command_api.domains.dns_check import open_dns_checker
from command_api.domains.verification_process import domain_verification
from command_api.kernel.process_manager import ProcessWorker
from infra.kernel.config.settings import Settings
from schemas.identity import host_id
from tests.support.command import world
from tests.support.crashing_process import CrashingProcess
from tests.support.dns_server import dns_server


@pytest.mark.crash
def test_killed_between_the_answer_and_the_event_the_next_look_finds_the_same(
    embedded_postgres: Settings, crashing_process: CrashingProcess
) -> None:
    with dns_server() as dns, world(replace(embedded_postgres, dns_resolvers=(dns.address,))) as made:
        worker = ProcessWorker(made.core, [domain_verification(made.core, open_dns_checker(made.settings))])
        for moment in ("before_store", "inside_store", "after_store"):
            body = {"domain": f"{moment.replace('_', '-')}.example.com", "websiteId": made.website()["id"]}
            domain = made.call("POST", "/api/platform/custom-domains", made.owner, json=body).json()
            dns.set(domain["verificationName"], "TXT", domain["verificationToken"])
            resolvers = {"ALTHING_DNS_RESOLVERS": f"127.0.0.1:{dns.port}"}
            assert crashing_process.at(made.settings, "domains", moment, **resolvers) == -9
            assert (domain["verificationName"], "TXT") in dns.asked
            for _ in range(3):
                worker.run_once()
            assert made.events(domain["id"]) == ["domain.added.v1", "domain.verified.v1"], moment
            assert made.events(host_id(domain["domain"])) == ["host.claimed.v1"]
