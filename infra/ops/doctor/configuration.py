"""Settings that cannot be used, contradict each other or are unknown, and those that have no effect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Final

from infra.kernel.config.settings import Settings
from infra.ops.doctor.finding import Finding, error, ok, warning
from infra.ops.doctor.subject import Subject

CHECK: Final = "settings"


def check(subject: Subject) -> Iterator[Finding]:
    for problem in subject.problems:
        yield error(CHECK, problem.text, problem.remedy)
    yield from _without_effect(subject.settings)
    yield from _of_production(subject)
    count = sum(getattr(subject.settings, row.name) != row.default for row in fields(Settings))
    yield ok(CHECK, f"{count} settings differ from their default.")


def _without_effect(given: Settings) -> Iterator[Finding]:
    if given.log == "postgres" and given.kafka_bootstrap_servers is not None:
        yield warning(
            CHECK,
            "KAFKA_BOOTSTRAP_SERVERS has no effect, because ALTHING_LOG is postgres.",
            "Remove the one that is not meant.",
        )
    if given.clickhouse_cluster is not None and given.clickhouse_url is None:
        yield warning(
            CHECK,
            "CLICKHOUSE_CLUSTER names a cluster, but the embedded ClickHouse has none.",
            "Set CLICKHOUSE_URL to a server of that cluster, or remove CLICKHOUSE_CLUSTER.",
        )
    if not given.kafka_flush_each:
        yield warning(
            CHECK,
            "ALTHING_KAFKA_FLUSH_EACH is 0: after a power loss acknowledged events of the last moments can be missing.",
            "Remove ALTHING_KAFKA_FLUSH_EACH unless the disk is too slow for it.",
        )
    if given.city_database is not None and not given.city_database.is_file():
        yield error(
            CHECK,
            f"ALTHING_CITY_DATABASE: {given.city_database} is not a file.",
            "Put the MMDB file there, or remove ALTHING_CITY_DATABASE.",
        )
    if given.backup_dir is not None and given.backup_dir.resolve().is_relative_to(given.data_dir.resolve()):
        yield warning(
            CHECK,
            "ALTHING_BACKUP_DIR is inside the data directory: one lost disk takes both.",
            "Set ALTHING_BACKUP_DIR to a folder on another disk.",
        )


def _of_production(subject: Subject) -> Iterator[Finding]:
    settings = subject.settings
    if subject.has_external_engines_only and settings.master_key is None:
        yield error(
            CHECK,
            "All engines are external, but ALTHING_MASTER_KEY is not set: all services need the same one.",
            "Set ALTHING_MASTER_KEY to the output of `openssl rand -hex 32`, and keep a copy elsewhere.",
        )
    if settings.public_url is not None and settings.public_url.startswith("http://"):
        yield warning(
            CHECK,
            f"ALTHING_PUBLIC_URL is {settings.public_url}: passwords and sessions cross the network unencrypted.",
            "Put a reverse proxy with a certificate in front, and set the https:// address.",
        )
    if settings.public_url is not None and settings.backup_dir is None and settings.postgres_url is None:
        yield warning(
            CHECK,
            "ALTHING_BACKUP_DIR is not set: no backups are taken.",
            "Set ALTHING_BACKUP_DIR to a folder on another disk (docs/operations.md, Backups).",
        )
