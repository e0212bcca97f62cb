"""Settings: what is refused, in which words; the documentation of them is complete."""

from __future__ import annotations

import json
from dataclasses import fields
from ipaddress import ip_network
from pathlib import Path

import pytest

from infra.kernel.config import docs
from infra.kernel.config.loading import load
from infra.kernel.config.paths import ROOT
from infra.kernel.config.settings import SECRET_NAMES, Settings, SettingsError


def test_defaults_need_nothing() -> None:
    settings = load({}, None)
    assert (settings.port, settings.tracking_port, settings.host) == (8000, 8001, "127.0.0.1")
    assert settings.app_url == "http://127.0.0.1:8000"


def test_an_unknown_name_is_refused_and_named() -> None:
    with pytest.raises(SettingsError, match="ALTHING_PROT is not a setting"):
        load({"ALTHING_PROT": "1"}, None)


def test_names_of_others_are_left_alone() -> None:
    assert load({"PATH": "/bin", "KAFKA_HOME": "x"}, None) == Settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ALTHING_PORT", "0"),
        ("ALTHING_PORT", "65536"),
        ("ALTHING_PORT", "eight"),
        ("ALTHING_TRACKING_PORT", "-1"),
        ("ALTHING_PUBLIC_URL", "ftp://x"),
        ("ALTHING_LOG", "redis"),
        ("KAFKA_BOOTSTRAP_SERVERS", "broker"),
        ("POSTGRES_URL", "mysql://x/y"),
        ("CLICKHOUSE_URL", "tcp://x:9000"),
        ("TRUSTED_PROXIES", "10.0.0.0/40"),
        ("ALTHING_METRICS_NETWORKS", "everybody"),
        ("ALTHING_QUERY_URL", "http://query:8011/api"),
        ("ALTHING_COMMAND_URL", "command:8010"),
        ("ALTHING_DNS_RESOLVERS", "dns.example"),
        ("ALTHING_DNS_RESOLVERS", "192.0.2.1:99999"),
        ("ALTHING_OUTBOUND_NETWORKS", "inside"),
        ("ALTHING_NETWORK_URLS", "http://127.0.0.1:9101"),
        ("ALTHING_NETWORK_URLS", "tradedoubler=http://127.0.0.1:9101"),
        ("ALTHING_NETWORK_URLS", "awin=http://user:word@proxy.example"),
        ("ALTHING_MASTER_KEY", "abc"),
        ("ALTHING_KAFKA_FLUSH_EACH", "maybe"),
        ("ALTHING_SITE_RATE", "0"),
        ("ALTHING_TWITTER_PROFILE", "http://x.com/althing"),
        ("ALTHING_TWITTER_PROFILE", "javascript:alert(1)//x.com"),
        ("ALTHING_TWITTER_PROFILE", "https://x.com.evil.example/althing"),
        ("ALTHING_YOUTUBE_PROFILE", "https://x.com/althing"),
        ("ALTHING_LINKEDIN_PROFILE", "https://linkedin.com@evil.example/"),
        ("ALTHING_FIGURE_DATA_BREACHES", "not one in all these years"),
    ],
)
def test_a_bad_value_is_refused_and_its_setting_named(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name) as refusal:
        load({name: value}, None)
    assert str(refusal.value).count("\n") == 0


def test_figures_are_those_of_the_app_unless_the_operator_words_or_hides_one() -> None:
    usual = json.loads((ROOT / "web/src/features/site/lib/figures.json").read_text())
    assert load({}, None).figures == {one["name"]: one["usual"] for one in usual}
    settings = load({"ALTHING_FIGURE_PROTECTED_USERS": "312", "ALTHING_FIGURE_DATA_BREACHES": "none"}, None)
    assert (settings.figures["protected_users"], settings.figures["data_breaches"]) == ("312", "")


def test_a_profile_is_where_its_network_is() -> None:
    settings = load({"ALTHING_LINKEDIN_PROFILE": "https://www.linkedin.com/company/althing"}, None)
    assert settings.linkedin_profile == "https://www.linkedin.com/company/althing"


@pytest.mark.parametrize("address", ["http://me:secret@host/v1", "https://host/v1?key=secret", "https://host#secret"])
def test_a_models_address_holds_no_key(address: str) -> None:
    with pytest.raises(SettingsError, match="OPENAI_BASE_URL") as refusal:
        load({"OPENAI_BASE_URL": address}, None)
    assert "secret" not in str(refusal.value)


def test_a_secret_never_stands_in_the_refusal() -> None:
    with pytest.raises(SettingsError) as refusal:
        load({"POSTGRES_URL": "oracle://me:hunter22@x/y"}, None)
    assert "hunter22" not in str(refusal.value)


def test_the_first_admin_needs_both_halves() -> None:
    with pytest.raises(SettingsError, match="go together"):
        load({"ALTHING_ADMIN_EMAIL": "a@example.com"}, None)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"KAFKA_SECURITY_PROTOCOL": "SSL"}, "set KAFKA_BOOTSTRAP_SERVERS"),
        ({"KAFKA_SECURITY_PROTOCOL": "SASL_SSL", "KAFKA_BOOTSTRAP_SERVERS": "b:1"}, "set KAFKA_SASL_USERNAME and"),
        ({"KAFKA_SASL_USERNAME": "me", "KAFKA_SASL_PASSWORD": "x"}, "set KAFKA_SECURITY_PROTOCOL"),
        ({"KAFKA_SSL_CAFILE": __file__}, "set KAFKA_SECURITY_PROTOCOL"),
        ({"KAFKA_SSL_CAFILE": "/no/such/file"}, "KAFKA_SSL_CAFILE.*no such file"),
        (
            {"KAFKA_SECURITY_PROTOCOL": "SSL", "KAFKA_BOOTSTRAP_SERVERS": "b:1", "KAFKA_SSL_KEYFILE": __file__},
            "needs KAFKA_SSL_CERTFILE",
        ),
    ],
)
def test_settings_of_a_kafka_that_contradict_each_other_are_refused(given: dict[str, str], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        load(given, None)


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text('# comment\nexport ALTHING_PORT="9000"\nALTHING_HOST=10.1.2.3\nTRUSTED_PROXIES=10.0.0.0/8, ::1\n')
    settings = load({"ALTHING_PORT": "9001"}, file)
    assert (settings.port, settings.host) == (9001, "10.1.2.3")
    assert settings.trusted_proxies == (ip_network("10.0.0.0/8"), ip_network("::1"))


def test_a_line_that_sets_nothing_is_named(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("ALTHING_PORT 9000\n")
    with pytest.raises(SettingsError, match="line 1"):
        load({}, file)


def test_the_documents_name_every_setting() -> None:
    names = [field.metadata["name"] for field in fields(Settings)]
    assert len(set(names)) == len(names)
    for path in (docs.DOCUMENT, docs.EXAMPLE):
        text = path.read_text()
        assert [name for name in names if name not in text] == []


def test_resolvers_are_addresses_with_or_without_a_port() -> None:
    settings = load({"ALTHING_DNS_RESOLVERS": "192.0.2.1, 192.0.2.2:5353,2001:db8::1,[2001:db8::2]:54"}, None)
    found = [("192.0.2.1", 53), ("192.0.2.2", 5353), ("2001:db8::1", 53), ("2001:db8::2", 54)]
    assert settings.dns_resolvers == tuple(found)


def test_servers_in_place_of_networks_are_named_one_by_one() -> None:
    settings = load({"ALTHING_NETWORK_URLS": "awin=http://127.0.0.1:9101/, cj=https://proxy.example/cj"}, None)
    assert settings.network_urls == (("awin", "http://127.0.0.1:9101"), ("cj", "https://proxy.example/cj"))


def test_a_secret_may_be_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "postgres_url"
    file.write_text("postgresql://me:hunter22@db/althing\n")
    assert load({"POSTGRES_URL_FILE": str(file)}, None).postgres_url == "postgresql://me:hunter22@db/althing"
    file.write_text("\n")
    assert load({"POSTGRES_URL_FILE": str(file)}, None).postgres_url is None


@pytest.mark.parametrize("name", sorted(SECRET_NAMES))
def test_each_secret_is_either_a_value_or_a_file(name: str, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("x")
    with pytest.raises(SettingsError, match=f"{name} and {name}_FILE are both set"):
        load({name: "x", f"{name}_FILE": str(file)}, None)


def test_a_secrets_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"ALTHING_MASTER_KEY_FILE: .*No such file"):
        load({"ALTHING_MASTER_KEY_FILE": str(tmp_path / "none")}, None)
    with pytest.raises(SettingsError, match="ALTHING_PORT_FILE is not a setting"):
        load({"ALTHING_PORT_FILE": str(tmp_path / "none")}, None)


def test_an_empty_name_of_a_file_is_none(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("POSTGRES_URL_FILE=/none\n")
    given = {"POSTGRES_URL": "postgresql://db/x", "POSTGRES_URL_FILE": ""}
    assert load(given, tmp_path / ".env").postgres_url == "postgresql://db/x"


def test_a_secret_of_a_file_never_stands_in_the_refusal(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("hunter22")
    with pytest.raises(SettingsError, match="ALTHING_MASTER_KEY: its value") as refusal:
        load({"ALTHING_MASTER_KEY_FILE": str(tmp_path / "key")}, None)
    assert "hunter22" not in str(refusal.value)


@pytest.mark.parametrize(
    ("given", "command", "query"),
    [
        ({}, "http://127.0.0.1:8010", "http://127.0.0.1:8011"),
        ({"ALTHING_COMMAND_PORT": "1", "ALTHING_QUERY_PORT": "2"}, "http://127.0.0.1:1", "http://127.0.0.1:2"),
        ({"ALTHING_INTERNAL_HOST": "0.0.0.0"}, "http://127.0.0.1:8010", "http://127.0.0.1:8011"),  # noqa: S104
        ({"ALTHING_INTERNAL_HOST": "::"}, "http://[::1]:8010", "http://[::1]:8011"),
        ({"ALTHING_INTERNAL_HOST": "127.0.0.2"}, "http://127.0.0.2:8010", "http://127.0.0.2:8011"),
        (
            {"ALTHING_COMMAND_URL": "http://command:8010/", "ALTHING_QUERY_URL": "https://query.internal"},
            "http://command:8010",
            "https://query.internal",
        ),
    ],
)
def test_services_find_each_other_by_url_or_port(given: dict[str, str], command: str, query: str) -> None:
    settings = load(given, None)
    assert (settings.command_base_url, settings.query_base_url) == (command, query)
