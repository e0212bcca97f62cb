"""The log on a Kafka that asks who we are and speaks TLS: the settings `KAFKA_SECURITY_PROTOCOL` and its neighbours."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from infra.kernel.config.loading import load
from infra.kernel.log import Log, LogUnavailable, Record, open_log
from schemas import topics
from tests.support.engines import engine_folder, free_port, start_kafka, wait_until

PASSWORD = "correct horse, battery = staple"
USER = {"KAFKA_SASL_USERNAME": "althing", "KAFKA_SASL_PASSWORD": PASSWORD}


@dataclass
class Secured:
    """One Kafka with a listener for each way in, and the file of the authority that it is to be trusted by."""

    addresses: dict[str, str]
    authority: Path

    def settings(self, protocol: str, **more: str) -> dict[str, str]:
        return {
            "KAFKA_BOOTSTRAP_SERVERS": self.addresses[protocol],
            "KAFKA_SECURITY_PROTOCOL": protocol,
            **({"KAFKA_SSL_CAFILE": str(self.authority)} if protocol.endswith("SSL") else {}),
            **more,
        }


@pytest.fixture(scope="module")
def secured() -> Iterator[Secured]:
    with engine_folder("secured") as folder:
        authority = _certificate(folder / "server.pem", folder / "authority.pem")
        ports = {name: free_port() for name in ("SASL_PLAINTEXT", "SSL", "SASL_SSL")}
        kafka = start_kafka(folder, lambda port, controller: _properties(folder, port, controller, ports))
        try:
            yield Secured({name: f"127.0.0.1:{port}" for name, port in ports.items()}, authority)
        finally:
            kafka.stop()


@pytest.mark.parametrize("protocol", ["SSL", "SASL_PLAINTEXT", "SASL_SSL"])
def test_what_is_published_is_read_again(secured: Secured, protocol: str) -> None:
    user = USER if protocol.startswith("SASL") else {}
    with _opened(secured.settings(protocol, **user), delivery_timeout_s=60) as log:
        log.create_topics()
        wait_until(lambda: log.ready(1.0), 60, "the log to be ready")
        [position] = log.publish([Record(topics.DOMAIN.name, b"k", protocol.encode())]).result(60)
        source = log.source(position.topic, position.partition, position.offset)
        try:
            assert [record.value for record in source.read(1, 60.0)] == [protocol.encode()]
        finally:
            source.close()


@pytest.mark.parametrize(
    ("protocol", "more", "words"),
    [
        (
            "SASL_SSL",
            {**USER, "KAFKA_SASL_PASSWORD": "not-the-one"},
            "the user 'althing' in by PLAIN: check KAFKA_",
        ),
        ("SASL_PLAINTEXT", {**USER, "KAFKA_SASL_MECHANISM": "SCRAM-SHA-256"}, "by SCRAM-SHA-256: check .*_MECHANISM"),
        ("SSL", {"KAFKA_SSL_CAFILE": "{stranger}"}, "agree on TLS .*KAFKA_SSL_CAFILE"),
    ],
)
def test_a_wrong_setting_is_named_in_one_sentence(
    secured: Secured, tmp_path: Path, protocol: str, more: dict[str, str], words: str
) -> None:
    stranger = _certificate(tmp_path / "other.pem", tmp_path / "stranger.pem")
    given = secured.settings(protocol, **{name: text.format(stranger=stranger) for name, text in more.items()})
    with _opened(given) as log:
        source, published = log.source("domain", 0), log.publish([Record("domain", b"k", b"v")])
        for attempt in (lambda: log.end_offset("domain", 0), lambda: source.read(1, 2.0)):

            def is_named(attempt: Callable[[], object] = attempt) -> bool:
                """A broker that takes its time to say no is at first one that does not answer."""
                with pytest.raises(LogUnavailable) as refusal:
                    attempt()
                assert "not-the-one" not in str(refusal.value) and "\n" not in str(refusal.value)
                return re.search(words, str(refusal.value)) is not None

            wait_until(is_named, 60, words)
        assert isinstance(published.exception(60), LogUnavailable)


@contextmanager
def _opened(given: dict[str, str], delivery_timeout_s: float = 5) -> Iterator[Log]:
    log = open_log(load(given, None), delivery_timeout_s=delivery_timeout_s)
    try:
        yield log
    finally:
        log.close()


def _properties(folder: Path, port: int, controller: int, ports: dict[str, int]) -> str:
    names = {"PLAINTEXT": port, **ports}
    open_at = ",".join(f"{name}://127.0.0.1:{number}" for name, number in names.items())
    plain = f'org.apache.kafka.common.security.plain.PlainLoginModule required user_althing="{PASSWORD}";'
    rows = {
        "listeners": f"{open_at},CONTROLLER://127.0.0.1:{controller}",
        "advertised.listeners": open_at,
        "listener.security.protocol.map": ",".join(f"{n}:{n}" for n in names) + ",CONTROLLER:PLAINTEXT",
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-512",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(folder / "server.pem"),
    }
    for name in ("sasl_plaintext", "sasl_ssl"):
        rows[f"listener.name.{name}.plain.sasl.jaas.config"] = plain
        rows[f"listener.name.{name}.scram-sha-512.sasl.jaas.config"] = (
            "org.apache.kafka.common.security.scram.ScramLoginModule required;"
        )
    return "".join(f"{name}={value}\n" for name, value in rows.items())


def _certificate(server: Path, authority: Path) -> Path:
    """A certificate for 127.0.0.1 that is its own authority, with its key in `server`; gives `authority`."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    server.write_bytes(private + pem)
    authority.write_bytes(pem)
    return authority
