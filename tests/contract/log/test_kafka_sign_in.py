"""Access of another user of the machine to the embedded Kafka: the ports are open, and every request requires a
password of `secrets.json`. A data directory of older versions, which required none, is protected in the same way.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from infra.kernel.config.settings import Settings
from infra.kernel.log import Log, LogUnavailable, Record, StoredRecord
from infra.kernel.log.kafka_log import KafkaLog
from infra.kernel.log.signature import Signer
from infra.ops.stack import ports, secret_file
from infra.ops.stack.engines import kafka, kafka_users
from infra.ops.stack.supervisor import Supervisor
from schemas.topics import DOMAIN, REJECTED
from tests.support.engines import engine_folder, start_kafka
from tests.support.stack import free_ports

FORGED = Record(DOMAIN.name, b"account", b'{"roles": ["admin"]}')


@pytest.fixture(scope="module")
def kafka_with_topics(embedded_kafka: Settings) -> Settings:
    with opened(embedded_kafka) as log:
        log.create_topics()
        log.publish([Record(DOMAIN.name, b"k", b"first")]).result(60)
    return embedded_kafka


@contextmanager
def opened(settings: Settings, **options: Any) -> Iterator[Log]:
    log = KafkaLog(settings, **{"delivery_timeout_s": 60, **options})
    try:
        yield log
    finally:
        log.close()


def without_password(settings: Settings) -> Settings:
    return replace(
        settings, kafka_security_protocol=None, kafka_sasl_username=None, kafka_sasl_password=None, data_dir=Path("/-")
    )


def as_user(settings: Settings, user: str, password: str, mechanism: str = kafka_users.MECHANISM) -> Settings:
    return replace(settings, kafka_sasl_username=user, kafka_sasl_password=password, kafka_sasl_mechanism=mechanism)


@pytest.mark.parametrize("who", ["nobody", "guesses", "guesses the user that sets up"])
def test_without_the_password_nothing_is_written_and_nothing_is_read(kafka_with_topics: Settings, who: str) -> None:
    stranger = {
        "nobody": without_password(kafka_with_topics),
        "guesses": as_user(kafka_with_topics, kafka_users.OWNER, "guess"),
        "guesses the user that sets up": as_user(kafka_with_topics, kafka_users.SETUP, "guess", "PLAIN"),
    }[who]
    with opened(kafka_with_topics) as ours, opened(stranger, delivery_timeout_s=1.5) as other:
        before = ours.end_offset(DOMAIN.name, 0)
        assert isinstance(other.publish([FORGED]).exception(30), LogUnavailable)
        source = other.source(DOMAIN.name, 0)
        with pytest.raises(LogUnavailable):
            source.read(1, 1.0)
        source.close()
        assert ours.end_offset(DOMAIN.name, 0) == before


def test_the_operators_user_reads_and_can_write_nothing(kafka_with_topics: Settings) -> None:
    secrets = secret_file.load_or_create(kafka_with_topics.data_dir)
    user = kafka_users.operator(secrets)
    operator = as_user(kafka_with_topics, user["user"], user["password"])
    with opened(kafka_with_topics) as ours, opened(operator, delivery_timeout_s=1.5) as other:
        source = other.source(DOMAIN.name, 0)
        assert source.read(1, 30.0)[0].value == b"first"
        source.close()
        before = ours.end_offset(DOMAIN.name, 0)
        assert isinstance(other.publish([FORGED]).exception(30), LogUnavailable)
        assert ours.end_offset(DOMAIN.name, 0) == before


def test_the_controllers_port_hangs_up_on_who_does_not_sign_in(kafka_with_topics: Settings) -> None:
    """The request lists what the cluster holds; before the sign-in only the API versions may be requested."""
    port = controller_port(kafka_with_topics.data_dir)
    describe_cluster = struct.pack(">hhi", 60, 0, 1) + struct.pack(">h", 2) + b"me" + b"\x00" + b"\x00\x00"
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(struct.pack(">i", len(describe_cluster)) + describe_cluster)
        with suppress(ConnectionResetError):
            assert connection.recv(1) == b""


def test_the_files_with_passwords_are_for_their_owner_alone(kafka_with_topics: Settings) -> None:
    for name in ("kafka.properties", secret_file.FILE_NAME):
        assert stat.S_IMODE((kafka_with_topics.data_dir / name).stat().st_mode) == 0o600


def test_an_older_data_directory_requires_the_password_and_keeps_its_records() -> None:
    with engine_folder("old-kafka") as folder:
        old = start_kafka(folder)
        unsecured = Settings(kafka_bootstrap_servers=old.address)
        try:
            with opened(unsecured) as log:
                log.create_topics()
                log.publish([Record(DOMAIN.name, b"k", b"of before")]).result(60)
        finally:
            old.stop()
        (folder / "data").rename(folder / "kafka")
        (folder / secret_file.FILE_NAME).unlink(missing_ok=True)
        with restarted(folder) as settings:
            stranger = without_password(settings)
            with opened(settings) as ours, opened(stranger, delivery_timeout_s=1.5) as other:
                assert isinstance(other.publish([FORGED]).exception(30), LogUnavailable)
                source = ours.source(DOMAIN.name, 0)
                assert [record.value for record in source.read(10, 30.0)] == [b"of before"]
                source.close()
                assert ours.publish([Record(DOMAIN.name, b"k", b"of now")]).result(60)[0].offset == 1


def test_secrets_of_before_get_the_new_passwords_and_keep_the_others(tmp_path: Path) -> None:
    made = secret_file.load_or_create(tmp_path)
    old = {name: text for name, text in vars(made).items() if name not in ("kafka_password", "kafka_operator_password")}
    secret_file.write_private(tmp_path / secret_file.FILE_NAME, json.dumps(old))
    found = secret_file.load_or_create(tmp_path)
    assert vars(found).items() >= old.items() and found.kafka_password and found.kafka_operator_password
    assert secret_file.load_or_create(tmp_path) == found


@contextmanager
def restarted(folder: Path) -> Iterator[Settings]:
    """The product's Kafka on what lies in `folder`."""
    given = Settings(data_dir=folder, port=free_ports(1)[0], tracking_port=free_ports(1)[0])
    chosen = ports.choose(given)
    secrets = secret_file.load_or_create(folder)
    spec = kafka.spec(folder, chosen.kafka, chosen.kafka_controller, secrets, flush_each=False)
    supervisor = Supervisor(folder, dict(os.environ), lambda _rows: None)
    try:
        supervisor.start((spec,))
        yield replace(
            as_user(given, kafka_users.OWNER, secrets.kafka_password),
            kafka_bootstrap_servers=f"127.0.0.1:{chosen.kafka}",
            kafka_security_protocol=kafka_users.PROTOCOL,
            log="kafka",
        )
    finally:
        supervisor.stop(((spec.name,),))


def controller_port(data_dir: Path) -> int:
    rows = dict(line.split("=", 1) for line in (data_dir / "kafka.properties").read_text().splitlines())
    return int(rows["controller.quorum.voters"].rpartition(":")[2])


def test_who_has_the_password_but_not_the_key_cannot_pass_for_a_service(kafka_with_topics: Settings) -> None:
    signer = Signer(kafka_with_topics)
    with opened(kafka_with_topics, signer=signer) as ours, opened(kafka_with_topics) as other:
        [first] = ours.publish([Record(REJECTED.name, b"k", b"alone", (("h", b"1"),))]).result(60)
        other.publish([Record(REJECTED.name, b"k", b"forged")]).result(60)
        many = [Record(REJECTED.name, b"%d" % n, bytes(n * 7 % 5000), (("h", b"2"),) * (n % 3)) for n in range(900)]
        many[500] = structs.replace(many[500], value=bytes(600_000))
        ours.publish(many).result(60)
        other.publish([Record(REJECTED.name, b"k", b"forged", (("sig", b"\x00\x01" + bytes(32)),))]).result(60)
        for begin in (first.offset, first.offset + 77):  # in the midst of a run as well
            source = ours.source(REJECTED.name, 0, begin)
            found: list[StoredRecord] = []
            while len(found) < first.offset + 903 - begin:
                found += source.read(100, 30.0)
            source.close()
            forged = [record.value for record in found if not record.is_signed]
            assert forged == [b"forged"] * len(forged) and len(forged) == (2 if begin == first.offset else 1)
            sent = [Record(REJECTED.name, b"k", b"alone", (("h", b"1"),)), *many][begin - first.offset and 76 :]
            ours_again = [record for record in found if record.is_signed]
            assert [(each.key, each.value, each.headers) for each in ours_again] == [
                (each.key, each.value, each.headers) for each in sent
            ]
