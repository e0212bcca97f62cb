"""`GET /api/public/newsletter/stop/{token}`: the List-Unsubscribe address of emails, opened in a browser.

Mail programs POST to it (RFC 8058); those that cannot open it, and so do scanners. It leads to the page with the button
and changes nothing.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import RedirectResponse

router = APIRouter(prefix="/api/public", tags=["public"])


@router.get("/newsletter/stop/{token}", status_code=303, response_class=RedirectResponse)
def open_newsletter_stop(token: Annotated[str, Path(pattern=r"^[0-9a-f]{32}\.[0-9a-f]{32}$")]) -> RedirectResponse:
    """Redirects to the page with the unsubscribe button."""
    return RedirectResponse(f"/newsletter/unsubscribe#code={token}", 303)
