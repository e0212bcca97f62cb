"""Settings that are valid alone and contradict each other; `infra.kernel.config.loading` checks them at each start."""

from __future__ import annotations

from collections.abc import Iterator

from infra.kernel.config.problems import SettingsProblem
from infra.kernel.config.settings import Settings

_PROVIDERS = ("google", "github", "microsoft", "linkedin", "youtube", "instagram")


def contradictions(settings: Settings) -> Iterator[SettingsProblem]:
    """Every contradiction with which no process starts."""
    if (settings.admin_email is None) != (settings.admin_password is None):
        yield _together("ALTHING_ADMIN_EMAIL", "ALTHING_ADMIN_PASSWORD")
    for name in _PROVIDERS:
        credentials = [getattr(settings, f"{name}_client_id"), getattr(settings, f"{name}_client_secret")]
        if any(credentials) and not all(credentials):
            yield _together(f"ALTHING_{name.upper()}_CLIENT_ID", f"ALTHING_{name.upper()}_CLIENT_SECRET")
    yield from _of_kafka(settings)
    if settings.escrow_url is not None and not (settings.escrow_key and settings.escrow_webhook_secrets):
        yield SettingsProblem(
            ("ALTHING_ESCROW_URL", "ALTHING_ESCROW_KEY", "ALTHING_ESCROW_WEBHOOK_SECRET"),
            "ALTHING_ESCROW_URL needs ALTHING_ESCROW_KEY and ALTHING_ESCROW_WEBHOOK_SECRET beside it.",
            "Set the key and the secret that the escrow provider shows.",
        )


def _of_kafka(settings: Settings) -> Iterator[SettingsProblem]:
    protocol = settings.kafka_security_protocol or "PLAINTEXT"
    if protocol != "PLAINTEXT" and settings.kafka_bootstrap_servers is None:
        yield SettingsProblem(
            ("KAFKA_SECURITY_PROTOCOL", "KAFKA_BOOTSTRAP_SERVERS"),
            f"KAFKA_SECURITY_PROTOCOL is {protocol}, but the embedded Kafka has a sign-in of its "
            "own: set KAFKA_BOOTSTRAP_SERVERS to a Kafka of your own, or leave it out.",
            "Set KAFKA_BOOTSTRAP_SERVERS, or remove KAFKA_SECURITY_PROTOCOL.",
        )
    user, password = settings.kafka_sasl_username, settings.kafka_sasl_password
    if protocol.startswith("SASL") and not (user and password):
        yield SettingsProblem(
            ("KAFKA_SECURITY_PROTOCOL", "KAFKA_SASL_USERNAME", "KAFKA_SASL_PASSWORD"),
            f"KAFKA_SECURITY_PROTOCOL is {protocol}: set KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD.",
            "Set both to the user that Kafka knows.",
        )
    if (user or password) and not protocol.startswith("SASL"):
        yield SettingsProblem(
            ("KAFKA_SECURITY_PROTOCOL", "KAFKA_SASL_USERNAME", "KAFKA_SASL_PASSWORD"),
            f"KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD are of no use with {protocol}: set KAFKA_SECURITY_PROTOCOL "
            "to SASL_SSL or SASL_PLAINTEXT.",
            "Set KAFKA_SECURITY_PROTOCOL, or remove user and password.",
        )
    files = (settings.kafka_ssl_cafile, settings.kafka_ssl_certfile, settings.kafka_ssl_keyfile)
    if any(files) and not protocol.endswith("SSL"):
        yield SettingsProblem(
            ("KAFKA_SECURITY_PROTOCOL", "KAFKA_SSL_CAFILE", "KAFKA_SSL_CERTFILE", "KAFKA_SSL_KEYFILE"),
            f"KAFKA_SSL_… is of no use with {protocol}: set KAFKA_SECURITY_PROTOCOL to SSL or SASL_SSL.",
            "Set KAFKA_SECURITY_PROTOCOL to SSL or SASL_SSL, or remove the files.",
        )
    if settings.kafka_ssl_keyfile is not None and settings.kafka_ssl_certfile is None:
        yield SettingsProblem(
            ("KAFKA_SSL_KEYFILE", "KAFKA_SSL_CERTFILE"),
            "KAFKA_SSL_KEYFILE needs KAFKA_SSL_CERTFILE beside it.",
            "Set KAFKA_SSL_CERTFILE to the certificate of that key.",
        )


def _together(first: str, second: str) -> SettingsProblem:
    return SettingsProblem(
        (first, second), f"{first} and {second} go together: set both, or neither.", "Set both, or remove the one."
    )
