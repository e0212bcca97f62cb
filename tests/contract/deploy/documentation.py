"""Examples of `docs/deployment.md`."""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

from infra.kernel.config.paths import ROOT

_BLOCK: Final = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def example(key: str) -> dict[str, Any]:
    """The one example in YAML that has this key at its top."""
    blocks = [yaml.safe_load(text) for text in _BLOCK.findall((ROOT / "docs/deployment.md").read_text())]
    [found] = [block for block in blocks if key in block]
    return dict(found)
