"""Projectors, or an operator's command, that kill themselves (`kill -9`) while they carry out a request.

`python -m tests.support.dying_projectors`, then lines `ACTION STEP [COMMAND ...]` (`tests.support.forked`); without a
command it is the service. Steps: `taken`, when a request was handed out; `hold`, when the generations that are switched
stand at one place; `midway`, when a comparison has noted progress; `inside`, when all rows are written and nothing is
committed; `switched`, when Postgres knows the new generation and ClickHouse does not; `done`; `never`.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import local
from typing import Any

from projectors import service
from projectors.cli import main
from projectors.engine import barrier, generations, requests, schema
from tests.support.fork_server import die, each_line, wrap


def _run(action: str, step: str, *command: str) -> int:
    if step != "never":
        STEPS[step](action)
    return main.main(list(command)) if command else service.main([])


def _taken(action: str) -> None:
    def around(call: Callable[[], Any]) -> Any:
        found = call()
        if any(request.action == action for request in found):
            die()
        return found

    wrap(requests, "due", around)


def _held(_: str) -> None:
    _die_within("switch", barrier.Barrier, "wait", is_done=True)


def _midway(_: str) -> None:
    wrap(requests, "note_progress", _then_die)


def _inside(action: str) -> None:
    if action != "rollback":
        original = requests.finish

        def finish(connection: Any, request: Any, *arguments: Any, **named: Any) -> None:
            original(connection, request, *arguments, **named)
            if request.action == action:
                die()

        setattr(requests, "finish", finish)  # noqa: B010 - a plain assignment to a module is refused by the type checker
        return
    roll_back = generations.rollback

    def rollback(*arguments: Any, also: Any, **named: Any) -> Any:
        def also_then_die(generation: int, *, is_live: bool) -> None:
            also(generation, is_live=is_live)
            die()

        return roll_back(*arguments, also=also_then_die, **named)

    setattr(generations, "rollback", rollback)  # noqa: B010 - a plain assignment to a module is refused by the type checker


def _switched(_: str) -> None:
    _die_within("_switch", schema, "point_family", is_done=False)


def _done(action: str) -> None:
    original = requests.execute

    def execute(connection: Any, context: Any, request: Any, *more: Any) -> Any:
        outcome = original(connection, context, request, *more)
        if request.action == action:
            die()
        return outcome

    setattr(requests, "execute", execute)  # noqa: B010 - a plain assignment to a module is refused by the type checker


def _die_within(outer: str, owner: Any, inner: str, *, is_done: bool) -> None:
    """Before or after (`is_done`) the first call of `inner` that the function `outer` of the generations makes."""
    within = local()

    def around_outer(call: Callable[[], Any]) -> Any:
        within.now = True
        return call()

    def around_inner(call: Callable[[], Any]) -> Any:
        if not getattr(within, "now", False):
            return call()
        if is_done:
            call()
        return die()

    wrap(generations, outer, around_outer)
    wrap(owner, inner, around_inner)


def _then_die(call: Callable[[], Any]) -> Any:
    call()
    die()


STEPS: dict[str, Callable[[str], None]] = {
    "taken": _taken,
    "held": _held,
    "midway": _midway,
    "inside": _inside,
    "switched": _switched,
    "done": _done,
}


if __name__ == "__main__":
    each_line(_run)
