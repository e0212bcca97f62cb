"""The audit reads a snapshot with the function whose state it is: the topic names it."""

from __future__ import annotations

import pytest

from command_api.conversions import model as conversions
from command_api.forum.reactions import evolve_follow, evolve_like
from command_api.kernel.decision import Evolve
from command_api.kernel.snapshots import topic_of
from command_api.websites import model as websites
from infra.ops.audit.snapshots import _function


@pytest.mark.parametrize("evolve", [conversions.evolve, websites.evolve, evolve_like, evolve_follow])
def test_the_topic_of_a_snapshot_leads_to_its_function(evolve: Evolve[object]) -> None:
    assert _function(topic_of(evolve)) is evolve
