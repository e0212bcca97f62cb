"""Timeouts that follow from an event are declared beside it (`HANDLERS.after`, `after_change`): no command can forget
them.

The calls of each command handler are followed through the write side, as far as names tell what is called. Handlers of
events are not followed: the unit of work calls them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from infra.kernel.config.paths import ROOT

OF_PROCESSES: Final = {
    "command_api.analytics.reports.handlers.fail_report",
    "command_api.analytics.reports.handlers.send_report",
    "command_api.conversions.handlers.record_awaited_reports",
    "command_api.conversions.handlers.record_reattribution",
    "command_api.destinations.handlers.record_delivery",
    "command_api.domains.handlers.record_domain_check",
    "command_api.insights.handlers.record_daily_analysis",
    "command_api.insights.handlers.send_digest",
    "command_api.leads.early_access_handlers.expire_signup",
    "command_api.links.shifting.handlers.shift_weights",
    "command_api.marketplace.direct_deal_handlers.expire_direct_deal",
    "command_api.marketplace.escrow.handlers.advance_escrow",
    "command_api.marketplace.escrow.handlers.record_escrow_call",
    "command_api.marketplace.escrow.handlers.record_escrow_status",
    "command_api.marketplace.listings.handlers.expire_listing",
    "command_api.marketplace.listings.verification_handlers.record_verification",
    "command_api.marketplace.offer_handlers.expire_offer",
    "command_api.marketplace.saved_search_handlers.send_search_digest",
    "command_api.networks.connections.handlers.finish_pull",
    "command_api.networks.connections.handlers.record_pull_failure",
    "command_api.notifications.alerts.handlers.send_alert_mail",
    "command_api.notifications.handlers.record_alerts",
    "command_api.notifications.webhooks.handlers.record_webhook_attempt",
    "command_api.operations.exchange_rates.handlers.record_rate_check",
    "command_api.social.connections.handlers.record_connection_check",
}
"""Handlers of commands that a process manager issues: they say when it is due next, also where nothing has changed."""
OF_ROWS: Final = {
    "command_api.marketplace.escrow.handlers.retry_escrow_calls",
    "command_api.networks.connections.handlers.pull_network_report",
    "command_api.notifications.webhooks.handlers.send_webhook_test",
    "command_api.social.connections.handlers.read_channel_now",
}
"""Handlers that change rows alone: no event says it."""
PLANTED: Final = """
from command_api.marketplace import consequences as after, offers

@HANDLERS.on(commands.AcceptOffer, senders="accounts")
def accept(command, uow):
    uow.append(offers.accept(None))
    return _plan(uow)

@HANDLERS.after(OfferAccepted)
def follow(event, uow):
    _plan(uow)

def _plan(uow):
    after.plan(uow)
    uow.set_timeout("offers", ID, None)
"""


@dataclass(frozen=True)
class Function:
    """A function of the write side. `calls`: what it calls, by dotted names."""

    is_command_handler: bool
    calls: frozenset[str]

    def uses(self, *methods: str) -> bool:
        return any(call.rpartition(".")[2] in methods for call in self.calls)


def test_a_planted_timeout_of_a_command_is_seen() -> None:
    functions = dict(functions_of("a", PLANTED))
    assert functions["a._plan"].calls >= {"command_api.marketplace.consequences.plan"}
    assert set(commands_with_timeouts(functions)) == {"a.accept"}


def test_no_command_sets_a_timeout_that_an_event_declares() -> None:
    assert set(commands_with_timeouts(write_side())) == OF_PROCESSES | OF_ROWS


def test_a_command_that_sets_the_timeout_of_a_row_appends_nothing() -> None:
    functions = write_side()
    for command in OF_ROWS:
        assert not any(functions[name].uses("append", "advance") for name in reached(command, functions)), command


def commands_with_timeouts(functions: Mapping[str, Function]) -> Iterator[str]:
    for name, function in functions.items():
        if function.is_command_handler and any(
            functions[each].uses("set_timeout", "set_timeouts") for each in reached(name, functions)
        ):
            yield name


def reached(name: str, functions: Mapping[str, Function]) -> set[str]:
    """The function and all that it calls, directly or not."""
    seen, left = set[str](), [name]
    while left:
        current = left.pop()
        if current not in seen:
            seen.add(current)
            left += functions[current].calls & functions.keys()
    return seen


@cache
def write_side() -> Mapping[str, Function]:
    files = [file for file in (ROOT / "command_api").rglob("*.py") if "kernel" not in file.parts]
    modules = {".".join(file.relative_to(ROOT).with_suffix("").parts): file.read_text() for file in files}
    return {name: function for module, text in modules.items() for name, function in functions_of(module, text)}


def functions_of(module: str, text: str) -> Iterator[tuple[str, Function]]:
    body = ast.parse(text).body
    imported = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for function in (node for node in body if isinstance(node, ast.FunctionDef)):
        called = {ast.unparse(node.func).partition(".") for node in ast.walk(function) if isinstance(node, ast.Call)}
        calls = frozenset(imported.get(first, f"{module}.{first}") + dot + rest for first, dot, rest in called)
        is_handler = any(ast.unparse(each).startswith("HANDLERS.on(") for each in function.decorator_list)
        yield f"{module}.{function.name}", Function(is_handler, calls)
