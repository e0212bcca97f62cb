"""The breaker in front of the language model, by a clock of its own."""

from __future__ import annotations

from infra.llm.breaker import Breaker


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_it_opens_after_failures_in_a_row_and_lets_one_try_after_the_pause() -> None:
    clock = Clock()
    breaker = Breaker(clock, failures=2, pause_s=10)
    breaker.failed()
    breaker.answered()
    breaker.failed()
    assert breaker.may_ask()
    breaker.failed()
    assert (breaker.may_ask(), breaker.pause_left_s) == (False, 10)
    clock.now = 10
    assert [breaker.may_ask(), breaker.may_ask()] == [True, False]  # one tries, the others wait
    breaker.failed()
    clock.now = 19
    assert not breaker.may_ask()
    clock.now = 20
    assert breaker.may_ask()
    breaker.answered()
    assert (breaker.may_ask(), breaker.may_ask(), breaker.pause_left_s) == (True, True, 0)
