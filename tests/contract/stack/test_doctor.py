"""`althing doctor` beside a real stack: what it finds, and what it finds when something is broken."""

from __future__ import annotations

import json
import socket
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest

from infra.kernel.config.loading import load
from infra.ops.doctor.engines import clickhouse, kafka, postgres
from infra.ops.doctor.finding import Finding, Severity
from infra.ops.doctor.subject import Subject
from tests.support.stack import Stack, wait_for

ENGINES = ("KAFKA_", "POSTGRES_URL", "CLICKHOUSE_URL", "ALTHING_LOG")


def doctor(running: Stack, **settings: str) -> tuple[int, list[dict[str, Any]]]:
    """Exit code and findings."""
    done = running.run("doctor", "--json", settings=settings)
    assert not done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout)["findings"]


def engines_of(running: Stack) -> dict[str, str]:
    """The engines' addresses, as an operator of external ones sets them."""
    return {name: value for name, value in running.environment.items() if name.startswith(ENGINES)}


def external(running: Stack, **changed: str) -> Subject:
    settings = load({**engines_of(running), **changed}, None)
    return Subject(settings, settings, running.data_dir)


def with_password(url: str, password: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{parts.username}:{password}@{parts.hostname}:{parts.port}"))


def errors(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity is Severity.ERROR]


def test_a_healthy_stack_has_no_errors(small_stack: Stack) -> None:
    def examined() -> list[dict[str, Any]]:
        code, findings = doctor(small_stack)
        assert code == 0, findings
        return [] if any("behind the log" in finding["found"] for finding in findings) else findings

    findings = wait_for(examined, "the projections of a new stack")
    shown = "\n".join(f"{finding['check']}: {finding['found']}" for finding in findings)
    for expected in (
        "postgres: Postgres",
        "postgres: All",
        "clickhouse: The user may create tables",
        "kafka: The user may create topics.",
        "kafka: All 4 topics exist.",
        "clocks: The clock of Postgres agrees",
        "clocks: The clock of ClickHouse agrees",
        "clocks: The clock of query agrees",
        "is held by the running stack",
        "alive and ready",
        "There are no dead letters.",
        "keep up with the log",
    ):
        assert expected in shown
    assert not [secret for secret in _secrets(small_stack) if secret in shown]


def test_a_misspelt_setting_and_another_programs_port(small_stack: Stack) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        nowhere = str(small_stack.folder / "another")
        code, findings = doctor(small_stack, ALTHING_PORT=port, ALTHING_DATA_DIR=nowhere, ALTHING_COMMAND_PROT="8010")
    remedies = [finding["remedy"] for finding in findings if finding["severity"] == "error"]
    assert code == 1 and "Rename it to ALTHING_COMMAND_PORT, or remove it." in remedies
    assert "End that program, or set ALTHING_PORT to a free port." in remedies


def test_external_engines_are_examined_by_their_addresses(small_stack: Stack) -> None:
    subject = external(small_stack)
    assert not errors([*postgres.check(subject), *clickhouse.check(subject), *kafka.check(subject)])
    replicas = [finding for finding in kafka.check(subject) if finding.severity is Severity.WARNING]
    assert replicas and "1 replicas" in replicas[0].found, "one broker is no cluster"


@pytest.mark.parametrize("name", ["POSTGRES_URL", "CLICKHOUSE_URL"])
def test_a_wrong_password(small_stack: Stack, name: str) -> None:
    wrong = with_password(small_stack.environment[name], "not-the-password")
    subject = external(small_stack, **{name: wrong})
    [found] = postgres.check(subject) if name == "POSTGRES_URL" else clickhouse.check(subject)
    assert found.severity is Severity.ERROR and "does not accept user or password" in found.found
    assert found.remedy == f"Correct them in {name}."


def test_a_wrong_password_of_kafka(small_stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka, "CONNECT_TIMEOUT_S", 1.0)
    [found] = kafka.check(external(small_stack, KAFKA_SASL_PASSWORD="not-the-password"))
    assert found.severity is Severity.ERROR and "KAFKA_SASL_PASSWORD" in found.found


def test_a_user_who_may_only_read_clickhouse(small_stack: Stack) -> None:
    info = json.loads(small_stack.run("info", "--json").stdout)["clickhouse"]
    parts = urlsplit(info["url"])
    url = f"http://{info['user']}:{info['password']}@{parts.netloc}/{info['database']}"
    assert errors(list(clickhouse.check(external(small_stack, CLICKHOUSE_URL=url))))


def test_a_user_who_may_only_read_kafka(small_stack: Stack) -> None:
    user = json.loads(small_stack.run("info", "--json").stdout)["kafka_user"]
    subject = external(small_stack, KAFKA_SASL_USERNAME=user["user"], KAFKA_SASL_PASSWORD=user["password"])
    found = errors(list(kafka.check(subject)))
    assert "may not create topics" in found[0].found and "CREATE" in found[0].remedy


def test_a_user_who_may_only_read_postgres(small_stack: Stack) -> None:
    url = json.loads(small_stack.run("info", "--json").stdout)["postgres"]
    found = errors(list(postgres.check(external(small_stack, POSTGRES_URL=url))))
    assert "may create no schemas" in found[0].found and "GRANT CREATE" in found[0].remedy


def _secrets(running: Stack) -> list[str]:
    secrets: dict[str, str] = json.loads((running.data_dir / "secrets.json").read_text())
    return list(secrets.values())
