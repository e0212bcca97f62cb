"""The escrow sandbox as a process of the stack, for trying out deals from the first offer to the payout.

It moves no money, so it is started on request only (`ALTHING_ESCROW_SANDBOX`; the demonstration sets it), and never
for an app that is reachable from other machines.
"""

from __future__ import annotations

import hmac
from base64 import b64encode
from hashlib import sha256
from urllib.parse import urlsplit

from infra.kernel.config.settings import Settings, SettingsError
from infra.ops.stack.ports import LOOPBACK
from infra.ops.stack.probe import answers, why_not_alive
from infra.ops.stack.secret_file import StackSecrets
from infra.ops.stack.spec import ProcessSpec
from infra.ops.stack.tools import ALTHING

NAME = "escrow"


def check(settings: Settings) -> None:
    """Raises `SettingsError` where the sandbox must not run."""
    if settings.escrow_url is not None:
        raise SettingsError("ALTHING_ESCROW_SANDBOX and ALTHING_ESCROW_URL exclude each other: set one of them.")
    if not is_for_this_machine(settings):
        raise SettingsError(
            "ALTHING_ESCROW_SANDBOX is for trying out: no money moves in it, so it does not run for an app that others "
            "can reach (ALTHING_HOST, ALTHING_PUBLIC_URL)."
        )


def is_for_this_machine(settings: Settings) -> bool:
    """Returns whether the app is reachable from this machine only."""
    return all(_is_local(host) for host in (settings.host, urlsplit(settings.app_url).hostname))


def environment(settings: Settings, secrets: StackSecrets, port: int) -> dict[str, str]:
    """The settings of the sandbox and its clients. The keys stay the same as long as the data directory does."""
    master = (settings.master_key or secrets.master_key).encode()

    def made(purpose: str) -> bytes:
        return hmac.new(master, f"escrow sandbox: {purpose}".encode(), sha256).digest()

    return {
        "ALTHING_ESCROW_SANDBOX": "1",
        "ALTHING_ESCROW_URL": f"http://{LOOPBACK}:{port}",
        "ALTHING_ESCROW_KEY": made("key").hex(),
        "ALTHING_ESCROW_WEBHOOK_SECRET": f"whsec_{b64encode(made('messages')).decode()}",
    }


def spec(port: int) -> ProcessSpec:
    return ProcessSpec(
        name=NAME,
        command=[*ALTHING, "escrow-sandbox", "--port", str(port)],
        is_ready=lambda: answers(port, "/livez"),
        port=port,
        why_not_alive=lambda: why_not_alive(port),
    )


def _is_local(host: str | None) -> bool:
    return host in (LOOPBACK, "localhost", "::1") or (host or "").endswith(".localhost")
