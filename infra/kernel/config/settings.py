"""Settings of every process: read once at its start from the environment and `.env`.

Each setting is one field below with its environment name, default and meaning; `docs/settings.md` is generated
from this table and a test holds the two together. An unknown `ALTHING_*` name or a bad value stops the start with
one sentence that names it (`SettingsError`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from infra.setting_values import (
    Network,
    Server,
    parse_count,
    parse_email,
    parse_endpoint,
    parse_file,
    parse_flag,
    parse_master_key,
    parse_networks,
    parse_one_of,
    parse_password,
    parse_port,
    parse_resolvers,
    parse_servers,
    parse_url,
    parse_webhook_secrets,
)

__all__ = ["Network", "Server", "Settings", "SettingsError", "load", "setting"]


class SettingsError(ValueError):
    """One sentence for the person who starts the program: which setting is wrong, and what it takes."""


def setting(name: str, parse: Callable[[str], Any], default: Any, text: str, *, secret: bool = False) -> Any:
    """One row of the settings table: environment name, parser, default and its meaning for `docs/settings.md`."""
    return field(default=default, metadata={"name": name, "parse": parse, "text": text, "secret": secret})


def load(environ: Mapping[str, str] | None = None, env_file: Path | None = Path(".env")) -> Settings:
    """Settings from `environ` (default: the process's), completed by `env_file` where a name is not set.

    Raises `SettingsError` for an unknown `ALTHING_*` name or a value that does not parse.
    """
    given = dict(_read_env_file(env_file)) if env_file is not None else {}
    given.update(os.environ if environ is None else environ)
    rows = {f.metadata["name"]: f for f in fields(Settings)}
    for name in given:
        if name.startswith("ALTHING_") and name not in rows:
            raise SettingsError(f"{name} is not a setting of this program; docs/settings.md lists all of them.")
    values: dict[str, Any] = {}
    for name, row in rows.items():
        text = given.get(name, "").strip()
        if not text:
            continue
        try:
            values[row.name] = row.metadata["parse"](text)
        except ValueError as error:
            shown = "its value" if row.metadata["secret"] else repr(text)
            raise SettingsError(f"{name}: {shown} is not valid: {error}.") from error
    settings = Settings(**values)
    if (settings.admin_email is None) != (settings.admin_password is None):
        raise SettingsError("ALTHING_ADMIN_EMAIL and ALTHING_ADMIN_PASSWORD go together: set both, or neither.")
    _check_providers(settings)
    _check_kafka(settings)
    if settings.escrow_url is not None and not (settings.escrow_key and settings.escrow_webhook_secrets):
        raise SettingsError("ALTHING_ESCROW_URL needs ALTHING_ESCROW_KEY and ALTHING_ESCROW_WEBHOOK_SECRET beside it.")
    return settings


def _check_providers(settings: Settings) -> None:
    for name in ("google", "github", "microsoft", "linkedin"):
        given = [getattr(settings, f"{name}_client_id"), getattr(settings, f"{name}_client_secret")]
        if any(given) and not all(given):
            names = f"ALTHING_{name.upper()}_CLIENT_ID and ALTHING_{name.upper()}_CLIENT_SECRET"
            raise SettingsError(f"{names} go together: set both, or neither.")


def _check_kafka(settings: Settings) -> None:
    protocol = settings.kafka_security_protocol or "PLAINTEXT"
    if protocol != "PLAINTEXT" and settings.kafka_bootstrap_servers is None:
        raise SettingsError(
            f"KAFKA_SECURITY_PROTOCOL is {protocol}, but the embedded Kafka has a sign-in of its "
            "own: set KAFKA_BOOTSTRAP_SERVERS to a Kafka of your own, or leave it out."
        )
    user, password = settings.kafka_sasl_username, settings.kafka_sasl_password
    if protocol.startswith("SASL") and not (user and password):
        raise SettingsError(f"KAFKA_SECURITY_PROTOCOL is {protocol}: set KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD.")
    if (user or password) and not protocol.startswith("SASL"):
        raise SettingsError(
            f"KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD are of no use with {protocol}: set KAFKA_SECURITY_PROTOCOL "
            "to SASL_SSL or SASL_PLAINTEXT."
        )
    files = (settings.kafka_ssl_cafile, settings.kafka_ssl_certfile, settings.kafka_ssl_keyfile)
    if any(files) and not protocol.endswith("SSL"):
        raise SettingsError(
            f"KAFKA_SSL_… is of no use with {protocol}: set KAFKA_SECURITY_PROTOCOL to SSL or SASL_SSL."
        )
    if settings.kafka_ssl_keyfile is not None and settings.kafka_ssl_certfile is None:
        raise SettingsError("KAFKA_SSL_KEYFILE needs KAFKA_SSL_CERTFILE beside it.")


@dataclass(frozen=True)
class Settings:
    """The settings, typed. Field order is the order of `docs/settings.md`."""

    data_dir: Path = setting(
        "ALTHING_DATA_DIR", Path, Path(".althing"), "Where the embedded engines, the logs and the secrets live."
    )
    host: str = setting("ALTHING_HOST", str, "127.0.0.1", "Address that the web app and tracking listen on.")
    port: int = setting("ALTHING_PORT", parse_port, 8000, "Port of the web app and its API.")
    tracking_port: int = setting("ALTHING_TRACKING_PORT", parse_port, 8001, "Port of the tracking API.")
    public_url: str | None = setting(
        "ALTHING_PUBLIC_URL",
        parse_url("http", "https"),
        None,
        "The web app's address as people see it. It answers under no other public name.",
    )
    tracking_url: str | None = setting(
        "ALTHING_TRACKING_URL", parse_url("http", "https"), None, "The tracking API's address as websites see it."
    )
    admin_email: str | None = setting(
        "ALTHING_ADMIN_EMAIL", parse_email, None, "Creates the first admin at the first start, with the password below."
    )
    admin_password: str | None = setting(
        "ALTHING_ADMIN_PASSWORD", parse_password, None, "Password of that first admin.", secret=True
    )
    kafka_bootstrap_servers: str | None = setting(
        "KAFKA_BOOTSTRAP_SERVERS", parse_servers, None, "Use this Kafka instead of the embedded one."
    )
    kafka_security_protocol: str | None = setting(
        "KAFKA_SECURITY_PROTOCOL",
        parse_one_of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"),
        None,
        "How that Kafka is spoken to: PLAINTEXT (default), SSL, SASL_PLAINTEXT or SASL_SSL.",
    )
    kafka_sasl_mechanism: str = setting(
        "KAFKA_SASL_MECHANISM",
        parse_one_of("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"),
        "PLAIN",
        "With SASL: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512.",
    )
    kafka_sasl_username: str | None = setting("KAFKA_SASL_USERNAME", str, None, "With SASL: the user.")
    kafka_sasl_password: str | None = setting(
        "KAFKA_SASL_PASSWORD", str, None, "With SASL: that user's password.", secret=True
    )
    kafka_ssl_cafile: Path | None = setting(
        "KAFKA_SSL_CAFILE", parse_file, None, "With TLS: PEM file of the authorities to trust (default: the system's)."
    )
    kafka_ssl_certfile: Path | None = setting(
        "KAFKA_SSL_CERTFILE", parse_file, None, "With TLS: PEM file of our own certificate, where Kafka asks for one."
    )
    kafka_ssl_keyfile: Path | None = setting(
        "KAFKA_SSL_KEYFILE", parse_file, None, "With TLS: PEM file of that certificate's key."
    )
    postgres_url: str | None = setting(
        "POSTGRES_URL",
        parse_url("postgresql", "postgres"),
        None,
        "Use this Postgres instead of the embedded one.",
        secret=True,
    )
    clickhouse_url: str | None = setting(
        "CLICKHOUSE_URL",
        parse_url("http", "https"),
        None,
        "Use this ClickHouse (its HTTP interface, with user and password, the path is the database) "
        "instead of the embedded one.",
        secret=True,
    )
    clickhouse_cluster: str | None = setting(
        "CLICKHOUSE_CLUSTER", str, None, "Cluster name: tables are created Replicated and ON CLUSTER."
    )
    log: str | None = setting(
        "ALTHING_LOG",
        parse_one_of("kafka", "postgres"),
        None,
        "Which log to use. Default: kafka where Java 17+ and Maven are found, else postgres, said loudly.",
    )
    openai_base_url: str | None = setting(
        "OPENAI_BASE_URL",
        parse_endpoint,
        None,
        "Any endpoint that speaks the OpenAI protocol.",
        secret=True,
    )
    openai_api_key: str | None = setting("OPENAI_API_KEY", str, None, "Key for that endpoint.", secret=True)
    openai_model: str = setting("OPENAI_MODEL", str, "gpt-4o-mini", "Name of the model to ask at that endpoint.")
    llm_enabled: bool = setting(
        "ALTHING_LLM", parse_flag, True, "0 switches the language model off without taking its address away."
    )
    llm_hourly_calls: int = setting(
        "ALTHING_LLM_HOURLY_CALLS", parse_count, 10, "Questions to the language model per account in an hour."
    )
    llm_daily_tokens: int = setting(
        "ALTHING_LLM_DAILY_TOKENS", parse_count, 1_000_000, "Tokens that all questions together may take in a day."
    )
    smtp_url: str | None = setting(
        "SMTP_URL",
        parse_url("smtp", "smtps"),
        None,
        "Mail server; without one, mails are kept in the outbox.",
        secret=True,
    )
    contact_email: str | None = setting(
        "ALTHING_CONTACT_EMAIL",
        parse_email,
        None,
        "Address of the people behind this installation: shown on its public pages, and answers to its mails go there.",
    )
    escrow_url: str | None = setting(
        "ALTHING_ESCROW_URL",
        parse_url("http", "https"),
        None,
        "Escrow provider of the marketplace; without one no offer can be accepted. See `althing escrow-sandbox`.",
    )
    escrow_sandbox: bool = setting(
        "ALTHING_ESCROW_SANDBOX",
        parse_flag,
        False,
        "Starts an escrow provider for trying out with the stack. No money moves; only for an app that this machine "
        "alone can reach.",
    )
    escrow_key: str | None = setting(
        "ALTHING_ESCROW_KEY", str, None, "What the escrow provider knows this installation by.", secret=True
    )
    escrow_webhook_secrets: tuple[str, ...] = setting(
        "ALTHING_ESCROW_WEBHOOK_SECRET",
        parse_webhook_secrets,
        (),
        "What the escrow provider signs its messages with (whsec_ and base64 of 16 bytes or more); while it is "
        "replaced: the new one, a space, the old one.",
        secret=True,
    )
    google_client_id: str | None = setting(
        "ALTHING_GOOGLE_CLIENT_ID", str, None, "Sign-in with Google: the client id that Google gave this installation."
    )
    google_client_secret: str | None = setting(
        "ALTHING_GOOGLE_CLIENT_SECRET", str, None, "Sign-in with Google: the secret that belongs to it.", secret=True
    )
    google_url: str | None = setting(
        "ALTHING_GOOGLE_URL",
        parse_url("http", "https"),
        None,
        "Sign-in with Google: where it is, if not at https://accounts.google.com.",
    )
    github_client_id: str | None = setting(
        "ALTHING_GITHUB_CLIENT_ID", str, None, "Sign-in with GitHub: the client id that GitHub gave this installation."
    )
    github_client_secret: str | None = setting(
        "ALTHING_GITHUB_CLIENT_SECRET", str, None, "Sign-in with GitHub: the secret that belongs to it.", secret=True
    )
    github_url: str | None = setting(
        "ALTHING_GITHUB_URL",
        parse_url("http", "https"),
        None,
        "Sign-in with GitHub: where it is, if not at https://github.com. A GitHub Enterprise server has its own.",
    )
    microsoft_client_id: str | None = setting(
        "ALTHING_MICROSOFT_CLIENT_ID",
        str,
        None,
        "Sign-in with Microsoft: the client id that Microsoft gave this installation.",
    )
    microsoft_client_secret: str | None = setting(
        "ALTHING_MICROSOFT_CLIENT_SECRET",
        str,
        None,
        "Sign-in with Microsoft: the secret that belongs to it.",
        secret=True,
    )
    microsoft_url: str | None = setting(
        "ALTHING_MICROSOFT_URL",
        parse_url("http", "https"),
        None,
        "Sign-in with Microsoft: where it is, if not at https://login.microsoftonline.com/common/v2.0. With a tenant's "
        "id in place of `common`, that tenant's people alone may sign in.",
    )
    linkedin_client_id: str | None = setting(
        "ALTHING_LINKEDIN_CLIENT_ID",
        str,
        None,
        "Sign-in with LinkedIn: the client id that LinkedIn gave this installation.",
    )
    linkedin_client_secret: str | None = setting(
        "ALTHING_LINKEDIN_CLIENT_SECRET",
        str,
        None,
        "Sign-in with LinkedIn: the secret that belongs to it.",
        secret=True,
    )
    linkedin_url: str | None = setting(
        "ALTHING_LINKEDIN_URL",
        parse_url("http", "https"),
        None,
        "Sign-in with LinkedIn: where it is, if not at https://www.linkedin.com.",
    )
    trusted_proxies: tuple[Network, ...] = setting(
        "TRUSTED_PROXIES",
        parse_networks,
        (),
        "Addresses or networks, with commas, whose X-Forwarded-For is believed.",
    )
    dns_resolvers: tuple[Server, ...] = setting(
        "ALTHING_DNS_RESOLVERS",
        parse_resolvers,
        (),
        "Addresses of DNS resolvers (with `:port` where it is not 53), with commas, that custom domains are checked "
        "with; all of them must agree. Default: the system's.",
    )
    outbound_networks: tuple[Network, ...] = setting(
        "ALTHING_OUTBOUND_NETWORKS",
        parse_networks,
        (),
        "Addresses or networks, with commas, that calls outward may reach beside the open internet.",
    )
    master_key: str | None = setting(
        "ALTHING_MASTER_KEY",
        parse_master_key,
        None,
        "64 hexadecimal digits that seal personal data and secrets at rest. Default: made at the first start and kept "
        "in <data dir>/secrets.json.",
        secret=True,
    )
    kafka_port: int | None = setting(
        "ALTHING_KAFKA_PORT", parse_port, None, "Port of the embedded Kafka (9092 if free)."
    )
    postgres_port: int | None = setting(
        "ALTHING_POSTGRES_PORT", parse_port, None, "Port of the embedded Postgres (5433 if free)."
    )
    clickhouse_port: int | None = setting(
        "ALTHING_CLICKHOUSE_PORT", parse_port, None, "Port of the embedded ClickHouse HTTP interface (8123 if free)."
    )
    command_port: int | None = setting(
        "ALTHING_COMMAND_PORT",
        parse_port,
        None,
        "Port of the command service (8010 if free), behind the web app's port.",
    )
    query_port: int | None = setting(
        "ALTHING_QUERY_PORT", parse_port, None, "Port of the query service (8011 if free), behind the web app's port."
    )
    projectors_port: int | None = setting(
        "ALTHING_PROJECTORS_PORT",
        parse_port,
        None,
        "Port of the projectors' health and metrics on loopback (8012 if free).",
    )
    escrow_port: int | None = setting(
        "ALTHING_ESCROW_PORT", parse_port, None, "Port of the escrow sandbox (8100 if free)."
    )
    scheduler_port: int | None = setting(
        "ALTHING_SCHEDULER_PORT",
        parse_port,
        None,
        "Port of the scheduler's health and metrics on loopback (8013 if free).",
    )
    ingest_max_unacked: int = setting(
        "ALTHING_INGEST_MAX_UNACKED",
        parse_count,
        20_000,
        "Events that ingest holds unacknowledged before it answers 503.",
    )
    site_rate: int = setting(
        "ALTHING_SITE_RATE", parse_count, 5_000, "Events a second that one website may send before it is answered 429."
    )
    mark_suspicious: bool = setting(
        "ALTHING_MARK_SUSPICIOUS",
        parse_flag,
        True,
        "Mark clicks and visitors that are probably faked: they are kept, and figures leave them out. 0: mark none.",
    )
    suspicious_clicks: int = setting(
        "ALTHING_SUSPICIOUS_CLICKS",
        parse_count,
        60,
        "Clicks a minute on one link from one address; those beyond are marked as suspicious. The limits on visitors, "
        "events and links of an address are multiples of it. Each ingest process counts for itself.",
    )
    mark_datacentres: bool = setting(
        "ALTHING_MARK_DATACENTRES",
        parse_flag,
        True,
        "Mark what comes from the address ranges of hosting companies as suspicious. 0: people behind VPNs count.",
    )
    address_refusals: int = setting(
        "ALTHING_ADDRESS_REFUSALS",
        parse_count,
        50,
        "Refused requests a second from one address; above it unknown keys, unknown links and large bodies get 429.",
    )
    city_database: Path | None = setting(
        "ALTHING_CITY_DATABASE", Path, None, "An MMDB file with region and city, used in place of the country database."
    )
    kafka_flush_each: bool = setting(
        "ALTHING_KAFKA_FLUSH_EACH",
        parse_flag,
        True,
        "0: the embedded Kafka acknowledges before the disk has it; faster where fsync is slow, and a power loss takes "
        "the last moments.",
    )
    backup_dir: Path | None = setting(
        "ALTHING_BACKUP_DIR", Path, None, "Folder for a backup a day, best on another disk. Default: none is taken."
    )
    backup_keep: int = setting("ALTHING_BACKUP_KEEP", parse_count, 7, "How many of these backups are kept.")
    canary: bool = setting(
        "ALTHING_CANARY",
        parse_flag,
        True,
        "0: no page view of nobody's is sent every 15 seconds to measure how long the way to the tables takes.",
    )

    @property
    def app_url(self) -> str:
        return self.public_url or f"http://{_shown(self.host)}:{self.port}"

    @property
    def tracking_base_url(self) -> str:
        return self.tracking_url or f"http://{_shown(self.host)}:{self.tracking_port}"


def _shown(host: str) -> str:
    return "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104 - a comparison, nothing is bound here


def _read_env_file(path: Path) -> Mapping[str, str]:
    if not path.is_file():
        return {}
    found: dict[str, str] = {}
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        text = line.strip().removeprefix("export ").strip()
        if not text or text.startswith("#"):
            continue
        name, equals, value = text.partition("=")
        if not equals:
            raise SettingsError(f"{path}, line {number}: {text!r} is not NAME=value.")
        found[name.strip()] = value.strip().strip("\"'")
    return found
