"""Clients of a broker that does not answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psutil
import pytest
from kafka import KafkaConsumer, KafkaProducer

from infra.kernel.log import LogUnavailable
from infra.kernel.log.kafka_clients import Cluster, open_client
from tests.support.ports import free_ports


@pytest.mark.usefixtures("no_garbage_collection")
@pytest.mark.parametrize("kind", [KafkaConsumer, KafkaProducer])
def test_what_does_not_connect_leaves_no_file_open(kind: Callable[..., Any]) -> None:
    [port] = free_ports(1)
    before = psutil.Process().num_fds()
    for _ in range(2):
        with pytest.raises(LogUnavailable):
            open_client(kind, Cluster((f"127.0.0.1:{port}",), {}), 0.2, metrics_enabled=False)
    assert psutil.Process().num_fds() <= before
