"""The audit reads a snapshot with the function whose state it is: the topic names it."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from command_api.conversions import model as conversions
from command_api.forum.reactions import evolve_follow, evolve_like
from command_api.kernel.decision import Evolve
from command_api.kernel.snapshots import topic_of
from command_api.websites import model as websites
from infra.ops.audit.snapshots import _fold, _functions
from schemas.events.forum import ThreadFollowed


@pytest.mark.parametrize("evolve", [conversions.evolve, websites.evolve, evolve_like, evolve_follow])
def test_the_topic_of_a_snapshot_leads_to_its_function(evolve: Evolve[object]) -> None:
    assert evolve in _functions(topic_of(evolve))


def test_of_several_functions_with_one_state_the_one_that_takes_the_events_folds_them() -> None:
    thread = uuid4()
    followed = ThreadFollowed(
        originator_id=uuid4(), originator_version=1, timestamp=datetime.now(UTC), thread_id=thread, account_id=uuid4()
    )
    found = _fold(_functions(topic_of(evolve_like)), [followed])
    assert found is not None and found.state == evolve_follow(None, followed)
