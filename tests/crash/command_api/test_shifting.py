"""Whatever kills the service that shifts the weights of splits, a day shifts once."""

from __future__ import annotations

from datetime import timedelta

import pytest

from command_api.links import model as links
from infra.kernel.config.settings import Settings
from tests.support.command import world
from tests.support.crashing_process import CrashingProcess, shifting


@pytest.mark.crash
@pytest.mark.parametrize("moment", ["before_store", "inside_store", "after_store"])
def test_killed_while_weights_shift_the_next_run_shifts_what_was_not_shifted(
    embedded_postgres: Settings, crashing_process: CrashingProcess, moment: str
) -> None:
    with world(embedded_postgres) as made:
        site, partner = made.website(), made.partner()
        home = partner["baseUrl"].rstrip("/")
        variants = [{"destination": f"{home}/{side}", "weight": 1} for side in "ab"]
        link_id = made.link(site, partner, variants=variants)["id"]
        path = f"/api/platform/links/{link_id}/split/shifting"
        assert made.call("PUT", path, made.owner, json={"isOn": True}).status_code == 200

        assert crashing_process.at(made.settings, "shifting", moment) == -9
        worker = shifting(made.core)
        for _ in range(3):
            with made.core.pool.connection() as connection:
                worker.restore(connection)
            worker.run_once()
        assert made.events(link_id) == ["link.created.v1", "link.updated.v1", "link.updated.v1"]
        link = made.core.store.load(link_id, links.evolve)
        assert link is not None and [each.weight for each in link.routing.variants] == [40, 60]

        made.core.execute("DELETE FROM kernel.timeout")
        with made.core.pool.connection() as connection:
            worker.restore(connection)
        assert worker.run_once() == 1, "the lost timeout is there again"
        assert len(made.events(link_id)) == 3, "the day was decided"
        assert shifting(made.core, later=timedelta(days=1, hours=2)).run_once() == 1
        link = made.core.store.load(link_id, links.evolve)
        assert link is not None and [each.weight for each in link.routing.variants] == [30, 70]
