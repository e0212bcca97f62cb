"""`althing serve query`: the read side over HTTP, on `ALTHING_INTERNAL_HOST` behind the web app's port."""

from __future__ import annotations

from infra.kernel.config.loading import load
from infra.kernel.config.settings import QUERY_PORT, SettingsError
from infra.kernel.http.server import serve
from infra.kernel.observability import logging
from query_api.app import create_app


def main(arguments: list[str]) -> int:
    """Serves until SIGTERM; the exit code. Live streams are ended first, requests in flight get their time."""
    if arguments:
        raise SettingsError("`althing serve query` takes no arguments.")
    logging.configure("query")
    settings = load()
    app = create_app(settings)

    def end_streams() -> None:
        live_hub = getattr(app.state, "live_hub", None)
        if live_hub is not None:
            live_hub.end_streams()

    return serve(app, host=settings.internal_host, port=settings.query_port or QUERY_PORT, on_stop=end_streams)
