"""Whatever kills the attribution policy, every sale is decided exactly once and the log's end is reached."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import pytest

from command_api.service import leaders_of
from infra.clickhouse import ClientPool
from infra.settings import Settings
from schemas.tracking import Refusal
from tests.support.child import child
from tests.support.policies import Policies, policies


@pytest.fixture
def stopped(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Policies]:
    """Policies that do not run: the test starts them."""
    with policies(embedded_postgres, embedded_clickhouse, leading=False) as made:
        yield made


def decide_all(made: Policies) -> None:
    clients = ClientPool(made.world.settings, 2)
    leaders = leaders_of(made.world.core, made.world.log, clients)
    for leader in leaders:
        leader.start()
    try:
        made.caught_up()
    finally:
        for leader in leaders:
            leader.request_stop()
        for leader in leaders:
            leader.stop()
        clients.close()


@pytest.mark.crash
@pytest.mark.parametrize("moment", ["before_store", "inside_store", "after_store", "after_refusal"])
def test_killed_at_any_step_each_sale_is_decided_once(stopped: Policies, moment: str) -> None:
    shop = stopped.shop()
    click = stopped.click(shop, timedelta(minutes=10))
    sales = [stopped.report_of(shop, txid=f"T-{number}", click_id=click) for number in range(20)]
    unknown = stopped.report_of(shop, txid="EUR", click_id=click, amount={"amount": 5, "currency": "EUR"})
    stopped.publish([*sales, unknown])
    with child(stopped.world.settings, "tests.support.dying", "reports", moment, "1") as process:
        assert process.wait(60) == -9
    stopped.publish(sales[:5])
    decide_all(stopped)
    for sale in sales:
        state = stopped.state(UUID(sale["conversion_id"]))
        assert state is not None
        assert (state.version, state.net_commission) == (1, 1000)
    assert stopped.state(UUID(unknown["conversion_id"])) is None
    refusals = {Refusal.model_validate_json(record.value).id for record in stopped.world.records("rejected")}
    assert len(refusals) == 1
    assert stopped.world.count("SELECT count(*) FROM policy.refused_report") == 1
    assert stopped.world.count("SELECT count(*) FROM engine.dead_letter") == 0
