"""How every process of ours writes its log: one JSON object per line on standard error, in UTC, secrets blanked.

The local stack's console shows these lines as text (`infra.stack.console`); in production a collector reads them.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

_SECRET_NAMES = re.compile(r"password|secret|token|authorization|cookie|api_?key|master_?key|postback", re.IGNORECASE)
_SECRET_IN_URL = re.compile(r"(\w+://[^\s:/@]+:)[^\s@/]+@")
_SECRET_IN_QUERY = re.compile(r"([?&](?:token|key|password|secret|site)=)[^&\s]+", re.IGNORECASE)
BLANK = "***"
_QUIET = (
    "kafka",
    "httpx",
    "httpx2",
    "httpcore",
    "openai",
    "uvicorn",
    "apscheduler",
    "urllib3",
    "clickhouse_connect",
    "eventsourcing",
)
_MUTE = (
    "kafka.net.sasl.scram",  # warns of credentials in the clear: SCRAM sends none
    "kafka.net.selector",  # tells of every step that took a tenth of a second, as a busy machine makes them
    "clickhouse_connect.driver._backend.http_sync",  # "Unexpected Http Driver Exception": whoever asked says more
    "apscheduler.scheduler",  # a job that still runs when it is due again waits for its next time: as it should
)
"""Their warnings are about what is normal here, or what we say ourselves; their errors are shown."""


def configure(service: str, level: int = logging.INFO) -> None:
    """Routes structlog and the standard library's logging of this process to standard error. Call it once, first."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        _named(service),
        redact,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.PositionalArgumentsFormatter(), *shared],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(default=str),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    for name in _MUTE:
        logging.getLogger(name).setLevel(logging.ERROR)


def redact(_logger: Any, _method: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Blanks values whose names say that they are secret, and secrets inside addresses."""
    for name, value in entry.items():
        if _SECRET_NAMES.search(name):
            entry[name] = BLANK
        elif isinstance(value, str):
            entry[name] = _SECRET_IN_QUERY.sub(rf"\1{BLANK}", _SECRET_IN_URL.sub(rf"\1{BLANK}@", value))
    return entry


def _named(service: str) -> Any:
    def add(_logger: Any, _method: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        entry.setdefault("service", service)
        return entry

    return add
