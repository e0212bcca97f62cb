"""Rendering of sites, outside of the command that publishes them.

What `releases.plan` names and nobody rendered yet is rendered here, page by page in a process of its own, and kept. A
release has a limit of time in each request; a repeated request goes on where the last one ended, so that a site of any
size gets published and no request is long. One release of an account is rendered at one time, and two in all.
"""

from __future__ import annotations

import time
from typing import Final
from uuid import UUID

from command_api.kernel.bulkhead import Bulkhead
from command_api.kernel.decision import conflict
from command_api.kernel.http import CommandRunner
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.publishing import commands, handlers, releases
from command_api.publishing.schemas import SaveDocument
from command_api.publishing.sites import Site
from infra.domain.publishing.errors import DocumentRejected
from infra.domain.publishing.page_workers import PageWorkers
from infra.kernel.http.problems import Problem
from infra.kernel.worker_processes.pool import IsCancelled

MAX_RELEASES: Final = 2
"""The largest number of releases, of all accounts, that are rendered at one time."""
CPU_S: Final = 12.0
"""Processor time for the pages of one request."""
TIME_S: Final = 12.0
"""Time for them; with the last page's deadline it is less than the gateway waits."""

WORKERS: Final = PageWorkers()
_RELEASES: Final = Bulkhead(MAX_RELEASES, 1, "Sites are", "rendered")


def page_to_save(
    site_id: UUID, page_id: UUID, fields: SaveDocument, account_id: UUID, is_cancelled: IsCancelled
) -> commands.SavePage:
    """The command for a page that was checked. Raises `CommandRejected` for its first fault."""
    content = handlers.content_of(fields.document)
    document = handlers.checked(lambda: WORKERS.checked(content, account_id, is_cancelled))
    return commands.SavePage(site_id, page_id, fields, document)


def prepared(command: commands.Serving, run: CommandRunner, is_cancelled: IsCancelled) -> commands.Serving:
    """The command, once all pages that it serves are rendered. Raises `CommandRejected` as the command does, `Problem`
    503 `rendering` when there are pages left, 429 and 503 when there is no place, 503 when the client has left."""
    uow = run.container.commands.unit_of_work(run.context)
    site, events = handlers.decide(command, uow)
    if not events:
        return command
    site = handlers.after(site, events)
    plan = releases.plan(site, uow)
    if plan is None:
        return command
    rendered = releases.rendered(site, plan, uow)
    if any(key not in rendered for key in plan.keys):
        with _RELEASES.acquire(run.person.account_id, 0):
            _render(site, plan, run.person.account_id, uow, is_cancelled)
    return command


def _render(
    site: Site, plan: releases.ReleasePlan, account_id: UUID, uow: UnitOfWork, is_cancelled: IsCancelled
) -> None:
    releases.drop_others(site.id, plan, uow)
    rendered = set(releases.rendered(site, plan, uow))
    end, cpu_s = time.monotonic() + TIME_S, 0.0
    for page in plan.pages:
        if page.key in rendered:
            continue
        if cpu_s >= CPU_S or time.monotonic() >= end:
            raise _unfinished(len(rendered), len(plan.pages))
        try:
            done = WORKERS.render(page.job, account_id, is_cancelled)
        except DocumentRejected as fault:
            entry = plan.document.page(page.page_id)
            raise conflict(fault.code, f"{entry.title if entry else page.path}: {fault.message}") from fault
        releases.keep(site.id, page, done.file, uow)
        rendered.add(page.key)
        cpu_s += done.cpu_s


def _unfinished(rendered: int, pages: int) -> Problem:
    message = f"{rendered} of {pages} pages are rendered. Repeat the request to go on."
    numbers = {"rendered": rendered, "pages": pages}
    return Problem(503, "rendering", message, headers={"Retry-After": "1"}, more=numbers)
