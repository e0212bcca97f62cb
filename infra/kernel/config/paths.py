"""Folders of the checkout that more than one package uses."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[3]
BUILD: Final = ROOT / ".build"
"""What `make` fetches and builds besides the Python packages."""
KAFKA_JARS: Final = BUILD / "kafka"
