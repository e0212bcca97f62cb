"""What is projected has one name in the whole product: in commands of operations, in metrics and in the audit."""

from __future__ import annotations

from command_api.inline_projections import INLINE_PROJECTIONS
from projectors.registry import REGISTRY


def test_an_inline_projection_shares_its_name_with_no_other() -> None:
    names = [projection.name for projection in INLINE_PROJECTIONS.projections]
    assert not set(names) & {*REGISTRY.projections, *REGISTRY.rollups}
    assert len(set(names)) == len(names)
