"""Verified listings: figures that were measured on a website of the seller's, whose domain is proven."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from command_api.domains.dns_check import DnsResult, DnsVerdict
from command_api.domains.model import Domain
from command_api.domains.verification_process import domain_verification
from command_api.kernel.process_manager import ProcessWorker
from command_api.marketplace.listings.verification import ClickHouseMeasurements, verification
from infra.kernel.clickhouse.client import ClientPool
from tests.support.marketplace import FIELDS, LIST, Market, listed
from tests.support.query import Person, conversion, event


def test_figures_come_from_the_websites_own_log(there: Market, admin: Person) -> None:
    seller, domain = there.person("Measured"), f"{uuid4().hex[:12]}.com"
    website = there.post(seller, "platform/websites", 201, domain=domain)["id"]
    first = datetime.now(UTC).replace(day=1, hour=12, minute=0, second=0, microsecond=0)
    months = [(first - timedelta(days=15 + 30 * back)).replace(day=10) for back in (0, 1, 2)]
    rows = []
    for number, month in enumerate(reversed(months)):  # of the first one nobody knows whether it was measured wholly
        rows += [event(UUID(website), month, "pageview", visitor=v + 1) for v in range(10 * number)]
        rows += [event(UUID(website), month, "pageview", visitor=99, is_bot=True)]
        rows.append(conversion(UUID(website), month, d_approved=1, c_approved=500 * 100 * number))
    rows.append(event(UUID(website), months[2], "pageview", visitor=7))
    # What was imported or back-filled was not measured, and late is late whatever it calls itself.
    late = _text(months[0] + timedelta(days=2))
    rows += [event(UUID(website), months[0], "pageview", visitor=200 + v, origin="import") for v in range(50)]
    rows += [event(UUID(website), months[1], "pageview", visitor=300 + v, flags="backfill") for v in range(15)]
    rows += [event(UUID(website), months[0], "pageview", visitor=400 + v, received_at=late) for v in range(5)]
    before = months[2] - timedelta(days=31)
    rows += [event(UUID(website), before, "pageview", visitor=500 + v, origin="import") for v in range(10)]
    sale = uuid4()
    rows.append(conversion(UUID(website), months[0], conversion_id=sale, c_pending=500_00, received_at=late))
    rows.append(
        conversion(UUID(website), months[0], conversion_id=sale, c_pending=-500_00, c_approved=500_00, received_at=late)
    )
    there.api.query.events(rows)
    there.post(there.person("Thief"), LIST, 404, **{**FIELDS, "websiteId": website})
    wrong = there.post(seller, LIST, 400, **{**FIELDS, "websiteId": website})
    assert wrong["errors"][0]["field"] == "websiteUrl"
    listing = there.online(
        seller, admin, websiteUrl=f"https://www.{domain}/", websiteId=website, monthlyTraffic=16, monthlyRevenue=600
    )
    with closing(ClientPool(there.api.query.settings, 1)) as clients:
        verifying = there.worker(verification(there.api.core, ClickHouseMeasurements(clients)))
        there.run_due(verifying)
        unproven = there.get(seller, f"{LIST}/{listing}")
        assert (unproven["verificationStatus"], unproven["verification"]) == ("pending", None)
        assert unproven["verificationNote"] == "domain_not_proven"
        assert listing not in listed(there, "verified=true&limit=200")
        custom = there.post(seller, "platform/custom-domains", 201, domain=f"www.{domain}", websiteId=website)
        proving = domain_verification(there.api.core, _Found())  # type: ignore[arg-type]  # stands in for the DNS
        there.run_due(ProcessWorker(there.api.core, [proving]))
        there.run_due(verifying)  # the proof made it due
    shown = there.get(None, f"{LIST}/{listing}")
    assert shown["verificationStatus"] == "verified" and shown["websiteId"] is None
    told = shown["verification"]
    assert [(month["visitors"], month["pageviews"]) for month in told["months"]] == [(10, 10), (20, 20)]
    assert (told["monthlyTraffic"], told["trafficDifference"], told["trafficOverstated"]) == (15, 6.7, False)
    assert (told["monthlyRevenue"], told["revenueDifference"]) == ({"amount": 750_00, "currency": "USD"}, -20.0)
    assert listing in listed(there, "verified=true&limit=200")
    assert there.get(None, f"marketplace/sellers/{seller.account_id}")["verifiedListings"] == 1
    claim = "UPDATE read.listings__g1 SET monthly_traffic = %s, monthly_revenue = %s WHERE id = %s"
    for traffic, revenue in ((17, 600_00), (16, 826_00)):  # more than 10 % above what was measured
        there.api.query.postgres.execute(claim, (traffic, revenue, listing))
        assert there.get(None, f"{LIST}/{listing}")["verificationStatus"] == "overstated"
        assert listing not in listed(there, "verified=true&limit=200") and listing in listed(there, "limit=200")
        assert there.get(None, f"marketplace/sellers/{seller.account_id}")["verifiedListings"] == 0
    there.api.query.postgres.execute(claim, (16, 600_00, listing))
    assert told["provenDomain"] == domain
    assert told["share"] == {"months": 2, "monthsInLog": 4, "traffic": 27.0, "revenue": 75.0}
    asked_again = there.post(seller, f"{LIST}/{listing}/verify")
    assert asked_again["status"] == "active"
    assert there.post(seller, f"{LIST}/{listing}/verify", 409)["code"] == "asked_already"
    there.post(seller, f"platform/custom-domains/{custom['id']}", 204, method="DELETE")
    with closing(ClientPool(there.api.query.settings, 1)) as clients:
        there.run_due(there.worker(verification(there.api.core, ClickHouseMeasurements(clients))))
    assert there.get(None, f"{LIST}/{listing}")["verificationStatus"] == "pending"


class _Found:
    """A look that finds every record."""

    def check(self, *domains: Domain) -> Sequence[DnsResult]:
        return [DnsResult(domain.token, DnsVerdict.PROVEN, None, None) for domain in domains]


def _text(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.000")
