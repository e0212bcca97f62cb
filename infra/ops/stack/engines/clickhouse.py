"""The embedded ClickHouse engine behind ClickHouse's HTTP interface (`infra.services.clickhouse_server`)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from infra.ops.stack.ports import LOOPBACK
from infra.ops.stack.probe import answers
from infra.ops.stack.secret_file import StackSecrets, write_private
from infra.ops.stack.spec import ENGINE_BACKOFF_S, ENGINE_VARIABLES, ProcessSpec

DATABASE = "althing"
OWNER = "althing"
OPERATOR = "operator_readonly"
"""May read everything, of every website: for the operator of the stack. Analysts have users of their own."""

_FOR_ANALYSTS = ("PYTHONPATH", "PYTHONUNBUFFERED", "ALTHING_DATA_DIR", "ALTHING_MASTER_KEY", "POSTGRES_URL")
"""The variables by which it finds who analysts are."""


def url(port: int, secrets: StackSecrets) -> str:
    """Returns the address where services connect, with all rights."""
    return f"http://{OWNER}:{secrets.clickhouse_password}@{LOOPBACK}:{port}/{DATABASE}"


def spec(data_dir: Path, port: int, secrets: StackSecrets) -> ProcessSpec:
    users = data_dir / "clickhouse-users.json"
    command = [sys.executable, "-m", "infra.services.clickhouse_server", "--data-dir", str(data_dir / "clickhouse")]
    command += ["--host", LOOPBACK, "--port", str(port), "--users-file", str(users), "--analysts"]
    return ProcessSpec(
        name="clickhouse",
        command=command,
        is_ready=lambda: answers(port, "/readyz", timeout_s=3.0),
        port=port,
        prepare=lambda: write_private(users, json.dumps(_users(secrets))),
        stop_timeout_s=15,
        longest_backoff_s=ENGINE_BACKOFF_S,
        inherits=(*ENGINE_VARIABLES, *_FOR_ANALYSTS),
    )


def _users(secrets: StackSecrets) -> dict[str, list[dict[str, str | bool]]]:
    return {
        "users": [
            {"name": OWNER, "password": secrets.clickhouse_password, "readonly": False},
            {"name": OPERATOR, "password": secrets.clickhouse_analyst_password, "readonly": True},
        ]
    }
