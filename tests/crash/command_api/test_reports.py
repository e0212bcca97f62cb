"""Whatever kills the service that sends reports by email, each period has one email."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from uuid import UUID, uuid4

import pytest

from command_api.analytics.reports import commands
from command_api.analytics.reports.process import scheduled_reports
from command_api.analytics.reports.renderer import ReportRenderer
from command_api.analytics.reports.schemas import ScheduleReport
from command_api.kernel.decision import CommandContext
from command_api.kernel.process_manager import ProcessWorker
from infra.domain.reports.contract import PROOF, Rendered, verified_order
from infra.kernel.config.settings import Settings
from schemas.events.accounts import AccountRegistered
from tests.support.command import world
from tests.support.crashing_process import CrashingProcess


@pytest.mark.crash
@pytest.mark.parametrize("moment", ["before_store", "inside_store", "after_store"])
def test_killed_while_a_report_is_sent_the_next_run_sends_what_was_not_sent(
    embedded_postgres: Settings, crashing_process: CrashingProcess, moment: str
) -> None:
    with world(embedded_postgres) as made, rendering(made.settings) as port:
        website, owner, report_id = made.website()["id"], made.owner, uuid4()
        made.core.store.append([registered(owner.account_id)])
        view = made.call("POST", "/api/platform/views", owner, json={"name": "A", "state": {}}).json()["id"]
        fields = ScheduleReport.model_validate({"viewId": view, "websiteId": website})
        eight_days_ago = CommandContext(datetime.now(UTC) - timedelta(days=8), owner.account_id)
        made.core.commands.dispatch(commands.ScheduleReport(report_id, fields), eight_days_ago)
        assert crashing_process.at(made.settings, "mailing", moment, ALTHING_QUERY_PORT=str(port)) == -9
        renderer = ReportRenderer(replace(made.settings, query_port=port))
        worker = ProcessWorker(made.core, [scheduled_reports(made.core, renderer)])
        for _ in range(3):
            worker.run_once()
        assert made.events(report_id) == ["report.scheduled.v1", "report.sent.v1"]
        assert made.count("SELECT count(*) FROM kernel.mail WHERE kind = 'report'") == 1


def registered(account_id: UUID) -> AccountRegistered:
    return AccountRegistered(
        originator_id=account_id,
        originator_version=1,
        timestamp=datetime.now(UTC),
        email="ada@example.com",
        name="Ada",
        way="setup",
    )


@contextmanager
def rendering(settings: Settings) -> Iterator[int]:
    """The port of what renders every report that the write side orders."""
    email = Rendered(subject="S", text="T\n", html="<p>T</p>", attachments=[]).model_dump_json().encode()

    class Renders(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {PROOF: self.headers[PROOF]}
            is_ordered = verified_order(settings, headers, body, datetime.now(UTC)) is not None
            self.send_response(200 if is_ordered else 404)
            self.end_headers()
            self.wfile.write(email)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Renders)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
