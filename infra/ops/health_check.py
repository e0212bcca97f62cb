"""`althing health SERVICE`: whether a service of this machine is ready, by its exit code; for health checks of
containers, which have no other client for HTTP."""

from __future__ import annotations

import argparse
import http.client
import sys
from collections.abc import Sequence

from infra.kernel.config.settings import COMMAND_PORT, QUERY_PORT, Settings, SettingsError, load
from infra.ops.stack.probe import reachable

SERVICES = ("ingest", "command", "query", "projectors", "scheduler", "web")
TIMEOUT_S = 5.0


def main(arguments: Sequence[str]) -> int:
    """Writes the response's body if the service is not ready. Exit codes: 0 ready, 1 not ready or no response."""
    parser = argparse.ArgumentParser(prog="althing health", description=__doc__)
    parser.add_argument("service", choices=SERVICES)
    parser.add_argument("--live", action="store_true", help="only whether it responds (/livez instead of /readyz)")
    given = parser.parse_args(arguments)
    host, port = address_of(given.service, load())
    connection = http.client.HTTPConnection(reachable(host), port, timeout=TIMEOUT_S)
    try:
        connection.request("GET", "/livez" if given.live else "/readyz")
        response = connection.getresponse()
        body = response.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        sys.stderr.write(f"althing: {given.service} does not respond: {error}\n")
        return 1
    finally:
        connection.close()
    if response.status != 200:
        sys.stderr.write(f"althing: {given.service} is not ready: {body}\n")
    return 0 if response.status == 200 else 1


def address_of(service: str, settings: Settings) -> tuple[str, int]:
    """Where `service` listens. Raises `SettingsError` for a service without a port."""
    ports = {
        "ingest": settings.tracking_port,
        "command": settings.command_port or COMMAND_PORT,
        "query": settings.query_port or QUERY_PORT,
        "projectors": settings.projectors_port,
        "scheduler": settings.scheduler_port,
        "web": settings.port,
    }
    port = ports[service]
    if port is None:
        raise SettingsError(f"ALTHING_{service.upper()}_PORT is not set: {service} has no health without it.")
    return (settings.host if service in ("ingest", "web") else settings.internal_host), port
