"""Settings: what is refused, in which words; the documentation of them is complete."""

from __future__ import annotations

import json
from dataclasses import fields
from ipaddress import ip_network
from pathlib import Path

import pytest

from infra.kernel.config import docs
from infra.kernel.config.paths import ROOT
from infra.kernel.config.settings import Settings, SettingsError, load


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
        ("ALTHING_DNS_RESOLVERS", "dns.example"),
        ("ALTHING_DNS_RESOLVERS", "192.0.2.1:99999"),
        ("ALTHING_OUTBOUND_NETWORKS", "inside"),
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
