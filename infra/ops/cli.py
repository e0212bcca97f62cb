"""The command `althing`: one table of commands, each imported only when it is called.

Services and commands live in their own packages; this table names them as text, so that no package imports another.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from infra import PRODUCT_NAME
from infra.kernel.config import secret_handover
from infra.kernel.config.loading import load
from infra.kernel.config.settings import SECRET_NAMES, SettingsError

Main = Callable[[list[str]], int]


@dataclass(frozen=True)
class CliCommand:
    """`target` is `module:function`, a function from arguments to the exit code."""

    target: str
    help: str


COMMANDS = {
    "up": CliCommand("infra.ops.stack.up:main", "start everything in the foreground"),
    "serve": CliCommand("infra.ops.cli:serve", "run one service: " + "ingest, command, query, projectors or web"),
    "ps": CliCommand("infra.ops.stack.info:ps_main", "every process of the running stack [--json]"),
    "info": CliCommand("infra.ops.stack.info:info_main", "addresses that any client can use [--json]"),
    "doctor": CliCommand("infra.ops.doctor.command:main", "examine machine, settings, engines and stack [--json]"),
    "migrate": CliCommand("infra.ops.migrations.migrate:main", "bring tables and topics up to date [--wait SECONDS]"),
    "setup-link": CliCommand("infra.ops.setup_link:main", "print the link that creates the first admin"),
    "health": CliCommand(
        "infra.ops.health_check:main", "whether a service is ready, by the exit code: SERVICE [--live]"
    ),
    "import": CliCommand(
        "infra.ops.imports:main", "access-log FILE --website DOMAIN; network FILE --network SLUG --website DOMAIN"
    ),
    "projections": CliCommand(
        "infra.ops.projections:main", "list, show, pause, resume, rebuild, verify, promote, rollback, cancel"
    ),
    "dlq": CliCommand("projectors.cli.main:main", "dead letters: list, show, retry, skip"),
    "events": CliCommand("projectors.cli.main:main", "show, search or tail the log"),
    "lag": CliCommand("projectors.cli.main:main", "how far each projection is behind [--check]"),
    "partitions": CliCommand(
        "infra.ops.partitions:main", "how many partitions each topic has; raise TOPIC NUMBER multiplies them"
    ),
    "audit": CliCommand("infra.ops.audit.command:main", "compare the log with every table; exit 2 on a difference"),
    "backup": CliCommand("infra.ops.backup.command:backup_main", "back the running stack up; check or drill a backup"),
    "restore": CliCommand("infra.ops.backup.command:restore_main", "restore a backup into an empty data directory"),
    "capacity": CliCommand("infra.ops.capacity.command:main", "what a load needs: --events-per-day N [--json]"),
    "escrow-sandbox": CliCommand(
        "infra.domain.escrow_provider.sandbox:main", "an escrow provider for tests; moves no money"
    ),
    "demo": CliCommand("infra.ops.demo:main", "fill a running stack with a realistic, labeled history"),
}

SERVICES = {
    "ingest": "ingest.service:main",
    "command": "infra.ops.scheduled_jobs:serve_command",
    "query": "query_api.service:main",
    "projectors": "projectors.service:main",
    "web": "infra.services.gateway.service:main",
}

_GROUPS = ("projections", "dlq", "events", "lag")
_WITHOUT_STACK = ("up", "ps", "info", "doctor", "serve", "restore", "escrow-sandbox", "capacity")
WRONG_USE = 2
INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done, 1 failed, 2 wrong use (or a check that found something)."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:  # a process of its own
        secret_handover.take(SECRET_NAMES)
    if not given or given[0] in ("-h", "--help", "help"):
        sys.stdout.write(usage())
        return 0 if given else WRONG_USE
    if given[0] in ("-V", "--version"):
        from infra.kernel.config.version import product_version

        sys.stdout.write(f"{PRODUCT_NAME} {product_version()}\n")
        return 0
    name, rest = given[0], given[1:]
    command = COMMANDS.get(name)
    if command is None:
        sys.stderr.write(f"althing: there is no command {name!r}.\n\n{usage()}")
        return WRONG_USE
    from infra.kernel.observability import logging as logs

    logs.configure_text()
    try:
        if name not in _WITHOUT_STACK:
            _use_running_stack()
        return _function(command.target)([name, *rest] if name in _GROUPS else rest)
    except SettingsError as error:
        sys.stderr.write(f"althing: {error}\n")
        return WRONG_USE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def serve(arguments: list[str]) -> int:
    """Runs one service until SIGTERM. Its settings come from the environment, as in production."""
    if len(arguments) < 1 or arguments[0] not in SERVICES:
        sys.stderr.write(f"usage: althing serve {'|'.join(SERVICES)}\n")
        return WRONG_USE
    from infra.kernel.observability import logging as logs
    from infra.kernel.observability import tracing
    from infra.ops.allocator import give_back_large_blocks

    give_back_large_blocks()
    logs.configure(arguments[0])
    _use_running_stack()
    tracing.configure(arguments[0], load())
    return _function(SERVICES[arguments[0]])(arguments[1:])


def usage() -> str:
    rows = "".join(f"  {name:<16}{command.help}\n" for name, command in COMMANDS.items())
    use = "usage: althing COMMAND ...\n       althing --version"
    return f"{PRODUCT_NAME}: event-sourced analytics for affiliate marketers\n\n{use}\n\n{rows}"


def _function(target: str) -> Main:
    """Imports it without the garbage collector, which would find nothing: a sixth of the time of a start."""
    module, _, name = target.partition(":")
    gc.disable()
    function: Main = getattr(import_module(module), name)
    gc.enable()
    return function


def _use_running_stack() -> None:
    """Connects a command to the stack that runs on the data directory, if one does and no server is named.

    One named server is enough to stay away: a production database and a local log must never be mixed.
    """
    settings = load()
    if settings.postgres_url or settings.clickhouse_url or settings.kafka_bootstrap_servers:
        return
    from infra.kernel.observability.stack_state import running_environment

    variables, secrets = secret_handover.divided(running_environment(settings.data_dir.resolve()), SECRET_NAMES)
    own = secret_handover.environment()
    secret_handover.keep({name: value for name, value in secrets.items() if name not in own})
    for name, value in variables.items():
        os.environ.setdefault(name, value)


if __name__ == "__main__":
    sys.exit(main())
