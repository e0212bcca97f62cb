"""Ideas as people type them, understood without a model.

`ideas.json` was written before the scoring that it measures. The scoring is tuned on `seen` only; `aside` shows what
that is worth. `expected`: the categories that an expert accepts as the best one. An idea is understood if one of them
is among the first three industries, and served if one of the first three programs has one of them. What is in
`nothing_seen` and `nothing_aside` is no idea for any industry of the taxonomy.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from infra.domain.program_matching.taxonomy import taxonomy

IDEAS: Final[dict[str, Any]] = json.loads((Path(__file__).parent / "ideas.json").read_text("utf-8"))


def test_sixty_ideas_have_one_to_three_categories_of_the_taxonomy() -> None:
    assert (len(IDEAS["seen"]), len(IDEAS["aside"])) == (40, 20)
    ideas = [*IDEAS["seen"], *IDEAS["aside"]]
    assert all(1 <= len(case["expected"]) <= 3 and set(case["expected"]) <= set(taxonomy()) for case in ideas)
    texts = [case["idea"] for case in ideas] + IDEAS["nothing_seen"] + IDEAS["nothing_aside"]
    assert len(set(texts)) == len(texts)
    examples = {niche.idea for industry in taxonomy().values() for niche in industry.niches}
    assert examples.isdisjoint(texts)
