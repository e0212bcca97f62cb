"""The files of published sites."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.publishing.sites import sites


@pytest.fixture(scope="package")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of many sites, each site in a folder."""
    folder = tmp_path_factory.mktemp("sites")
    for name, files in sites():
        for path, file in files.items():
            target = folder / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.body)
    return folder
