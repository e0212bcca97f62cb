"""The wheel has each part where `infra.kernel.config.paths` looks for it, and is not built without one."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from infra.kernel.config import paths
from infra.ops.release import build_hook


@pytest.fixture
def installed(tmp_path: Path) -> ModuleType:
    """`paths` as an installed product has it."""
    copy = tmp_path / "infra" / "kernel" / "config" / "paths.py"
    copy.parent.mkdir(parents=True)
    shutil.copy(paths.__file__, copy)
    (tmp_path / build_hook.TARGET).mkdir()
    spec = importlib.util.spec_from_file_location("installed_paths", copy)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_parts_are_where_the_product_looks_for_them(installed: ModuleType, tmp_path: Path) -> None:
    assert installed.IS_INSTALLED and not paths.IS_INSTALLED
    parts = {paths.ROOT / source: tmp_path / build_hook.TARGET / name for source, name in build_hook.PARTS.items()}
    for name in ("WEB", "KAFKA_JARS", "COUNTRY_DATABASE"):
        assert parts[getattr(paths, name)] == getattr(installed, name)
    assert paths.kafka_archive(tmp_path) == paths.BUILD / "kafka.jsa"
    assert installed.kafka_archive(tmp_path / "data") == tmp_path / "data" / "kafka.jsa"


def added(root: Path, target: str, version: str = "standard") -> dict[str, str]:
    """What the hook adds to an archive of the checkout `root`."""
    hook = build_hook.Parts(
        *(str(root), {}, SimpleNamespace(), SimpleNamespace(), str(root), target)  # type: ignore[arg-type]
    )
    data: dict[str, Any] = {"force_include": {}}
    hook.initialize(version, data)
    found: dict[str, str] = data["force_include"]
    return {str(Path(source).relative_to(root)): name for source, name in found.items()}


def laid(root: Path) -> Path:
    for name in build_hook.PARTS:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return root


def test_wheel_and_sdist_get_the_parts(tmp_path: Path) -> None:
    root = laid(tmp_path)
    assert added(root, "wheel")["web/dist"] == "infra/parts/web"
    assert added(root, "wheel")["requirements.lock"] == "infra/parts/requirements.lock"
    assert "requirements.lock" not in added(root, "sdist"), "it stays at the top, where make looks for it"
    assert added(root, "wheel", "editable") == {}


def test_from_an_sdist_only_the_lock_is_added(tmp_path: Path) -> None:
    for name in build_hook.PARTS.values():
        if name != build_hook.LOCK:
            path = tmp_path / build_hook.TARGET / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    (tmp_path / "requirements.lock").touch()
    assert added(tmp_path, "wheel") == {"requirements.lock": "infra/parts/requirements.lock"}


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    (laid(tmp_path) / "web/dist").unlink()
    with pytest.raises(FileNotFoundError, match="web/dist"):
        added(tmp_path, "wheel")
