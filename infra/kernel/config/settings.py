"""Settings of every process: read once at its start from the environment, `.env` and the credentials of systemd.

Each setting is one field below with its environment name, default and meaning; `docs/settings.md` is generated
from this table and a test holds the two together. An unknown `ALTHING_*` name or a bad value stops the start with
one sentence that names it (`SettingsError`). A secret may be in a file, which the setting's name with `_FILE` names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from infra.kernel.config import sources
from infra.kernel.config.modules import parse_without
from infra.kernel.config.parsers import (
    Network,
    Server,
    parse_contact,
    parse_count,
    parse_email,
    parse_endpoint,
    parse_figure,
    parse_file,
    parse_flag,
    parse_master_key,
    parse_named_urls,
    parse_networks,
    parse_one_of,
    parse_origin,
    parse_password,
    parse_port,
    parse_profile,
    parse_rate_source,
    parse_resolvers,
    parse_servers,
    parse_url,
    parse_webhook_secrets,
)
from infra.kernel.config.problems import SettingsProblem

__all__ = ["Network", "Server", "Settings", "SettingsError", "SettingsProblem"]

FILE_SUFFIX: Final = sources.FILE_SUFFIX

COMMAND_PORT: Final = 8010
QUERY_PORT: Final = 8011

parse_web_url = parse_url("http", "https")


class SettingsError(ValueError):
    """One sentence for the operator: which setting is wrong, and what it accepts."""


def setting(
    name: str, text: str, parse: Callable[[str], Any] = str, default: Any = None, *, secret: bool = False
) -> Any:
    """One row of the settings table: environment name, its meaning for `docs/settings.md`, parser and default."""
    return field(default=default, metadata={"name": name, "parse": parse, "text": text, "secret": secret})


def _client_id(provider: str) -> Any:
    name = f"ALTHING_{provider.upper()}_CLIENT_ID"
    return setting(name, f"Sign-in with {provider}: the client id from {provider}.")


def _client_secret(provider: str) -> Any:
    return setting(
        f"ALTHING_{provider.upper()}_CLIENT_SECRET", f"Sign-in with {provider}: the client secret.", secret=True
    )


def _provider_url(provider: str, usual: str) -> Any:
    text = f"Sign-in with {provider}: its address, if not {usual}"
    return setting(f"ALTHING_{provider.upper()}_URL", text, parse_web_url)


def _channel_app(network: str, part: str, *, secret: bool = False) -> Any:
    name = f"ALTHING_{network.upper()}_CLIENT_{part.upper()}"
    text = f"Connections of social channels to {network}: the client {part} from {network}. Default: no connections."
    return setting(name, text, secret=secret)


def _channel_url(network: str) -> Any:
    text = f"Connections of social channels to {network}: a server in place of {network}'s own addresses."
    return setting(f"ALTHING_{network.upper()}_API_URL", text, parse_web_url)


def _profile(name: str, *hosts: str) -> Any:
    text = f"Address of this installation's {name} profile; the footer of the public pages links to it."
    return setting(f"ALTHING_{name.upper()}_PROFILE", text, parse_profile(*hosts))


def _figure(name: str, default: str) -> Any:
    text = f"Marketing figure on the home page: {name.replace('_', ' ')}. `none` hides it."
    return setting(f"ALTHING_FIGURE_{name.upper()}", text, parse_figure, default)


@dataclass(frozen=True)
class Settings:
    """The settings, typed. Field order is the order of `docs/settings.md`."""

    data_dir: Path = setting(
        "ALTHING_DATA_DIR", "Where the embedded engines, the logs and the secrets live.", Path, Path(".althing")
    )
    host: str = setting("ALTHING_HOST", "Address that the web app and tracking listen on.", default="127.0.0.1")
    internal_host: str = setting(
        "ALTHING_INTERNAL_HOST",
        "Address that the command and query services and the health of projectors listen on.",
        default="127.0.0.1",
    )
    port: int = setting("ALTHING_PORT", "Port of the web app and its API.", parse_port, 8000)
    tracking_port: int = setting("ALTHING_TRACKING_PORT", "Port of the tracking API.", parse_port, 8001)
    public_url: str | None = setting(
        "ALTHING_PUBLIC_URL", "Public URL of the web app. It answers under no other public name.", parse_web_url
    )
    tracking_url: str | None = setting("ALTHING_TRACKING_URL", "Public URL of the tracking API.", parse_web_url)
    command_url: str | None = setting(
        "ALTHING_COMMAND_URL",
        "Where `web` finds the command service. Default: its port on ALTHING_INTERNAL_HOST.",
        parse_origin,
    )
    query_url: str | None = setting(
        "ALTHING_QUERY_URL",
        "Where `web` and the command service find the query service. Default: its port on ALTHING_INTERNAL_HOST.",
        parse_origin,
    )
    admin_email: str | None = setting(
        "ALTHING_ADMIN_EMAIL", "Creates the first admin at the first start, with the password below.", parse_email
    )
    admin_password: str | None = setting(
        "ALTHING_ADMIN_PASSWORD", "Password of that first admin.", parse_password, secret=True
    )
    kafka_bootstrap_servers: str | None = setting(
        "KAFKA_BOOTSTRAP_SERVERS", "Use this Kafka instead of the embedded one.", parse_servers
    )
    kafka_security_protocol: str | None = setting(
        "KAFKA_SECURITY_PROTOCOL",
        "Security protocol of that Kafka: PLAINTEXT (default), SSL, SASL_PLAINTEXT or SASL_SSL.",
        parse_one_of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"),
    )
    kafka_sasl_mechanism: str = setting(
        "KAFKA_SASL_MECHANISM",
        "With SASL: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512.",
        parse_one_of("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"),
        "PLAIN",
    )
    kafka_sasl_username: str | None = setting("KAFKA_SASL_USERNAME", "With SASL: the user.")
    kafka_sasl_password: str | None = setting("KAFKA_SASL_PASSWORD", "With SASL: that user's password.", secret=True)
    kafka_ssl_cafile: Path | None = setting(
        "KAFKA_SSL_CAFILE", "With TLS: PEM file of the authorities to trust (default: the system's).", parse_file
    )
    kafka_ssl_certfile: Path | None = setting(
        "KAFKA_SSL_CERTFILE", "With TLS: PEM file of the client certificate, if Kafka requires one.", parse_file
    )
    kafka_ssl_keyfile: Path | None = setting(
        "KAFKA_SSL_KEYFILE", "With TLS: PEM file of that certificate's key.", parse_file
    )
    postgres_url: str | None = setting(
        "POSTGRES_URL",
        "Use this Postgres instead of the embedded one.",
        parse_url("postgresql", "postgres"),
        secret=True,
    )
    clickhouse_url: str | None = setting(
        "CLICKHOUSE_URL",
        "Use this ClickHouse (its HTTP interface, with user and password, the path is the database) "
        "instead of the embedded one.",
        parse_web_url,
        secret=True,
    )
    clickhouse_cluster: str | None = setting(
        "CLICKHOUSE_CLUSTER", "Cluster name: tables are created Replicated and ON CLUSTER."
    )
    log: str | None = setting(
        "ALTHING_LOG",
        "Which log to use. Default: kafka if Java 17+ and Kafka's jars are found, else postgres, with a warning.",
        parse_one_of("kafka", "postgres"),
    )
    openai_base_url: str | None = setting(
        "OPENAI_BASE_URL", "Any endpoint with an OpenAI-compatible API.", parse_endpoint, secret=True
    )
    openai_api_key: str | None = setting("OPENAI_API_KEY", "Key for that endpoint.", secret=True)
    openai_model: str = setting("OPENAI_MODEL", "Name of the model at that endpoint.", default="gpt-4o-mini")
    llm_enabled: bool = setting(
        "ALTHING_LLM", "0 disables the language model without removing its address.", parse_flag, True
    )
    llm_hourly_calls: int = setting(
        "ALTHING_LLM_HOURLY_CALLS", "Requests to the language model per account and hour.", parse_count, 10
    )
    llm_daily_tokens: int = setting(
        "ALTHING_LLM_DAILY_TOKENS", "Tokens that all requests together may use in a day.", parse_count, 1_000_000
    )
    smtp_url: str | None = setting(
        "SMTP_URL", "Mail server; without one, emails stay in the outbox.", parse_url("smtp", "smtps"), secret=True
    )
    contact_email: str | None = setting(
        "ALTHING_CONTACT_EMAIL",
        "Contact address of this installation: shown on its public pages, and the reply address of its emails.",
        parse_email,
    )
    security_contact: str | None = setting(
        "ALTHING_SECURITY_CONTACT",
        "Where vulnerabilities are reported (`/.well-known/security.txt`): an email address or the https address of a"
        " form; without it `ALTHING_CONTACT_EMAIL`.",
        parse_contact,
    )
    twitter_profile: str | None = _profile("Twitter", "twitter.com", "x.com")
    facebook_profile: str | None = _profile("Facebook", "facebook.com")
    linkedin_profile: str | None = _profile("LinkedIn", "linkedin.com")
    instagram_profile: str | None = _profile("Instagram", "instagram.com")
    youtube_profile: str | None = _profile("YouTube", "youtube.com")
    figure_monthly_clicks: str = _figure("monthly_clicks", "2.4M+")
    figure_average_conversion: str = _figure("average_conversion", "24.5%")
    figure_active_partners: str = _figure("active_partners", "500+")
    figure_monthly_revenue: str = _figure("monthly_revenue", "$180K")
    figure_years_in_security: str = _figure("years_in_security", "10+")
    figure_protected_users: str = _figure("protected_users", "50K+")
    figure_data_breaches: str = _figure("data_breaches", "0")
    escrow_url: str | None = setting(
        "ALTHING_ESCROW_URL",
        "Escrow provider of the marketplace; without one, only direct deals, if allowed (docs/marketplace.md).",
        parse_web_url,
    )
    escrow_sandbox: bool = setting(
        "ALTHING_ESCROW_SANDBOX",
        "Starts an escrow sandbox with the stack. No money moves; only for an app that no other machine can reach.",
        parse_flag,
        False,
    )
    escrow_key: str | None = setting(
        "ALTHING_ESCROW_KEY", "API key of this installation at the escrow provider.", secret=True
    )
    escrow_webhook_secrets: tuple[str, ...] = setting(
        "ALTHING_ESCROW_WEBHOOK_SECRET",
        "Secret with which the escrow provider signs its messages (whsec_ and base64 of 16 bytes or more); during a "
        "rotation: the new one, a space, the old one.",
        parse_webhook_secrets,
        (),
        secret=True,
    )
    google_client_id: str | None = _client_id("Google")
    google_client_secret: str | None = _client_secret("Google")
    google_url: str | None = _provider_url("Google", "https://accounts.google.com.")
    github_client_id: str | None = _client_id("GitHub")
    github_client_secret: str | None = _client_secret("GitHub")
    github_url: str | None = _provider_url("GitHub", "https://github.com, for example a GitHub Enterprise server.")
    microsoft_client_id: str | None = _client_id("Microsoft")
    microsoft_client_secret: str | None = _client_secret("Microsoft")
    microsoft_url: str | None = _provider_url(
        "Microsoft",
        "https://login.microsoftonline.com/common/v2.0. With a tenant's id instead of `common`, only that tenant's "
        "users can sign in.",
    )
    linkedin_client_id: str | None = _client_id("LinkedIn")
    linkedin_client_secret: str | None = _client_secret("LinkedIn")
    linkedin_url: str | None = _provider_url("LinkedIn", "https://www.linkedin.com.")
    youtube_client_id: str | None = _channel_app("YouTube", "id")
    youtube_client_secret: str | None = _channel_app("YouTube", "secret", secret=True)
    youtube_api_url: str | None = _channel_url("YouTube")
    instagram_client_id: str | None = _channel_app("Instagram", "id")
    instagram_client_secret: str | None = _channel_app("Instagram", "secret", secret=True)
    instagram_api_url: str | None = _channel_url("Instagram")
    network_urls: tuple[tuple[str, str], ...] = setting(
        "ALTHING_NETWORK_URLS",
        "Servers in place of affiliate networks' own APIs, separated by commas, for tests and proxies: "
        "`awin=http://127.0.0.1:9101,cj=…,impact=…`.",
        parse_named_urls("awin", "cj", "impact"),
        (),
    )
    destination_urls: tuple[tuple[str, str], ...] = setting(
        "ALTHING_DESTINATION_URLS",
        "Servers in place of ad platforms' own APIs, separated by commas, for tests and proxies: "
        "`google_ads=http://127.0.0.1:9101,microsoft=…,meta=…,tiktok=…`.",
        parse_named_urls("google_ads", "microsoft", "meta", "tiktok"),
        (),
    )
    trusted_proxies: tuple[Network, ...] = setting(
        "TRUSTED_PROXIES",
        "Addresses or networks, separated by commas, whose X-Forwarded-For is trusted.",
        parse_networks,
        (),
    )
    metrics_networks: tuple[Network, ...] = setting(
        "ALTHING_METRICS_NETWORKS",
        "Addresses or networks, separated by commas, that may read `/metrics` of every service, and `/livez` and "
        "`/readyz` of the internal ones, besides loopback.",
        parse_networks,
        (),
    )
    dns_resolvers: tuple[Server, ...] = setting(
        "ALTHING_DNS_RESOLVERS",
        "Addresses of DNS resolvers (with `:port` if it is not 53), separated by commas, for checks of custom domains; "
        "all of them must agree. Default: the system's.",
        parse_resolvers,
        (),
    )
    outbound_networks: tuple[Network, ...] = setting(
        "ALTHING_OUTBOUND_NETWORKS",
        "Addresses or networks, separated by commas, that outgoing calls may reach besides the public internet.",
        parse_networks,
        (),
    )
    exchange_rates: str | None = setting(
        "ALTHING_EXCHANGE_RATES",
        "`ecb`: records the euro reference rates of the European Central Bank once a day, by an outgoing call. `none`: "
        "rates are recorded by hand, for an installation that may call nothing outside.",
        parse_rate_source,
        "ecb",
    )
    exchange_rates_url: str | None = setting(
        "ALTHING_EXCHANGE_RATES_URL",
        "Folder of the files `eurofxref-daily.xml` and `eurofxref-hist-90d.xml`, if not "
        "https://www.ecb.europa.eu/stats/eurofxref, for example of a mirror inside the network.",
        parse_web_url,
    )
    master_key: str | None = setting(
        "ALTHING_MASTER_KEY",
        "64 hexadecimal digits: the key that encrypts personal data and secrets. Default: generated at the first start "
        "and stored in <data dir>/secrets.json.",
        parse_master_key,
        secret=True,
    )
    kafka_port: int | None = setting("ALTHING_KAFKA_PORT", "Port of the embedded Kafka (9092 if free).", parse_port)
    postgres_port: int | None = setting(
        "ALTHING_POSTGRES_PORT", "Port of the embedded Postgres (5433 if free).", parse_port
    )
    clickhouse_port: int | None = setting(
        "ALTHING_CLICKHOUSE_PORT", "Port of the embedded ClickHouse HTTP interface (8123 if free).", parse_port
    )
    command_port: int | None = setting(
        "ALTHING_COMMAND_PORT", "Port of the command service (8010 if free), behind the web app's port.", parse_port
    )
    query_port: int | None = setting(
        "ALTHING_QUERY_PORT", "Port of the query service (8011 if free), behind the web app's port.", parse_port
    )
    projectors_port: int | None = setting(
        "ALTHING_PROJECTORS_PORT", "Port of the projectors' health and metrics (8012 if free).", parse_port
    )
    escrow_port: int | None = setting("ALTHING_ESCROW_PORT", "Port of the escrow sandbox (8100 if free).", parse_port)
    scheduler_port_unused: int | None = setting(
        "ALTHING_SCHEDULER_PORT", "Not used any more: the command service runs recurring jobs.", parse_port
    )
    ingest_max_unacked: int = setting(
        "ALTHING_INGEST_MAX_UNACKED",
        "Maximum of unacknowledged events in ingest before it returns 503.",
        parse_count,
        20_000,
    )
    site_rate: int = setting(
        "ALTHING_SITE_RATE", "Events per second that one website may send before it gets 429.", parse_count, 5_000
    )
    mark_suspicious: bool = setting(
        "ALTHING_MARK_SUSPICIOUS",
        "Mark clicks and visitors that are probably faked: they are stored and excluded from metrics. 0: mark none.",
        parse_flag,
        True,
    )
    suspicious_clicks: int = setting(
        "ALTHING_SUSPICIOUS_CLICKS",
        "Clicks a minute on one link from one address; clicks beyond the limit are marked as suspicious. The limits on "
        "visitors, events and links of an address are multiples of it. Each ingest process counts separately.",
        parse_count,
        60,
    )
    mark_datacentres: bool = setting(
        "ALTHING_MARK_DATACENTRES",
        "Mark events from the address ranges of hosting companies as suspicious. 0: people behind VPNs count.",
        parse_flag,
        True,
    )
    address_refusals: int = setting(
        "ALTHING_ADDRESS_REFUSALS",
        "Rejected requests per second from one address; beyond it unknown keys and links and large bodies get 429.",
        parse_count,
        50,
    )
    account_daily_commands: int = setting(
        "ALTHING_ACCOUNT_DAILY_COMMANDS",
        "Changes that one account may make in a day (UTC). Ten times as many decisions about money; sign-in has none.",
        parse_count,
        20_000,
    )
    account_daily_mib: int = setting(
        "ALTHING_ACCOUNT_DAILY_MIB",
        "MiB that one account may store in a day (UTC): what it sends and the events that follow.",
        parse_count,
        256,
    )
    without: tuple[str, ...] = setting(
        "ALTHING_WITHOUT",
        "Parts that this installation does without, with commas between them: builder, consulting, forum, marketplace, "
        "matching. Their pages and calls are 404, and nothing leads to them; what was stored stays. The same value for "
        "all services.",
        parse_without,
        (),
    )
    city_database: Path | None = setting(
        "ALTHING_CITY_DATABASE", "An MMDB file with region and city, used instead of the country database.", Path
    )
    kafka_flush_each: bool = setting(
        "ALTHING_KAFKA_FLUSH_EACH",
        "0: the embedded Kafka acknowledges before data is on disk; faster if fsync is slow, but a power loss loses "
        "the last moments.",
        parse_flag,
        True,
    )
    backup_dir: Path | None = setting(
        "ALTHING_BACKUP_DIR", "Folder for daily backups, preferably on another disk. Default: no backups.", Path
    )
    backup_keep: int = setting("ALTHING_BACKUP_KEEP", "How many of these backups are kept.", parse_count, 7)
    otlp_endpoint: str | None = setting(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OpenTelemetry collector that gets traces by OTLP over HTTP; the standard's other OTEL_* variables apply too. "
        "Default: no traces.",
        parse_endpoint,
    )
    insert_interval_ms: int = setting(
        "ALTHING_INSERT_INTERVAL_MS",
        "Milliseconds between two inserts of a partition at least; up to 750 where many events come or an insert takes "
        "long. A single event does not wait; a longer interval costs less processor time and shows the later events "
        "later.",
        parse_count,
        200,
    )
    canary: bool = setting(
        "ALTHING_CANARY",
        "0: disables the test event that is sent every 15 seconds to measure the delay from ingest to the tables.",
        parse_flag,
        True,
    )

    @property
    def figures(self) -> Mapping[str, str]:
        """The marketing figures by name (`monthly_clicks`); empty where one is hidden."""
        names = (name for name in self.__dataclass_fields__ if name.startswith("figure_"))
        return {name.removeprefix("figure_"): getattr(self, name) for name in names}

    @property
    def app_url(self) -> str:
        """Base URL of the web app and the API, without a slash at the end."""
        return self.public_url or f"http://{_shown(self.host)}:{self.port}"

    @property
    def tracking_base_url(self) -> str:
        """Base URL of the browser script and of tracked links, without a slash at the end."""
        return self.tracking_url or f"http://{_shown(self.host)}:{self.tracking_port}"

    @property
    def command_base_url(self) -> str:
        """Base URL of the command service, without a slash at the end."""
        return self.command_url or self._internal(self.command_port or COMMAND_PORT)

    @property
    def query_base_url(self) -> str:
        """Base URL of the query service, without a slash at the end."""
        return self.query_url or self._internal(self.query_port or QUERY_PORT)

    def _internal(self, port: int) -> str:
        host = "::1" if self.internal_host == "::" else _shown(self.internal_host)
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"


SECRET_NAMES: Final = frozenset(row.metadata["name"] for row in fields(Settings) if row.metadata["secret"])
"""Names of the settings whose values are never shown, and may be in files."""


def _shown(host: str) -> str:
    return "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104 - a comparison, nothing is bound here
