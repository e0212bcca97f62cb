"""The plan of a stack: turns `Settings` into stages of child processes with their environment."""

from __future__ import annotations

import signal
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from infra.kernel.config import secret_handover
from infra.kernel.config.loading import child_environment
from infra.kernel.config.settings import FILE_SUFFIX, SECRET_NAMES, Settings, SettingsError
from infra.kernel.observability import service_manager
from infra.ops.stack import escrow
from infra.ops.stack.engines import clickhouse, kafka, kafka_users, postgres
from infra.ops.stack.ports import LOOPBACK, Ports
from infra.ops.stack.probe import answers, why_not_alive
from infra.ops.stack.secret_file import StackSecrets
from infra.ops.stack.spec import ProcessSpec, Stage
from infra.ops.stack.tools import ALTHING, why_no_kafka

ENGINES = ("clickhouse", "kafka", "postgres")
SERVICE_STAGES = (("command", "query", "ingest"), ("projectors", "web"))
SERVICES = tuple(name for stage in SERVICE_STAGES for name in stage)
PUBLIC = ("ingest", "web")
_MODEL = ("OPENAI_BASE_URL", "OPENAI_API_KEY")
_MAIL = ("SMTP_URL",)
_PROVIDERS = ("GOOGLE", "GITHUB", "MICROSOFT", "LINKEDIN", "YOUTUBE", "INSTAGRAM")
_SIGN_IN = tuple(f"ALTHING_{name}_CLIENT_{part}" for name in _PROVIDERS for part in ("ID", "SECRET"))
_ESCROW = ("ALTHING_ESCROW_URL", "ALTHING_ESCROW_KEY", "ALTHING_ESCROW_WEBHOOK_SECRET")
_CALLS_OUT = (*_MODEL, *_MAIL, *_SIGN_IN, *_ESCROW)
_WITHHELD = (*_CALLS_OUT, *(f"{name}{FILE_SUFFIX}" for name in _CALLS_OUT if name in SECRET_NAMES))
"""The variables that services which call no one outside have no use for."""
_SPEAK_TO_NOBODY = ("ingest", "projectors", "web")
_FOR_COMMAND_ONLY = ("ALTHING_ADMIN_EMAIL", "ALTHING_ADMIN_PASSWORD")


@dataclass(frozen=True)
class StackPlan:
    """`engines` get ready first, then the migrations run, then the `services`, stage by stage."""

    log: str
    log_note: str | None
    environment: Mapping[str, str]
    engines: Stage
    services: tuple[Stage, ...]


def plan(
    settings: Settings, secrets: StackSecrets, ports: Ports, data_dir: Path, only: Collection[str] | None
) -> StackPlan:
    """`only`: start just these services (engines always). Raises `SettingsError`."""
    log, note = _which_log(settings, data_dir)
    environment = _environment(settings, secrets, ports, data_dir, log)
    if only is not None and "ingest" not in only and settings.tracking_url is None:
        environment["ALTHING_CANARY"] = "0"  # nothing would answer it
    engines: list[ProcessSpec] = []
    if settings.postgres_url is None:
        engines.append(postgres.spec(data_dir, ports.postgres, secrets))
    if log == "kafka" and settings.kafka_bootstrap_servers is None:
        engines.append(
            kafka.spec(
                data_dir,
                ports.kafka,
                ports.kafka_controller,
                secrets,
                flush_each=settings.kafka_flush_each,
            )
        )
    if settings.clickhouse_url is None:
        engines.append(clickhouse.spec(data_dir, ports.clickhouse, secrets))
    stages = [
        tuple(_service(name, settings, ports) for name in names if only is None or name in only)
        for names in SERVICE_STAGES
    ]
    if settings.escrow_sandbox and only is None:
        escrow.check(settings)
        environment |= escrow.environment(settings, secrets, ports.escrow)
        stages[0] = (escrow.spec(ports.escrow), *stages[0])
    return StackPlan(log, note, environment, tuple(engines), tuple(stage for stage in stages if stage))


def spec_of(plan: StackPlan, name: str) -> ProcessSpec:
    return next(spec for stage in (plan.engines, *plan.services) for spec in stage if spec.name == name)


def base_environment(plan: StackPlan) -> dict[str, str]:
    """Returns the environment that every child inherits: the supervisor's own, completed and corrected by the plan."""
    hidden = dict.fromkeys(_FOR_COMMAND_ONLY, "")
    hidden |= {f"{name}{FILE_SUFFIX}": "" for name in SECRET_NAMES & {*_FOR_COMMAND_ONLY, *plan.environment}}
    own = service_manager.withheld(child_environment(secret_handover.environment()))
    return {"MALLOC_ARENA_MAX": "2", "PYTHONUNBUFFERED": "1", **own, **hidden, **plan.environment}


def _which_log(settings: Settings, data_dir: Path) -> tuple[str, str | None]:
    """The log's kind, and what to say loudly about it. A data directory stays with the log that it began with: the
    history is in there."""
    if settings.kafka_bootstrap_servers is not None and settings.log != "postgres":
        return "kafka", None
    lacking = why_no_kafka()
    if settings.log == "kafka" and lacking:
        raise SettingsError(f"ALTHING_LOG is kafka, but {lacking}.")
    kind = settings.log or ("postgres" if lacking else "kafka")
    marker = data_dir / "log.kind"
    began = marker.read_text().strip() if marker.exists() else None
    if began is None:
        marker.write_text(kind + "\n")
    elif began != kind:
        because = f" ({lacking})" if began == "kafka" and lacking else ""
        raise SettingsError(
            f"ALTHING_LOG: the history in {data_dir} is in the {began} log, but this start would use {kind}{because}; "
            f"start with {began}, or set ALTHING_DATA_DIR to a new directory."
        )
    if kind == "postgres" and settings.log is None:
        return (
            kind,
            f"NO KAFKA: {lacking}. The log is kept in Postgres instead: durable, but slower and one machine only.",
        )
    return kind, None


def _environment(settings: Settings, secrets: StackSecrets, ports: Ports, data_dir: Path, log: str) -> dict[str, str]:
    environment = {
        "ALTHING_DATA_DIR": str(data_dir),
        "ALTHING_HOST": settings.host,
        "ALTHING_PORT": str(ports.web),
        "ALTHING_TRACKING_PORT": str(ports.tracking),
        "ALTHING_LOG": log,
        "POSTGRES_URL": settings.postgres_url or postgres.url(ports.postgres, secrets),
        "CLICKHOUSE_URL": settings.clickhouse_url or clickhouse.url(ports.clickhouse, secrets),
        "ALTHING_COMMAND_PORT": str(ports.command),
        "ALTHING_QUERY_PORT": str(ports.query),
        "ALTHING_PROJECTORS_PORT": str(ports.projectors),
    }
    if log == "kafka":
        if settings.kafka_bootstrap_servers is not None:
            environment["KAFKA_BOOTSTRAP_SERVERS"] = settings.kafka_bootstrap_servers
            environment |= _kafka_security(settings)
        else:
            environment["KAFKA_BOOTSTRAP_SERVERS"] = f"{LOOPBACK}:{ports.kafka}"
            environment |= kafka_users.sign_in(secrets)
    return environment


def _kafka_security(settings: Settings) -> dict[str, str]:
    """The settings of an external Kafka; paths are made absolute."""
    variables: dict[str, str] = {}
    for row in fields(Settings):
        value = getattr(settings, row.name)
        if row.name.startswith(("kafka_security_", "kafka_sasl_", "kafka_ssl_")) and value not in (None, row.default):
            variables[row.metadata["name"]] = str(value.resolve() if isinstance(value, Path) else value)
    return variables


def _service(name: str, settings: Settings, ports: Ports) -> ProcessSpec:
    host, port = {
        "command": (settings.internal_host, ports.command),
        "query": (settings.internal_host, ports.query),
        "ingest": (settings.host, ports.tracking),
        "projectors": (settings.internal_host, ports.projectors),
        "web": (settings.host, ports.web),
    }[name]
    admin = {
        "ALTHING_ADMIN_EMAIL": settings.admin_email or "",
        "ALTHING_ADMIN_PASSWORD": settings.admin_password or "",
    }
    return ProcessSpec(
        name=name,
        command=[*ALTHING, "serve", name],
        # The web app says "unready" as long as it is not built; that must not keep the API from being used.
        is_ready=lambda: answers(port, "/livez" if name == "web" else "/readyz", host=host),
        port=port,
        # Visitors and their partners do not retry: no connection is refused during a restart.
        kept_open=(host, port) if name in PUBLIC else None,
        why_not_alive=lambda: why_not_alive(port, host=host),
        environment=admin if name == "command" else {},
        withheld=_WITHHELD if name in _SPEAK_TO_NOBODY else (),
        # The engines go at the same moment, so there is nothing left to drain into: ending slowly would only delay
        # the next start.
        death_signal=signal.SIGKILL,
    )
