"""Clients of a broker that does not answer."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import psutil
import pytest
from kafka import KafkaConsumer, KafkaProducer

from infra.kernel.config.paths import ROOT
from infra.kernel.config.settings import Settings
from infra.kernel.log import LogUnavailable
from infra.kernel.log.kafka_clients import CONNECTION_MS, Cluster, open_client
from infra.kernel.log.kafka_log import KafkaLog
from tests.support.engines import engine_folder, start_kafka
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


CLIENT = """
import sys
from infra.kernel.config.settings import Settings
from infra.kernel.log.kafka_log import KafkaLog
from infra.kernel.observability.logging import configure
from schemas import topics
configure("query")
log = KafkaLog(Settings(kafka_bootstrap_servers=sys.argv[1]))
readers = [log.source(topics.CLICKS.name, partition) for partition in range(topics.CLICKS.partitions)]
print("opened", flush=True)
for reader in readers:
    reader.read(1, 0.1)
    reader.close()
log.end_offsets([(topics.CLICKS.name, 0)], 20)
log.close()
print("read", flush=True)
"""


@pytest.mark.timeout(300)
def test_a_broker_that_pauses_while_clients_open_costs_no_line_and_no_attempt() -> None:
    """As on a machine that is busy with a start: it accepts connections, and answers for longer than a client would
    have waited nothing. Every reader gets its answer at the first try."""
    with engine_folder("kafka") as folder:
        engine = start_kafka(folder)
        try:
            command = [sys.executable, "-c", CLIENT, engine.address]
            log = KafkaLog(Settings(kafka_bootstrap_servers=engine.address))
            log.create_topics()
            log.close()
            engine.send_signal(signal.SIGSTOP)
            client = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True
            )
            assert client.stdout is not None and client.stdout.readline() == "opened\n"
            with pytest.raises(subprocess.TimeoutExpired):
                client.wait(0.6 * CONNECTION_MS / 1000)
            engine.send_signal(signal.SIGCONT)
            output, lines = client.communicate(timeout=60)
            assert (client.returncode, output, lines) == (0, "read\n", "")
        finally:
            engine.stop()
