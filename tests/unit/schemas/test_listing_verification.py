"""Given a stated and a measured number, then how far it is above, and whether that is too far."""

from __future__ import annotations

import pytest

from schemas.listing_verification import difference, is_overstated


@pytest.mark.parametrize(
    ("stated", "measured", "percent", "too_far"),
    [
        (110, 100, 10.0, False),
        (111, 100, 11.0, True),
        (1_101, 1_000, 10.1, True),
        (50, 100, -50.0, False),
        (None, 100, None, False),
        (1, 0, None, True),
        (0, 0, None, False),
    ],
)
def test_a_stated_figure_may_be_a_tenth_above_what_was_measured(
    stated: int | None, measured: int, percent: float | None, *, too_far: bool
) -> None:
    assert (difference(stated, measured), is_overstated(stated, measured)) == (percent, too_far)


def test_without_a_measured_number_no_figure_is_too_high() -> None:
    assert not is_overstated(100, None)
