"""The paths to which files are sent: the gateway and command take larger bodies there, and nowhere else."""

from __future__ import annotations

import re
from typing import Final

from infra.kernel.http.request_limits import MAX_IMAGE_BYTES, UploadLimits

MAX_REPORT_BYTES: Final = 20 * 1024 * 1024
"""A report of a network or of an ad platform as it is sent, compressed or not."""
IMAGE_PATH: Final = re.compile(r"/api/(marketplace/listings|platform/(sites|social-posts))/[0-9a-f-]{36}/images")
REPORT_PATH: Final = re.compile(r"/api/platform/(networks|costs)/imports")
UPLOADS: Final[UploadLimits] = {IMAGE_PATH: MAX_IMAGE_BYTES, REPORT_PATH: MAX_REPORT_BYTES}
