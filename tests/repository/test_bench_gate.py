"""The regression gate lets a path pass whose ratio is as recorded, and none that is slower than the margin allows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.bench.gate import BOUNDS, MIN_MARGIN, Bound, check, measure, read_bounds
from tests.bench.gate_paths import GatePath, projector_path

ROUNDS = 9
RECORDED = Bound(ratio=2.0, noise=0.02)


class Machine:
    """A clock that only work moves; each pair of turns is slower or faster, as a busy machine is."""

    def __init__(self) -> None:
        self.now = 0
        self._turn = 0

    def clock(self) -> int:
        return self.now

    def work(self, cost: int) -> Callable[[], None]:
        def run() -> None:
            self.now += cost * (1 + self._turn // 2 % 5)
            self._turn += 1

        return run


def path(machine: Machine, cost: int) -> GatePath:
    return GatePath("a path", machine.work(cost), machine.work(100), "reference work")


@pytest.mark.parametrize(("cost", "is_slower"), [(200, False), (240, False), (260, True), (400, True)])
def test_a_slower_path_exceeds_the_limit_however_busy_the_machine_is(cost: int, is_slower: bool) -> None:
    machine = Machine()
    assert (measure(path(machine, cost), rounds=ROUNDS, clock=machine.clock) > RECORDED.limit) is is_slower


def test_the_margin_follows_the_noise_and_has_a_least() -> None:
    assert Bound(1.0, 0.0).margin == MIN_MARGIN
    assert Bound(1.0, 0.4).margin == pytest.approx(0.6)


def test_the_real_projector_made_twice_as_slow_fails(capsys: pytest.CaptureFixture[str]) -> None:
    real = projector_path()

    def twice() -> None:
        real.work()
        real.work()

    slowed = GatePath(real.name, twice, real.reference, real.reference_name)
    now = Bound(measure(real, ROUNDS), 0.0)  # of this machine and this moment
    assert check([slowed], {real.name: now}, ROUNDS) == 1
    assert f"slower than recorded: {real.name}" in capsys.readouterr().out


def test_a_path_without_a_bound_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert check([projector_path()], {}, ROUNDS) == 1
    assert "no bound is recorded" in capsys.readouterr().out


def test_every_recorded_bound_allows_less_than_half_more() -> None:
    bounds = read_bounds()
    assert bounds, BOUNDS
    assert {name: bound.margin for name, bound in bounds.items() if bound.margin > 0.5} == {}
