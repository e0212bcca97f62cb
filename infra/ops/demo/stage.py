"""`althing demo --start`: a stack of its own for the demonstration, in `.althing-demo`, kept running until Ctrl-C."""

from __future__ import annotations

import json
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from infra.kernel.config import secret_handover
from infra.kernel.config.loading import load
from infra.kernel.config.settings import SECRET_NAMES, Settings, SettingsError
from infra.kernel.observability import stack_state
from infra.ops.stack import secret_file
from infra.ops.stack.escrow import is_for_this_machine
from infra.ops.stack.plan import SERVICES
from infra.ops.stack.secret_file import write_private
from infra.ops.stack.tools import ALTHING

DATA_DIR: Final = ".althing-demo"
_ACCOUNT: Final = "demo.json"
EMAIL: Final = "demo@althing.example"
READY_WITHIN_S: Final = 180.0


def start_and_fill(fill: Callable[[Settings], int]) -> int:
    """Starts a stack, calls `fill` with its settings once it is ready, and waits for its end.

    Returns the exit code of what failed first, else the stack's. SIGINT and SIGTERM stop the stack cleanly.
    """
    environment = _environment(secret_handover.environment())
    settings = load(environment)
    # A session of its own: Ctrl-C reaches this process alone, which then ends the stack once.
    with secret_handover.handed_over(environment, SECRET_NAMES) as (variables, descriptors):
        stack = subprocess.Popen([*ALTHING, "up"], env=variables, pass_fds=descriptors, start_new_session=True)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stack.terminate())
    if not _ready(settings.data_dir.resolve(), stack):
        stack.terminate()
        return stack.wait() or 1
    code = fill(settings)
    if code == 0:
        sys.stdout.write(
            f"\nSign in at {settings.app_url}/login as {settings.admin_email} with password "
            f"{settings.admin_password}\nThe demonstration runs until Ctrl-C; its data stays in {settings.data_dir}, "
            "which can be deleted then.\n"
        )
        sys.stdout.flush()
    else:
        stack.terminate()
    return stack.wait() or code


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The caller's settings, completed: a data directory of its own, an admin to sign in as, and deals to try out."""
    made = dict(environ)
    made.setdefault("ALTHING_DATA_DIR", DATA_DIR)
    settings = load(made)
    _require_own(settings)
    if settings.escrow_url is None and is_for_this_machine(settings):
        made.setdefault("ALTHING_ESCROW_SANDBOX", "1")
    if not (made.get("ALTHING_ADMIN_EMAIL") and made.get("ALTHING_ADMIN_PASSWORD")):
        made["ALTHING_ADMIN_EMAIL"], made["ALTHING_ADMIN_PASSWORD"] = _admin(Path(made["ALTHING_DATA_DIR"]))
    return made


def _require_own(settings: Settings) -> None:
    """Raises `SettingsError` for engines or data that are not the demonstration's own."""
    named = {
        "POSTGRES_URL": settings.postgres_url,
        "CLICKHOUSE_URL": settings.clickhouse_url,
        "KAFKA_BOOTSTRAP_SERVERS": settings.kafka_bootstrap_servers,
    }
    if servers := [name for name, value in named.items() if value]:
        raise SettingsError(f"The demonstration starts engines of its own: unset {', '.join(servers)}.")
    data_dir = settings.data_dir
    is_own = data_dir.name == DATA_DIR or (data_dir / _ACCOUNT).exists()
    if not is_own and (data_dir / secret_file.FILE_NAME).exists():
        raise SettingsError(f"ALTHING_DATA_DIR: {data_dir} is not of the demonstration; unset it, or name another.")


def _admin(data_dir: Path) -> tuple[str, str]:
    """The demonstration's admin: made at its first start and kept beside its data, so that a later start knows it."""
    kept = data_dir / _ACCOUNT
    try:
        if kept.exists():
            account = json.loads(kept.read_text())
            return account["email"], account["password"]
        password = secrets.token_urlsafe(12)
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_private(kept, json.dumps({"email": EMAIL, "password": password}))
        return EMAIL, password
    except OSError as error:
        raise SettingsError(f"ALTHING_DATA_DIR: {data_dir} cannot be used: {error.strerror or error}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"{kept} is damaged; remove {data_dir} to restart the demonstration.") from error


def _ready(data_dir: Path, stack: subprocess.Popen[bytes]) -> bool:
    """Waits until every service of this very stack runs. What else answers on its ports is not asked: the stack says
    itself, in one sentence, when one of them is taken."""
    deadline = time.monotonic() + READY_WITHIN_S
    while stack.poll() is None and time.monotonic() < deadline:
        running = stack_state.read(data_dir)
        if running is not None and running.pid == stack.pid:
            states = {row.name: row.state for row in running.processes}
            if all(states.get(name) == "running" for name in SERVICES):
                return True
        time.sleep(0.3)
    return False
