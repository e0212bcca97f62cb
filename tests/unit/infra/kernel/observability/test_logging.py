"""One JSON object per line, and no secret in it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from infra.logs import BLANK, redact

PROGRAM = """
import logging, structlog
from infra import logs
logs.configure("ingest")
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
import logging
from infra import logs
logs.configure("scheduler")
for name in ("kafka.net.selector", "clickhouse_connect.driver._backend.http_sync", "apscheduler.scheduler"):
    logging.getLogger(name).warning("what is normal on a busy machine")
    logging.getLogger(name).error("what is not")
"""


def test_libraries_do_not_warn_of_what_is_normal() -> None:
    done = subprocess.run([sys.executable, "-c", MUTED], capture_output=True, text=True, check=True, timeout=60)
    assert [json.loads(line)["event"] for line in done.stderr.splitlines()] == ["what is not"] * 3


@pytest.mark.parametrize("name", ["password", "authToken", "Authorization", "api_key", "cookie", "client_secret"])
def test_names_of_secrets_are_known(name: str) -> None:
    assert redact(None, "info", {name: "x"}) == {name: BLANK}
