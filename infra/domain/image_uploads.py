"""The paths to which images are sent: the gateway and command take larger bodies there, and nowhere else."""

from __future__ import annotations

import re
from typing import Final

IMAGE_PATH: Final = re.compile(r"/api/(marketplace/listings|platform/(sites|social-posts))/[0-9a-f-]{36}/images")
