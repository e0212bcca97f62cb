"""Log lines: an event's name and its fields, with what the thread or task has bound, secrets blanked.

A module writes `log.warning("worker_restarting", delay_s=0.5, error=error)` through `structlog.get_logger(__name__)`.
Services write one JSON object per line on standard error, in UTC (`configure`); the local stack's console shows these
lines as text (`infra.ops.stack.console`), in production a collector reads them. Commands write text (`configure_text`).
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from typing import Any

import structlog

_SECRET_NAMES = re.compile(r"password|secret|token|authorization|cookie|api_?key|master_?key|postback", re.IGNORECASE)
_SECRET_IN_URL = re.compile(r"(\w+://[^\s:/@]+:)[^\s@/]+@")
_SECRET_IN_QUERY = re.compile(r"([?&](?:token|key|password|secret|site)=)[^&\s]+", re.IGNORECASE)
_PLAIN = re.compile(r"[^\s\"=\x00-\x1f\x7f-\x9f]+")
"""A value that needs no quotes."""
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
    "kafka.net.selector",  # logs every step that takes a tenth of a second, which is common on a busy machine
    "clickhouse_connect.driver._backend.http_sync",  # "Unexpected Http Driver Exception": the caller logs more detail
    "apscheduler.scheduler",  # a job that still runs when it is due again waits for its next time: as it should
)
"""Their warnings are about what is normal here, or what we say ourselves; their errors are shown."""
_REPEATING = (
    "kafka.cluster",
    "kafka.consumer.fetcher",
    "kafka.net.connection",
    "kafka.net.inet",
    "kafka.net.manager",
    "kafka.net.transport",
    "kafka.producer.producer_batch",
    "kafka.producer.record_accumulator",
    "kafka.producer.sender",
)
"""They log each attempt that fails, in each of a hundred connections, and try again. `infra.kernel.log` says once that
the broker is away, and why."""


def configure(service: str, level: int = logging.INFO) -> None:
    """Routes structlog and the standard library's logging of this process to standard error. Call it once, first."""
    shared = [
        *_common(),
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
    _quiet_libraries()


def _quiet_libraries() -> None:
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    for name in _MUTE:
        logging.getLogger(name).setLevel(logging.ERROR)
    for name in ("kafka.net.selector", "kafka.net.transport"):
        logging.getLogger(name).addFilter(_is_no_read_of_a_closed_connection)
    for name in _REPEATING:
        logging.getLogger(name).addFilter(_is_a_fault_of_the_client)
    # It logs every attempt with a traceback; `otlp` says once a minute that the collector is unavailable.
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)


def _is_a_fault_of_the_client(record: logging.LogRecord) -> bool:
    """Returns whether it is an exception that no broker and no network explain."""
    error = record.exc_info[1] if record.exc_info else None
    return error is not None and not isinstance(error, OSError) and type(error).__module__ != "kafka.errors"


def _is_no_read_of_a_closed_connection(record: logging.LogRecord) -> bool:
    """kafka-python may read once more from a connection that it is closing, and logs the exception: the connection is
    gone, nothing is lost. Its protocol or its socket is None then, or the socket has no descriptor any more."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, AttributeError):
        return not (error.name in ("data_received", "recv") and error.obj is None)
    return not (isinstance(error, ValueError) and str(error) == "Invalid file descriptor: -1")


def configure_text() -> None:
    """Hands structlog's lines to the standard library's logging as text, which writes warnings and errors to standard
    error: for commands, whose standard output is a result."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_common(),
            structlog.processors.format_exc_info,
            redact,
            _as_text,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.NOTSET),
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    if not root.handlers:  # a library that brings a handler of its own would lose its warnings
        handler = logging.StreamHandler()
        handler.setLevel(logging.WARNING)
        root.addHandler(handler)
    _quiet_libraries()


def begin_context(**fields: object) -> None:
    """Binds `fields` to every line of this thread or task from now on, in place of what was bound before."""
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(**fields)


def line(event: str, fields: Mapping[str, object]) -> str:
    """`event key=value key="some words"`, on one line whatever the values hold."""
    return " ".join([event, *(f"{name}={_shown(value)}" for name, value in fields.items())])


def redact(_logger: Any, _method: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Blanks values whose names say that they are secret, and secrets inside addresses; exceptions become text."""
    for name, value in entry.items():
        if not name.startswith("_"):  # structlog's own
            entry[name] = _redacted(name, value)
    return entry


def _redacted(name: str, value: object) -> object:
    if _SECRET_NAMES.search(name):
        return BLANK
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _redacted(str(key), one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_redacted("", one) for one in value]
    text = _SECRET_IN_URL.sub(rf"\1{BLANK}@", _text_of(value))
    return _SECRET_IN_QUERY.sub(rf"\1{BLANK}", text)


def _text_of(value: object) -> str:
    if isinstance(value, BaseException):
        kind, text = type(value).__name__, str(value)
        return f"{kind}: {text}" if text else kind
    return str(value)


def _common() -> list[Any]:
    return [
        _with_context,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
    ]


def _with_context(_logger: Any, _method: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The event's own fields, then what is bound, always in the same order."""
    for name, value in sorted(structlog.contextvars.get_contextvars().items()):
        entry.setdefault(name, value)
    return entry


def _as_text(_logger: Any, _method: str, entry: MutableMapping[str, Any]) -> str:
    for name in ("level", "logger"):
        entry.pop(name, None)
    traceback = entry.pop("exception", None)
    text = line(str(entry.pop("event")), entry)
    return f"{text}\n{traceback}" if traceback else text


def _shown(value: object) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _named(service: str) -> Any:
    def add(_logger: Any, _method: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        entry.setdefault("service", service)
        return entry

    return add
