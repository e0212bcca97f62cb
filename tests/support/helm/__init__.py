"""Renders and lints a chart with Helm itself, a native library that `Charts.java` calls."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from infra.ops.bootstrap import jars_for_tests

RELEASE: Final = "shop"
Manifest = dict[str, Any]
_PROGRAM: Final = Path(__file__).with_name("Charts.java")
_TIMEOUT_S: Final = 120
_HOOK: Final = "helm.sh/hook"
_NO_HOOK: Final = "helm.sh/not-a-hook"
"""The library renders no hooks, so a copy of the chart has none."""
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Rendered:
    """What Helm makes of a chart: the manifests of each set of values, or why it refuses it; what lint reports."""

    manifests: Mapping[str, list[Manifest]]
    refusals: Mapping[str, str]
    lint: str


def render(chart: Path, sets: Mapping[str, Mapping[str, Any]], folder: Path) -> Rendered:
    """Renders `chart` with each set of values, as release `RELEASE`; `folder` is for files in between."""
    for name, values in sets.items():
        (folder / f"{name}.values.yaml").write_text(yaml.safe_dump(dict(values)))
    copy = folder / chart.name
    shutil.copytree(chart, copy)
    for template in (copy / "templates").glob("*.yaml"):
        template.write_text(template.read_text().replace(_HOOK, _NO_HOOK))
    command = ["java", "-XX:TieredStopAtLevel=1", "-cp", f"{jars_for_tests('helm')}/*", str(_PROGRAM)]
    command += [str(chart), str(copy), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    assert done.returncode == 0, done.stderr
    made = {name: folder / f"{name}.yaml" for name in sets}
    return Rendered(
        {name: _manifests(path.read_text()) for name, path in made.items() if path.exists()},
        {name: (folder / f"{name}.error").read_text() for name, path in made.items() if not path.exists()},
        (folder / "lint").read_text(),
    )


def _manifests(text: str) -> list[Manifest]:
    return [found for found in yaml.load_all(text.replace(_NO_HOOK, _HOOK), _LOADER) if found is not None]
