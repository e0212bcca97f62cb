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

import httpx

from infra.kernel.config import secret_handover
from infra.kernel.config.loading import load
from infra.kernel.config.settings import SECRET_NAMES, Settings, SettingsError
from infra.ops.stack.escrow import is_for_this_machine
from infra.ops.stack.secret_file import write_private
from infra.ops.stack.tools import ALTHING

DATA_DIR: Final = ".althing-demo"
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
    if not _ready(settings, stack):
        stack.terminate()
        return stack.wait() or 1
    code = fill(settings)
    if code == 0:
        sys.stdout.write(
            f"\nSign in at {settings.app_url}/login as {settings.admin_email} with password "
            f"{settings.admin_password}\nThe demonstration runs until Ctrl-C; its data stays in {settings.data_dir}.\n"
        )
        sys.stdout.flush()
    else:
        stack.terminate()
    return stack.wait() or code


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The caller's settings, completed: a data directory of its own, an admin to sign in as, and deals to try out."""
    made = dict(environ)
    settings = load(made)
    if settings.escrow_url is None and is_for_this_machine(settings):
        made.setdefault("ALTHING_ESCROW_SANDBOX", "1")
    made.setdefault("ALTHING_DATA_DIR", DATA_DIR)
    if not (made.get("ALTHING_ADMIN_EMAIL") and made.get("ALTHING_ADMIN_PASSWORD")):
        made["ALTHING_ADMIN_EMAIL"], made["ALTHING_ADMIN_PASSWORD"] = _admin(Path(made["ALTHING_DATA_DIR"]))
    return made


def _admin(data_dir: Path) -> tuple[str, str]:
    """The demonstration's admin: made at its first start and kept beside its data, so that a later start knows it."""
    kept = data_dir / "demo.json"
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


def _ready(settings: Settings, stack: subprocess.Popen[bytes]) -> bool:
    deadline = time.monotonic() + READY_WITHIN_S
    while stack.poll() is None and time.monotonic() < deadline:
        try:
            if all(
                httpx.get(f"{url}/readyz", timeout=2).status_code == 200
                for url in (settings.app_url, settings.tracking_base_url)
            ):
                return True
        except httpx.HTTPError:
            pass
        time.sleep(0.3)
    return False
