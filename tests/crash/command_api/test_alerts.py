"""Whatever kills the checks, and however many run: an alert opens once, is mailed once, and ends once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from infra.kernel.config.settings import Settings
from schemas.alerts import alert_id
from schemas.events.notifications import AlertKind
from tests.api.kernel.test_command_races import at_once
from tests.support.command import World, world
from tests.support.crashing_process import CrashingProcess, pending_alerts
from tests.support.people import member

MOMENTS = ("before_store", "inside_store", "after_store")


def pending(made: World, website: UUID) -> None:
    """A row of the read model, which no projector fills here."""
    made.postgres.execute(
        "CREATE TABLE IF NOT EXISTS read.conversions (website_id uuid, status text, commission bigint,"
        " commission_currency text, recorded_at timestamptz)"
    )
    at = datetime.now(UTC) - timedelta(days=31)
    made.postgres.execute("INSERT INTO read.conversions VALUES (%s, 'pending', 100, 'USD', %s)", (website, at))


def happened(made: World, website: UUID) -> list[str]:
    return made.events(alert_id(website, AlertKind.PENDING_CONVERSIONS, ""))


def run_twice(made: World, minutes: int) -> None:
    """What is due after some time, in two workers at once."""
    at_once(lambda _: pending_alerts(made.core, timedelta(minutes=minutes)).run_once(), 2)


@pytest.mark.crash
def test_killed_at_any_moment_and_run_twice_at_once_every_alert_opens_is_mailed_and_ends_once(
    embedded_postgres: Settings, crashing_process: CrashingProcess
) -> None:
    with world(embedded_postgres) as made:
        for moment in MOMENTS:
            person = member(made)
            site = {"domain": f"{moment.replace('_', '-')}.example"}
            website = UUID(person.call("POST", "/api/platform/websites", json=site).json()["id"])
            pending(made, website)
            assert crashing_process.at(made.settings, "alerts", moment) == -9
            for minutes in (6, 8, 10):
                run_twice(made, minutes=minutes)
            assert happened(made, website) == ["alert.opened.v1"], moment
            mails = "SELECT count(*) FROM kernel.mail WHERE kind = 'alert' AND account_id = %s"
            assert made.count(mails, person.id) == 1, moment
            made.postgres.execute("UPDATE read.conversions SET status = 'approved'")
            run_twice(made, minutes=20)
            assert happened(made, website) == ["alert.opened.v1", "alert.resolved.v1"], moment
            assert made.count(mails, person.id) == 1, moment
