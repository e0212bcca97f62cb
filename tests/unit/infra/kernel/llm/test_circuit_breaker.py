"""The breaker in front of the language model, by a clock of its own."""

from __future__ import annotations

from infra.kernel.llm.circuit_breaker import CircuitBreaker


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_it_opens_after_failures_in_a_row_and_lets_one_try_after_the_pause() -> None:
    clock = Clock()
    breaker = CircuitBreaker(clock, failures=2, pause_s=10)
    breaker.record_failure()
    breaker.record_success()
    breaker.record_failure()
    assert breaker.allows_call()
    breaker.record_failure()
    assert (breaker.allows_call(), breaker.pause_left_s) == (False, 10)
    clock.now = 10
    assert [breaker.allows_call(), breaker.allows_call()] == [True, False]  # one tries, the others wait
    breaker.record_failure()
    clock.now = 19
    assert not breaker.allows_call()
    clock.now = 20
    assert breaker.allows_call()
    breaker.record_success()
    assert (breaker.allows_call(), breaker.allows_call(), breaker.pause_left_s) == (True, True, 0)
