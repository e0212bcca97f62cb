"""`althing health SERVICE`: whether a service of this machine is ready, by its exit code; for health checks of
containers, which have no other client for HTTP."""

from __future__ import annotations

import argparse
import http.client
import sys
from collections.abc import Mapping, Sequence

from infra.kernel.config.loading import load
from infra.kernel.config.settings import COMMAND_PORT, QUERY_PORT, Settings, SettingsError
from infra.ops.stack.probe import reachable

TIMEOUT_S = 5.0


def main(arguments: Sequence[str]) -> int:
    """Writes the response's body if the service is not ready. Exit codes: 0 ready, 1 not ready or no response."""
    parser = argparse.ArgumentParser(prog="althing health", description=__doc__)
    parser.add_argument("service", choices=addresses(Settings()))
    parser.add_argument("--live", action="store_true", help="only whether it responds (/livez instead of /readyz)")
    options = parser.parse_args(arguments)
    host, port = addresses(load())[options.service]
    if port is None:
        name = f"ALTHING_{options.service.upper()}_PORT"
        raise SettingsError(f"{name} is not set: {options.service} has no health without it.")
    connection = http.client.HTTPConnection(reachable(host), port, timeout=TIMEOUT_S)
    try:
        connection.request("GET", "/livez" if options.live else "/readyz")
        response = connection.getresponse()
        body = response.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        sys.stderr.write(f"althing: {options.service} does not respond: {error}\n")
        return 1
    finally:
        connection.close()
    if response.status != 200:
        sys.stderr.write(f"althing: {options.service} is not ready: {body}\n")
    return 0 if response.status == 200 else 1


def addresses(settings: Settings) -> Mapping[str, tuple[str, int | None]]:
    """Returns the addresses where the services answer `/livez` and `/readyz`. Without a port a service has no
    health."""
    public, internal = settings.host, settings.internal_host
    return {
        "ingest": (public, settings.tracking_port),
        "command": (internal, settings.command_port or COMMAND_PORT),
        "query": (internal, settings.query_port or QUERY_PORT),
        "projectors": (internal, settings.projectors_port),
        "web": (public, settings.port),
    }
