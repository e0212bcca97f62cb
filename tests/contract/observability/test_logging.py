"""One JSON object per line, and no secret in it."""

from __future__ import annotations

import json
import subprocess
import sys
from uuid import UUID

import pytest

from infra.kernel.observability.logging import BLANK, redact

PROGRAM = """
import logging, structlog
from infra.kernel.observability.logging import configure
configure("ingest")
logging.getLogger("x").info("sent %d to %s", 3, "postgresql://me:hunter22@db/althing")
structlog.get_logger("y").warning("refused", token="hunter22", path="/postback?token=hunter22&txid=1", rows=2)
try:
    raise ValueError("broken\\nin two lines")
except ValueError:
    logging.getLogger("z").exception("failed")
"""


def test_lines_are_json_and_secrets_are_blank() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "" and "hunter22" not in done.stderr
    plain, refused, failed = [json.loads(line) for line in done.stderr.splitlines()]
    assert plain["event"] == f"sent 3 to postgresql://me:{BLANK}@db/althing"
    assert (plain["service"], plain["level"], plain["logger"]) == ("ingest", "info", "x")
    assert refused["rows"] == 2 and refused["token"] == BLANK and refused["path"].endswith("&txid=1")
    assert "in two lines" in failed["exception"] and failed["timestamp"].endswith("Z")


MUTED = """
import logging, selectors, socket
from infra.kernel.observability.logging import configure
configure("command")
for name in ("kafka.net.selector", "clickhouse_connect.driver._backend.http_sync", "apscheduler.scheduler"):
    logging.getLogger(name).warning("what is normal on a busy machine")
    logging.getLogger(name).error("what is not")
for logger, read in (("kafka.net.selector", "data_received"), ("kafka.net.transport", "recv")):
    for broken in (None, object()):
        try:
            getattr(broken, read)
        except AttributeError:
            logging.getLogger(logger).exception("what is not, of %s", type(broken).__name__)
closed, unusable = socket.socket(), 7.5
closed.close()
for file in (closed, unusable):
    try:
        selectors.DefaultSelector().register(file, selectors.EVENT_READ)
    except ValueError:
        logging.getLogger("kafka.net.selector").exception("what is not, of %s", type(file).__name__)
"""


def test_libraries_do_not_warn_of_what_is_normal() -> None:
    done = subprocess.run([sys.executable, "-c", MUTED], capture_output=True, text=True, check=True, timeout=60)
    shown = [json.loads(line)["event"] for line in done.stderr.splitlines()]
    assert shown == ["what is not"] * 3 + ["what is not, of object"] * 2 + ["what is not, of float"]


REPEATING = """
import logging, sys
from kafka.errors import KafkaConnectionError
from infra.kernel.observability.logging import configure, configure_text
configure("query") if sys.argv[1] == "service" else configure_text()
for name in ("kafka.cluster", "kafka.net.connection", "kafka.net.manager", "kafka.producer.sender"):
    log = logging.getLogger(name)
    log.warning("Request timed out after 137 ms. Closing connection.")
    log.error("Connection lost")
    for error in (ConnectionResetError(), KafkaConnectionError(), IndexError()):
        try:
            raise error
        except Exception:
            log.exception("in %s", type(error).__name__)
"""


@pytest.mark.parametrize("kind", ["service", "command"])
def test_what_the_client_of_kafka_repeats_is_not_logged_but_its_faults_are(kind: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", REPEATING, kind], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr.count("in IndexError") == 4
    assert "timed out" not in done.stderr and "lost" not in done.stderr and "ConnectionError" not in done.stderr


def test_secrets_are_blank_wherever_a_value_holds_them() -> None:
    error = ValueError("at postgresql://me:hunter22@db/althing")
    entry = {
        "error": error,
        "jobs": ["/x?key=hunter22"],
        "result": {"api_key": "hunter22", "rows": 2},
        "id": UUID(int=1),
    }
    assert redact(None, "info", entry) == {
        "error": f"ValueError: at postgresql://me:{BLANK}@db/althing",
        "jobs": [f"/x?key={BLANK}"],
        "result": {"api_key": BLANK, "rows": 2},
        "id": str(UUID(int=1)),
    }


def test_an_exception_without_words_is_named() -> None:
    assert redact(None, "info", {"error": TimeoutError()}) == {"error": "TimeoutError"}


@pytest.mark.parametrize("name", ["password", "authToken", "Authorization", "api_key", "cookie", "client_secret"])
def test_names_of_secrets_are_known(name: str) -> None:
    assert redact(None, "info", {name: "x"}) == {name: BLANK}
